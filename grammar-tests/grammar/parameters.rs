//! Parameters: numbering, and what is no parameter.

use super::{canonical, refused};
use rocksalt::sql::{ParameterStyle, parse};

#[test]
fn each_question_mark_is_a_parameter() {
    let parsed =
        parse("SELECT ?, '?', \"?\" FROM t WHERE a = ? -- ?\n AND b IN (?, /* ? */ ?)").unwrap();
    assert_eq!(
        parsed.statement.to_string(),
        "SELECT $1, '?', \"?\" FROM t WHERE a = $2 AND b IN ($3, $4)"
    );
    assert_eq!(parsed.parameters.len(), 4);
    assert_eq!(parsed.parameters.style(), Some(ParameterStyle::Question));
    assert!(parsed.parameters.names().is_empty());
    let position = parsed.parameters.position(2).unwrap();
    assert_eq!((position.line, position.column), (2, 12));
}

#[test]
fn dollars_keep_their_numbers() {
    let parsed = parse("SELECT $2, $1, $2, $03").unwrap();
    assert_eq!(parsed.statement.to_string(), "SELECT $2, $1, $2, $3");
    assert_eq!(parsed.parameters.len(), 3);
    assert_eq!(parsed.parameters.style(), Some(ParameterStyle::Dollar));
}

#[test]
fn names_are_numbered_where_they_first_stand() {
    let parsed =
        parse("UPSERT INTO t (a, b) VALUES (:id, :Name), (:id + 1, upper(:Name)), (:x::int, -:x)")
            .unwrap();
    assert_eq!(
        parsed.statement.to_string(),
        "UPSERT INTO t (a, b) VALUES ($1, $2), ($1 + 1, upper($2)), ($3::INT, -$3)"
    );
    assert_eq!(parsed.parameters.names(), ["id", "Name", "x"]);
    assert_eq!(parsed.parameters.display_name(1), ":Name");
    assert_eq!(
        canonical("SELECT a FROM t WHERE b=:b AND c<:c LIMIT :n"),
        "SELECT a FROM t WHERE b = $1 AND c < $2 LIMIT $3"
    );
}

#[test]
fn other_colons_are_no_parameters() {
    for text in [
        "SELECT a::INT, '1'::DATE",
        "SELECT a[1:2], a[1:n], a[lo:hi]",
        "SELECT {'k': v}",
        "SELECT ':name', \":name\"",
    ] {
        let parsed = parse(text).unwrap();
        assert!(parsed.parameters.is_empty(), "{text}");
        assert_eq!(parsed.statement.to_string(), text);
    }
    assert_eq!(
        parse("SELECT a[:i], a[:lo:5]").unwrap().parameters.names(),
        ["i", "lo"]
    );
}

#[test]
fn bad_parameters() {
    let _settings = super::snapshot_settings();
    insta::assert_snapshot!(
        [
            "SELECT ?, $1",
            "SELECT :a, ?",
            "SELECT $1, :a",
            "SELECT $0",
            "SELECT $1, $3",
            "SELECT $99999999999999999999",
            "SELECT ?1",
            "SELECT $name",
            "DROP TABLE ?",
            "CREATE TABLE t (a INT DEFAULT ? PRIMARY KEY)",
            "CREATE TABLE t (a INT PRIMARY KEY) SALT_BUCKETS = ?",
            "SET durability = :x",
        ]
        .map(refused)
        .join("\n\n")
    );
}
