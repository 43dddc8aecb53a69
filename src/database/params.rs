//! The values of a statement's parameters.

use crate::error::{Error, Result};
use crate::types::Value;

/// The values of a statement's parameters: by place for `?` and `$1`, by name for `:name`.
///
/// [`params!`](crate::params) makes them; `()` stands for none.
///
/// ```
/// use rocksalt::{Params, Value, params};
/// assert_eq!(params![1, "a"], Params::positional([Value::from(1), Value::from("a")]));
/// assert_eq!(params! { id: 1 }, Params::named([("id", Value::from(1))]));
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Params(Given);

#[derive(Debug, Clone, PartialEq)]
enum Given {
    Places(Vec<Value>),
    Names(Vec<(String, Value)>),
}

impl Default for Given {
    fn default() -> Self {
        Given::Places(Vec::new())
    }
}

impl Params {
    /// Values by place: the first is that of the first `?` or of `$1`.
    ///
    /// ```
    /// use rocksalt::{Params, Value};
    /// let db = rocksalt::blocking::Database::in_memory()?;
    /// let batches = db.query("SELECT ? + 1 AS n", Params::positional([Value::from(1i64)]))?.collect()?;
    /// assert_eq!(batches[0].num_rows(), 1);
    /// # Ok::<(), rocksalt::Error>(())
    /// ```
    pub fn positional(values: impl IntoIterator<Item = Value>) -> Self {
        Params(Given::Places(values.into_iter().collect()))
    }

    /// Values by name, without the colon.
    ///
    /// ```
    /// use rocksalt::{Params, Value};
    /// let db = rocksalt::blocking::Database::in_memory()?;
    /// let params = Params::named([("n", Value::from(1i64))]);
    /// assert_eq!(db.query("SELECT :n + 1 AS n", params)?.collect()?[0].num_rows(), 1);
    /// # Ok::<(), rocksalt::Error>(())
    /// ```
    pub fn named<N: Into<String>>(values: impl IntoIterator<Item = (N, Value)>) -> Self {
        Params(Given::Names(
            values.into_iter().map(|(n, v)| (n.into(), v)).collect(),
        ))
    }

    /// Whether no values are given.
    pub(crate) fn is_empty(&self) -> bool {
        match &self.0 {
            Given::Places(values) => values.is_empty(),
            Given::Names(given) => given.is_empty(),
        }
    }

    /// The values in the order of the statement's `count` parameters, whose names are `names`,
    /// empty if they have none.
    pub(crate) fn bind(self, count: usize, names: &[String]) -> Result<Vec<Value>> {
        match self.0 {
            Given::Places(values) if names.is_empty() && values.len() == count => Ok(values),
            Given::Places(values) if names.is_empty() => Err(Error::invalid(format!(
                "the statement takes {count} parameter{} and {} given",
                if count == 1 { "" } else { "s" },
                match values.len() {
                    1 => "1 was".to_owned(),
                    n => format!("{n} were"),
                },
            ))),
            Given::Places(values) if values.is_empty() => Err(Error::invalid(format!(
                "parameter :{} has no value",
                names[0]
            ))),
            Given::Places(_) => Err(Error::invalid(format!(
                "the statement names its parameters ({}) and values came by place",
                names
                    .iter()
                    .map(|n| format!(":{n}"))
                    .collect::<Vec<_>>()
                    .join(", ")
            ))),
            Given::Names(given) if names.is_empty() && count > 0 && !given.is_empty() => Err(
                Error::invalid("values came by name and the statement's parameters have none"),
            ),
            Given::Names(given) if names.is_empty() => match given.first() {
                Some((name, _)) => Err(Error::invalid(format!(
                    "the statement has no parameter :{name}"
                ))),
                None => Params::default().bind(count, names),
            },
            Given::Names(given) => by_name(given, names),
        }
    }
}

fn by_name(given: Vec<(String, Value)>, names: &[String]) -> Result<Vec<Value>> {
    let mut values: Vec<Option<Value>> = vec![None; names.len()];
    for (name, value) in given {
        let Some(slot) = names
            .iter()
            .position(|n| *n == name)
            .and_then(|i| values.get_mut(i))
        else {
            return Err(Error::invalid(format!(
                "the statement has no parameter :{name}"
            )));
        };
        if slot.replace(value).is_some() {
            return Err(Error::invalid(format!("parameter :{name} was given twice")));
        }
    }
    names
        .iter()
        .zip(values)
        .map(|(name, value)| {
            value.ok_or_else(|| Error::invalid(format!("parameter :{name} has no value")))
        })
        .collect()
}

/// What can stand for the parameters of a statement.
///
/// ```
/// use rocksalt::{params, Value};
/// let db = rocksalt::blocking::Database::in_memory()?;
/// db.execute("CREATE TABLE t (k INTEGER PRIMARY KEY, v VARCHAR)", ())?;
/// db.execute("UPSERT INTO t VALUES (?, ?)", params![1, "a"])?;
/// db.execute("UPSERT INTO t VALUES (?, ?)", [Value::from(2), Value::from("b")])?;
/// # Ok::<(), rocksalt::Error>(())
/// ```
pub trait IntoParams {
    /// The parameters.
    fn into_params(self) -> Params;
}

impl IntoParams for () {
    fn into_params(self) -> Params {
        Params::default()
    }
}

impl IntoParams for Params {
    fn into_params(self) -> Params {
        self
    }
}

impl IntoParams for &Params {
    fn into_params(self) -> Params {
        self.clone()
    }
}

impl<T: Into<Value>> IntoParams for Vec<T> {
    fn into_params(self) -> Params {
        Params::positional(self.into_iter().map(Into::into))
    }
}

impl<T: Into<Value> + Clone> IntoParams for &[T] {
    fn into_params(self) -> Params {
        Params::positional(self.iter().cloned().map(Into::into))
    }
}

impl<T: Into<Value>, const N: usize> IntoParams for [T; N] {
    fn into_params(self) -> Params {
        Params::positional(self.into_iter().map(Into::into))
    }
}

/// The parameters of a statement: `params![1, "a"]` by place, `params!{id: 1}` by name.
///
/// ```
/// use rocksalt::params;
/// let db = rocksalt::blocking::Database::in_memory()?;
/// db.execute("CREATE TABLE t (k INTEGER PRIMARY KEY, v VARCHAR)", ())?;
/// db.execute("UPSERT INTO t VALUES ($1, $2)", params![1, "a"])?;
/// db.execute("UPDATE t SET v = :v WHERE k = :k", params! { k: 1, v: Option::<&str>::None })?;
/// # Ok::<(), rocksalt::Error>(())
/// ```
#[macro_export]
macro_rules! params {
    () => { $crate::Params::default() };
    ($($name:ident : $value:expr),+ $(,)?) => {
        $crate::Params::named([$((stringify!($name), $crate::Value::from($value))),+])
    };
    ($($value:expr),+ $(,)?) => {
        $crate::Params::positional([$($crate::Value::from($value)),+])
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(|n| n.to_string()).collect()
    }

    #[test]
    fn names_are_put_in_the_order_of_the_statement() {
        let ab = names(&["a", "b"]);
        let values = params! { b: 2, a: 1 }.bind(2, &ab).unwrap();
        assert_eq!(values, [Value::Integer(1), Value::Integer(2)]);
    }

    #[test]
    fn what_does_not_fit_says_how() {
        let ab = names(&["a", "b"]);
        let message = |params: Params, count, names: &[String]| {
            params.bind(count, names).unwrap_err().message().to_owned()
        };
        assert_eq!(
            message(params![1], 2, &[]),
            "the statement takes 2 parameters and 1 was given"
        );
        assert_eq!(
            message(params! { a: 1 }, 2, &ab),
            "parameter :b has no value"
        );
        assert_eq!(
            message(params! { a: 1, b: 2, c: 3 }, 2, &ab),
            "the statement has no parameter :c"
        );
        assert_eq!(
            message(params![1, 2], 2, &ab),
            "the statement names its parameters (:a, :b) and values came by place"
        );
        assert_eq!(
            message(params! { a: 1 }, 1, &[]),
            "values came by name and the statement's parameters have none"
        );
        assert_eq!(
            message(params! { a: 1 }, 0, &[]),
            "the statement has no parameter :a"
        );
    }
}
