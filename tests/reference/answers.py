"""Answers of a release, slow and obvious: the paper's interval, and the plain certain bounds by must and may.

An answer of the program may be tighter than `certain`, never wider.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import ceil, floor, inf, prod
from typing import Any

from tests.properties.cases import measured
from tests.reference.queries import And, Key, Leaf, Predicate, Query, attributes_of, conjuncts, evaluate, leaves
from tests.reference.released_cells import Cell, Shown, points, weighted

Number = Fraction | float
Interval = tuple[Number, Number]
"""Lower and upper, infinite where there is no bound."""


@dataclass(frozen=True)
class Part:
    """What one bucket or group adds: between `least` and `most` of its values, ascending."""

    least: int
    most: int
    lows: Sequence[Number]
    highs: Sequence[Number]


# --- must and may ----------------------------------------------------------------------------------------


class Logic:
    """Must and may of a normal form, tuple by tuple."""

    def __init__(self, shown: Shown) -> None:
        self.shown = shown
        self._known: dict[tuple[Leaf, Cell], tuple[bool, bool]] = {}

    def must(self, predicate: Predicate, row: int) -> bool:
        return evaluate(predicate, lambda leaf: self._leaf(leaf, row)[0]) is True

    def may(self, predicate: Predicate, row: int) -> bool:
        return evaluate(predicate, lambda leaf: self._leaf(leaf, row)[1]) is True

    def _leaf(self, leaf: Leaf, row: int) -> tuple[bool, bool]:
        cell = self.shown.cells[leaf.attribute][row]
        if (leaf, cell) not in self._known:
            tried = points(cell, [leaf])
            found = [None] if tried is None else [leaf.holds(value) is True for value in tried]
            self._known[leaf, cell] = (None not in found and all(found), None in found or any(found))
        return self._known[leaf, cell]


def units_of(shown: Shown, attribute: str) -> dict[Cell, list[int]]:
    """The tuples of every bucket and group of an attribute."""
    units: dict[Cell, list[int]] = defaultdict(list)
    for row, cell in enumerate(shown.cells[attribute]):
        units[cell].append(row)
    return units


def certain(shown: Shown, query: Query, key: Key = ()) -> Interval | None:
    """What the answer cannot leave, in any world; None where no tuple may count."""
    where, logic = query.at(key), Logic(shown)
    if query.target is None:
        rows = range(len(shown.tuples))
        return Fraction(sum(logic.must(where, row) for row in rows)), Fraction(sum(logic.may(where, r) for r in rows))
    at = _place(query)
    parts = [
        _bucket_part(logic, where, query.target, cell, rows, at)
        if cell.form == "S"
        else _range_part(logic, where, cell, rows, at)
        for cell, rows in units_of(shown, query.target).items()
    ]
    return FORMULAS[query.aggregate](parts)


def _place(query: Query) -> Callable[[Any], Number]:
    """Where a value stands; a count needs no place, and text has none."""
    return (lambda _: Fraction(0)) if query.aggregate == "count" else measured


def _bucket_part(
    logic: Logic, where: Predicate, target: str, cell: Cell, rows: Sequence[int], at: Callable[[Any], Number]
) -> Part:
    """Counts on the other attributes, values by the target's own conjuncts."""
    parts = list(conjuncts(where))
    own = _own(where, target)
    others = And(tuple(part for part in parts if attributes_of(part) != {target}))
    kept = [value for value in cell.values or () if value is not None and _holds(own, value)]
    must = sum(logic.must(others, row) for row in rows)
    may = sum(logic.may(others, row) for row in rows)
    entries = sorted(at(value) for value in kept)
    return Part(max(0, must - (len(rows) - len(entries))), min(may, len(entries)), entries, entries)


def _holds(own: Predicate, value: Any) -> bool:
    return evaluate(own, lambda leaf: leaf.holds(value)) is True


def _range_part(logic: Logic, where: Predicate, cell: Cell, rows: Sequence[int], at: Callable[[Any], Number]) -> Part:
    """A generalised cell adds an end of its range; a withheld one may be NULL, so it never has to count."""
    ends = cell.ends()
    may = sum(logic.may(where, row) for row in rows)
    must = 0 if cell.form == "W" else sum(logic.must(where, row) for row in rows)
    if ends is None and not cell.anything:
        return Part(0, 0, (), ())
    low, high = (-inf, inf) if ends is None else (at(ends[0]), at(ends[1]))
    return Part(must, may, [low] * may, [high] * may)


# --- the aggregates --------------------------------------------------------------------------------------


def count_of(parts: Sequence[Part]) -> Interval | None:
    return Fraction(sum(part.least for part in parts)), Fraction(sum(part.most for part in parts))


def sum_of(parts: Sequence[Part]) -> Interval | None:
    lower: Number = Fraction(0)
    upper: Number = Fraction(0)
    for part in parts:
        choices = range(part.least, part.most + 1)
        lower += min(total(part.lows[:number]) for number in choices)
        upper += max(total(greatest(part.highs, number)) for number in choices)
    return lower, upper


def total(values: Sequence[Number]) -> Number:
    return sum(values, Fraction(0))


def greatest(values: Sequence[Number], number: int) -> Sequence[Number]:
    return values[len(values) - number :]


def avg_of(parts: Sequence[Part]) -> Interval | None:
    lower = _least_average(parts, [part.lows for part in parts])
    mirrored = [[-value for value in reversed(part.highs)] for part in parts]
    upper = _least_average(parts, mirrored)
    return None if lower is None or upper is None else (lower, -upper)


def _least_average(parts: Sequence[Part], values: Sequence[Sequence[Number]]) -> Number | None:
    """The least of all averages: what must count, then what may, from the least upwards."""
    chosen = [value for part, entries in zip(parts, values, strict=True) for value in entries[: part.least]]
    rest = sorted(v for part, entries in zip(parts, values, strict=True) for v in entries[part.least : part.most])
    if not chosen and not rest:
        return None
    numbers = range(0 if chosen else 1, len(rest) + 1)
    return min(total([*chosen, *rest[:number]]) / (len(chosen) + number) for number in numbers)


def min_of(parts: Sequence[Part]) -> Interval | None:
    possible = [part for part in parts if part.most]
    if not possible:
        return None
    sure = [part.highs[len(part.highs) - part.least] for part in possible if part.least]
    return min(part.lows[0] for part in possible), min(sure, default=max(part.highs[-1] for part in possible))


def max_of(parts: Sequence[Part]) -> Interval | None:
    possible = [part for part in parts if part.most]
    if not possible:
        return None
    sure = [part.lows[part.least - 1] for part in possible if part.least]
    return max(sure, default=min(part.lows[0] for part in possible)), max(part.highs[-1] for part in possible)


FORMULAS: dict[str, Callable[[Sequence[Part]], Interval | None]] = {
    "count": count_of,
    "sum": sum_of,
    "avg": avg_of,
    "min": min_of,
    "max": max_of,
}


# --- the paper's interval --------------------------------------------------------------------------------


def probability(shown: Shown, where: Predicate, row: int) -> Fraction | None:
    """Pro(t): attributes are independent, the values of a cell equally likely; None where no share is agreed on."""
    by_attribute: dict[str, list[Leaf]] = defaultdict(list)
    for leaf in leaves(where):
        by_attribute[leaf.attribute].append(leaf)
    outcomes = []
    for attribute, tried in by_attribute.items():
        shares = weighted(shown.cells[attribute][row], tried)
        if shares is None:
            return None
        alike: dict[tuple[bool | None, ...], Fraction] = defaultdict(Fraction)
        for share, value in shares:
            alike[tuple(leaf.holds(value) for leaf in tried)] += share
        outcomes.append([(share, dict(zip(tried, truths, strict=True))) for truths, share in alike.items()])
    found = Fraction(0)
    for outcome in product(*outcomes):
        truths = {leaf: truth for _, known in outcome for leaf, truth in known.items()}
        if evaluate(where, truths.__getitem__) is True:
            found += prod((share for share, _ in outcome), start=Fraction(1))
    return found


def expected(shown: Shown, query: Query, key: Key = ()) -> Interval | None:
    """The interval around the expected number of tuples per bucket; None where the definition is silent."""
    where = query.at(key)
    counted = where if query.target is None else And((where, _present(query.target)))
    shares = [probability(shown, counted, row) for row in range(len(shown.tuples))]
    if query.target is None:
        whole = _rounded(shares)
        return None if whole is None else (Fraction(floor(whole)), Fraction(ceil(whole)))
    if query.aggregate == "count" or not _speaks_of(shown, query, where):
        return None
    parts = []
    for cell, rows in units_of(shown, query.target).items():
        whole = _rounded([shares[row] for row in rows])
        if whole is None or cell.form in "WI":
            return None
        parts.append(_expected_part(cell, _own(where, query.target), floor(whole), ceil(whole)))
    return _expected_sum(parts) if query.aggregate == "sum" else FORMULAS[query.aggregate](parts)


def _speaks_of(shown: Shown, query: Query, where: Predicate) -> bool:
    """The paper has no condition on the target: beside the others one narrows its buckets' sums, no more is agreed."""
    target = query.target or ""
    if target not in attributes_of(where):
        return True
    return (
        query.aggregate == "sum"
        and not _entangled(where, target)
        and all(cell.form == "S" for cell in shown.cells[target])
    )


def _entangled(where: Predicate, attribute: str) -> bool:
    """Whether an OR joins the attribute with others."""
    parts = conjuncts(where)
    return any(attribute in attributes_of(part) and attributes_of(part) != {attribute} for part in parts)


def _present(attribute: str) -> Leaf:
    """Tuples without a value of the target take none of a bucket's values."""
    return Leaf(attribute, f"{attribute} IS NOT NULL", lambda value: value is not None, ())


def _rounded(shares: Sequence[Fraction | None]) -> Fraction | None:
    known = [share for share in shares if share is not None]
    return round(sum(known, Fraction(0)), 9) if len(known) == len(shares) else None


def _own(where: Predicate, target: str) -> Predicate:
    return And(tuple(part for part in conjuncts(where) if attributes_of(part) == {target}))


def _expected_part(cell: Cell, own: Predicate, least: int, most: int) -> Part:
    if cell.form == "S":
        entries = sorted(measured(value) for value in cell.values or () if value is not None and _holds(own, value))
        return Part(min(least, len(entries)), min(most, len(entries)), entries, entries)
    ends = cell.ends()
    if ends is None:
        return Part(0, 0, (), ())
    return Part(least, most, [measured(ends[0])] * most, [measured(ends[1])] * most)


def _expected_sum(parts: Sequence[Part]) -> Interval:
    """floor(e) least and ceil(e) greatest values of each, whatever their signs."""
    lower = total([total(part.lows[: part.least]) for part in parts])
    return lower, total([total(greatest(part.highs, part.most)) for part in parts])
