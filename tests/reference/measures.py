"""Privacy measures of any table, straight from their definitions: slow, in exact fractions where that is possible."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Sequence
from fractions import Fraction
from math import exp, inf, log
from typing import Any

Row = Sequence[Hashable]


def classes_of(rows: Iterable[Row], quasi: Sequence[int], sensitive: int) -> list[Counter[Any]]:
    """For each equivalence class how often each sensitive value occurs; None is a value."""
    found: defaultdict[tuple[Hashable, ...], Counter[Any]] = defaultdict(Counter)
    for row in rows:
        found[tuple(row[place] for place in quasi)][row[sensitive]] += 1
    return list(found.values())


def k_anonymity(classes: list[Counter[Any]]) -> int:
    return min(c.total() for c in classes)


def distinct_l(classes: list[Counter[Any]]) -> int:
    return min(len(c) for c in classes)


def entropy_l(classes: list[Counter[Any]]) -> float:
    return exp(min(-sum(n / c.total() * log(n / c.total()) for n in c.values()) for c in classes))


def recursive_c(classes: list[Counter[Any]]) -> Fraction | None:
    """(c, l)-diversity with l = distinct l holds for every c above this."""
    l = distinct_l(classes)
    if l < 2:
        return None
    ratios = []
    for c in classes:
        counts = sorted(c.values(), reverse=True)
        ratios.append(Fraction(counts[0], sum(counts[l - 1 :])))
    return max(ratios)


def alpha(classes: list[Counter[Any]]) -> Fraction:
    return max(Fraction(max(c.values()), c.total()) for c in classes)


def _overall(classes: list[Counter[Any]]) -> Counter[Any]:
    total: Counter[Any] = Counter()
    for c in classes:
        total.update(c)
    return total


def _shares(c: Counter[Any], values: Sequence[Any]) -> list[Fraction]:
    return [Fraction(c[value], c.total()) for value in values]


def t_equal(classes: list[Counter[Any]]) -> Fraction:
    whole = _overall(classes)
    values = list(whole)
    p = _shares(whole, values)
    return max(sum((abs(q - r) for q, r in zip(_shares(c, values), p, strict=True)), Fraction(0)) / 2 for c in classes)


def t_ordered(classes: list[Counter[Any]]) -> Fraction:
    """Values in ascending order, None last."""
    whole = _overall(classes)
    values = sorted(whole, key=lambda value: (value is None, value if value is not None else 0))
    p = _shares(whole, values)
    largest = Fraction(0)
    for c in classes:
        carried, work = Fraction(0), Fraction(0)
        for q, r in zip(_shares(c, values), p, strict=True):
            carried += q - r
            work += abs(carried)
        largest = max(largest, work / max(len(values) - 1, 1))
    return largest


def beta(classes: list[Counter[Any]]) -> Fraction:
    whole = _overall(classes)
    lifts = [
        (Fraction(n, c.total()) / Fraction(whole[value], whole.total())) - 1 for c in classes for value, n in c.items()
    ]
    return max(*lifts, Fraction(0))


def delta(classes: list[Counter[Any]]) -> float:
    """Unbounded where a class lacks a value of the table."""
    whole = _overall(classes)
    if any(len(c) < len(whole) for c in classes):
        return inf
    return delta_present(classes)


def delta_present(classes: list[Counter[Any]]) -> float:
    """Over the values that a class holds."""
    whole = _overall(classes)
    return max(abs(log(n / c.total() * whole.total() / whole[value])) for c in classes for value, n in c.items())
