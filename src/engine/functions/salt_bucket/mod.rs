//! `salt_bucket(t)`: the bucket in which a row lies.
//!
//! ```text
//! salt_bucket(x)        x: a table of the FROM, as it is called there
//!    │ calls: the syntax tree, before DataFusion sees it
//! "salt_bucket 101"(x.host, x.n)
//!    │ function: the function of the table of that id
//! SaltBucket{layout}(x.host, x.n)
//! ```
//!
//! The salt is no column, so there is nothing that the call could read: it computes the bucket from
//! the columns of the key, by the code that writes do it by.

mod calls;
mod function;

pub(in crate::engine) use calls::resolve;
pub(in crate::engine) use function::{find, text};
