"""What a release shows of every cell, read with plain SELECTs, and the values that a predicate must be tried at."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from math import ceil, floor
from typing import Any
from uuid import UUID

import lgb_sql
from tests.properties.cases import measured
from tests.reference.queries import Leaf
from tests.support import columns_of, fetch, quoted

Weighted = list[tuple[Fraction, Any]]
INTEGERS = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT")
SAMPLES = {
    "VARCHAR": "",
    "UUID": "",
    "DATE": dt.date(2000, 1, 1),
    "TIMESTAMP WITH": dt.datetime(2000, 1, 1, tzinfo=dt.UTC),
    "TIMESTAMP": dt.datetime(2000, 1, 1),
    "TIME": dt.time(12),
}
"""Any value of a type, by how its name starts; 0 is one of the others."""


@dataclass(frozen=True)
class Declared:
    """A public domain: the list of its values, or its two ends."""

    values: tuple[Any, ...]
    ends: bool = False


@dataclass(frozen=True, eq=False)
class Cell:
    """What is shown; tuples of one bucket or group share it."""

    unit: tuple[str, int]
    """Bucketed 'S' and bid, generalised 'Q' and gid, withheld 'W' or as it is 'I' and rid."""
    type: str
    values: tuple[Any, ...] | None = None
    """The values it may have, each as often as its bucket holds it; None for a range and for anything."""
    low: Any = None
    high: Any = None
    attained: tuple[Any, ...] = ()
    """What at least one tuple of the group has."""

    @property
    def form(self) -> str:
        return self.unit[0]

    @property
    def anything(self) -> bool:
        return self.values is None and self.low is None

    @property
    def discrete(self) -> bool:
        return self.type in INTEGERS or self.type == "DATE"

    @property
    def textual(self) -> bool:
        return self.type in ("VARCHAR", "UUID")

    def ends(self) -> tuple[Any, Any] | None:
        """The least and the greatest value, None where there is none or no limit."""
        if self.values is None:
            return None if self.anything else (self.low, self.high)
        found = [value for value in self.values if value is not None]
        return (min(found), max(found)) if found else None


class Shown:
    """A release by tuple: the cells of every attribute, in the order of rid."""

    def __init__(self, release: lgb_sql.Release, declared: Mapping[str, Declared] | None = None) -> None:
        self.manifest = release.manifest
        self.declared = declared or {}
        with release.connect() as connection:
            self.tuples = sorted(_records(connection, "tuples"), key=lambda record: record["rid"])
            self.groups = {record["gid"]: record for record in _records(connection, "groups")}
            self.cells = {
                name: self._cells(connection, name, role)
                for name, role in release.manifest["roles"].items()
                if role != "identifier"
            }

    def _cells(self, connection: Any, name: str, role: str) -> list[Cell]:
        kind = self.manifest["types"][name]
        if role == "insensitive":
            return [Cell(("I", record["rid"]), kind, (record[name],)) for record in self.tuples]
        buckets = self._buckets(connection, name) if role != "quasi-identifier" else {}
        shown: dict[tuple[str, int], Cell] = {}
        cells = []
        for record in self.tuples:
            bid = record.get(f"{name}_bid")
            if bid is not None:
                unit, made = ("S", bid), Cell(("S", bid), kind, tuple(buckets[bid]))
            else:
                made = self._generalised(name, kind, record)
                unit = made.unit
            cells.append(shown.setdefault(unit, made))
        return cells

    @staticmethod
    def _buckets(connection: Any, name: str) -> dict[int, list[Any]]:
        buckets: dict[int, list[Any]] = {}
        for record in _records(connection, f"sat_{name}"):
            buckets.setdefault(record["bid"], []).extend([record["value"]] * record["n"])
        return buckets

    def _generalised(self, name: str, kind: str, record: Mapping[str, Any]) -> Cell:
        group = self.groups[record["gid"]]
        if group[f"{name}_form"] == "W":
            return self._withheld(name, kind, record["rid"])
        unit = ("Q", record["gid"])
        if f"{name}_set" in group:
            members = tuple(group[f"{name}_set"])
            return Cell(unit, kind, members, attained=() if f"{name}_node" in group else members)
        low, high = group[f"{name}_lo"], group[f"{name}_hi"]
        words = self.manifest["ordered"].get(name)
        if low == high:
            return Cell(unit, kind, (low,), attained=(low,))
        if isinstance(words, list):
            between = words[words.index(low) : words.index(high) + 1]
            return Cell(unit, kind, tuple(between), attained=(low, high))
        values = (low, high) if kind == "BOOLEAN" else None
        return Cell(unit, kind, values, low, high, (low, high))

    def _withheld(self, name: str, kind: str, rid: int) -> Cell:
        unit, declared = ("W", rid), self.declared.get(name)
        if declared is None:
            return Cell(unit, kind, (True, False, None) if kind == "BOOLEAN" else None)
        if declared.ends:
            return Cell(unit, kind, None, declared.values[0], declared.values[-1])
        return Cell(unit, kind, (*declared.values, None))


def _records(connection: Any, relation: str) -> list[dict[str, Any]]:
    sql = f"SELECT * FROM {quoted(relation)}"
    names = [name for name, _ in columns_of(connection, sql)]
    return [dict(zip(names, map(plain, row), strict=True)) for row in fetch(connection, sql)]


def plain(value: Any) -> Any:
    """Without types that only say how a value is written."""
    if isinstance(value, list):
        return [plain(item) for item in value]
    return str(value) if isinstance(value, UUID) else value


# --- the values at which a predicate is tried ------------------------------------------------------------


def points(cell: Cell, tried: Sequence[Leaf]) -> list[Any] | None:
    """Values that stand for all the cell may have in these leaves; None where nobody can list them."""
    if cell.values is not None:
        return list(dict.fromkeys(cell.values))
    if any(leaf.constants is None for leaf in tried):
        return None
    constants = {constant for leaf in tried for constant in leaf.constants or ()}
    if cell.anything:
        return [None, *_everywhere(sorted(constants), cell.type)]
    found = [point for point, _ in _line(cell, constants)]
    return [*found, None] if cell.form == "W" else found


def _everywhere(constants: list[Any], kind: str) -> Iterator[Any]:
    """The constants, values around and between them; a type's own limits are not respected."""
    if not constants:
        yield next((value for start, value in SAMPLES.items() if kind.startswith(start)), 0)
        return
    yield from constants
    yield from (middle for left, right in pairwise(constants) if (middle := between(left, right)) is not None)
    low, high = constants[0], constants[-1]
    if isinstance(low, str):
        yield from ("", high + "\x01")
    elif isinstance(low, dt.date):
        yield from (low - dt.timedelta(days=1), high + dt.timedelta(days=1))
    elif isinstance(low, dt.time):
        yield from (dt.time.min, dt.time.max)
    else:
        yield from (low - 1, high + 1)


def _line(cell: Cell, constants: set[Any]) -> Iterator[tuple[Any, Fraction]]:
    """Ends, constants and one value per gap of a range, each with the number (or length) it stands for."""
    inside = sorted({cell.low, cell.high, *(c for c in constants if cell.low < c < cell.high)})
    for place in inside:
        if not cell.discrete:
            yield place, Fraction(0)
        elif isinstance(place, dt.date) or place == floor(place):
            yield place, Fraction(1)
    for left, right in pairwise(inside):
        if cell.textual:
            yield left + "\x01", Fraction(0)
        elif cell.discrete:
            number = _whole_between(left, right)
            if number:
                yield between(left, right, whole=True), Fraction(number)
        elif (middle := between(left, right)) is not None:
            yield middle, measured(right) - measured(left)


def _whole_between(left: Any, right: Any) -> int:
    """How many days or whole numbers lie strictly between."""
    if isinstance(left, dt.date):
        return int((right - left).days) - 1
    return int(ceil(right) - floor(left) - 1)


def between(left: Any, right: Any, whole: bool = False) -> Any:
    """A value strictly between two others, None where there is none."""
    if isinstance(left, str):
        middle: Any = left + "\x01"
    elif isinstance(left, dt.datetime):
        middle = left + (right - left) / 2
    elif isinstance(left, dt.date):
        middle = left + dt.timedelta(days=1)
    elif isinstance(left, dt.time):
        middle = _time((measured(left) + measured(right)) // 2)
    elif whole:
        middle = floor(left) + 1
    elif isinstance(left, Decimal) and isinstance(right, Decimal):
        middle = (left + right) / 2
    else:
        middle = (Fraction(left) + Fraction(right)) / 2
    return middle if left < middle < right else None


def _time(microseconds: int) -> dt.time:
    return (dt.datetime.min + dt.timedelta(microseconds=microseconds)).time()


def weighted(cell: Cell, tried: Sequence[Leaf]) -> Weighted | None:
    """Values with their uniform shares of the cell; None where no share is agreed on."""
    if cell.form == "W":
        return None
    if cell.values is not None:
        return [(Fraction(1, len(cell.values)), value) for value in cell.values]
    if cell.textual or any(leaf.constants is None for leaf in tried):
        return None
    line = list(_line(cell, {constant for leaf in tried for constant in leaf.constants or ()}))
    total = sum(weight for _, weight in line)
    return [(weight / total, point) for point, weight in line]
