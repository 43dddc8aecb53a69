//! What SET changes.

use std::num::NonZeroU32;
use std::time::Duration;

use crate::error::{Error, Result};
use crate::table::Durability;

/// The settings of a session.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Settings {
    /// When a write is acknowledged.
    pub(crate) durability: Durability,
    /// How long a statement waits for a lock.
    pub(crate) lock_timeout: Duration,
    /// How many bytes a statement may write.
    pub(crate) max_statement_bytes: u64,
    /// How many buckets a scan may visit; any number without it.
    pub(crate) max_fanout: Option<NonZeroU32>,
    /// Whether every scan is compared with a full scan and its filter.
    pub(crate) verify_plans: bool,
    /// Whether a plain scan of a salted table returns its rows in key order.
    pub(crate) row_key_order: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            durability: Durability::Synced,
            lock_timeout: Duration::from_secs(10),
            max_statement_bytes: 256 << 20,
            max_fanout: None,
            verify_plans: false,
            row_key_order: false,
        }
    }
}

const NAMES: [&str; 6] = [
    "durability",
    "lock_timeout",
    "max_fanout",
    "max_statement_bytes",
    "row_key_order",
    "verify_plans",
];

impl Settings {
    /// Sets the setting of that name; `None` is its default, which is what `defaults` has.
    pub(crate) fn set(
        &mut self,
        name: &str,
        value: Option<&str>,
        defaults: &Settings,
    ) -> Result<()> {
        let wrong = |hint: &str| {
            Error::invalid(format!(
                "{name} cannot be '{}': {hint}",
                value.unwrap_or_default()
            ))
        };
        match (name, value) {
            ("durability", None) => self.durability = defaults.durability,
            ("durability", Some(text)) => {
                self.durability = match text.to_ascii_lowercase().as_str() {
                    "synced" => Durability::Synced,
                    "buffered" => Durability::Buffered,
                    _ => return Err(wrong("it is 'synced' or 'buffered'")),
                }
            }
            ("lock_timeout", None) => self.lock_timeout = defaults.lock_timeout,
            ("lock_timeout", Some(text)) => {
                self.lock_timeout = duration(text).ok_or_else(|| {
                    wrong("it is a number of milliseconds, or a text such as '10s' or '500ms'")
                })?;
            }
            ("max_statement_bytes", None) => {
                self.max_statement_bytes = defaults.max_statement_bytes;
            }
            ("max_statement_bytes", Some(text)) => {
                self.max_statement_bytes = bytes(text)
                    .ok_or_else(|| wrong("it is a number of bytes, or a text such as '256MiB'"))?;
            }
            ("max_fanout", None) => self.max_fanout = defaults.max_fanout,
            ("max_fanout", Some(text)) => {
                self.max_fanout = match text.to_ascii_lowercase().as_str() {
                    "off" => None,
                    number => NonZeroU32::new(
                        number
                            .parse()
                            .map_err(|_| wrong("it is a number of buckets, or 'off'"))?,
                    ),
                }
            }
            ("row_key_order", None) => self.row_key_order = defaults.row_key_order,
            ("row_key_order", Some(text)) => {
                self.row_key_order = switch(text).ok_or_else(|| wrong("it is 'on' or 'off'"))?;
            }
            ("verify_plans", None) => self.verify_plans = defaults.verify_plans,
            ("verify_plans", Some(text)) => {
                self.verify_plans = switch(text).ok_or_else(|| wrong("it is 'on' or 'off'"))?;
            }
            _ => return Err(unknown(name)),
        }
        Ok(())
    }

    /// The value of a setting as SET would take it.
    pub(crate) fn show(&self, name: &str) -> Result<String> {
        Ok(match name {
            "durability" => match self.durability {
                Durability::Synced => "synced".to_owned(),
                Durability::Buffered => "buffered".to_owned(),
            },
            "lock_timeout" => {
                let millis = self.lock_timeout.as_millis();
                if millis.is_multiple_of(1000) {
                    format!("{}s", millis / 1000)
                } else {
                    format!("{millis}ms")
                }
            }
            "max_statement_bytes" => self.max_statement_bytes.to_string(),
            "max_fanout" => match self.max_fanout {
                Some(buckets) => buckets.to_string(),
                None => "off".to_owned(),
            },
            "row_key_order" => switch_text(self.row_key_order).to_owned(),
            "verify_plans" => switch_text(self.verify_plans).to_owned(),
            _ => return Err(unknown(name)),
        })
    }

    /// Every setting with its value, by name.
    pub(crate) fn all(&self) -> Vec<(&'static str, String)> {
        NAMES
            .iter()
            .filter_map(|name| Some((*name, self.show(name).ok()?)))
            .collect()
    }
}

fn unknown(name: &str) -> Error {
    if name.starts_with("datafusion.") {
        return Error::unsupported(format!(
            "{name}: the settings of DataFusion are fixed; what can be set is {}",
            NAMES.join(", ")
        ));
    }
    Error::not_found(format!("no setting {name}; there are {}", NAMES.join(", ")))
}

fn switch(text: &str) -> Option<bool> {
    match text.to_ascii_lowercase().as_str() {
        "on" | "true" => Some(true),
        "off" | "false" => Some(false),
        _ => None,
    }
}

fn switch_text(on: bool) -> &'static str {
    if on { "on" } else { "off" }
}

/// A bare number is milliseconds.
fn duration(text: &str) -> Option<Duration> {
    let (number, unit) = split(text)?;
    Some(Duration::from_millis(match unit {
        "" | "ms" => number,
        "s" => number.checked_mul(1_000)?,
        "min" => number.checked_mul(60_000)?,
        _ => return None,
    }))
}

fn bytes(text: &str) -> Option<u64> {
    let (number, unit) = split(text)?;
    let factor = match unit.to_ascii_lowercase().as_str() {
        "" | "b" => 1,
        "kib" | "kb" => 1 << 10,
        "mib" | "mb" => 1 << 20,
        "gib" | "gb" => 1 << 30,
        _ => return None,
    };
    number.checked_mul(factor)
}

fn split(text: &str) -> Option<(u64, &str)> {
    let text = text.trim();
    let unit = text
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(text.len());
    let (number, unit) = text.split_at(unit);
    Some((number.parse().ok()?, unit.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_set_is_shown() {
        let defaults = Settings::default();
        let mut settings = Settings::default();
        for (name, set, shown) in [
            ("durability", "BUFFERED", "buffered"),
            ("lock_timeout", "1500", "1500ms"),
            ("lock_timeout", "2 s", "2s"),
            ("max_statement_bytes", "1MiB", "1048576"),
            ("max_fanout", "4", "4"),
            ("verify_plans", "ON", "on"),
            ("row_key_order", "TRUE", "on"),
            ("row_key_order", "On", "on"),
        ] {
            settings.set(name, Some(set), &defaults).unwrap();
            assert_eq!(settings.show(name).unwrap(), shown);
            settings.set(name, None, &defaults).unwrap();
            assert_eq!(settings, defaults);
        }
        for unbounded in ["0", "off", "OFF"] {
            settings.set("max_fanout", Some("4"), &defaults).unwrap();
            settings
                .set("max_fanout", Some(unbounded), &defaults)
                .unwrap();
            assert_eq!(settings.show("max_fanout").unwrap(), "off");
        }
    }

    #[test]
    fn what_cannot_be_set_says_what_can() {
        let mut settings = Settings::default();
        let mut message = |name: &str, value: &str| {
            settings
                .set(name, Some(value), &Settings::default())
                .unwrap_err()
                .to_string()
        };
        assert_eq!(
            message("durability", "x"),
            "invalid: durability cannot be 'x': it is 'synced' or 'buffered'"
        );
        assert_eq!(
            message("max_fanout", "-1"),
            "invalid: max_fanout cannot be '-1': it is a number of buckets, or 'off'"
        );
        assert_eq!(
            message("verify_plans", "maybe"),
            "invalid: verify_plans cannot be 'maybe': it is 'on' or 'off'"
        );
        assert_eq!(
            message("datafusion.execution.batch_size", "1"),
            "unsupported: datafusion.execution.batch_size: the settings of DataFusion are fixed; \
             what can be set is durability, lock_timeout, max_fanout, max_statement_bytes, \
             row_key_order, verify_plans"
        );
        assert_eq!(
            message("colour", "red"),
            "not found: no setting colour; there are durability, lock_timeout, max_fanout, \
             max_statement_bytes, row_key_order, verify_plans"
        );
    }
}
