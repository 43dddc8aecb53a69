//! The calls in a syntax tree: a table is no expression, so that they are replaced before anything
//! is bound.

use std::borrow::Cow;
use std::ops::ControlFlow;
use std::sync::Arc;

use sqlparser::ast::{
    Expr, Function, FunctionArg, FunctionArgExpr, FunctionArgumentList, FunctionArguments, Ident,
    ObjectName, Query, Select, SetExpr, Spanned, TableAlias, TableFactor, TableWithJoins, Visit,
    VisitMut, Visitor, VisitorMut,
};

use crate::catalog::{CatalogState, Entry};
use crate::engine::bind::catalogs::{CATALOG, PUBLIC};
use crate::error::{Error, Position, Result};
use crate::plan::{SALT_BUCKET, salt_bucket_of};

/// The query with every `salt_bucket(t)` as a call of the function of that table with the columns
/// of its key.
///
/// # Errors
/// `Invalid` for a call of anything but a salted table of the FROM around it.
pub(in crate::engine) fn resolve<'a>(
    catalog: &CatalogState,
    query: &'a Query,
) -> Result<Cow<'a, Query>> {
    struct Calls;
    impl Visitor for Calls {
        type Break = ();
        fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<()> {
            match expr {
                Expr::Function(function) if is_call(function) => ControlFlow::Break(()),
                _ => ControlFlow::Continue(()),
            }
        }
    }
    if query.visit(&mut Calls).is_continue() {
        return Ok(Cow::Borrowed(query));
    }
    let mut query = query.clone();
    let mut pass = Pass {
        catalog,
        scopes: Vec::new(),
        queries: Vec::new(),
    };
    match VisitMut::visit(&mut query, &mut pass) {
        ControlFlow::Continue(()) => Ok(Cow::Owned(query)),
        ControlFlow::Break(error) => Err(*error),
    }
}

fn is_call(function: &Function) -> bool {
    match function.name.0.as_slice() {
        [name] => name
            .as_ident()
            .is_some_and(|name| folded(name) == SALT_BUCKET),
        _ => false,
    }
}

fn folded(ident: &Ident) -> String {
    match ident.quote_style {
        Some(_) => ident.value.clone(),
        None => ident.value.to_ascii_lowercase(),
    }
}

/// What stands in a FROM.
struct Relation {
    /// The names by which it can be called: its alias, or its own name after those of its schema
    /// and catalog.
    names: Vec<String>,
    /// The same, as they are written.
    idents: Vec<Ident>,
    kind: Kind,
}

enum Kind {
    /// A table, and the names of its columns here.
    Table(Arc<Entry>, Vec<String>),
    /// A table that does not exist, which binding will say.
    Missing,
    /// Something that has no buckets.
    Other,
}

/// A query around the place where the pass is.
struct Around {
    /// Its WITH.
    names: Vec<String>,
    recursive: bool,
    /// How many queries of its WITH the pass has been through.
    seen: usize,
}

impl Around {
    /// The names that a query in it can call.
    fn visible(&self) -> &[String] {
        let seen = match self.recursive {
            true => self.names.len(),
            false => self.seen.min(self.names.len()),
        };
        &self.names[..seen]
    }
}

struct Pass<'a> {
    catalog: &'a CatalogState,
    /// The FROMs around the place where the pass is, the nearest last.
    scopes: Vec<Vec<Relation>>,
    queries: Vec<Around>,
}

impl Pass<'_> {
    fn relations(&self, select: &Select) -> Vec<Relation> {
        let mut relations = Vec::new();
        for table in &select.from {
            self.add(table, &mut relations);
        }
        relations
    }

    fn add(&self, table: &TableWithJoins, relations: &mut Vec<Relation>) {
        let joined = table.joins.iter().map(|join| &join.relation);
        for factor in std::iter::once(&table.relation).chain(joined) {
            match factor {
                TableFactor::Table {
                    name,
                    alias,
                    args: None,
                    ..
                } => relations.extend(self.table(name, alias.as_ref())),
                TableFactor::NestedJoin {
                    table_with_joins,
                    alias: None,
                } => self.add(table_with_joins, relations),
                TableFactor::Table { alias, .. }
                | TableFactor::Derived { alias, .. }
                | TableFactor::TableFunction { alias, .. }
                | TableFactor::Function { alias, .. }
                | TableFactor::UNNEST { alias, .. }
                | TableFactor::NestedJoin { alias, .. }
                | TableFactor::Pivot { alias, .. }
                | TableFactor::Unpivot { alias, .. } => {
                    relations.extend(alias.as_ref().map(|alias| Relation {
                        names: vec![folded(&alias.name)],
                        idents: vec![alias.name.clone()],
                        kind: Kind::Other,
                    }));
                }
                _ => {}
            }
        }
    }

    fn table(&self, name: &ObjectName, alias: Option<&TableAlias>) -> Option<Relation> {
        let written: Vec<Ident> = name
            .0
            .iter()
            .map(|part| part.as_ident().cloned())
            .collect::<Option<_>>()?;
        let mut names: Vec<String> = written.iter().map(folded).collect();
        let kind = self.kind(&names, alias);
        // It can be called by more than it was written with.
        if matches!(kind, Kind::Table(..)) {
            let whole = [CATALOG, PUBLIC].into_iter().take(3 - names.len());
            names.splice(0..0, whole.map(str::to_owned));
        }
        Some(match alias {
            Some(alias) => Relation {
                names: vec![folded(&alias.name)],
                idents: vec![alias.name.clone()],
                kind,
            },
            None => Relation {
                names,
                idents: written,
                kind,
            },
        })
    }

    fn kind(&self, names: &[String], alias: Option<&TableAlias>) -> Kind {
        let (schema, name) = match names {
            [name] if self.queries.iter().any(|q| q.visible().contains(name)) => {
                return Kind::Other;
            }
            [name] => (PUBLIC, name),
            [schema, name] => (schema.as_str(), name),
            [catalog, schema, name] if catalog == CATALOG => (schema.as_str(), name),
            _ => return Kind::Missing,
        };
        if schema == datafusion::catalog::information_schema::INFORMATION_SCHEMA {
            return Kind::Other;
        }
        let Some(entry) = self.catalog.find_table(schema, name) else {
            return Kind::Missing;
        };
        let renamed = alias.map_or(&[][..], |alias| &alias.columns);
        let columns = entry.def.columns.iter().enumerate().map(|(at, column)| {
            renamed
                .get(at)
                .map_or_else(|| column.name.clone(), |column| folded(&column.name))
        });
        Kind::Table(entry.clone(), columns.collect())
    }

    /// The call with the columns of the key.
    fn resolved(&self, call: &Function) -> Result<Expr> {
        let position = position(call);
        let Some(called) = argument(call) else {
            let message = format!("{SALT_BUCKET}(t) takes a table of the FROM, or its alias");
            return Err(Error::invalid(message).at(position));
        };
        let text = called
            .iter()
            .map(ToString::to_string)
            .collect::<Vec<_>>()
            .join(".");
        let wrong = |why: &str| {
            Err(
                Error::invalid(format!("{SALT_BUCKET}({text}): {text} {why}"))
                    .at(called.first().and_then(position_of))
                    .at(position),
            )
        };
        let names: Vec<String> = called.iter().map(folded).collect();
        let mut relations = self.scopes.iter().rev().flatten();
        let Some(relation) = relations.find(|relation| relation.names.ends_with(&names)) else {
            return wrong("is no table of this FROM");
        };
        let (entry, columns) = match &relation.kind {
            Kind::Table(entry, columns) => (entry, columns),
            Kind::Missing => return Ok(Expr::Function(call.clone())),
            Kind::Other => return wrong("is no stored table, and has no buckets"),
        };
        if entry.def.salting.is_none() {
            return wrong("is not salted");
        }
        let span = called.first().map(|ident| ident.span);
        let column = |name: &String| {
            let mut ident = Ident::with_quote('"', name);
            ident.span = span.unwrap_or(ident.span);
            let mut path = relation.idents.clone();
            path.push(ident);
            let column = Expr::CompoundIdentifier(path);
            FunctionArg::Unnamed(FunctionArgExpr::Expr(column))
        };
        let key = entry.def.key.iter();
        let args = key
            .filter_map(|part| columns.get(part.column))
            .map(column)
            .collect();
        let name = Ident::with_quote('"', salt_bucket_of(&entry.def));
        Ok(Expr::Function(Function {
            name: ObjectName::from(vec![name]),
            args: FunctionArguments::List(FunctionArgumentList {
                duplicate_treatment: None,
                args,
                clauses: Vec::new(),
            }),
            ..call.clone()
        }))
    }
}

impl VisitorMut for Pass<'_> {
    type Break = Box<Error>;

    fn pre_visit_query(&mut self, query: &mut Query) -> ControlFlow<Self::Break> {
        let with = query.with.as_ref();
        let names = with.map_or_else(Vec::new, |with| {
            let tables = with.cte_tables.iter();
            tables.map(|table| folded(&table.alias.name)).collect()
        });
        self.queries.push(Around {
            seen: names.len(),
            names,
            recursive: with.is_some_and(|with| with.recursive),
        });
        // ORDER BY stands outside of the SELECT whose tables it sees.
        let relations = select_of(&query.body).map(|select| self.relations(select));
        self.scopes.push(relations.unwrap_or_default());
        if let Some(around) = self.queries.last_mut() {
            around.seen = 0;
        }
        ControlFlow::Continue(())
    }

    fn post_visit_query(&mut self, _: &mut Query) -> ControlFlow<Self::Break> {
        self.scopes.pop();
        self.queries.pop();
        // The queries of a WITH come before everything else of their query.
        if let Some(around) = self.queries.last_mut() {
            around.seen += 1;
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_select(&mut self, select: &mut Select) -> ControlFlow<Self::Break> {
        let relations = self.relations(select);
        self.scopes.push(relations);
        ControlFlow::Continue(())
    }

    fn post_visit_select(&mut self, _: &mut Select) -> ControlFlow<Self::Break> {
        self.scopes.pop();
        ControlFlow::Continue(())
    }

    fn pre_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<Self::Break> {
        let Expr::Function(call) = expr else {
            return ControlFlow::Continue(());
        };
        if !is_call(call) {
            return ControlFlow::Continue(());
        }
        match self.resolved(call) {
            Ok(resolved) => {
                *expr = resolved;
                ControlFlow::Continue(())
            }
            Err(error) => ControlFlow::Break(Box::new(error)),
        }
    }
}

fn select_of(body: &SetExpr) -> Option<&Select> {
    match body {
        SetExpr::Select(select) => Some(select),
        SetExpr::Query(query) => select_of(&query.body),
        _ => None,
    }
}

/// The name that a call is given, if that is all.
fn argument(call: &Function) -> Option<Vec<Ident>> {
    let FunctionArguments::List(list) = &call.args else {
        return None;
    };
    let bare = call.filter.is_none()
        && call.over.is_none()
        && call.null_treatment.is_none()
        && call.within_group.is_empty()
        && list.duplicate_treatment.is_none()
        && list.clauses.is_empty();
    match (bare, list.args.as_slice()) {
        (true, [FunctionArg::Unnamed(FunctionArgExpr::Expr(arg))]) => match arg {
            Expr::Identifier(name) => Some(vec![name.clone()]),
            Expr::CompoundIdentifier(names) => Some(names.clone()),
            _ => None,
        },
        _ => None,
    }
}

fn position(call: &Function) -> Option<Position> {
    start(call.name.span().start)
}

fn position_of(ident: &Ident) -> Option<Position> {
    start(ident.span.start)
}

fn start(start: sqlparser::tokenizer::Location) -> Option<Position> {
    (start.line > 0).then_some(Position {
        line: start.line,
        column: start.column,
    })
}
