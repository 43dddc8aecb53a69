//! The rows of the benchmark: `(id BIGINT, device INTEGER, ts TIMESTAMP, value DOUBLE, note VARCHAR)`.

use std::sync::Arc;

use rocksalt::arrow::array::{
    ArrayRef, Float64Array, Int32Array, Int64Array, RecordBatch, StringArray,
    TimestampMicrosecondArray,
};

/// Devices that there are.
pub const DEVICES: u64 = 1_000;

/// The first moment: 2024-01-01, in microseconds.
const START: i64 = 1_704_067_200_000_000;

/// One row, made of its number alone.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    pub id: i64,
    pub device: i32,
    /// Microseconds since 1970.
    pub ts: i64,
    pub value: f64,
    /// 16 bytes.
    pub note: String,
}

/// The row of a number: ids count up, times too, devices come in no order.
pub fn row(number: u64) -> Row {
    let noise = mix(number);
    Row {
        id: number as i64,
        device: (noise % DEVICES) as i32,
        ts: START + number as i64 * 1_000,
        value: (noise >> 40) as f64 / 16.0,
        note: format!("{noise:016x}"),
    }
}

/// Rows as one batch.
pub fn batch(rows: impl IntoIterator<Item = u64>) -> RecordBatch {
    let rows: Vec<Row> = rows.into_iter().map(row).collect();
    let columns: [(&str, ArrayRef); 5] = [
        (
            "id",
            Arc::new(Int64Array::from_iter_values(rows.iter().map(|r| r.id))),
        ),
        (
            "device",
            Arc::new(Int32Array::from_iter_values(rows.iter().map(|r| r.device))),
        ),
        (
            "ts",
            Arc::new(TimestampMicrosecondArray::from_iter_values(
                rows.iter().map(|r| r.ts),
            )),
        ),
        (
            "value",
            Arc::new(Float64Array::from_iter_values(rows.iter().map(|r| r.value))),
        ),
        (
            "note",
            Arc::new(StringArray::from_iter_values(rows.iter().map(|r| &r.note))),
        ),
    ];
    RecordBatch::try_from_iter(columns).expect("columns of one length")
}

/// A number from 0 to `below`, the same for the same `seed` each time.
pub fn random(seed: u64, below: u64) -> u64 {
    mix(seed ^ 0x9e37_79b9_7f4a_7c15) % below
}

/// Sebastiano Vigna's splitmix64.
fn mix(n: u64) -> u64 {
    let n = n.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let n = (n ^ (n >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let n = (n ^ (n >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    n ^ (n >> 31)
}
