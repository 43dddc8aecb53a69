//! What a scan should have returned: a full scan and its filter.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use datafusion::arrow::array::{BooleanArray, BooleanBufferBuilder, RecordBatch, UInt32Array};
use datafusion::arrow::compute::{filter, filter_record_batch};
use datafusion::arrow::row::{OwnedRow, RowConverter, SortField};
use datafusion::logical_expr::execution_props::ExecutionProps;
use futures::TryStreamExt;

use crate::engine::scan::residual::residual_with;
use crate::engine::verify::digest::Digest;
use crate::engine::verify::witness::{Returned, Witness};
use crate::engine::verify::{Asked, Verifier};
use crate::error::{Error, Result};
use crate::key::{BucketRange, BucketSet, KeyRange, expand};
use crate::table::{Groups, ReadRequest, RowFilter, RowPredicate, Scan, Target};

/// What is read to verify one execution of a scan: full scans of its table with its filter.
pub(super) struct Reference<'a> {
    verifier: &'a Verifier,
    witness: &'a Witness,
    asked: &'a Asked,
    returned: Returned,
}

/// A full scan with the filter of the scan, with what a join looks for in it or without.
struct Source {
    filter: Option<RowFilter>,
    buckets: Vec<BucketRange>,
}

impl<'a> Reference<'a> {
    pub(super) fn new(verifier: &'a Verifier, witness: &'a Witness) -> Self {
        Reference {
            verifier,
            witness,
            asked: &witness.asked,
            returned: witness.returned(),
        }
    }

    /// What is wrong with the rows of the scan, if something is.
    pub(super) async fn compare(&self) -> Result<Option<String>> {
        let hinted = self.asked.hints > 0;
        if let Some(groups) = self.asked.groups {
            return self.compare_groups(groups, hinted).await;
        }
        if hinted && let Some(mismatch) = self.compare_hinted().await? {
            return Ok(Some(mismatch));
        }
        self.compare_rows(hinted).await
    }

    /// The scan against the rows that pass its filter.
    async fn compare_rows(&self, hinted: bool) -> Result<Option<String>> {
        let part = hinted || !self.witness.is_whole() || self.asked.limit.is_some();
        let mut missing = Bag::of(if part { &self.returned.kept } else { &[] });
        let (mut rows, mut sum) = (0_u64, 0_u128);
        let all = self.source(false)?;
        self.hashes(&all, |hash| {
            rows += 1;
            sum = sum.wrapping_add(hash);
            missing.take(hash);
        })
        .await?;
        let least = match self.asked.limit {
            Some(limit) if self.witness.is_whole() && !hinted => rows.min(limit as u64),
            _ => 0,
        };
        Ok(match part {
            false => whole_mismatch(&self.returned, rows, sum),
            true => part_mismatch(&self.returned, rows, missing.len(), least),
        })
    }

    /// The scan against the rows that a join looks for: all of them are there.
    async fn compare_hinted(&self) -> Result<Option<String>> {
        if !self.is_all() {
            return Ok(None);
        }
        let mut returned = Bag::of(&self.returned.kept);
        let (mut rows, mut absent) = (0_u64, 0_u64);
        let looked_for = self.source(true)?;
        self.hashes(&looked_for, |hash| {
            rows += 1;
            absent += u64::from(!returned.take(hash));
        })
        .await?;
        Ok((absent > 0).then(|| {
            let returned = self.returned.rows;
            format!(
                "{returned} rows, without {absent} of the {rows} of a full scan with its filter"
            )
        }))
    }

    /// A loose scan against the ends of its groups.
    async fn compare_groups(&self, groups: Groups, hinted: bool) -> Result<Option<String>> {
        let seen: HashSet<u128> = self.returned.kept.iter().copied().collect();
        let mut strange = seen.clone();
        let mut absent = 0_u64;
        let all = self.source(false)?;
        for bucket in &all.buckets {
            let mut ends = GroupEnds::new(self.asked, groups)?;
            let mut batches = self.scan(&all, std::slice::from_ref(bucket), true);
            while let Some(batch) = batches.try_next().await? {
                ends.rows(
                    &batch,
                    |hash| {
                        strange.remove(&hash);
                    },
                    |hash| absent += u64::from(!seen.contains(&hash)),
                )?;
            }
            ends.finish(|hash| absent += u64::from(!seen.contains(&hash)));
        }
        if !strange.is_empty() {
            let strange = strange.len();
            return Ok(Some(format!(
                "{strange} rows that no full scan with its filter returns"
            )));
        }
        Ok((self.is_all() && !hinted && absent > 0).then(|| {
            let rows = self.returned.rows;
            format!("{rows} rows, and not those at the ends of {absent} groups")
        }))
    }

    /// Whether the scan returned all that it had, and each of its rows is known.
    fn is_all(&self) -> bool {
        self.witness.is_whole()
            && self.asked.limit.is_none()
            && self.returned.kept.len() as u64 == self.returned.rows
    }

    fn source(&self, with_hints: bool) -> Result<Source> {
        let layout = self.asked.entry.def.key_layout();
        let all = BucketSet::all(layout.buckets());
        Ok(Source {
            filter: row_filter(self.asked, with_hints)?,
            buckets: expand(&[KeyRange::all()], &layout, &all)?,
        })
    }

    /// Calls `each` with the hash of every row of a source.
    async fn hashes(&self, source: &Source, mut each: impl FnMut(u128)) -> Result<()> {
        let mut digest = None;
        let mut batches = self.scan(source, &source.buckets, false);
        while let Some(batch) = batches.try_next().await? {
            let digest = match &mut digest {
                Some(digest) => digest,
                none => none.insert(Digest::new(&batch.schema())?),
            };
            digest.rows(&batch, &mut each)?;
        }
        Ok(())
    }

    /// The rows of some buckets: the columns that the scan returned, and those of the key if they
    /// are asked for.
    fn scan(&self, source: &Source, buckets: &[BucketRange], with_key: bool) -> Scan {
        let entry = &self.asked.entry;
        let mut columns = self.asked.columns.clone();
        let mut filter = source.filter.clone();
        if with_key {
            columns.extend(entry.def.key.iter().map(|part| part.column));
            filter = filter.map(|filter| RowFilter {
                predicate: Arc::new(Behind {
                    returned: self.asked.columns.len(),
                    skipped: entry.def.key.len(),
                    predicate: filter.predicate,
                }),
                columns: filter.columns,
            });
        }
        let target = Target::Ranges(buckets.to_vec());
        let request = ReadRequest {
            filter,
            ..ReadRequest::new(entry.def.clone(), entry.handle.clone(), columns, target)
        };
        let (pool, snapshot) = (self.verifier.pool.clone(), self.verifier.snapshot.clone());
        Scan::new(pool, request, snapshot, Arc::default())
    }
}

fn whole_mismatch(returned: &Returned, rows: u64, sum: u128) -> Option<String> {
    if returned.rows != rows {
        let returned = returned.rows;
        return Some(format!(
            "{returned} rows, and a full scan with its filter {rows}"
        ));
    }
    (returned.sum != sum)
        .then(|| format!("{rows} rows, and a full scan with its filter as many others"))
}

fn part_mismatch(returned: &Returned, rows: u64, missing: u64, least: u64) -> Option<String> {
    let count = returned.rows;
    if missing > 0 {
        return Some(format!(
            "{count} rows, of which {missing} are not among the {rows} of a full scan with its \
             filter"
        ));
    }
    (count < least || count > rows).then(|| {
        format!("{count} rows under its limit, and a full scan with its filter has {rows}")
    })
}

/// Hashes that are looked for, each as often as it was returned.
struct Bag(HashMap<u128, u64>);

impl Bag {
    fn of(hashes: &[u128]) -> Self {
        let mut bag = HashMap::with_capacity(hashes.len());
        for hash in hashes {
            *bag.entry(*hash).or_default() += 1;
        }
        Bag(bag)
    }

    /// Whether the hash was there.
    fn take(&mut self, hash: u128) -> bool {
        let Some(count) = self.0.get_mut(&hash) else {
            return false;
        };
        *count -= 1;
        if *count == 0 {
            self.0.remove(&hash);
        }
        true
    }

    fn len(&self) -> u64 {
        self.0.values().sum()
    }
}

/// The ends of the groups of one bucket, whose rows come in key order.
struct GroupEnds {
    groups: Groups,
    /// How many columns were returned; those of the key follow.
    width: usize,
    prefix: Option<RowConverter>,
    current: Option<OwnedRow>,
    last: Option<u128>,
}

impl GroupEnds {
    fn new(asked: &Asked, groups: Groups) -> Result<Self> {
        let layout = asked.entry.def.key_layout();
        let fields: Vec<SortField> = layout
            .columns()
            .iter()
            .take(groups.columns)
            .map(|column| SortField::new(column.sql_type.arrow()))
            .collect();
        let prefix = match fields.is_empty() {
            true => None,
            false => Some(RowConverter::new(fields).map_err(unexpected)?),
        };
        Ok(GroupEnds {
            groups,
            width: asked.columns.len(),
            prefix,
            current: None,
            last: None,
        })
    }

    /// Calls `each` with the hash of every row, and `end` with that of each row at an end.
    fn rows(
        &mut self,
        batch: &RecordBatch,
        mut each: impl FnMut(u128),
        mut end: impl FnMut(u128),
    ) -> Result<()> {
        let returned: Vec<usize> = (0..self.width).collect();
        let returned = batch.project(&returned).map_err(unexpected)?;
        let mut hashes = Vec::with_capacity(batch.num_rows());
        Digest::new(&returned.schema())?.rows(&returned, |hash| {
            each(hash);
            hashes.push(hash);
        })?;
        let prefixes = match &self.prefix {
            Some(prefix) => {
                let columns = batch.columns().iter().skip(self.width);
                let columns: Vec<_> = columns.take(self.groups.columns).cloned().collect();
                Some(prefix.convert_columns(&columns).map_err(unexpected)?)
            }
            None => None,
        };
        for (row, hash) in hashes.into_iter().enumerate() {
            let prefix = prefixes.as_ref().map(|prefixes| prefixes.row(row));
            let current = self.current.as_ref().map(OwnedRow::row);
            let same = self.last.is_some() && prefix == current;
            if !same {
                self.finish(&mut end);
                self.current = prefix.map(|prefix| prefix.owned());
                if self.groups.first {
                    end(hash);
                }
            }
            self.last = Some(hash);
        }
        Ok(())
    }

    /// The last row of the last group is at an end.
    fn finish(&mut self, mut end: impl FnMut(u128)) {
        if let Some(hash) = self.last.take()
            && self.groups.last
        {
            end(hash);
        }
    }
}

/// The filter of the full scan, term by term.
fn row_filter(asked: &Asked, with_hints: bool) -> Result<Option<RowFilter>> {
    let def = &asked.entry.def;
    let props = ExecutionProps::new();
    let built = |term| {
        residual_with(def, &asked.columns, std::slice::from_ref(term), &props)
            .map_err(crate::engine::from_datafusion)
    };
    let mut extra: Vec<usize> = Vec::new();
    let mut terms = Vec::new();
    for term in &asked.terms(with_hints) {
        let Some(filter) = built(term)? else { continue };
        // Each was made for its own columns behind those that are returned.
        let places = filter.columns.iter().map(|column| {
            let at = extra.iter().position(|known| known == column);
            at.unwrap_or_else(|| {
                extra.push(*column);
                extra.len() - 1
            })
        });
        let returned = 0..asked.columns.len();
        let columns = returned
            .chain(places.map(|place| asked.columns.len() + place))
            .collect();
        terms.push((columns, filter.predicate));
    }
    Ok((!terms.is_empty()).then(|| RowFilter {
        columns: extra,
        predicate: Arc::new(Terms(terms)),
    }))
}

/// A conjunction whose terms are evaluated one after the other, each on the rows that passed the
/// ones before it; and row by row where it fails, because a scan reads fewer rows and may never
/// have come to the one on which it does.
#[derive(Debug)]
struct Terms(Vec<(Vec<usize>, Arc<dyn RowPredicate>)>);

impl RowPredicate for Terms {
    fn evaluate(&self, batch: &RecordBatch) -> Result<BooleanArray> {
        let mut passed: Vec<u32> = (0..batch.num_rows() as u32).collect();
        let mut rows = batch.clone();
        for (columns, predicate) in &self.0 {
            if passed.is_empty() {
                break;
            }
            let seen = rows.project(columns).map_err(unexpected)?;
            let kept = match predicate.evaluate(&seen) {
                Ok(kept) => kept,
                Err(_) => row_by_row(predicate.as_ref(), &seen),
            };
            let places = UInt32Array::from(passed);
            let places = filter(&places, &kept).map_err(unexpected)?;
            passed = match places.as_any().downcast_ref::<UInt32Array>() {
                Some(places) => places.values().to_vec(),
                None => Vec::new(),
            };
            rows = filter_record_batch(&rows, &kept).map_err(unexpected)?;
        }
        let mut kept = BooleanBufferBuilder::new(batch.num_rows());
        kept.append_n(batch.num_rows(), false);
        passed
            .iter()
            .for_each(|row| kept.set_bit(*row as usize, true));
        Ok(BooleanArray::new(kept.finish(), None))
    }
}

fn row_by_row(predicate: &dyn RowPredicate, batch: &RecordBatch) -> BooleanArray {
    let passes = |row: usize| {
        let kept = predicate.evaluate(&batch.slice(row, 1)).ok()?;
        kept.iter().next().flatten()
    };
    (0..batch.num_rows()).map(passes).collect()
}

/// A predicate over a batch that has more columns between those that are returned and those that
/// only the filter needs.
#[derive(Debug)]
struct Behind {
    returned: usize,
    skipped: usize,
    predicate: Arc<dyn RowPredicate>,
}

impl RowPredicate for Behind {
    fn evaluate(&self, batch: &RecordBatch) -> Result<BooleanArray> {
        let columns: Vec<usize> = (0..self.returned)
            .chain(self.returned + self.skipped..batch.num_columns())
            .collect();
        self.predicate
            .evaluate(&batch.project(&columns).map_err(unexpected)?)
    }
}

fn unexpected(error: datafusion::arrow::error::ArrowError) -> Error {
    Error::internal("a batch does not have its own shape").with_source(error)
}
