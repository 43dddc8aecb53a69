//! Whether a file ends inside a quoted field.

use std::io::{Read, Result};

/// Passes bytes on and knows whether they end inside a quoted field: the CSV reader takes what
/// follows an opening quote for one field up to the end of the file, however many records that is,
/// and says nothing.
pub(super) struct Quotes<R> {
    inner: R,
    delimiter: u8,
    /// The byte before the next one; a line end before the first.
    previous: u8,
    open: bool,
    /// Whether `previous` is a quote that closed a field: another one reopens it.
    closed: bool,
    ended: bool,
}

impl<R: Read> Quotes<R> {
    pub(super) fn new(inner: R, delimiter: u8) -> Self {
        Quotes {
            inner,
            delimiter,
            previous: b'\n',
            open: false,
            closed: false,
            ended: false,
        }
    }

    /// Whether all bytes are passed on and the last field has a quote that nothing closes.
    pub(super) fn end_open(&self) -> bool {
        self.ended && self.open
    }

    fn follow(&mut self, bytes: &[u8]) {
        let mut from = 0;
        while let Some(step) = bytes[from..].iter().position(|byte| *byte == b'"') {
            let at = from + step;
            let before = match at {
                0 => self.previous,
                at => bytes[at - 1],
            };
            if self.open {
                (self.open, self.closed) = (false, true);
            } else {
                let reopens = step == 0 && self.closed;
                let begins = [self.delimiter, b'\n', b'\r'].contains(&before);
                (self.open, self.closed) = (reopens || begins, false);
            }
            from = at + 1;
        }
        if let Some(last) = bytes.last() {
            self.previous = *last;
            self.closed &= from == bytes.len();
        }
    }
}

impl<R: Read> Read for Quotes<R> {
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
        let read = self.inner.read(buffer)?;
        self.ended |= read == 0 && !buffer.is_empty();
        self.follow(&buffer[..read]);
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives one byte at a time, so that every state has to last from call to call.
    struct Slowly<'a>(&'a [u8]);

    impl Read for Slowly<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
            let one = buffer.len().min(1);
            self.0.read(&mut buffer[..one])
        }
    }

    fn end_open(text: &str) -> bool {
        let mut whole = Quotes::new(text.as_bytes(), b',');
        let mut slow = Quotes::new(Slowly(text.as_bytes()), b',');
        std::io::copy(&mut whole, &mut std::io::sink()).unwrap();
        std::io::copy(&mut slow, &mut std::io::sink()).unwrap();
        assert_eq!(whole.end_open(), slow.end_open(), "{text:?}");
        whole.end_open()
    }

    #[test]
    fn a_quote_opens_at_the_beginning_of_a_field_alone() {
        for text in [
            "",
            "a,b\n",
            "\"a\",b\n",
            "a,\"b\"",
            "5\" pipe,b\n",
            "a,\"b\"\"c\"\n",
            "\"\"\n",
            "\"a\"b\"c,d\n",
            "\"a\nb\"\n",
        ] {
            assert!(!end_open(text), "{text:?}");
        }
        for text in [
            "\"",
            "a,\"b\n",
            "a\n\"b,c\nd\n",
            "a,\"b\"\"\n",
            "\"\"\"",
            "\"a\"\"b\n",
        ] {
            assert!(end_open(text), "{text:?}");
        }
    }
}
