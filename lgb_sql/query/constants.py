"""What the constants of a condition are: plain numbers and texts are read here, all others by the engine.

The engine compares in a type that both sides can be cast to. A constant has a place on its attribute's line only where
this is known to keep the order of exact numbers; otherwise the condition has no line, and bounds are wide.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction

from sqlglot import exp

from lgb_sql.binding import BoundAttribute
from lgb_sql.engines.duckdb import DuckDBEngine
from lgb_sql.errors import EngineError
from lgb_sql.query.conditions import Leaf
from lgb_sql.query.language import refused
from lgb_sql.query.lines import Constant, Kind, Line, NoLineError, line_of, number_key
from lgb_sql.query_helpers import digits_of
from lgb_sql.render import Sql, Statement

_NUMBERS = ("integer", "decimal", "float")
_TIMES = ("date", "timestamp", "time")
_PLAIN = re.compile(r"(\d+)(?:\.(\d*))?|\.(\d+)")
_DECIMAL = re.compile(r"DECIMAL\((\d+),(\d+)\)")
_WHOLE_DIGITS = {
    "TINYINT": 3, "UTINYINT": 3, "SMALLINT": 5, "USMALLINT": 5, "INTEGER": 10, "UINTEGER": 10, "BIGINT": 19,
    "UBIGINT": 20, "HUGEINT": 39, "UHUGEINT": 39,
}  # fmt: skip
_MOST_DIGITS = 38
_EXACT_IN_DOUBLE = 10
"""Digits of integers that are all exact as DOUBLE"""


class Constants:
    """Evaluates constants, each text once."""

    def __init__(self, engine: DuckDBEngine) -> None:
        self._engine = engine
        self._known: dict[tuple[str, str], Constant] = {}

    def line(self, leaf: Leaf) -> Line | None:
        """Where on its attribute's line a condition holds; None where it has no line."""
        return line_of(leaf, self._evaluate, _comparable_together)

    def _evaluate(self, attribute: BoundAttribute, node: exp.Expr) -> Constant:
        """A constant as the engine compares it with the attribute; no line where its order is another."""
        sql = self._written(attribute, node)
        known = self._known.get((attribute.name, sql))
        if known is None:
            known = self._known[attribute.name, sql] = self._read(attribute, node, sql)
        return known

    def holds_at_null(self, leaf: Leaf) -> bool:
        """Whether a condition holds for NULL."""
        sql = f"coalesce(({leaf.sql}), FALSE) FROM (SELECT CAST(NULL AS {leaf.attribute.type}) AS value) AS nothing"
        return bool(self._fetched(sql, leaf.expression)[0])

    @staticmethod
    def _written(attribute: BoundAttribute, node: exp.Expr) -> Sql:
        """The constant as SQL; the engine casts a literal text to the type of what it is compared with."""
        text = node.sql(dialect="duckdb", comments=False)
        if _is_text(node) and attribute.family != "text":
            return Sql(f"CAST({text} AS {attribute.type})")
        return Sql(f"({text})")

    def _read(self, attribute: BoundAttribute, node: exp.Expr, sql: Sql) -> Constant:
        plain = node.unnest()
        if isinstance(plain, exp.Null):
            return Constant(None, sql, None)
        if attribute.family == "text":
            return Constant(_text(plain), sql, Kind("text"))
        if attribute.family == "uuid":
            return self._uuid(node, sql)
        if attribute.family not in (*_NUMBERS, *_TIMES):
            raise NoLineError
        if attribute.family in ("integer", "decimal") and (plain_number := _plain_number(plain)) is not None:
            number, kind = plain_number
            return Constant(number, sql, _comparable(attribute, kind))
        return self._evaluated(attribute, node, sql)

    def _uuid(self, node: exp.Expr, sql: Sql) -> Constant:
        """UUIDs stand in the order of their texts, once these are written alike."""
        type_name, text = self._fetched(f"typeof({sql}), CAST(({sql}) AS VARCHAR)", node)
        if text is None:
            return Constant(None, sql, None)
        if type_name != "UUID":
            raise NoLineError
        return Constant(str(text), sql, Kind("uuid"))

    def _evaluated(self, attribute: BoundAttribute, node: exp.Expr, sql: Sql) -> Constant:
        """What the engine makes of a constant, and of which type it is."""
        type_name, is_null = self._fetched(f"typeof({sql}), ({sql}) IS NULL", node)
        if is_null:
            return Constant(None, sql, None)
        read = _kind_of_time if attribute.family in _TIMES else _kind_of_number
        kind = Kind("text") if _is_text(node) else read(attribute, str(type_name))
        (value,) = self._fetched(_position(attribute, sql, kind), node)
        return Constant(number_key(value), sql, kind)  # an infinite time has no number, and so no line

    def _fetched(self, sql: str, node: exp.Expr) -> tuple[object, ...]:
        try:
            (row,) = self._engine.fetch(Statement("constant", f"SELECT {sql}", frozenset()))
        except EngineError:
            raise refused("the constant does not fit its attribute's type", node) from None
        return row


def _comparable_together(attribute: BoundAttribute, constants: Sequence[Constant]) -> bool:
    """Whether a list of constants is compared as each of them would be alone: the engine has one type for all."""
    kinds = [each.kind for each in constants if each.kind is not None]
    if len({kind.name for kind in kinds}) > 1:
        return False
    exact = [kind for kind in kinds if kind.name == "exact"]
    return not exact or _fits(attribute, max(kind.whole for kind in exact), max(kind.scale for kind in exact))


def _is_text(node: exp.Expr) -> bool:
    literal = node.unnest()
    return isinstance(literal, exp.Literal) and bool(literal.is_string)


def _text(node: exp.Expr) -> str:
    """Text is ordered as text only beside text."""
    if isinstance(node, exp.Cast) and node.is_type("varchar", "text"):
        node = node.this.unnest()
    if isinstance(node, exp.Literal) and node.is_string:
        return str(node.this)
    raise NoLineError


def _plain_number(node: exp.Expr) -> tuple[Fraction, Kind] | None:
    """A whole or decimal number as it is written, with its digits; one with an exponent is the engine's to read."""
    if isinstance(node, exp.Neg):
        inner = _plain_number(node.this.unnest())
        return None if inner is None else (-inner[0], inner[1])
    if not isinstance(node, exp.Literal) or node.is_string:
        return None
    found = _PLAIN.fullmatch(node.this)
    if found is None:
        return None
    whole, behind = len(found[1] or ""), len(found[2] or found[3] or "")
    if whole + behind > _MOST_DIGITS:  # the engine reads it as DOUBLE
        return None
    return Fraction(Decimal(node.this)), Kind("exact", whole, behind)


def _comparable(attribute: BoundAttribute, kind: Kind) -> Kind:
    if not _fits(attribute, kind.whole, kind.scale):
        raise NoLineError
    return kind


def _fits(attribute: BoundAttribute, whole: int, scale: int) -> bool:
    """Whether the decimal type that an attribute and constants of so many digits are compared in holds all of them."""
    digits, own_scale = digits_of(attribute)
    return not (scale or own_scale) or max(digits - own_scale, whole) + max(own_scale, scale) <= _MOST_DIGITS


def _kind_of_number(attribute: BoundAttribute, type_name: str) -> Kind:
    if attribute.type == "DOUBLE" and (type_name in _WHOLE_DIGITS or _DECIMAL.fullmatch(type_name)):
        return Kind("double")
    if type_name == "DOUBLE":
        is_exact = attribute.family == "float" or _WHOLE_DIGITS.get(attribute.type, _MOST_DIGITS) <= _EXACT_IN_DOUBLE
        if is_exact:
            return Kind("double")
    elif attribute.family == "float":
        if type_name == "FLOAT" or type_name in _WHOLE_DIGITS or _DECIMAL.fullmatch(type_name):
            return Kind("double" if attribute.type == "DOUBLE" else "single")
    elif type_name in _WHOLE_DIGITS:
        return _comparable(attribute, Kind("exact", _WHOLE_DIGITS[type_name]))
    elif found := _DECIMAL.fullmatch(type_name):
        digits, scale = int(found[1]), int(found[2])
        return _comparable(attribute, Kind("exact", digits - scale, scale))
    raise NoLineError


def _kind_of_time(attribute: BoundAttribute, type_name: str) -> Kind:
    known = {attribute.type, "TIME"} if attribute.family == "time" else {attribute.type, "DATE", "TIMESTAMP"}
    if type_name not in known:
        raise NoLineError
    return Kind(type_name)


def _position(attribute: BoundAttribute, sql: Sql, kind: Kind) -> str:
    """What the engine orders a constant by, as a number."""
    if attribute.family in ("date", "timestamp"):
        if attribute.type == "TIMESTAMP_NS":
            return f"epoch_ns(CAST({sql} AS TIMESTAMP_NS))"
        zone = " WITH TIME ZONE" if "ZONE" in attribute.type else ""
        return f"epoch_us(CAST({sql} AS TIMESTAMP{zone}))"
    if attribute.family == "time":
        return f"date_diff('microsecond', TIME '00:00:00', CAST({sql} AS TIME))"
    if attribute.family == "float":
        single = attribute.type == "FLOAT" and kind.name != "double"
        return f"CAST(CAST({sql} AS FLOAT) AS DOUBLE)" if single else f"CAST({sql} AS DOUBLE)"
    return str(sql)
