//! A suspended scan.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use xxhash_rust::xxh3::xxh3_64;

use crate::database::scan::bytes::{Input, Output};
use crate::database::scan::spec::{Filter, Spec, TableId};
use crate::error::{Error, Result};
use crate::key::ByteRange;
use crate::store::CursorOrder;
use crate::table::{Portions, Position};

/// The first byte of every token: the version of what follows.
const VERSION: u8 = 1;
/// Bytes of the checksum, the last of every token.
const CHECKSUM: usize = 4;

/// A suspended scan: what it reads, and how far it has come. It is a short string of bytes, or of
/// hexadecimal digits, that can be kept anywhere for any time.
///
/// [`Scanner::suspend`](crate::Scanner::suspend) makes it and
/// [`Database::resume`](crate::Database::resume) takes it. It holds no data of the table but the
/// key of one row and the bounds and values that the scan was given.
///
/// ```
/// # futures::executor::block_on(async {
/// use rocksalt::ScanToken;
/// let db = rocksalt::Database::in_memory().await?;
/// db.execute("CREATE TABLE t (k INTEGER PRIMARY KEY) SALT_BUCKETS = 4", ()).await?;
/// db.execute("UPSERT INTO t VALUES (1), (2), (3)", ()).await?;
/// let mut scanner = db.table("t").await?.scan().batch_size(1).sorted().await?;
/// scanner.next_batch().await?;
///
/// let text = scanner.suspend().to_string();
/// let token: ScanToken = text.parse()?;
/// assert_eq!(db.resume(&token).await?.collect().await?.len(), 2);
/// assert!("no token".parse::<ScanToken>().is_err());
/// # Ok::<(), rocksalt::Error>(()) }).unwrap();
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct ScanToken(Vec<u8>);

impl ScanToken {
    /// The token as bytes.
    ///
    /// ```
    /// let db = rocksalt::blocking::Database::in_memory()?;
    /// db.execute("CREATE TABLE t (k INTEGER PRIMARY KEY)", ())?;
    /// let token = db.table("t")?.scan().sorted()?.suspend();
    /// assert!(token.as_bytes().len() < 50);
    /// # Ok::<(), rocksalt::Error>(())
    /// ```
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// The token that the bytes are.
    ///
    /// ```
    /// use rocksalt::ScanToken;
    /// let db = rocksalt::blocking::Database::in_memory()?;
    /// db.execute("CREATE TABLE t (k INTEGER PRIMARY KEY)", ())?;
    /// let token = db.table("t")?.scan().sorted()?.suspend();
    /// assert_eq!(ScanToken::from_bytes(token.as_bytes())?, token);
    /// # Ok::<(), rocksalt::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Invalid`](crate::ErrorKind::Invalid) for bytes that are no token, or were changed,
    /// [`Unsupported`](crate::ErrorKind::Unsupported) for the token of a later release.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let token = ScanToken(bytes.to_vec());
        token.decode()?;
        Ok(token)
    }

    pub(super) fn encode(spec: &Spec, position: &Position, remaining: Option<usize>) -> Self {
        let mut out = Output::default();
        out.byte(VERSION);
        let TableId {
            id,
            schema,
            name,
            key,
        } = &spec.table;
        out.number(u64::from(*id));
        out.bytes(schema.as_bytes());
        out.bytes(name.as_bytes());
        out.bytes(&key.to_le_bytes());
        out.number(spec.columns.len() as u64);
        for (id, name) in &spec.columns {
            out.number(u64::from(*id));
            out.bytes(name.as_bytes());
        }
        out.bytes(&spec.range.start);
        out.byte(u8::from(spec.range.end.is_some()));
        spec.range.end.iter().for_each(|end| out.bytes(end));
        out.buckets(&spec.buckets);
        out.number(spec.filters.len() as u64);
        for Filter { text, values } in &spec.filters {
            out.bytes(text.as_bytes());
            out.number(values.len() as u64);
            values.iter().for_each(|value| out.value(value));
        }
        out.bytes(&spec.started.to_le_bytes());
        out.byte(match spec.order {
            CursorOrder::Any => 0,
            CursorOrder::Key => 1,
            CursorOrder::KeyReverse => 2,
        });
        out.number(spec.portions.rows as u64);
        let nanos = |limit: Duration| u64::try_from(limit.as_nanos()).unwrap_or(u64::MAX - 1);
        out.optional(spec.portions.time_limit.map(nanos));
        out.optional(remaining.map(|rows| rows as u64));
        match position {
            Position::Start => out.byte(0),
            Position::After { bucket, key } => {
                out.byte(1);
                out.byte(*bucket);
                out.bytes(key);
            }
            Position::End => out.byte(2),
        }
        let checksum = checksum(&out.0);
        out.0.extend_from_slice(&checksum);
        ScanToken(out.0)
    }

    /// What is to be read, how far the scan has come, and how many rows it may still return.
    pub(super) fn decode(&self) -> Result<(Spec, Position, Option<usize>)> {
        let invalid = || Error::invalid("this is no token of a suspended scan");
        let length = self.0.len().checked_sub(CHECKSUM).ok_or_else(invalid)?;
        let (body, sum) = self.0.split_at_checked(length).ok_or_else(invalid)?;
        if sum != checksum(body) {
            return Err(invalid());
        }
        let mut input = Input(body);
        match input.byte() {
            Some(VERSION) => {}
            Some(0) | None => return Err(invalid()),
            Some(later) => {
                return Err(Error::unsupported(format!(
                    "the token is of version {later}, of a later release than this one"
                )));
            }
        }
        let decoded = decode(&mut input).filter(|_| input.0.is_empty());
        decoded.ok_or_else(invalid)
    }
}

fn checksum(body: &[u8]) -> [u8; CHECKSUM] {
    (xxh3_64(body) as u32).to_le_bytes()
}

fn decode(input: &mut Input) -> Option<(Spec, Position, Option<usize>)> {
    let table = TableId {
        id: input.small()?,
        schema: input.text()?,
        name: input.text()?,
        key: u64::from_le_bytes(input.bytes()?.try_into().ok()?),
    };
    let mut columns = Vec::new();
    for _ in 0..input.number()? {
        columns.push((input.small()?, input.text()?));
    }
    let range = ByteRange {
        start: input.bytes()?.to_vec(),
        end: match input.byte()? {
            0 => None,
            1 => Some(input.bytes()?.to_vec()),
            _ => return None,
        },
    };
    let buckets = input.buckets()?;
    let mut filters = Vec::new();
    for _ in 0..input.number()? {
        let text = input.text()?;
        let mut values = Vec::new();
        for _ in 0..input.number()? {
            values.push(input.value()?);
        }
        filters.push(Filter { text, values });
    }
    let started = i64::from_le_bytes(input.bytes()?.try_into().ok()?);
    let order = match input.byte()? {
        0 => CursorOrder::Any,
        1 => CursorOrder::Key,
        2 => CursorOrder::KeyReverse,
        _ => return None,
    };
    let portions = Portions {
        rows: input.small()?,
        time_limit: input.optional()?.map(Duration::from_nanos),
        positions: true,
    };
    let remaining = match input.optional()? {
        Some(rows) => Some(usize::try_from(rows).ok()?),
        None => None,
    };
    let position = match input.byte()? {
        0 => Position::Start,
        1 => Position::After {
            bucket: input.byte()?,
            key: input.bytes()?.to_vec(),
        },
        2 => Position::End,
        _ => return None,
    };
    let spec = Spec {
        table,
        columns,
        range,
        buckets,
        filters,
        started,
        order,
        portions,
    };
    Some((spec, position, remaining))
}

impl fmt::Display for ScanToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for ScanToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ScanToken({self})")
    }
}

impl FromStr for ScanToken {
    type Err = Error;

    /// The token that the hexadecimal digits are.
    fn from_str(text: &str) -> Result<Self> {
        let digit = |byte: u8| char::from(byte).to_digit(16);
        let pairs = text.as_bytes().chunks(2).map(|pair| match *pair {
            [high, low] => Some((digit(high)? << 4 | digit(low)?) as u8),
            _ => None,
        });
        let bytes: Option<Vec<u8>> = pairs.collect();
        let bytes = bytes
            .ok_or_else(|| Error::invalid("a token is an even number of hexadecimal digits"))?;
        ScanToken::from_bytes(&bytes)
    }
}
