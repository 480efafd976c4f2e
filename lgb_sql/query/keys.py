"""Possible keys of GROUP BY: every value that the release shows, NULL, and all others in one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlglot import exp

from lgb_sql.binding import BoundAttribute
from lgb_sql.errors import OUT_OF_MEMORY, EngineError, QueryError
from lgb_sql.query.conditions import VALUE, Leaf, Node, conjuncts, leaf
from lgb_sql.query.language import unevaluable
from lgb_sql.query.session import Session

MOST_KEYS = 2_000
"""Possible values of one key; beyond, a question is better narrowed by WHERE."""


@dataclass(frozen=True)
class Key:
    """A value that a group may have, and the condition that it does."""

    value: Any
    leaf: Leaf


def possible_keys(session: Session, attribute: BoundAttribute, condition: Node) -> tuple[list[Key], Leaf | None]:
    """The keys of an attribute under a condition, and what all others satisfy, where there can be others.

    Values that the attribute's own condition rules out are no keys.
    """
    own = next((part for part in conjuncts(condition) if isinstance(part, Leaf) and part.attribute == attribute), None)
    params = {"attribute": attribute, "own": own, "most": MOST_KEYS + 1}
    try:
        rows = session.rows("query/possible_keys", params)
    except EngineError as error:
        if own is None or OUT_OF_MEMORY in error.message:
            raise
        raise unevaluable(attribute.name, own.place) from None
    if len(rows) > MOST_KEYS:
        raise QueryError(
            f"GROUP BY {attribute.name} has more than {MOST_KEYS:,} possible groups.", "narrow it by a condition on it"
        )
    texts = [text for _, text in rows if text is not None]
    keys = [Key(value, _equal(attribute, text)) for value, text in rows if text is not None]
    keys.append(Key(None, leaf(attribute, exp.Is(this=_value(), expression=exp.Null()))))
    return keys, _other(attribute, texts) if _may_hold_others(session, attribute) else None


def _may_hold_others(session: Session, attribute: BoundAttribute) -> bool:
    """Ranges hold values that nobody lists, and so do withheld cells, unless their values are declared."""
    if attribute.role not in ("quasi-identifier", "semi-sensitive"):
        return False
    shape = session.shape(attribute)
    return (attribute.ordered and not attribute.words) or (shape.withheld > 0 and shape.declared != "values")


def _value() -> exp.Column:
    return exp.column(VALUE, quoted=True)


def _constant(attribute: BoundAttribute, text: str) -> exp.Expr:
    literal = exp.Literal.string(text)
    if attribute.family == "text":
        return literal
    if attribute.family == "integer":
        return exp.Literal.number(text) if not text.startswith("-") else exp.Neg(this=exp.Literal.number(text[1:]))
    return exp.Cast(this=literal, to=exp.DataType.build(attribute.type, dialect="duckdb"))


def _equal(attribute: BoundAttribute, text: str) -> Leaf:
    return leaf(attribute, exp.EQ(this=_value(), expression=_constant(attribute, text)))


def _other(attribute: BoundAttribute, texts: list[str]) -> Leaf:
    """Every value that is not listed; a condition on NULL is never true."""
    present = exp.Not(this=exp.Is(this=_value(), expression=exp.Null()))
    if not texts:
        return leaf(attribute, present)
    listed = exp.In(this=_value(), expressions=[_constant(attribute, text) for text in texts])
    return leaf(attribute, exp.Not(this=listed))
