//! Months and years, as far as functions of time need them.

use crate::plan::locate::DAY;
use crate::types::calendar::{date_of, days_of};

/// Whether DataFusion's calendar knows a day counted from 1970: it ends with the year 262,142.
pub(super) fn is_date(days: i128) -> bool {
    (-262_143..=262_142).contains(&year(days))
}

/// The year of a day.
pub(super) fn year(days: i128) -> i128 {
    date(days).0.into()
}

/// The first day of the month that a day is in, of its quarter, or of its year: months in twos,
/// threes, sixes or twelves from January on.
pub(super) fn first_of_months(days: i128, months: i64) -> i128 {
    let (year, month, _) = date(days);
    let month = (month - 1) / months * months + 1;
    days_of(year, month, 1).into()
}

/// The last instant that is a multiple of so many months from the origin and not after `nanos`:
/// a day that its month does not have is the last that it has. `None` beyond the calendar.
pub(super) fn month_bin(nanos: i128, origin: i128, months: i64) -> Option<i128> {
    let (year, month, _) = date(nanos.div_euclid(DAY));
    let (origin_year, origin_month, origin_day) = date(origin.div_euclid(DAY));
    let shifted = |by: i64| {
        let month = origin_year * 12 + origin_month - 1 + by;
        let (year, month) = (month.div_euclid(12), month.rem_euclid(12) + 1);
        let next = match month {
            12 => days_of(year + 1, 1, 1),
            month => days_of(year, month + 1, 1),
        };
        let day = (days_of(year, month, 1) + origin_day - 1).min(next - 1);
        let fits = (-262_143..=262_142).contains(&year);
        fits.then_some(i128::from(day) * DAY + origin.rem_euclid(DAY))
    };
    let distance = (year - origin_year) * 12 + month - origin_month;
    let distance = distance.div_euclid(months) * months;
    let bin = shifted(distance)?;
    if bin <= nanos {
        return Some(bin);
    }
    shifted(distance - months)
}

fn date(days: i128) -> (i64, i64, i64) {
    // Nanoseconds of 64 bits, microseconds and days of 32 are all within.
    date_of(i64::try_from(days).unwrap_or_default())
}
