"""Random small tables with a policy each: mixed types, ties, NULLs, skew, odd names.

Hypothesis draws the shape; a seeded generator fills the cells, so that an example shrinks by its shape.
"""

from __future__ import annotations

import datetime as dt
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from random import Random
from typing import Any
from uuid import UUID

import pyarrow as pa
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st

SLOW = settings(
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=list(HealthCheck),
    phases=(Phase.explicit, Phase.generate),
)
"""Every example is a run of some tenths of a second: CI sees the same ones each time, and none is shrunk."""


def slow(examples: int) -> settings:
    """So many examples, times LGB_CASES where that is set."""
    return settings(SLOW, max_examples=examples * int(os.environ.get("LGB_CASES", "1")))


HOSTILE_NAMES = (
    'a"b', "{{7*7}}", "x; DROP TABLE y", "sat/x", "größe", "two words", "rowid", "order", "<b>&'x'</b>", "member",
    "tuples", "groups", "value", "n", "code", "%41", "..", "{# c #}", "{% raw %}", "SELECT", "日本", "a\\b", "a.b",
    "$1", "cells", "shown", "truth", "position", "pattern", "row_id", "--", "/*", "source_rows", "a\nb", " lead", "key",
)  # fmt: skip


@dataclass(frozen=True)
class Kind:
    """A type: how Arrow holds it, how the release must, and some of its values in ascending order."""

    name: str
    arrow: pa.DataType
    released: str
    ordered: bool
    value: Callable[[int], Any]
    """The i-th of at most 40 values, ascending in i."""
    cast: str | None = None
    """A `type` key for the policy."""
    stored: Callable[[Any], Any] = lambda value: value
    """The value as the source table holds it."""


_DAY = dt.date(2020, 2, 20)
_MOMENT = dt.datetime(1999, 12, 31, 23, 59, 58, 999_990)
KINDS = {
    kind.name: kind
    for kind in (
        Kind("integer", pa.int64(), "BIGINT", True, lambda i: i * i - 20),
        Kind("tinyint", pa.int8(), "TINYINT", True, lambda i: 3 * i - 60),
        Kind("unsigned", pa.uint16(), "USMALLINT", True, lambda i: 1000 * i + i % 3),
        Kind("double", pa.float64(), "DOUBLE", True, lambda i: (i - 5) * 0.1 + 1e-9 * i * i),
        Kind("float", pa.float32(), "FLOAT", True, lambda i: (i - 7) / 4),
        Kind("decimal", pa.decimal128(9, 2), "DECIMAL(9,2)", True, lambda i: Decimal(i * (i + 1) - 30) / 4),
        Kind("date", pa.date32(), "DATE", True, lambda i: _DAY + dt.timedelta(days=i * i)),
        Kind("timestamp", pa.timestamp("us"), "TIMESTAMP", True, lambda i: _MOMENT + dt.timedelta(microseconds=i * 7)),
        Kind(
            "timestamptz", pa.timestamp("us", tz="UTC"), "TIMESTAMP WITH TIME ZONE", True,
            lambda i: (_MOMENT + dt.timedelta(hours=i)).replace(tzinfo=dt.UTC),
        ),
        Kind("time", pa.time64("us"), "TIME", True, lambda i: dt.time(i // 2, 30 * (i % 2), 0, i)),
        Kind("text", pa.string(), "VARCHAR", False, lambda i: f"{'ABab'[i // 10]}{i % 10}" + ', "é{' * (i % 7 == 3)),
        Kind("dictionary", pa.dictionary(pa.int8(), pa.string()), "VARCHAR", False, lambda i: f"d{i:02}"),
        Kind("boolean", pa.bool_(), "BOOLEAN", False, lambda i: i > 0),
        Kind("uuid", pa.string(), "UUID", False, lambda i: str(UUID(int=i << 122)), cast="UUID"),
        Kind("digits", pa.string(), "INTEGER", True, lambda i: i - 3, cast="INTEGER", stored=str),
        Kind("zip", pa.int32(), "VARCHAR", False, lambda i: str(10000 + i), cast="VARCHAR", stored=int),
    )
}  # fmt: skip


@dataclass(frozen=True)
class Tree:
    """A hierarchy: as the policy writes it, and each leaf's value with the nodes from below the root down to it."""

    written: dict[str, Any]
    leaves: tuple[Any, ...]
    paths: tuple[tuple[str, ...], ...]

    @property
    def root(self) -> str:
        return next(iter(self.written))

    def lowest(self, values: set[Any]) -> tuple[str, list[Any]]:
        """The name of the lowest node above all values, and its leaves."""
        chains = [(self.root, *self.paths[self.leaves.index(value)]) for value in values]
        name = [nodes[0] for nodes in zip(*chains, strict=False) if len(set(nodes)) == 1][-1]
        covered = [leaf for leaf, path in zip(self.leaves, self.paths, strict=True) if name in (self.root, *path)]
        return name, sorted(covered)


def leaf_text(value: Any) -> str:
    """A value as a hierarchy file writes it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def grow(random: Random, values: Sequence[Any]) -> Tree:
    """A random tree over these values: ragged, of up to four levels, single children too."""
    paths: dict[Any, tuple[str, ...]] = {}
    numbers = iter(range(1_000))

    def children(members: list[Any], above: tuple[str, ...]) -> list[Any]:
        if len(above) == 3 or (len(members) <= 2 and random.random() < 0.6):
            paths.update({value: (*above, leaf_text(value)) for value in members})
            return [leaf_text(value) for value in members]
        below: list[Any] = []
        while members:
            size = random.randint(1, len(members))
            part, members = members[:size], members[size:]
            if size == 1 and random.random() < 0.5:
                paths[part[0]] = (*above, leaf_text(part[0]))
                below.append(leaf_text(part[0]))
            else:
                name = f"node {next(numbers)}"
                below.append({name: children(part, (*above, name))})
        return below

    shuffled = list(values)
    random.shuffle(shuffled)
    return Tree({"the root": children(shuffled, ())}, tuple(paths), tuple(paths.values()))


@dataclass(frozen=True)
class Column:
    """One attribute with its cells; None is NULL."""

    name: str
    role: str
    kind: Kind
    values: tuple[Any, ...]
    flags: tuple[bool, ...] | None = None
    ordered: bool | tuple[str, ...] | None = None
    principle: tuple[str, Any] | None = None
    tree: Tree | None = None

    @property
    def is_ordered(self) -> bool:
        if self.tree:
            return False
        return self.kind.ordered if self.ordered is None else bool(self.ordered)

    @property
    def generalised(self) -> bool:
        return self.role in ("quasi-identifier", "semi-sensitive")

    @property
    def bucketed(self) -> bool:
        return self.role in ("semi-sensitive", "sensitive")

    def flagged(self, row: int) -> bool:
        return self.role == "sensitive" or (self.flags is not None and self.flags[row])

    def letter(self, row: int) -> str:
        """What the pattern shows: S flagged, N a NULL quasi-identifier, Q a value."""
        return "S" if self.flagged(row) else "N" if self.values[row] is None else "Q"

    @cached_property
    def domain(self) -> list[Any]:
        """The distinct quasi-identifier values, ascending by value (not by a list of words)."""
        seen = {value for row, value in enumerate(self.values) if value is not None and not self.flagged(row)}
        return sorted(seen)

    def position(self, value: Any) -> Fraction:
        """Where a value stands in the attribute's order, as the conventions measure it."""
        if self.tree:
            return Fraction(self.tree.leaves.index(value))
        if isinstance(self.ordered, tuple):
            return Fraction(self.ordered.index(value))
        if not self.is_ordered or not self.kind.ordered:
            return Fraction(self.domain.index(value))
        return measured(value)

    def entry(self) -> dict[str, Any]:
        """The attribute as the policy writes it."""
        entry: dict[str, Any] = {"role": self.role}
        if self.kind.cast:
            entry["type"] = self.kind.cast
        if self.ordered is not None:
            entry["ordered"] = list(self.ordered) if isinstance(self.ordered, tuple) else self.ordered
        if self.tree is not None:
            entry["hierarchy"] = self.tree.written
        if self.flags is not None:
            entry["flag"] = f"{self.name} private"
        if self.principle:
            entry["principle"] = dict([self.principle])
        return entry


def measured(value: Any) -> Fraction:
    """A number or a time as an exact number."""
    if isinstance(value, dt.datetime):
        start = dt.datetime(1970, 1, 1, tzinfo=value.tzinfo)
        return Fraction((value - start) // dt.timedelta(microseconds=1))
    if isinstance(value, dt.date):
        return Fraction(value.toordinal())
    if isinstance(value, dt.time):
        return Fraction(((value.hour * 60 + value.minute) * 60 + value.second) * 1_000_000 + value.microsecond)
    return Fraction(value)


@dataclass(frozen=True)
class Case:
    """A table and what is promised about it."""

    k: int
    columns: tuple[Column, ...]
    generalization: str = "fast"
    bucketization: str = "sweep"
    small_patterns: str = "merge"
    suppression_limit: float = 1.0

    @property
    def rows(self) -> int:
        return len(self.columns[0].values)

    @property
    def generalised(self) -> tuple[Column, ...]:
        return tuple(column for column in self.columns if column.generalised)

    @property
    def bucketed(self) -> tuple[Column, ...]:
        return tuple(column for column in self.columns if column.bucketed)

    def pattern(self, row: int) -> str:
        return "".join(column.letter(row) for column in self.generalised)

    def table(self) -> pa.Table:
        arrays: dict[str, pa.Array] = {}
        for column in self.columns:
            cells = [None if value is None else column.kind.stored(value) for value in column.values]
            arrays[column.name] = pa.array(cells, column.kind.arrow)
            if column.flags is not None:
                arrays[f"{column.name} private"] = pa.array(column.flags, pa.bool_())
        return pa.table(arrays)

    def policy(self) -> dict[str, Any]:
        return {
            "k": self.k,
            "generalization": self.generalization,
            "bucketization": self.bucketization,
            "small_patterns": self.small_patterns,
            "suppression_limit": self.suppression_limit,
            "attributes": {column.name: column.entry() for column in self.columns},
        }

    def __repr__(self) -> str:
        shapes = [
            (c.name, c.role, c.kind.name, c.tree or c.ordered, c.principle, len(set(c.values)), sum(c.flags or ()))
            for c in self.columns
        ]
        return f"Case(k={self.k}, rows={self.rows}, {self.generalization}, {self.small_patterns}, {shapes})"

    def _repr_pretty_(self, printer: Any, _cycle: bool) -> None:
        printer.text(repr(self))


SKEWS = ("even", "heavy", "equal", "runs")


def fill(random: Random, rows: int, kind: Kind, distinct: int, skew: str) -> list[Any]:
    """Cells without NULLs."""
    values = [kind.value(i) for i in range(min(distinct, 2) if kind.name == "boolean" else distinct)]
    if skew == "equal":
        return [values[-1]] * rows
    if skew == "heavy":
        weights = [1 / (i + 1) ** 2 for i in range(len(values))]
        random.shuffle(weights)
        return random.choices(values, weights, k=rows)
    if skew == "runs":
        return [values[row * len(values) // rows] for row in range(rows)]
    return random.choices(values, k=rows)


def eligible_fill(random: Random, count: int, kind: Kind, distinct: int) -> list[Any]:
    """Cells of which no value is much more frequent than another, in random order; NULL among them."""
    values = [kind.value(i) for i in range(distinct)] + ([None] if distinct > 3 else [])
    random.shuffle(values)
    dealt = [values[i % len(values)] for i in range(count)]
    random.shuffle(dealt)
    return dealt


def _words(random: Random, kind: Kind, distinct: int) -> tuple[str, ...]:
    words = [kind.value(i) for i in range(distinct + 2)]
    random.shuffle(words)
    return tuple(words)


QUASI_KINDS = tuple(KINDS)
MANY_VALUED = tuple(name for name in KINDS if name != "boolean")


@st.composite
def orders(draw: st.DrawFn, kind: str) -> str:
    """An `ordered` override, by its name."""
    choices = ["default", "default", "default", "true", "false", "tree"]
    return draw(st.sampled_from([*choices, "list"] if kind in ("text", "dictionary", "zip") else choices))


def _ordered(name: str, random: Random, kind: Kind, distinct: int) -> bool | tuple[str, ...] | None:
    if name == "list":
        return _words(random, kind, distinct)
    return {"default": None, "true": True, "false": False, "tree": None}[name]


def _tree(name: str, random: Random, kind: Kind, shown: Sequence[Any]) -> Tree | None:
    """A hierarchy of the values that are shown, and of some that nobody has."""
    if name != "tree":
        return None
    unused = [] if kind.name == "boolean" else [kind.value(i) for i in range(20, 20 + random.randrange(4))]
    return grow(random, [*dict.fromkeys(value for value in shown if value is not None), *unused] or [kind.value(0)])


@st.composite
def quasi_columns(draw: st.DrawFn, name: str, rows: int, random: Random, semi: bool) -> Column:
    """A quasi-identifier, or a semi-sensitive attribute."""
    kind = KINDS[draw(st.sampled_from(MANY_VALUED if semi else QUASI_KINDS))]
    distinct = draw(st.integers(2, 12))
    skew = draw(st.sampled_from(SKEWS))
    nulls = draw(st.sampled_from((0, 0, 0, 0.03, 0.3)))
    order = draw(orders(kind.name))
    ordered = _ordered(order, random, kind, distinct)
    cells = fill(random, rows, kind, distinct, skew)
    cells = [None if random.random() < nulls else cell for cell in cells]
    if not semi:
        tree = _tree(order, random, kind, cells)
        return Column(name, "quasi-identifier", kind, tuple(cells), None, ordered, None, tree)
    share = draw(st.sampled_from((0, 0.05, 0.3, 0.6, 1)))
    flags = [random.random() < share for _ in range(rows)]
    hidden = iter(eligible_fill(random, sum(flags), kind, distinct))
    cells = [next(hidden) if flag else cell for cell, flag in zip(cells, flags, strict=True)]
    principle = draw(st.sampled_from((("l_diversity", 2), ("l_diversity", 3), ("t_closeness", 0.4))))
    tree = _tree(order, random, kind, [cell for cell, flag in zip(cells, flags, strict=True) if not flag])
    return Column(name, "semi-sensitive", kind, tuple(cells), tuple(flags), ordered, principle, tree)


@st.composite
def sensitive_columns(draw: st.DrawFn, name: str, rows: int, random: Random) -> Column:
    """A sensitive attribute that is eligible, mostly."""
    kind = KINDS[draw(st.sampled_from(MANY_VALUED))]
    distinct = draw(st.integers(4, 30))
    principle = draw(st.sampled_from((("l_diversity", 2), ("l_diversity", 4), ("t_closeness", 0.3))))
    ordered = _ordered(draw(orders(kind.name)), random, kind, distinct)
    cells = eligible_fill(random, rows, kind, distinct)
    if draw(st.booleans()):  # ties and skew, still eligible for l = 2
        cells[: rows // 5] = [kind.value(0)] * (rows // 5)
    return Column(name, "sensitive", kind, tuple(cells), None, ordered, principle)


PLAIN_NAMES = tuple(f"c{i}" for i in range(12))


@st.composite
def cases(
    draw: st.DrawFn,
    generalization: Sequence[str] = ("fast", "mdp", "ncp", "tight"),
    max_quasi: int = 5,
    sensitive: bool = True,
    hostile_names: bool = True,
    small_patterns: Sequence[str] = ("merge", "merge", "suppress"),
) -> Case:
    """A whole case."""
    rows = draw(st.integers(20, 120))
    random = Random(draw(st.integers(0, 2**32)))
    hostile = hostile_names and draw(st.booleans())
    names = list(draw(st.permutations(HOSTILE_NAMES))[:8]) if hostile else list(PLAIN_NAMES)
    columns: list[Column] = []
    for semi in draw(st.lists(st.booleans(), min_size=1, max_size=max_quasi)):
        columns.append(draw(quasi_columns(names.pop(), rows, random, semi)))
    if sensitive and draw(st.booleans()):
        columns.append(draw(sensitive_columns(names.pop(), rows, random)))
    if sensitive and draw(st.integers(0, 3)) == 0:
        kind = KINDS[draw(st.sampled_from(QUASI_KINDS))]
        columns.append(Column(names.pop(), "insensitive", kind, tuple(fill(random, rows, kind, 5, "even"))))
    random.shuffle(columns)
    return Case(
        k=draw(st.integers(2, 6)),
        columns=tuple(columns),
        generalization=draw(st.sampled_from(tuple(generalization))),
        bucketization=draw(st.sampled_from(("sweep", "m_invariance", "stride"))),
        small_patterns=draw(st.sampled_from(tuple(small_patterns))),
    )
