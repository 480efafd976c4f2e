"""What the constants of a condition are: plain numbers and texts are read here, all others by the engine."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from fractions import Fraction

from sqlglot import exp

from lgb_sql.binding import BoundAttribute
from lgb_sql.engines.duckdb import DuckDBEngine
from lgb_sql.errors import EngineError
from lgb_sql.query.conditions import Leaf
from lgb_sql.query.language import refused
from lgb_sql.query.lines import Constant, NoLineError, number_key
from lgb_sql.render import Sql, Statement

_NUMBERS = ("integer", "decimal", "float")
_TIMES = ("date", "timestamp", "time")


class Constants:
    """Evaluates constants, each text once."""

    def __init__(self, engine: DuckDBEngine) -> None:
        self._engine = engine
        self._known: dict[tuple[str, str], Constant] = {}

    def evaluate(self, attribute: BoundAttribute, node: exp.Expr) -> Constant:
        """A constant as the engine compares it with the attribute; no line where its order is another."""
        sql = self._written(attribute, node)
        known = self._known.get((attribute.name, sql))
        if known is None:
            known = Constant(self._key(attribute, node, sql), sql)
            self._known[attribute.name, sql] = known
        return known

    def holds_at_null(self, leaf: Leaf) -> bool:
        """Whether a condition holds for NULL."""
        sql = f"coalesce(({leaf.sql}), FALSE) FROM (SELECT CAST(NULL AS {leaf.attribute.type}) AS value) AS nothing"
        return bool(self._fetched(sql, leaf.expression))

    @staticmethod
    def _written(attribute: BoundAttribute, node: exp.Expr) -> Sql:
        """The constant as SQL; the engine casts a literal text to the type of what it is compared with."""
        text = node.sql(dialect="duckdb", comments=False)
        literal = node.unnest()
        if isinstance(literal, exp.Literal) and literal.is_string and attribute.family != "text":
            return Sql(f"CAST({text} AS {attribute.type})")
        return Sql(f"({text})")

    def _key(self, attribute: BoundAttribute, node: exp.Expr, sql: Sql) -> Fraction | str | None:
        plain = node.unnest()
        if isinstance(plain, exp.Null):
            return None
        if attribute.family == "text":
            return self._text(plain)
        if attribute.family not in (*_NUMBERS, *_TIMES):
            raise NoLineError
        if attribute.family in _NUMBERS and (number := _plain_number(plain)) is not None:
            return number
        value = self._fetched(_position(attribute, sql), node)
        return None if value is None else number_key(value)

    def _text(self, node: exp.Expr) -> str:
        """Text is ordered as text only beside text."""
        if isinstance(node, exp.Cast) and node.is_type("varchar", "text"):
            node = node.this.unnest()
        if isinstance(node, exp.Literal) and node.is_string:
            return str(node.this)
        raise NoLineError

    def _fetched(self, sql: str, node: exp.Expr) -> object:
        try:
            ((value,),) = self._engine.fetch(Statement("constant", f"SELECT {sql}", frozenset()))
        except EngineError:
            raise refused("the constant does not fit its attribute's type", node) from None
        return value


def _plain_number(node: exp.Expr) -> Fraction | None:
    """A number as it is written, with a sign or cast from text to a number."""
    if isinstance(node, exp.Neg):
        inner = _plain_number(node.this.unnest())
        return None if inner is None else -inner
    if isinstance(node, exp.Literal) and not node.is_string:
        try:
            return Fraction(Decimal(node.this))
        except (InvalidOperation, ValueError):
            return None
    return None


def _position(attribute: BoundAttribute, sql: Sql) -> str:
    """What the engine orders a constant by, as a number."""
    if attribute.family in ("date", "timestamp"):
        if attribute.type == "TIMESTAMP_NS":
            return f"epoch_ns(CAST({sql} AS TIMESTAMP_NS))"
        zone = " WITH TIME ZONE" if "ZONE" in attribute.type else ""
        return f"epoch_us(CAST({sql} AS TIMESTAMP{zone}))"
    if attribute.family == "time":
        return f"date_diff('microsecond', TIME '00:00:00', CAST({sql} AS TIME))"
    return str(sql)
