//! The works, by what they do.

pub mod point;
pub mod scan;
pub mod write;
