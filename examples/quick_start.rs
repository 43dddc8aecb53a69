//! The fifteen lines of README.

use rocksalt::{Database, params};

#[tokio::main]
async fn main() -> rocksalt::Result<()> {
    let db = Database::in_memory().await?; // Database::open("folder") keeps what is written
    db.run(
        "CREATE TABLE load (at TIMESTAMP, host VARCHAR, percent DOUBLE, PRIMARY KEY (at, host))
         SALT_BUCKETS = 16",
    )
    .await?;
    let row = params!["2013-01-01T10:00:00", "web1", 81.5];
    db.execute("UPSERT INTO load VALUES (?, ?, ?)", row).await?;
    let get = "SELECT percent FROM load WHERE at = '2013-01-01T10:00:00' AND host = 'web1'";
    let batches = db.query(get, ()).await?.collect().await?; // Arrow record batches
    assert_eq!(batches[0].num_rows(), 1);
    let plan = db.explain(get).await?.to_string();
    assert!(plan.starts_with("PointGet: load, buckets 1/16"), "{plan}");
    Ok(())
}
