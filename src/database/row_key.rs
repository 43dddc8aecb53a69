//! The values of a primary key, as Rust writes them.

use crate::types::Value;

/// What can stand for the key of a row, or for its first columns: one value, or a tuple or list of
/// them in key order.
///
/// ```
/// let db = rocksalt::blocking::Database::in_memory()?;
/// db.execute("CREATE TABLE t (a VARCHAR, b INTEGER, PRIMARY KEY (a, b))", ())?;
/// db.execute("UPSERT INTO t VALUES ('x', 1)", ())?;
/// let table = db.table("t")?;
/// assert!(table.get(("x", 1))?.is_some());
/// assert!(table.get(("x", 2))?.is_none());
/// # Ok::<(), rocksalt::Error>(())
/// ```
pub trait IntoKey {
    /// The values in key order.
    fn into_key(self) -> Vec<Value>;
}

impl<T: Into<Value>> IntoKey for T {
    fn into_key(self) -> Vec<Value> {
        vec![self.into()]
    }
}

impl IntoKey for Vec<Value> {
    fn into_key(self) -> Vec<Value> {
        self
    }
}

impl IntoKey for &[Value] {
    fn into_key(self) -> Vec<Value> {
        self.to_vec()
    }
}

impl<T: Into<Value>, const N: usize> IntoKey for [T; N] {
    fn into_key(self) -> Vec<Value> {
        self.into_iter().map(Into::into).collect()
    }
}

macro_rules! tuples {
    ($(($($t:ident $i:tt),+)),+ $(,)?) => {
        $(impl<$($t: Into<Value>),+> IntoKey for ($($t,)+) {
            fn into_key(self) -> Vec<Value> {
                vec![$(self.$i.into()),+]
            }
        })+
    };
}

tuples!(
    (A 0),
    (A 0, B 1),
    (A 0, B 1, C 2),
    (A 0, B 1, C 2, D 3),
    (A 0, B 1, C 2, D 3, E 4),
    (A 0, B 1, C 2, D 3, E 4, F 5),
    (A 0, B 1, C 2, D 3, E 4, F 5, G 6),
    (A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7),
);
