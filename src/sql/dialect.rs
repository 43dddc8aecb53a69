//! How text is cut into tokens and read as expressions and queries.

use std::any::TypeId;
use std::cell::Cell;

use sqlparser::ast::Expr;
use sqlparser::dialect::{Dialect, GenericDialect, Precedence};
use sqlparser::keywords::{Keyword, RESERVED_FOR_COLUMN_ALIAS};
use sqlparser::parser::{Parser, ParserError};

/// sqlparser's generic dialect for expressions and queries.
///
/// It says so to the parser, which asks for the type of a dialect in places. Left out are the
/// clauses of other systems that DataFusion would drop without a word (`FORMAT`, `SETTINGS`,
/// `PREWHERE`, ...). Of comments only hints are left when it reads: see [`super::hint`].
///
/// The parser tries again where it can read a word in two ways, and again inside each of these, so
/// that a text of a few dozen words and one error could keep it busy for years. A budget ends that.
#[derive(Debug)]
pub(super) struct RocksaltDialect {
    budget: Cell<usize>,
}

impl RocksaltDialect {
    /// The dialect for the parse of a text of `tokens` tokens.
    pub(super) fn new(tokens: usize) -> Self {
        RocksaltDialect {
            budget: Cell::new(10_000 + 100 * tokens),
        }
    }
}

macro_rules! dialect {
    ($($method:ident),* $(,)?) => {
        impl Dialect for RocksaltDialect {
            fn dialect(&self) -> TypeId {
                TypeId::of::<GenericDialect>()
            }

            fn is_delimited_identifier_start(&self, ch: char) -> bool {
                GenericDialect.is_delimited_identifier_start(ch)
            }

            fn is_identifier_start(&self, ch: char) -> bool {
                GenericDialect.is_identifier_start(ch)
            }

            fn is_identifier_part(&self, ch: char) -> bool {
                GenericDialect.is_identifier_part(ch)
            }

            /// `SELECT 1 ON CONFLICT` does not call the column `on`.
            fn is_column_alias(&self, word: &Keyword, _: &mut Parser) -> bool {
                *word != Keyword::ON && !RESERVED_FOR_COLUMN_ALIAS.contains(word)
            }

            fn parse_prefix(&self, _: &mut Parser) -> Option<Result<Expr, ParserError>> {
                match self.budget.get().checked_sub(1) {
                    Some(rest) => {
                        self.budget.set(rest);
                        None
                    }
                    // The one error after which the parser tries nothing else.
                    None => Some(Err(ParserError::RecursionLimitExceeded)),
                }
            }

            /// The parser reads everything that follows `IS DISTINCT FROM` as its right side, an
            /// `AND` too.
            fn parse_infix(
                &self,
                parser: &mut Parser,
                left: &Expr,
                _: u8,
            ) -> Option<Result<Expr, ParserError>> {
                use Keyword::{DISTINCT, FROM, IS, NOT};
                let made = if parser.parse_keywords(&[IS, DISTINCT, FROM]) {
                    Expr::IsDistinctFrom
                } else if parser.parse_keywords(&[IS, NOT, DISTINCT, FROM]) {
                    Expr::IsNotDistinctFrom
                } else {
                    return None;
                };
                let right = parser.parse_subexpr(self.prec_value(Precedence::Is));
                Some(right.map(|right| made(Box::new(left.clone()), Box::new(right))))
            }

            $(
                fn $method(&self) -> bool {
                    true
                }
            )*
        }
    };
}

dialect!(
    allow_extract_custom,
    allow_extract_single_quotes,
    support_map_literal_syntax,
    supports_array_join_syntax,
    supports_array_typedef_with_brackets,
    supports_bitwise_shift_operators,
    supports_comma_separated_trim,
    supports_comment_optimizer_hint,
    supports_data_type_signed_suffix,
    supports_dictionary_syntax,
    supports_empty_projections,
    supports_extract_comma_syntax,
    supports_filter_during_aggregation,
    supports_from_first_select,
    supports_group_by_expr,
    supports_group_by_with_modifier,
    supports_interval_options,
    supports_left_associative_joins_without_parens,
    supports_limit_comma,
    supports_named_fn_args_with_assignment_operator,
    supports_nested_comments,
    supports_parens_around_table_factor,
    supports_partition_by_after_order_by,
    supports_pipe_operator,
    supports_select_item_multi_column_alias,
    supports_select_wildcard_except,
    supports_select_wildcard_exclude,
    supports_select_wildcard_ilike,
    supports_select_wildcard_rename,
    supports_select_wildcard_replace,
    supports_string_escape_constant,
    supports_struct_literal,
    supports_try_convert,
    supports_unicode_string_literal,
    supports_values_as_table_factor,
    supports_window_clause_named_window_reference,
    supports_window_function_null_treatment_arg,
);
