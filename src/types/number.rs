//! Exact arithmetic on decimal digits: the part of assignment where a number changes its form.

/// Why a text is not read as a value of a type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fault {
    /// It does not have the form of one.
    Malformed,
    /// It has the form, and the type has no such value.
    OutOfRange,
}

/// Reads `[+-]digits[.digits][e[+-]digits]` times `10^scale`, rounded half away from zero; with
/// it, whether nothing was rounded. Half of the digits may be missing (`.5`, `5.`), not both.
pub(super) fn parse_decimal(text: &str, scale: u8) -> Result<(i128, bool), Fault> {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let (mantissa, exponent) = match unsigned.find(['e', 'E']) {
        Some(at) => (&unsigned[..at], Some(&unsigned[at + 1..])),
        None => (unsigned, None),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let all_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if whole.len() + fraction.len() == 0 || !all_digits(whole) || !all_digits(fraction) {
        return Err(Fault::Malformed);
    }
    let exponent = exponent.map_or(Ok(0), parse_exponent)?;

    // The digits before this place stand before the point once the scale is applied.
    let point = exponent
        .saturating_add(i64::from(scale))
        .saturating_add(i64::try_from(whole.len()).unwrap_or(i64::MAX));
    let mut unscaled: i128 = 0;
    let mut exact = true;
    let mut round_up = false;
    for (place, digit) in (0_i64..).zip(whole.bytes().chain(fraction.bytes())) {
        let digit = digit - b'0';
        if place < point {
            unscaled = push_digit(unscaled, digit)?;
        } else {
            exact &= digit == 0;
            round_up |= place == point && digit >= 5;
        }
    }
    if unscaled != 0 {
        let digits = (whole.len() + fraction.len()) as i64;
        for _ in digits..point {
            unscaled = push_digit(unscaled, 0)?;
        }
    }
    if round_up {
        unscaled = unscaled.checked_add(1).ok_or(Fault::OutOfRange)?;
    }
    Ok((
        if text.starts_with('-') {
            -unscaled
        } else {
            unscaled
        },
        exact,
    ))
}

fn push_digit(number: i128, digit: u8) -> Result<i128, Fault> {
    number
        .checked_mul(10)
        .and_then(|number| number.checked_add(i128::from(digit)))
        .ok_or(Fault::OutOfRange)
}

/// An exponent beyond every number becomes a very large one.
fn parse_exponent(text: &str) -> Result<i64, Fault> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(Fault::Malformed);
    }
    let size: i64 = digits.parse::<i32>().unwrap_or(i32::MAX).into();
    Ok(if text.starts_with('-') { -size } else { size })
}

/// `unscaled / 10^from` times `10^to`, rounded half away from zero; with it, whether nothing was
/// rounded. `None` if it needs more than 128 bits.
pub(super) fn rescale(unscaled: i128, from: u8, to: u8) -> Option<(i128, bool)> {
    if to >= from {
        let factor = 10_i128.checked_pow(u32::from(to - from));
        return match factor.and_then(|factor| unscaled.checked_mul(factor)) {
            Some(unscaled) => Some((unscaled, true)),
            None => (unscaled == 0).then_some((0, true)),
        };
    }
    let Some(factor) = 10_i128.checked_pow(u32::from(from - to)) else {
        return Some((0, unscaled == 0));
    };
    let quotient = unscaled / factor;
    let rest = unscaled % factor;
    let away = rest.unsigned_abs() >= factor.unsigned_abs() - rest.unsigned_abs();
    Some((
        quotient + if away { unscaled.signum() } else { 0 },
        rest == 0,
    ))
}

/// Whether a number has at most `precision` digits.
pub(super) fn fits_precision(unscaled: i128, precision: u8) -> bool {
    match 10_u128.checked_pow(u32::from(precision)) {
        Some(limit) => unscaled.unsigned_abs() < limit,
        None => true,
    }
}

/// How many binary digits a finite number has after the point: with as many decimal ones, and no
/// fewer, it is written exactly.
pub(super) fn fraction_bits(number: f64) -> u32 {
    if number == 0.0 {
        return 0;
    }
    let bits = number.to_bits();
    let stored_exponent = (bits >> 52 & 0x7ff) as i32;
    let stored_mantissa = bits & ((1 << 52) - 1);
    let (mantissa, exponent) = match stored_exponent {
        0 => (stored_mantissa, -1074),
        _ => (stored_mantissa | 1 << 52, stored_exponent - 1075),
    };
    let exponent = exponent + mantissa.trailing_zeros() as i32;
    u32::try_from(-exponent).unwrap_or(0)
}
