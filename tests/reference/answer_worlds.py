"""All worlds that fit a tiny release, and the least and greatest answer of a query over them.

Each bucket's values are dealt to its tuples in every way. A generalised cell has any of some values between its
ends, so that the group shows what it shows. A withheld cell has any of its domain, or NULL.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations, product
from math import prod
from typing import Any

from tests.reference.answers import Number, units_of
from tests.reference.queries import Key, Leaf, Query, answer, leaves
from tests.reference.released_cells import INTEGERS, Cell, Shown, points

Rows = list[dict[str, Any]]
Column = tuple[Any, ...]
OTHER = "other values"
"""Stands for the key of all groups that an answer does not list."""
NUMERIC = (*INTEGERS, "DECIMAL", "FLOAT", "DOUBLE")
FAR = 100
MOST_INTERIOR = 7


@dataclass
class Extremes:
    """The least and the greatest answer of one group; None while no world has a number."""

    lower: Number | None = None
    upper: Number | None = None
    worlds: int = 0

    def see(self, value: Number | None) -> None:
        self.worlds += 1
        if value is not None:
            self.lower = value if self.lower is None else min(self.lower, value)
            self.upper = value if self.upper is None else max(self.upper, value)


def candidates(cell: Cell, tried: Sequence[Leaf]) -> list[Any]:
    """A small explicit set of values that the cell may have."""
    if cell.values is not None:
        return list(dict.fromkeys(cell.values))
    compared = [leaf for leaf in tried if leaf.constants is not None]
    found = list(points(cell, compared) or ())
    if cell.anything:
        found += [-FAR, FAR] if cell.type.startswith(NUMERIC) else []
    elif cell.type in INTEGERS and len(compared) < len(tried):
        found += range(cell.low + 1, min(cell.high, cell.low + MOST_INTERIOR))
    return list(dict.fromkeys(value for value in found if _has_type(cell.type, value)))


def _has_type(kind: str, value: Any) -> bool:
    """Whether a column of this type can hold the value at all."""
    if value is None or not kind.startswith(NUMERIC):
        return True
    if kind in ("FLOAT", "DOUBLE"):
        return Fraction(value) == Fraction(float(value))
    scale = int(kind.rstrip(")").split(",")[1]) if kind.startswith("DECIMAL") else 0
    return (Fraction(value) * 10**scale).denominator == 1 and (kind[0] != "U" or value >= 0)


def deals(cell: Cell, number: int, tried: Sequence[Leaf]) -> list[Column]:
    """Every way to give the tuples of one bucket or group their values."""
    if cell.form == "S":
        return sorted(set(permutations(cell.values or ())), key=repr)
    ways = product(candidates(cell, tried), repeat=number)
    return [way for way in ways if set(cell.attained) <= set(way)]


def columns(shown: Shown, attribute: str, tried: Sequence[Leaf]) -> list[Column]:
    """Every way to fill one attribute."""
    units = units_of(shown, attribute)
    filled = []
    for ways in product(*(deals(cell, len(rows), tried) for cell, rows in units.items())):
        cells = dict(
            pair for rows, way in zip(units.values(), ways, strict=True) for pair in zip(rows, way, strict=True)
        )
        filled.append(tuple(cells[row] for row in range(len(shown.tuples))))
    return filled


def number_of_worlds(shown: Shown, query: Query) -> int:
    """How many there would be; nothing is enumerated across units."""
    return prod(
        len(deals(cell, len(rows), _tried(query, attribute)))
        for attribute in query.attributes
        for cell, rows in units_of(shown, attribute).items()
    )


def _tried(query: Query, attribute: str) -> list[Leaf]:
    return [leaf for leaf in leaves(query.where) if leaf.attribute == attribute]


def worlds(shown: Shown, query: Query) -> Iterator[Rows]:
    """The attributes that the query names, in every way that fits the release."""
    names = sorted(query.attributes)
    for chosen in product(*(columns(shown, name, _tried(query, name)) for name in names)):
        yield [dict(zip(names, row, strict=True)) for row in zip(*chosen, strict=True)] or _rows_without_columns(shown)


def _rows_without_columns(shown: Shown) -> Rows:
    return [{} for _ in shown.tuples]


def extremes(shown: Shown, query: Query, listed: set[Key] | None = None) -> dict[Key, Extremes]:
    """By group; groups that are not `listed` are one, OTHER. A group without tuples counts 0 in SUM and COUNT."""
    found: dict[Key, Extremes] = {}
    total = 0
    for rows in worlds(shown, query):
        total += 1
        for key, value in merged(query, rows, listed).items():
            found.setdefault(key, Extremes()).see(value)
    for seen in found.values():
        if seen.worlds < total and query.aggregate in ("sum", "count"):
            seen.see(0)
    return found


def merged(query: Query, rows: Rows, listed: set[Key] | None) -> dict[Key, Any]:
    """The answer of one world, with one group for all that are not listed."""
    answers = answer(query, rows)
    if listed is None or set(answers) <= listed:
        return answers
    kept = {key: value for key, value in answers.items() if key in listed}
    others = [row for row in rows if tuple(row[name] for name in query.keys) not in listed]
    return {**kept, (OTHER,): _union(query, others)}


def _union(query: Query, rows: Rows) -> Any:
    whole = Query(query.aggregate, query.target, query.where)
    return answer(whole, rows)[()]
