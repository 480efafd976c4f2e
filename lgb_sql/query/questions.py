"""From aggregates to questions: one condition each, taken apart into what groups, buckets and tuples decide."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from sqlglot import exp

from lgb_sql.binding import BoundAttribute
from lgb_sql.query.conditions import VALUE, Leaf, Node, both, conjuncts, leaf, leaves_of

Purpose = Literal["count", "values"]
"""Whether tuples are counted, or values of the target are put together."""
SHOWN = ("quasi-identifier", "semi-sensitive")
BUCKETED = ("semi-sensitive", "sensitive")


@dataclass(frozen=True)
class Question:
    """How many tuples satisfy a condition, or what the values of their target come to."""

    purpose: Purpose
    target: BoundAttribute | None
    own: Leaf | None
    """The target's own condition, where it is one of those that must all hold"""
    simple: tuple[Leaf, ...]
    """Other conditions that must all hold, each on an attribute of its own"""
    mixed: Node | None
    """What is left: OR across attributes with all that shares an attribute with it, and columns released as they are"""

    @property
    def chunk(self) -> tuple[object, ...]:
        """Questions with the same chunk are answered together."""
        own = self.own.sql if self.own and self.purpose == "values" else ""
        return (self.purpose, self.target.name if self.target else "", own, self.mixed)


def counting(condition: Node, counted: BoundAttribute | None = None) -> Question:
    """COUNT(*): where a condition on a bucketed attribute must hold, its buckets say exactly how many values do."""
    simple, mixed = _taken_apart(condition)
    candidates = [part for part in simple if part.attribute.role in BUCKETED]
    candidates.sort(key=lambda part: (part.attribute != counted, part.attribute.role != "sensitive"))
    own = candidates[0] if candidates else None
    return Question("count", own.attribute if own else None, own, _without(simple, own), mixed)


def counting_values(condition: Node, target: BoundAttribute) -> Question:
    """COUNT(A) counts the tuples whose A is not NULL."""
    column = exp.column(VALUE, quoted=True)
    present = leaf(target, exp.Not(this=exp.Is(this=column, expression=exp.Null())))
    return counting(both((condition, present)), target)


def valuing(condition: Node, target: BoundAttribute) -> Question:
    """SUM, AVG, MIN, MAX of a target."""
    simple, mixed = _taken_apart(condition)
    own = next((part for part in simple if part.attribute.name == target.name), None)
    return Question("values", target, own, _without(simple, own), mixed)


def _without(leaves: tuple[Leaf, ...], one: Leaf | None) -> tuple[Leaf, ...]:
    return tuple(each for each in leaves if each is not one)


def _taken_apart(condition: Node) -> tuple[tuple[Leaf, ...], Node | None]:
    """Leaves on attributes of their own, and the rest."""
    parts = conjuncts(condition)
    entangled = {each.attribute.name for part in parts if not isinstance(part, Leaf) for each in leaves_of(part)}
    simple, rest = [], []
    for part in parts:
        free = isinstance(part, Leaf) and part.attribute.name not in entangled
        if isinstance(part, Leaf) and free and part.attribute.role != "insensitive":
            simple.append(part)
        else:
            rest.append(part)
    return tuple(simple), both(rest) if rest else None


def chunked(questions: Iterable[Question], size: int) -> list[list[Question]]:
    """Questions that can be answered together, in lists of a limited length."""
    by_chunk: dict[tuple[object, ...], list[Question]] = {}
    for question in questions:
        by_chunk.setdefault(question.chunk, []).append(question)
    return [found[start : start + size] for found in by_chunk.values() for start in range(0, len(found), size)]
