"""Reading an analyst's SQL: parsed, held against an allow-list, never executed as it is."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from sqlglot import Token, TokenType, exp, parse
from sqlglot.dialects.duckdb import DuckDB
from sqlglot.errors import ParseError, SqlglotError

from lgb_sql.binding import BoundAttribute
from lgb_sql.errors import QueryError
from lgb_sql.problems import unknown_key
from lgb_sql.release_names import MAX_NAME

TABLE = "released"
MAX_TEXT = 1_000_000
"""Characters of a query; a list of a hundred thousand values fits."""
MAX_DEPTH = 200
"""Nesting of a condition; the parser recurses."""
SUPPORTED = (
    "SELECT SUM | COUNT | AVG | MIN | MAX [, ...] FROM released [WHERE conditions, each on one attribute, "
    "with AND, OR, NOT] [GROUP BY attributes] [ORDER BY ...] [LIMIT n]"
)

AggregateKind = Literal["sum", "count", "avg", "min", "max"]
_AGGREGATES: dict[type[exp.Expr], AggregateKind] = {
    exp.Sum: "sum", exp.Count: "count", exp.Avg: "avg", exp.Min: "min", exp.Max: "max",
}  # fmt: skip
_SCALARS = (
    exp.And, exp.Or, exp.Not, exp.Paren, exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.In, exp.Between,
    exp.Like, exp.ILike, exp.Is, exp.NullSafeEQ, exp.NullSafeNEQ, exp.Add, exp.Sub, exp.Mul, exp.Div,
    exp.IntDiv, exp.Mod, exp.Neg, exp.Case, exp.If, exp.Cast, exp.TryCast, exp.DataType, exp.DataTypeParam,
    exp.Literal, exp.Boolean, exp.Null, exp.Column, exp.Identifier, exp.Tuple, exp.Coalesce, exp.Nullif,
    exp.Abs, exp.Floor, exp.Ceil, exp.Round, exp.Lower, exp.Upper, exp.Length, exp.Substring, exp.Trim,
    exp.DPipe, exp.StartsWith, exp.Year, exp.Month, exp.Day, exp.Extract, exp.Var, exp.Escape,
)  # fmt: skip
"""What a condition may be made of; everything else is refused by name."""
_PLAIN_TYPES = frozenset(
    {
        "TINYINT", "SMALLINT", "INT", "BIGINT", "UTINYINT", "USMALLINT", "UINT", "UBIGINT", "DECIMAL", "FLOAT",
        "DOUBLE", "VARCHAR", "TEXT", "BOOLEAN", "DATE", "TIME", "TIMESTAMP", "TIMESTAMPNTZ", "TIMESTAMPTZ",
        "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS", "UUID",
    }
)  # fmt: skip


@dataclass(frozen=True)
class Aggregate:
    """One aggregate of the SELECT list; COUNT(*) has no target."""

    kind: AggregateKind
    target: BoundAttribute | None
    alias: str

    @property
    def counts_values(self) -> bool:
        """Whether it counts values that are not NULL, and not tuples."""
        return self.kind == "count" and self.target is not None


@dataclass(frozen=True)
class Order:
    """One item of ORDER BY: a column of the answer."""

    column: str
    descending: bool
    nulls_first: bool


@dataclass(frozen=True)
class Query:
    """What an analyst asks, every name resolved."""

    aggregates: tuple[Aggregate, ...]
    condition: exp.Expr | None
    keys: tuple[BoundAttribute, ...]
    order: tuple[Order, ...]
    limit: int | None
    offset: int
    attribute_of: Callable[[exp.Column], BoundAttribute]
    """The attribute that a column of the condition names"""

    def attributes(self) -> Iterator[BoundAttribute]:
        """Those that it names: keys, targets, and what its condition is about."""
        yield from self.keys
        yield from (each.target for each in self.aggregates if each.target is not None)
        if self.condition is not None:
            yield from map(self.attribute_of, self.condition.find_all(exp.Column))


def read_query(text: str, attributes: Sequence[BoundAttribute]) -> Query:
    """Parse and check one query."""
    return _Reader(text, attributes).query()


def split_queries(text: str) -> list[str]:
    """The statements of a file, one query each."""
    tokens = _tokens(text)
    ends = [token.start for token in tokens if token.token_type is TokenType.SEMICOLON] + [len(text)]
    pieces = [text[start:end].strip() for start, end in zip([0, *(end + 1 for end in ends)], ends, strict=False)]
    return [piece for piece in pieces if piece and _tokens(piece)]


def _tokens(text: str) -> list[Token]:
    try:
        return list(DuckDB().tokenize(text))
    except SqlglotError:
        raise QueryError("the queries cannot be read.", f"supported: {SUPPORTED}") from None


def _parse_all(text: str) -> list[exp.Expr | None]:
    """What the parser makes of a text, its own failures in our words."""
    if len(text) > MAX_TEXT:
        raise QueryError(f"the query is longer than {MAX_TEXT:,} characters.", "ask for less at once")
    _refuse_depth(text)
    try:
        return list(parse(text, read="duckdb"))
    except ParseError as error:
        found = error.errors[0] if error.errors else {}
        place = f"line {found.get('line')}, column {found.get('col')}" if found.get("line") else "the text"
        raise QueryError(f"the query cannot be read at {place}.", f"supported: {SUPPORTED}") from None
    except (SqlglotError, RecursionError, ValueError):
        raise QueryError("the query cannot be read from line 1, column 1 on.", f"supported: {SUPPORTED}") from None


def _refuse_depth(text: str) -> None:
    """Count parentheses before the recursive parser meets them; those inside texts count too, which is harmless."""
    if text.count("(") <= MAX_DEPTH:
        return
    depth = deepest = 0
    for character in text:
        depth += (character == "(") - (character == ")")
        deepest = max(deepest, depth)
    if deepest > MAX_DEPTH:
        raise QueryError(f"the query nests more than {MAX_DEPTH} parentheses.", "write it flatter")


def place_of(node: exp.Expr) -> str:
    """Where a part of the query stands in the text: the nearest token below or around it whose position is known."""
    while True:
        if place := known_place(node):
            return place
        if node.parent is None:
            return "line 1, column 1"
        node = node.parent


def known_place(node: exp.Expr) -> str | None:
    """Where the first token below a node stands, if one's position is known."""
    for each in node.walk():
        if "line" in each.meta:
            start = each.meta["col"] - (each.meta["end"] - each.meta["start"])
            return f"line {each.meta['line']}, column {start}"
    return None


def refused(what: str, node: exp.Expr, hint: str = "") -> QueryError:
    """An error that names the place in the text."""
    return QueryError(f"{what} at {place_of(node)}.", hint or f"supported: {SUPPORTED}")


def unevaluable(names: str, place: str) -> QueryError:
    """An error of a condition on attributes that the engine cannot run over their values; the place, if it is known."""
    where = f" at {place}" if place else ""
    return QueryError(f"the condition on {names} cannot be evaluated on its values{where}.", "do the types fit?")


class _Reader:
    """Turns one parsed SELECT into a Query; every method refuses what it does not know."""

    def __init__(self, text: str, attributes: Sequence[BoundAttribute]) -> None:
        statements = [each for each in _parse_all(text) if each is not None and not isinstance(each, exp.Semicolon)]
        if len(statements) != 1 or not isinstance(statements[0], exp.Select):
            what = "there is no query" if not statements else "exactly one SELECT can be answered"
            raise QueryError(f"{what}, from line 1, column 1 on.", f"supported: {SUPPORTED}")
        self.select = statements[0]
        self.attributes = {a.name.casefold(): a for a in attributes}
        self.table_names = {TABLE}

    def query(self) -> Query:
        self._check_clauses()
        self._check_table()
        keys = tuple(self._keys())
        aggregates = tuple(self._aggregates(keys))
        where = self.select.args.get("where")
        condition = where.this if where else None
        if condition is not None:
            self._check_condition(condition)
        order = tuple(self._order(aggregates, keys))
        limit, offset = self._number("limit"), self._number("offset")
        return Query(aggregates, condition, keys, order, limit, offset or 0, self.attribute)

    def _check_clauses(self) -> None:
        known = {"expressions", "from_", "from", "where", "group", "order", "limit", "offset", "hint"}
        for name, value in self.select.args.items():
            if value and name not in known:
                what = {"joins": "a join", "kind": "SELECT AS"}
                node = value[0] if isinstance(value, list) else value
                raise refused(
                    f"{what.get(name, name.strip('_').upper())} is not supported",
                    node if isinstance(node, exp.Expr) else self.select,
                )
        refusals = {exp.Window: "a window function", exp.Distinct: "DISTINCT", exp.Lambda: "a lambda"}
        for node in self.select.find_all(exp.Window, exp.Subquery, exp.Select, exp.Lambda, exp.Distinct):
            if node is not self.select:
                raise refused(f"{refusals.get(type(node), 'a sub-query')} is not supported", node)

    def _check_table(self) -> None:
        source = self.select.args.get("from_") or self.select.args.get("from")
        table = source.this if source else None
        if not isinstance(table, exp.Table) or table.name.casefold() != TABLE or table.args.get("db"):
            raise refused("only FROM released can be asked", table or self.select, "write FROM released")
        alias = table.args.get("alias")
        if any(value for name, value in table.args.items() if name not in ("this", "alias")) or (
            alias and alias.columns
        ):
            raise refused("only FROM released can be asked, as it is", table, "write FROM released")
        if table.alias:
            self.table_names = {table.alias.casefold()}

    def attribute(self, column: exp.Column) -> BoundAttribute:
        """The released attribute that a column names."""
        qualifier = column.table.casefold()
        if column.args.get("db") or (qualifier and qualifier not in self.table_names):
            raise refused("a column of another table is asked for", column, "there is only released")
        found = self.attributes.get(column.name.casefold())
        if found is None:
            names = [a.name for a in self.attributes.values()]
            raise refused(
                f"the release has no attribute {column.name[:MAX_NAME]}", column, unknown_key(column.name, names)
            )
        return found

    def _keys(self) -> Iterator[BoundAttribute]:
        group = self.select.args.get("group")
        if group is None:
            return
        if any(value for name, value in group.args.items() if name != "expressions"):
            raise refused("GROUP BY takes attributes only", group)
        seen: set[str] = set()
        for each in group.expressions:
            key = self._key(each)
            if key.name not in seen:
                seen.add(key.name)
                yield key

    def _key(self, node: exp.Expr) -> BoundAttribute:
        if isinstance(node, exp.Literal) and not node.is_string and node.this.isdigit():
            items = self.select.expressions
            place = int(node.this) - 1
            if not 0 <= place < len(items):
                raise refused("GROUP BY names a place that the SELECT list has not", node)
            node = items[place].unalias()
        if not isinstance(node, exp.Column):
            raise refused("GROUP BY takes attributes only", node)
        return self.attribute(node)

    def _aggregates(self, keys: Sequence[BoundAttribute]) -> Iterator[Aggregate]:
        found, used = 0, {key.name.casefold() for key in keys}
        for item in self.select.expressions:
            node = item.unalias()
            if isinstance(node, exp.Column) and not isinstance(node.this, exp.Star):
                if self.attribute(node) not in keys:
                    raise refused("an attribute outside an aggregate must stand in GROUP BY", node)
                if isinstance(item, exp.Alias) and item.alias.casefold() != node.name.casefold():
                    raise refused("a group key keeps its name", item, "leave the alias out")
                continue
            aggregate = self._aggregate(node, item.alias if isinstance(item, exp.Alias) else "")
            alias, number = aggregate.alias, 2
            while used & {alias.casefold(), *(f"{alias}_{figure}".casefold() for figure in FIGURES)}:
                alias, number = f"{aggregate.alias}_{number}", number + 1
            used.add(alias.casefold())
            found += 1
            yield Aggregate(aggregate.kind, aggregate.target, alias)
        if not found:
            raise refused("there is no aggregate", self.select)

    def _aggregate(self, node: exp.Expr, alias: str) -> Aggregate:
        kind = _AGGREGATES.get(type(node))
        if kind is None or any(value for name, value in node.args.items() if name not in ("this", "big_int")):
            raise refused("the SELECT list takes SUM, COUNT, AVG, MIN and MAX of one attribute", node)
        inner = node.this
        if kind == "count" and (inner is None or isinstance(inner, exp.Star)):
            return Aggregate("count", None, alias or "count")
        if not isinstance(inner, exp.Column):
            raise refused("an aggregate takes one attribute as it is", node)
        target = self.attribute(inner)
        if kind in ("sum", "avg") and target.family not in ("integer", "decimal", "float"):
            raise refused(f"{kind.upper()} needs a number; {target.name} is {target.type}", node)
        return Aggregate(kind, target, alias or f"{kind}_{target.name}")

    def _check_condition(self, condition: exp.Expr) -> None:
        for node in condition.walk():
            if not isinstance(node, _SCALARS) or isinstance(node, exp.Star):
                raise refused(f"{_word(node)} is not supported in a condition", node)
            if isinstance(node, exp.Column):
                self.attribute(node)
            elif isinstance(node, exp.Between) and node.args.get("symmetric"):
                raise refused("BETWEEN SYMMETRIC is not supported", node, "write the smaller end first")
            elif isinstance(node, exp.In) and (
                node.args.get("query") or node.args.get("unnest") or node.args.get("field")
            ):
                raise refused("IN takes a list of values", node)
            elif isinstance(node, exp.DataType) and (node.this.value not in _PLAIN_TYPES or node.args.get("nested")):
                raise refused("a cast to that type is not supported", node)

    def _number(self, clause: str) -> int | None:
        node = self.select.args.get(clause)
        if node is None:
            return None
        value = node.args.get("expression")
        if any(each for name, each in node.args.items() if name != "expression"):
            raise refused(f"{clause.upper()} takes a whole number and nothing else", node)
        if not isinstance(value, exp.Literal) or value.is_string or not value.this.isdecimal():
            raise refused(f"{clause.upper()} takes a whole number", node)
        if int(value.this) >= 2**63:
            raise refused(f"{clause.upper()} takes a whole number of 64 bits", node)
        return int(value.this)

    def _order(self, aggregates: Sequence[Aggregate], keys: Sequence[BoundAttribute]) -> Iterator[Order]:
        order = self.select.args.get("order")
        for item in order.expressions if order else ():
            column = self._answer_column(item.this, aggregates, keys)
            descending = bool(item.args.get("desc"))
            yield Order(column, descending, bool(item.args.get("nulls_first")))

    def _answer_column(self, node: exp.Expr, aggregates: Sequence[Aggregate], keys: Sequence[BoundAttribute]) -> str:
        """The column of the answer that an ORDER BY item means; an aggregate means its estimate."""
        last = [other_values_column(keys)] if keys else []
        names = {name.casefold(): name for name in (*last, *answer_columns(aggregates, keys))}
        names.update({a.alias.casefold(): estimate_of(a, aggregates, keys) for a in aggregates})
        names.update({key.name.casefold(): key.name for key in keys})
        if isinstance(node, exp.Column) and not node.table and node.name.casefold() in names:
            return names[node.name.casefold()]
        if isinstance(node, exp.Literal) and not node.is_string and node.this.isdigit():
            place = int(node.this) - 1
            if 0 <= place < len(self.select.expressions):
                item = self.select.expressions[place]
                node = item.unalias()
        if isinstance(node, exp.Column) and node.name.casefold() in names:
            return names[node.name.casefold()]
        for a, item in zip(aggregates, self._aggregate_nodes(), strict=True):
            if item.unalias() == node:
                return estimate_of(a, aggregates, keys)
        raise refused("ORDER BY takes keys, aggregates and columns of the answer", node)

    def _aggregate_nodes(self) -> list[exp.Expr]:
        return [item for item in self.select.expressions if not isinstance(item.unalias(), exp.Column)]


OTHER_VALUES = "other_values"
FIGURES = ("lower", "estimate", "upper", "lower_expected", "upper_expected", "n_must", "n_may")
"""What is answered for each aggregate."""


def answer_columns(aggregates: Sequence[Aggregate], keys: Sequence[BoundAttribute]) -> list[str]:
    """The columns of an answer after its keys."""
    if _has_plain_columns(aggregates, keys):
        return list(FIGURES)
    return [f"{a.alias}_{figure}" for a in aggregates for figure in FIGURES]


def estimate_of(aggregate: Aggregate, aggregates: Sequence[Aggregate], keys: Sequence[BoundAttribute]) -> str:
    """The column of an aggregate's estimate."""
    return "estimate" if _has_plain_columns(aggregates, keys) else f"{aggregate.alias}_estimate"


def _has_plain_columns(aggregates: Sequence[Aggregate], keys: Sequence[BoundAttribute]) -> bool:
    """Whether columns need no alias before their names: of one aggregate, unless a key has such a name itself."""
    return len(aggregates) == 1 and not {key.name.casefold() for key in keys} & set(FIGURES)


def other_values_column(keys: Sequence[BoundAttribute]) -> str:
    """The column that tells the row of all unlisted keys; a key of that name keeps it."""
    names, name = {key.name.casefold() for key in keys}, OTHER_VALUES
    while name in names:
        name += "_"
    return name


def _word(node: exp.Expr) -> str:
    """What kind of thing a node is, without repeating what it holds."""
    if isinstance(node, exp.Anonymous):
        return "that function"
    return type(node).__name__.upper()
