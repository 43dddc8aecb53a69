//! Why a scan reads so many buckets, and what would make them fewer.

use datafusion::logical_expr::Expr;

use crate::catalog::{KeyPart, TableDef};
use crate::plan::narrow::narrow;
use crate::plan::path::{Access, AccessPath};
use crate::plan::scan::table_text;
use crate::plan::text::name_text;

/// Why a scan of a salted table reads more than one bucket: the salt columns that have no list of
/// values, and the cure if there is one. `None` if all of them have.
///
/// ```text
/// host, date not bound by equality; an index on v would read 1 bucket: CREATE INDEX t_v_idx ON t (v)
/// ```
///
/// An index that is advised has no name that is `taken`. Without these there is no advice, and only
/// the columns are named: the cure of an index is not another index.
pub fn fan_out_text(def: &TableDef, path: &AccessPath, taken: Option<&[&str]>) -> Option<String> {
    if path.unbound.is_empty() {
        return None;
    }
    let parts = path.unbound.iter().filter_map(|part| def.key.get(*part));
    let unbound = names(def, parts.map(|part| part.column));
    let cure = taken.and_then(|taken| cured(def, path, taken));
    let cure = cure.map(|cure| format!("; {cure}"));
    Some(format!(
        "{} not bound by equality{}",
        unbound.join(", "),
        cure.unwrap_or_default()
    ))
}

/// What the predicate says of one column.
#[derive(PartialEq)]
enum Bound {
    /// It has one value.
    Equal,
    /// It is one of a list, or lies between two values.
    Range,
}

/// What would make the scan read one bucket, or at least not the whole table.
fn cured(def: &TableDef, path: &AccessPath, taken: &[&str]) -> Option<String> {
    let bound = bound_columns(def, &path.filters);
    let equal = |column: &usize| bound.contains(&(*column, Bound::Equal));
    let in_key: Vec<usize> = def
        .key
        .iter()
        .map(|part| part.column)
        .filter(equal)
        .collect();
    // These are where the key begins: an index would only repeat it.
    let prefix = def
        .key
        .iter()
        .take_while(|part| equal(&part.column))
        .count();
    let prefix: Vec<usize> = def.key.iter().take(prefix).map(|p| p.column).collect();
    let behind: Vec<usize> = (0..def.columns.len())
        .filter(|column| equal(column) && !prefix.contains(column))
        .collect();

    let mut cures = Vec::new();
    if !in_key.is_empty() {
        let columns = names(def, in_key).join(", ");
        cures.push(format!("SALT_COLUMNS = ({columns})"));
    }
    if !behind.is_empty() {
        cures.push(format!("an index on {}", list(names(def, behind.clone()))));
    }
    if !cures.is_empty() {
        let statement = match behind.as_slice() {
            [] => String::new(),
            columns => format!(": {}", create_index(def, columns, taken)),
        };
        return Some(format!(
            "{} would read 1 bucket{statement}",
            cures.join(" or ")
        ));
    }
    // An index is read in all of its buckets too, but only a part of each.
    let (column, _) = bound.iter().find(|(_, bound)| *bound == Bound::Range)?;
    (path.access == Access::FullScan).then(|| {
        let name = names(def, [*column]).join(", ");
        let statement = create_index(def, &[*column], taken);
        format!("an index on {name} would read a part of it: {statement}")
    })
}

/// The statement that makes an index of columns of a table. It is called as PostgreSQL calls one.
fn create_index(def: &TableDef, columns: &[usize], taken: &[&str]) -> String {
    let plain = columns.iter().filter_map(|column| def.columns.get(*column));
    let plain: Vec<&str> = plain.map(|column| column.name.as_str()).collect();
    let name = format!("{}_{}_idx", def.name, plain.join("_"));
    let numbered = (1..).map(|number| format!("{name}{number}"));
    let mut all = std::iter::once(name.clone()).chain(numbered);
    let free = all.find(|name| !taken.contains(&name.as_str()));
    format!(
        "CREATE INDEX {} ON {} ({})",
        name_text(&free.unwrap_or(name)),
        table_text(def),
        names(def, columns.iter().copied()).join(", ")
    )
}

/// The columns that the predicate binds, in the order of the table: each is asked for by itself,
/// as if it were the key.
fn bound_columns(def: &TableDef, filters: &[Expr]) -> Vec<(usize, Bound)> {
    let mut columns: Vec<usize> = filters
        .iter()
        .flat_map(Expr::column_refs)
        .filter_map(|column| def.find_column(&column.name))
        .collect();
    columns.sort_unstable();
    columns.dedup();
    let bound = |column: usize| {
        let key = vec![KeyPart {
            column,
            descending: false,
        }];
        let keyed = TableDef {
            key,
            salting: None,
            ..def.clone()
        };
        let path = narrow(&keyed, filters).ok()?;
        match path.access {
            Access::PointGet(keys) if keys.len() == 1 => Some((column, Bound::Equal)),
            Access::PointGet(_) => Some((column, Bound::Range)),
            Access::Ranges(_) if path.shape.two_sided => Some((column, Bound::Range)),
            _ => None,
        }
    };
    columns.into_iter().filter_map(bound).collect()
}

fn names(def: &TableDef, columns: impl IntoIterator<Item = usize>) -> Vec<String> {
    columns
        .into_iter()
        .filter_map(|column| def.columns.get(column))
        .map(|column| name_text(&column.name))
        .collect()
}

/// One name bare, several in parentheses.
fn list(names: Vec<String>) -> String {
    match names.as_slice() {
        [one] => one.clone(),
        several => format!("({})", several.join(", ")),
    }
}
