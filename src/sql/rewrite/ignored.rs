//! Clauses that the parser reads and DataFusion would not look at.

use sqlparser::ast::{GroupByExpr, Select, TableFactor};

/// A clause of a SELECT that would change its answer and would be passed over.
pub(super) fn of_select(select: &Select) -> Option<&'static str> {
    let modifiers = match &select.group_by {
        GroupByExpr::All(modifiers) | GroupByExpr::Expressions(_, modifiers) => modifiers,
    };
    first(&[
        (
            !modifiers.is_empty(),
            "WITH after GROUP BY is not supported: write GROUP BY ROLLUP (...), CUBE (...) or \
             GROUPING SETS (...)",
        ),
        (
            !select.connect_by.is_empty(),
            "CONNECT BY is not supported: write WITH RECURSIVE",
        ),
        (
            !select.distribute_by.is_empty(),
            "DISTRIBUTE BY is not supported",
        ),
        (select.prewhere.is_some(), "PREWHERE is not supported"),
        (
            select.value_table_mode.is_some(),
            "SELECT AS is not supported",
        ),
        (
            select.select_modifiers.is_some(),
            "a modifier behind SELECT is not supported",
        ),
    ])
}

/// A clause behind a table that would change its rows and would be passed over.
pub(super) fn of_table(factor: &TableFactor) -> Option<&'static str> {
    const SAMPLE: &str = "TABLESAMPLE is not supported: write WHERE random() < 0.1";
    match factor {
        TableFactor::Table {
            with_hints,
            version,
            with_ordinality,
            partitions,
            json_path,
            sample,
            index_hints,
            ..
        } => first(&[
            (sample.is_some(), SAMPLE),
            (
                !with_hints.is_empty(),
                "WITH behind a table is not supported",
            ),
            (
                version.is_some(),
                "a version behind a table is not supported",
            ),
            (
                *with_ordinality,
                "WITH ORDINALITY is not supported: write row_number() OVER ()",
            ),
            (
                !partitions.is_empty(),
                "PARTITION behind a table is not supported",
            ),
            (
                json_path.is_some(),
                "a path behind a table is not supported",
            ),
            (
                !index_hints.is_empty(),
                "USE INDEX and its kin are not supported",
            ),
        ]),
        TableFactor::Derived { sample, .. } => sample.as_ref().map(|_| SAMPLE),
        _ => None,
    }
}

fn first(clauses: &[(bool, &'static str)]) -> Option<&'static str> {
    clauses.iter().find(|(is, _)| *is).map(|(_, why)| *why)
}
