//! The form of a row value: what its encoder and its decoder agree on.

use crate::codec::key_column::fixed_width;
use crate::types::SqlType;

/// The two shapes of a row value. They differ in the size of their numbers, so that the usual row
/// does not pay for the largest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// At most 255 columns with ids up to 255, at most 65,535 variable bytes.
    Narrow,
    /// Column count and ids of 16 bits, end offsets of 32.
    Wide,
}

impl Shape {
    /// The first byte of a row value.
    pub(super) fn format_byte(self) -> u8 {
        match self {
            Shape::Narrow => 0x01,
            Shape::Wide => 0x02,
        }
    }

    pub(super) fn of_format_byte(byte: u8) -> Option<Shape> {
        [Shape::Narrow, Shape::Wide]
            .into_iter()
            .find(|shape| shape.format_byte() == byte)
    }

    /// The size of the column count and of a column id.
    pub(super) fn id_size(self) -> usize {
        match self {
            Shape::Narrow => 1,
            Shape::Wide => 2,
        }
    }

    /// The size of an end offset.
    pub(super) fn offset_size(self) -> usize {
        match self {
            Shape::Narrow => 2,
            Shape::Wide => 4,
        }
    }

    /// The most variable bytes that its offsets reach.
    pub(super) fn max_variable(self) -> usize {
        match self {
            Shape::Narrow => u16::MAX as usize,
            Shape::Wide => u32::MAX as usize,
        }
    }
}

/// How many bytes the null bitmap of `columns` columns has.
pub(super) fn bitmap_size(columns: usize) -> usize {
    columns.div_ceil(8)
}

/// The width that stands for "variable".
pub(super) const VARIABLE: u8 = 0;

/// The width of a type in a row value: that of its slot, or [`VARIABLE`].
pub(super) fn width(sql_type: &SqlType) -> u8 {
    fixed_width(sql_type).map_or(VARIABLE, |width| width as u8)
}
