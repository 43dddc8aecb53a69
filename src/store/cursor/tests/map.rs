//! A table that is a sorted map.

use std::ops::Bound;
use std::sync::Arc;

use super::Map;
use crate::error::{Error, Result};
use crate::store::cursor::{RawIterator, Source};

/// A table that is a map.
pub(super) struct MapSource {
    pub(super) map: Arc<Map>,
    /// Reading fails when the iterator comes to this key.
    pub(super) fails_at: Option<Vec<u8>>,
}

pub(super) struct MapIter {
    map: Arc<Map>,
    fails_at: Option<Vec<u8>>,
    lower: Vec<u8>,
    upper: Option<Vec<u8>>,
    at: Option<Vec<u8>>,
    failed: bool,
}

impl Source for MapSource {
    type Iter = MapIter;

    fn open(&self, lower: &[u8], upper: Option<&[u8]>, _wary: bool) -> MapIter {
        MapIter {
            map: Arc::clone(&self.map),
            fails_at: self.fails_at.clone(),
            lower: lower.to_vec(),
            upper: upper.map(<[u8]>::to_vec),
            at: None,
            failed: false,
        }
    }
}

impl MapIter {
    fn go(&mut self, key: Option<&Vec<u8>>) -> Option<Vec<u8>> {
        let inside = |key: &&Vec<u8>| {
            **key >= self.lower && self.upper.as_ref().is_none_or(|upper| *key < upper)
        };
        let key = key.filter(inside).cloned();
        self.failed = key.is_some() && key == self.fails_at;
        key.filter(|_| !self.failed)
    }
}

impl RawIterator for MapIter {
    fn seek(&mut self, key: &[u8]) {
        let map = Arc::clone(&self.map);
        let from = key.max(&self.lower).to_vec();
        self.at = self.go(map.range(from..).next().map(|(key, _)| key));
    }

    fn seek_for_prev(&mut self, key: &[u8]) {
        let map = Arc::clone(&self.map);
        let below = match &self.upper {
            Some(upper) if key >= upper.as_slice() => Bound::Excluded(upper.clone()),
            _ => Bound::Included(key.to_vec()),
        };
        let found = map.range((Bound::Unbounded, below)).next_back();
        self.at = self.go(found.map(|(key, _)| key));
    }

    fn seek_to_last(&mut self) {
        let map = Arc::clone(&self.map);
        let below = self.upper.clone().map_or(Bound::Unbounded, Bound::Excluded);
        let found = map.range((Bound::Unbounded, below)).next_back();
        self.at = self.go(found.map(|(key, _)| key));
    }

    fn next(&mut self) {
        let map = Arc::clone(&self.map);
        if let Some(at) = self.at.take() {
            let after = (Bound::Excluded(at), Bound::Unbounded);
            self.at = self.go(map.range(after).next().map(|(key, _)| key));
        }
    }

    fn prev(&mut self) {
        let map = Arc::clone(&self.map);
        if let Some(at) = self.at.take() {
            self.at = self.go(map.range(..at).next_back().map(|(key, _)| key));
        }
    }

    fn key(&self) -> Option<&[u8]> {
        self.at.as_deref()
    }

    fn value(&self) -> Option<&[u8]> {
        self.map.get(self.at.as_ref()?).map(Vec::as_slice)
    }

    fn status(&self) -> Result<()> {
        match self.failed {
            true => Err(Error::corrupt("a damaged block")),
            false => Ok(()),
        }
    }

    fn gave_up(&self) -> bool {
        false
    }
}
