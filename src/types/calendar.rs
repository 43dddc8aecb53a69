//! Dates and times of day as text, and back.
//!
//! The calendar is the proleptic Gregorian one of ISO 8601, with a year 0. A year of four digits
//! needs no sign; any other has one, as ISO's expanded years have: `+10000-01-01`, `-0044-03-15`.
//! Everything that a column can hold prints, and reads back.

use std::fmt;

use crate::types::number::Fault;

const MICROS_PER_SECOND: i64 = 1_000_000;
pub(super) const MICROS_PER_DAY: i64 = 86_400 * MICROS_PER_SECOND;

/// Days from 1970-01-01 to a day of the Gregorian calendar, by the count of 400-year cycles of
/// 146,097 days that begin on a first of March.
pub(crate) fn days_of(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let cycle = year.div_euclid(400);
    let year_of_cycle = year.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let day_of_cycle = year_of_cycle * 365 + year_of_cycle / 4 - year_of_cycle / 100 + day_of_year;
    cycle * 146_097 + day_of_cycle - 719_468
}

/// The inverse of [`days_of`]: year, month, day.
pub(crate) fn date_of(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let cycle = days.div_euclid(146_097);
    let day_of_cycle = days.rem_euclid(146_097);
    let year_of_cycle = (day_of_cycle - day_of_cycle / 1_460 + day_of_cycle / 36_524
        - day_of_cycle / 146_096)
        / 365;
    let day_of_year =
        day_of_cycle - (365 * year_of_cycle + year_of_cycle / 4 - year_of_cycle / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 {
        shifted + 3
    } else {
        shifted - 9
    };
    let year = year_of_cycle + cycle * 400 + i64::from(month <= 2);
    (year, month, day)
}

fn days_in_month(year: i64, month: i64) -> i64 {
    match month {
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Writes `2013-01-01`.
pub(super) fn write_date(f: &mut impl fmt::Write, days: i64) -> fmt::Result {
    let (year, month, day) = date_of(days);
    if (0..=9999).contains(&year) {
        write!(f, "{year:04}-{month:02}-{day:02}")
    } else {
        write!(f, "{year:+05}-{month:02}-{day:02}")
    }
}

/// Writes `10:00:00` or `10:00:00.25`.
pub(super) fn write_time(f: &mut impl fmt::Write, micros: i64) -> fmt::Result {
    // No column holds one before midnight; the message that refuses it shows it.
    if micros < 0 {
        f.write_char('-')?;
    }
    let micros = micros.unsigned_abs();
    let (seconds, fraction) = (micros / 1_000_000, micros % 1_000_000);
    write!(
        f,
        "{:02}:{:02}:{:02}",
        seconds / 3_600,
        seconds / 60 % 60,
        seconds % 60
    )?;
    if fraction == 0 {
        return Ok(());
    }
    let digits = format!("{fraction:06}");
    write!(f, ".{}", digits.trim_end_matches('0'))
}

/// Writes `2013-01-01T10:00:00`.
pub(super) fn write_timestamp(f: &mut impl fmt::Write, micros: i64) -> fmt::Result {
    write_date(f, micros.div_euclid(MICROS_PER_DAY))?;
    f.write_char('T')?;
    write_time(f, micros.rem_euclid(MICROS_PER_DAY))
}

/// Reads `YYYY-MM-DD` as days from 1970-01-01.
pub(super) fn parse_date(text: &str) -> Result<i32, Fault> {
    let mut rest = Rest(text.as_bytes());
    let days = rest
        .date()
        .filter(|_| rest.0.is_empty())
        .ok_or(Fault::Malformed)?;
    i32::try_from(days).map_err(|_| Fault::OutOfRange)
}

/// Reads `HH:MM[:SS[.f]]` as microseconds from midnight, a finer fraction cut; with them, whether
/// nothing was cut.
pub(super) fn parse_time(text: &str) -> Result<(i64, bool), Fault> {
    let mut rest = Rest(text.as_bytes());
    rest.time()
        .filter(|_| rest.0.is_empty())
        .ok_or(Fault::Malformed)
}

/// Reads `YYYY-MM-DD[(T| )HH:MM[:SS[.f]][Z|±HH[[:]MM]]]` as microseconds from 1970-01-01T00:00:00,
/// in UTC if there is a zone, a finer fraction cut; with them, whether nothing was cut.
pub(super) fn parse_timestamp(text: &str) -> Result<(i64, bool), Fault> {
    let mut rest = Rest(text.as_bytes());
    let (days, time, exact, offset) = rest.timestamp().ok_or(Fault::Malformed)?;
    // Wide, because a year of seven digits is more than 64 bits of microseconds hold.
    let micros = i128::from(days) * i128::from(MICROS_PER_DAY) + i128::from(time - offset);
    i64::try_from(micros)
        .map(|micros| (micros, exact))
        .map_err(|_| Fault::OutOfRange)
}

/// What is left of a text while it is read.
struct Rest<'a>(&'a [u8]);

impl Rest<'_> {
    fn peek(&self) -> Option<u8> {
        self.0.first().copied()
    }

    fn skip_if(&mut self, byte: u8) -> Option<()> {
        self.0 = self.0.strip_prefix(&[byte])?;
        Some(())
    }

    /// Exactly `count` digits.
    fn digits(&mut self, count: usize) -> Option<i64> {
        let (digits, rest) = self.0.split_at_checked(count)?;
        let number = digits.iter().try_fold(0, |number, digit| {
            digit
                .is_ascii_digit()
                .then(|| number * 10 + i64::from(digit - b'0'))
        })?;
        self.0 = rest;
        Some(number)
    }

    fn date(&mut self) -> Option<i64> {
        let sign = match self.peek()? {
            b'+' => 1,
            b'-' => -1,
            _ => 0,
        };
        let year = if sign == 0 {
            self.digits(4)?
        } else {
            self.0 = &self.0[1..];
            let count = self
                .0
                .iter()
                .take_while(|byte| byte.is_ascii_digit())
                .count();
            if !(4..=7).contains(&count) {
                return None;
            }
            sign * self.digits(count)?
        };
        self.skip_if(b'-')?;
        let month = self.digits(2).filter(|month| (1..=12).contains(month))?;
        self.skip_if(b'-')?;
        let day = self
            .digits(2)
            .filter(|day| (1..=days_in_month(year, month)).contains(day))?;
        Some(days_of(year, month, day))
    }

    fn time(&mut self) -> Option<(i64, bool)> {
        let hour = self.digits(2).filter(|hour| *hour < 24)?;
        self.skip_if(b':')?;
        let minute = self.digits(2).filter(|minute| *minute < 60)?;
        let mut micros = (hour * 3_600 + minute * 60) * MICROS_PER_SECOND;
        let mut exact = true;
        if self.skip_if(b':').is_some() {
            micros += self.digits(2).filter(|second| *second < 60)? * MICROS_PER_SECOND;
            if self.skip_if(b'.').is_some() {
                let count = self
                    .0
                    .iter()
                    .take_while(|byte| byte.is_ascii_digit())
                    .count();
                let kept = count.min(6);
                let fraction = self.digits(kept).filter(|_| kept > 0)?;
                micros += fraction * 10_i64.pow(6 - kept as u32);
                let (cut, rest) = self.0.split_at_checked(count - kept)?;
                exact = cut.iter().all(|digit| *digit == b'0');
                self.0 = rest;
            }
        }
        Some((micros, exact))
    }

    /// An offset from UTC in microseconds.
    fn zone(&mut self) -> Option<i64> {
        let sign = match self.peek() {
            None => return Some(0),
            Some(b'Z' | b'z') => {
                self.0 = &self.0[1..];
                return Some(0);
            }
            Some(b'+') => 1,
            Some(b'-') => -1,
            Some(_) => return None,
        };
        self.0 = &self.0[1..];
        let hours = self.digits(2).filter(|hours| *hours < 24)?;
        let minutes = if self.0.is_empty() {
            0
        } else {
            let _ = self.skip_if(b':');
            self.digits(2).filter(|minutes| *minutes < 60)?
        };
        Some(sign * (hours * 60 + minutes) * 60 * MICROS_PER_SECOND)
    }

    /// Days, microseconds of the day, whether they are all of the fraction, offset from UTC.
    fn timestamp(&mut self) -> Option<(i64, i64, bool, i64)> {
        let days = self.date()?;
        if self.0.is_empty() {
            return Some((days, 0, true, 0));
        }
        if !matches!(self.peek()?, b'T' | b't' | b' ') {
            return None;
        }
        self.0 = &self.0[1..];
        let (time, exact) = self.time()?;
        let offset = self.zone()?;
        self.0.is_empty().then_some((days, time, exact, offset))
    }
}
