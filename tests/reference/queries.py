"""Small queries as Python structures: the SQL text that is asked, and the same meaning in plain Python."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

from tests.properties.cases import measured
from tests.support import quoted

Truth = bool | None
"""SQL's three values."""

Key = tuple[Any, ...]


@dataclass(frozen=True, eq=False)
class Leaf:
    """A predicate on one attribute."""

    attribute: str
    sql: str
    holds: Callable[[Any], Truth]
    constants: tuple[Any, ...] | None
    """What it compares the attribute with; None for anything but comparisons (LIKE, arithmetic, CASE)."""


@dataclass(frozen=True, eq=False)
class Not:
    part: Predicate


@dataclass(frozen=True, eq=False)
class And:
    parts: tuple[Predicate, ...]


@dataclass(frozen=True, eq=False)
class Or:
    parts: tuple[Predicate, ...]


Predicate = Leaf | Not | And | Or
Aggregate = Literal["count", "sum", "avg", "min", "max"]

TRUE = And(())
"""What a query without WHERE asks."""


def text_of(predicate: Predicate) -> str:
    """The predicate as SQL."""
    if isinstance(predicate, Leaf):
        return predicate.sql
    if isinstance(predicate, Not):
        return f"NOT ({text_of(predicate.part)})"
    word = " AND " if isinstance(predicate, And) else " OR "
    return word.join(f"({text_of(part)})" for part in predicate.parts)


def leaves(predicate: Predicate) -> Iterator[Leaf]:
    if isinstance(predicate, Leaf):
        yield predicate
    elif isinstance(predicate, Not):
        yield from leaves(predicate.part)
    else:
        for part in predicate.parts:
            yield from leaves(part)


def attributes_of(predicate: Predicate) -> set[str]:
    return {leaf.attribute for leaf in leaves(predicate)}


def evaluate(predicate: Predicate, truth_of: Callable[[Leaf], Truth]) -> Truth:
    """Three-valued logic."""
    if isinstance(predicate, Leaf):
        return truth_of(predicate)
    if isinstance(predicate, Not):
        return opposite(evaluate(predicate.part, truth_of))
    decisive = isinstance(predicate, Or)
    found = [evaluate(part, truth_of) for part in predicate.parts]
    if decisive in found:
        return decisive
    return None if None in found else not decisive


def holds_in(predicate: Predicate, row: Mapping[str, Any]) -> bool:
    """Whether WHERE keeps the row."""
    return evaluate(predicate, lambda leaf: leaf.holds(row[leaf.attribute])) is True


def opposite(truth: Truth) -> Truth:
    return None if truth is None else not truth


def normal_form(predicate: Predicate, negated: bool = False) -> Predicate:
    """The negation normal form: NOT only inside leaves."""
    if isinstance(predicate, Not):
        return normal_form(predicate.part, not negated)
    if isinstance(predicate, Leaf):
        return _negated(predicate) if negated else predicate
    parts = tuple(normal_form(part, negated) for part in predicate.parts)
    return And(parts) if isinstance(predicate, And) is not negated else Or(parts)


def _negated(leaf: Leaf) -> Leaf:
    return Leaf(leaf.attribute, f"NOT ({leaf.sql})", lambda value: opposite(leaf.holds(value)), leaf.constants)


def conjuncts(predicate: Predicate) -> Iterator[Predicate]:
    """The parts of the top-level AND of a normal form."""
    if isinstance(predicate, And):
        for part in predicate.parts:
            yield from conjuncts(part)
    else:
        yield predicate


def equals(attribute: str, value: Any) -> Leaf:
    """The attribute has this value; NULL is one."""
    constants = () if value is None else (value,)
    return Leaf(attribute, f"<{attribute} is the key>", lambda other: other == value, constants)


@dataclass(frozen=True)
class Query:
    """One aggregate over the released tuples, at times grouped."""

    aggregate: Aggregate
    target: str | None = None
    where: Predicate = TRUE
    keys: tuple[str, ...] = ()

    @property
    def sql(self) -> str:
        names = [quoted(key) for key in self.keys]
        target = "*" if self.target is None else quoted(self.target)
        text = f"SELECT {', '.join([*names, f'{self.aggregate.upper()}({target})'])} FROM released"
        condition = text_of(self.where)
        text += f" WHERE {condition}" if condition else ""
        return text + (f" GROUP BY {', '.join(names)}" if names else "")

    @property
    def rows_sql(self) -> str:
        """The keys and the target of all rows that satisfy it."""
        names = [*self.keys, *([self.target] if self.target else [])]
        condition = text_of(self.where) or "TRUE"
        return f"SELECT {', '.join(['1', *map(quoted, names)])} FROM released WHERE {condition}"

    @property
    def attributes(self) -> set[str]:
        """All that it names."""
        return attributes_of(self.where) | set(self.keys) | ({self.target} if self.target else set())

    def at(self, key: Key) -> Predicate:
        """The normal form of the predicate of one group."""
        is_key = (equals(name, value) for name, value in zip(self.keys, key, strict=True))
        return normal_form(And((self.where, *is_key)))


def aggregated(aggregate: Aggregate, values: Sequence[Any], star: bool = False) -> Any:
    """An aggregate of cells as exact numbers; None for MIN, MAX and AVG of nothing, 0 for SUM."""
    if star:
        return len(values)
    cells = [value for value in values if value is not None]
    if aggregate == "count":
        return len(cells)
    numbers = [measured(value) for value in cells]
    if aggregate == "sum":
        return sum(numbers, Fraction(0))
    if not numbers:
        return None
    return {"min": min, "max": max}[aggregate](numbers) if aggregate != "avg" else sum(numbers) / len(numbers)


def answer(query: Query, rows: Sequence[Mapping[str, Any]]) -> dict[Key, Any]:
    """The query's true answer by group key; without GROUP BY the one key is ()."""
    groups: dict[Key, list[Any]] = {} if query.keys else {(): []}
    for row in rows:
        if holds_in(query.where, row):
            cell = None if query.target is None else row[query.target]
            groups.setdefault(tuple(row[key] for key in query.keys), []).append(cell)
    return {key: aggregated(query.aggregate, cells, query.target is None) for key, cells in groups.items()}
