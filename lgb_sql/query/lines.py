"""Where on its attribute's line of values a condition holds: a released range hides the values inside it.

Comparisons with constants have the same truth everywhere between two constants, so the line falls into points and
gaps, and the condition is evaluated once on each. Gaps of integers and dates that hold no value are left out. A part
that is no comparison with constants may be true and may be false anywhere; a condition of such parts alone has no line:
on a range it may hold, and never must.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from math import ceil, floor, isfinite

from sqlglot import exp

from lgb_sql.binding import BoundAttribute
from lgb_sql.query.conditions import Leaf, operands
from lgb_sql.render import Sql

Truth = bool | None
Place = int | None
"""An odd number for a constant, an even one for the gap before it; None for NULL."""
Holds = Callable[[Place, bool], Truth]
"""The truth at a place; parts that are no comparisons are taken for what makes the whole true, or for what does not"""
Key = Fraction | str
"""What constants are compared by; temporal ones as microseconds (or nanoseconds) since 1970."""

_COMPARISONS: dict[type[exp.Expr], Callable[[int, int], bool]] = {
    exp.EQ: operator.eq, exp.NEQ: operator.ne, exp.GT: operator.gt, exp.GTE: operator.ge, exp.LT: operator.lt,
    exp.LTE: operator.le,
}  # fmt: skip
_MIRRORED: dict[type[exp.Expr], type[exp.Expr]] = {
    exp.EQ: exp.EQ, exp.NEQ: exp.NEQ, exp.GT: exp.LT, exp.GTE: exp.LTE, exp.LT: exp.GT, exp.LTE: exp.GTE,
}  # fmt: skip
DAY = 86_400_000_000
_STEPS = {"integer": 1, "date": DAY}
"""Families whose values are whole steps apart"""
MOST_PIECES = 400
"""Pieces of one line; a condition with more is judged on values only, as any other expression."""
FARTHEST = 10**30
"""Beyond it no integer type has a value."""


@dataclass(frozen=True)
class Kind:
    """As what the engine compares a constant; of an exact number also the digits before and behind the point."""

    name: str
    whole: int = 0
    scale: int = 0


@dataclass(frozen=True)
class Constant:
    """A constant of a comparison: its place in the order of all, and how to write it."""

    key: Key | None
    """None for NULL"""
    sql: Sql
    kind: Kind | None
    """None for NULL"""


@dataclass(frozen=True)
class Interval:
    """Values from `low` to `high`; None is unbounded. Of integers and dates both ends belong to it."""

    low: Sql | None
    low_in: bool
    high: Sql | None
    high_in: bool


@dataclass(frozen=True)
class Line:
    """Where a condition may hold and where it may not; where it is exact, nothing is in both."""

    true: tuple[Interval, ...]
    other: tuple[Interval, ...]
    """Where it may be false or unknown"""
    at_null: bool
    """Whether it holds for NULL; says nothing where the line is not exact"""
    exact: bool


class NoLineError(Exception):
    """A part of a condition that is no comparison with constants."""


Evaluate = Callable[[BoundAttribute, exp.Expr], Constant]
Comparable = Callable[[BoundAttribute, Sequence[Constant]], bool]


def line_of(leaf: Leaf, evaluate: Evaluate, comparable: Comparable) -> Line | None:
    """The line of a leaf; None where it has none. `evaluate` lets the engine say what a constant is, `comparable`
    knows whether it compares a list of them as it would each alone.
    """
    reader = _Compiler(leaf.attribute, evaluate, comparable)
    build = reader.compile(leaf.expression, negated=False)
    if not reader.comparisons:
        return None
    constants = reader.constants
    keys = sorted({constant.key for constant in constants if constant.key is not None})
    places = {key: 2 * rank + 1 for rank, key in enumerate(keys)}
    words = {constant.key: constant.sql for constant in constants if constant.key is not None}
    holds = build(places)
    cuts = [(key, words[key]) for key in keys]
    true = _pieces(leaf.attribute, cuts, lambda place: holds(place, True) is True)
    other = _pieces(leaf.attribute, cuts, lambda place: holds(place, False) is not True)
    if len(true) + len(other) > MOST_PIECES:
        return None
    return Line(true, other, at_null=holds(None, False) is True, exact=reader.exact)


def _pieces(
    attribute: BoundAttribute, cuts: Sequence[tuple[Key, Sql]], wanted: Callable[[int], bool]
) -> tuple[Interval, ...]:
    runs = _runs(attribute, cuts, wanted)
    return tuple(_interval(attribute, cuts, first, last) for first, last, truth in runs if truth)


class _Compiler:
    """Turns an expression into a function of a place; constants get their places once all are known."""

    def __init__(self, attribute: BoundAttribute, evaluate: Evaluate, comparable: Comparable) -> None:
        self.attribute = attribute
        self.evaluate = evaluate
        self.comparable = comparable
        self.constants: list[Constant] = []
        self.comparisons = 0
        self.exact = True

    def compile(self, node: exp.Expr, *, negated: bool) -> Callable[[dict[Key, int]], Holds]:
        node = node.unnest()
        if isinstance(node, exp.Not):
            inner = self.compile(node.this, negated=not negated)
            return lambda places: _not(inner(places))
        if isinstance(node, exp.And | exp.Or):
            parts = [self.compile(part, negated=negated) for part in operands(node, type(node))]
            decisive = isinstance(node, exp.Or)
            return lambda places: _joined([part(places) for part in parts], decisive=decisive)
        try:
            if isinstance(node, exp.Between):
                return self._between(node, negated=negated)
            atom = self._atom(node)
        except NoLineError:
            self.exact = False
            return lambda _: lambda _, hoped: hoped is not negated
        self.comparisons += 1
        return atom

    def _atom(self, node: exp.Expr) -> Callable[[dict[Key, int]], Holds]:
        if isinstance(node, exp.In):
            return self._list(node)
        if isinstance(node, exp.Is) and isinstance(node.expression, exp.Null):
            self._column(node.this)
            return lambda _: lambda place, _: place is None
        if type(node) in _COMPARISONS:
            return self._comparison(node)
        if isinstance(node, exp.Boolean):
            truth = bool(node.this)
            return lambda _: lambda _, __: truth
        raise NoLineError

    def _between(self, node: exp.Between, *, negated: bool) -> Callable[[dict[Key, int]], Holds]:
        ends = node.args["low"], node.args["high"]
        self._column(node.this)
        self._listed(ends)
        low = exp.GTE(this=node.this, expression=ends[0])
        high = exp.LTE(this=node.this, expression=ends[1])
        return self.compile(exp.And(this=low, expression=high), negated=negated)

    def _comparison(self, node: exp.Expr) -> Callable[[dict[Key, int]], Holds]:
        kind, column, value = type(node), node.this, node.expression
        if isinstance(value.unnest(), exp.Column):
            kind, column, value = _MIRRORED[kind], value, column
        self._column(column)
        constant, compare = self._constant(value), _COMPARISONS[kind]

        def build(places: dict[Key, int]) -> Holds:
            at = places[constant.key] if constant.key is not None else None
            return lambda place, _: None if place is None or at is None else compare(place, at)

        return build

    def _list(self, node: exp.In) -> Callable[[dict[Key, int]], Holds]:
        self._column(node.this)
        constants = self._listed(node.expressions)

        def build(places: dict[Key, int]) -> Holds:
            listed = {places[each.key] for each in constants if each.key is not None}
            unknown = any(each.key is None for each in constants)
            return lambda place, _: None if place is None else True if place in listed else None if unknown else False

        return build

    def _listed(self, nodes: Sequence[exp.Expr]) -> list[Constant]:
        """Several constants of one comparison, which the engine compares in one type."""
        constants = [self._constant(each) for each in nodes]
        if not self.comparable(self.attribute, constants):
            raise NoLineError
        return constants

    def _column(self, node: exp.Expr) -> None:
        if not isinstance(node.unnest(), exp.Column):
            raise NoLineError

    def _constant(self, node: exp.Expr) -> Constant:
        if node.find(exp.Column):
            raise NoLineError
        constant = self.evaluate(self.attribute, node)
        self.constants.append(constant)
        return constant


def _not(one: Holds) -> Holds:
    def holds(place: Place, hoped: bool) -> Truth:
        truth = one(place, hoped)
        return None if truth is None else not truth

    return holds


def _joined(parts: Sequence[Holds], *, decisive: bool) -> Holds:
    """OR where TRUE is decisive, AND where FALSE is."""

    def holds(place: Place, hoped: bool) -> Truth:
        truths = [part(place, hoped) for part in parts]
        return decisive if decisive in truths else None if None in truths else not decisive

    return holds


def _runs(
    attribute: BoundAttribute, cuts: Sequence[tuple[Key, Sql]], holds: Callable[[int], bool]
) -> list[tuple[int, int, bool]]:
    """Neighbouring places of one truth, as (first, last, truth); places that hold no value belong to no side."""
    runs: list[tuple[int, int, bool]] = []
    for place in range(2 * len(cuts) + 1):
        if _is_empty(attribute, cuts, place):
            continue
        truth = holds(place)
        if runs and runs[-1][2] is truth:
            runs[-1] = (runs[-1][0], place, truth)
        else:
            runs.append((place, place, truth))
    return runs


def _is_empty(attribute: BoundAttribute, cuts: Sequence[tuple[Key, Sql]], place: int) -> bool:
    """Whether no integer or date is at a place."""
    if attribute.family not in _STEPS:
        return False
    least, most = _whole_ends(attribute, cuts, place, place)
    beyond = (least is not None and least > FARTHEST) or (most is not None and most < -FARTHEST)
    return beyond or (least is not None and most is not None and least > most)


def _interval(attribute: BoundAttribute, cuts: Sequence[tuple[Key, Sql]], first: int, last: int) -> Interval:
    """From one place to another: an odd place is a constant itself, an even one the gap before it."""
    if attribute.family in _STEPS:
        least, most = _whole_ends(attribute, cuts, first, last)
        return Interval(_written(attribute, least), True, _written(attribute, most), True)
    low = cuts[(first - 1) // 2][1] if first > 0 else None
    high = cuts[last // 2][1] if last // 2 < len(cuts) else None
    return Interval(low, first % 2 == 1, high, last % 2 == 1)


def _whole_ends(
    attribute: BoundAttribute, cuts: Sequence[tuple[Key, Sql]], first: int, last: int
) -> tuple[int | None, int | None]:
    """The least and greatest integer or day between two places; None where there is no end."""
    step = _STEPS[attribute.family]
    least = most = None
    if first > 0:
        least = _whole(cuts[(first - 1) // 2][0], step, up=True, strictly=first % 2 == 0)
    if last // 2 < len(cuts):
        most = _whole(cuts[last // 2][0], step, up=False, strictly=last % 2 == 0)
    return least, most


def _whole(key: Key, step: int, *, up: bool, strictly: bool) -> int:
    """The nearest whole step inside an end."""
    assert isinstance(key, Fraction)  # noqa: S101  integers and dates have numeric keys
    value = key / step
    nearest = ceil(value) if up else floor(value)
    if strictly and nearest == value:
        nearest += 1 if up else -1
    return nearest


def _written(attribute: BoundAttribute, number: int | None) -> Sql | None:
    if number is None or abs(number) > FARTHEST:
        return None
    if attribute.family == "date":
        return Sql(f"(CAST('1970-01-01' AS DATE) + CAST({number} AS INTEGER))")
    return Sql(f"CAST({number} AS HUGEINT)")


def number_key(value: object) -> Fraction:
    """An exact number to compare by; no line for what is none."""
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal) or not isfinite(value):
        raise NoLineError
    return Fraction(value)
