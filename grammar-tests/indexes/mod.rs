//! Secondary indexes.

mod build;
mod check;
mod conflict;
mod crash;
mod define;
mod entries;
mod expressions;
mod plans;
mod raw;
mod rounds;
mod unique;
mod upkeep;
mod used;
