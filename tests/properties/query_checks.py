"""Answers of the program held against the truth, against all worlds, and against the oracle."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from math import ceil, floor, inf, isfinite, isnan
from random import Random
from typing import Any

import duckdb
import pyarrow as pa

import lgb_sql
from tests.properties.cases import Case, Column, grow, measured
from tests.properties.random_queries import NUMERIC, TEXT
from tests.reference.answer_worlds import OTHER, Extremes
from tests.reference.answers import Number, certain, expected
from tests.reference.estimates import Estimating
from tests.reference.queries import Key, Or, Query, aggregated, conjuncts, leaves, normal_form
from tests.reference.released_cells import Declared, Shown, plain
from tests.support import Outcome, fetch, quoted

COLUMNS = ["lower", "estimate", "upper", "lower_expected", "upper_expected", "n_must", "n_may"]


def ask_many(release: lgb_sql.Release, queries: Sequence[Query]) -> list[pa.Table]:
    tables: list[pa.Table] = release.query_many([query.sql for query in queries])
    assert len(tables) == len(queries)
    return tables


def ask(release: lgb_sql.Release, query: Query) -> pa.Table:
    return release.query(query.sql)


# --- a table, its truth, its public domains --------------------------------------------------------------


@dataclass(frozen=True)
class Asking:
    """A random table with a policy whose declared domains are true."""

    case: Case
    declared: Mapping[str, Declared]

    def policy(self) -> dict[str, Any]:
        policy = self.case.policy()
        for name, domain in self.declared.items():
            if "hierarchy" not in policy["attributes"][name]:
                policy["attributes"][name]["domain"] = list(domain.values)
        return policy


def asking(case: Case, random: Random) -> Asking:
    """Hierarchies that hold flagged values too; a declared domain for some attributes."""
    columns = tuple(_whole_tree(column, random) for column in case.columns)
    found = {column.name: _declared(column, random) for column in columns if column.generalised}
    return Asking(replace(case, columns=columns), {name: domain for name, domain in found.items() if domain})


def _whole_tree(column: Column, random: Random) -> Column:
    if column.tree is None or column.role != "semi-sensitive":
        return column
    values = dict.fromkeys(value for value in (*column.tree.leaves, *column.values) if value is not None)
    return replace(column, tree=grow(random, list(values)))


def _declared(column: Column, random: Random) -> Declared | None:
    values = sorted({value for value in column.values if value is not None})
    if column.tree:  # of a semi-sensitive attribute the program does not count on it: a flagged value may be no leaf
        return None if column.role == "semi-sensitive" else Declared(column.tree.leaves)
    if not values or random.random() < 0.4 or isinstance(column.ordered, tuple):
        return None
    if column.kind.name in NUMERIC and column.is_ordered:
        return Declared((floor(values[0]) - (column.kind.name != "unsigned"), ceil(values[-1]) + 2), ends=True)
    if column.kind.name == "date" and column.is_ordered:
        return Declared((values[0], values[-1] + dt.timedelta(days=3)), ends=True)
    if column.kind.name in TEXT and not column.is_ordered:
        return Declared((*values, "unused"))
    return None


class Source:
    """The source rows that were not suppressed, under the name that queries use."""

    def __init__(self, case: Case, outcome: Outcome) -> None:
        self.connection = duckdb.connect()
        self.connection.execute("SET TimeZone = 'UTC'")
        kept = pa.array([outcome.rids[row] is not None for row in range(case.rows)])
        self.connection.register("source_table", case.table().filter(kept))
        columns = (f"CAST({quoted(c.name)} AS {c.kind.released}) AS {quoted(c.name)}" for c in case.columns)
        self.connection.execute(f"CREATE TABLE released AS SELECT {', '.join(columns)} FROM source_table")

    def answer(self, query: Query) -> dict[Key, Any]:
        """The query's text, run as it is."""
        rows = fetch(self.connection, query.sql)
        return {tuple(map(plain, row[:-1])): number(row[-1], query) for row in rows}

    def rows(self, query: Query) -> list[tuple[Key, Any]]:
        """Key and target of every row that satisfies the predicate."""
        place = 1 + len(query.keys)
        found = fetch(self.connection, query.rows_sql)
        return [(tuple(map(plain, row[1:place])), plain(row[-1])) for row in found]


def number(value: Any, query: Query | None = None) -> Number | None:
    """An answer as a number; SUM of nothing counts as 0."""
    if value is None:
        return Fraction(0) if query is not None and query.aggregate == "sum" else None
    if isinstance(value, float) and not isfinite(value):
        return value
    return measured(value) if isinstance(value, dt.date | dt.time | Decimal) else Fraction(value)


# --- answers ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Line:
    """One row of an answer."""

    key: Key
    other: bool
    lower: Number
    estimate: float | None
    upper: Number
    expected: tuple[Number | None, Number | None]
    must: int
    may: int


def read_answer(query: Query, table: pa.Table) -> list[Line]:
    """The rows of an answer; its columns are those of the contract."""
    names = [*query.keys, *COLUMNS, *(["other_values"] if query.keys else [])]
    assert table.column_names == names, (query.sql, table.column_names)
    columns = [table.column(place).to_pylist() for place in range(table.num_columns)]
    lines = [_line(query, row) for row in zip(*columns, strict=True)]
    assert query.keys or len(lines) == 1, query.sql
    assert len({(line.key, line.other) for line in lines}) == len(lines), f"a key twice: {query.sql}"
    assert sum(line.other for line in lines) <= 1, query.sql
    return lines


def _line(query: Query, row: Sequence[Any]) -> Line:
    place = len(query.keys)
    lower, estimate, upper, low, high, must, may = row[place : place + len(COLUMNS)]
    other = bool(query.keys) and bool(row[-1])
    bounds = number(lower), number(upper)
    return Line(
        key=(OTHER,) if other else tuple(map(plain, row[:place])),
        other=other,
        lower=-inf if bounds[0] is None else bounds[0],
        estimate=float(estimate) if isinstance(estimate, int | float) else None,
        upper=inf if bounds[1] is None else bounds[1],
        expected=(number(low), number(high)),
        must=must,
        may=may,
    )


def close(one: Number, other: Number) -> bool:
    if not (isfinite(one) and isfinite(other)):
        return one == other
    return abs(float(one - other)) <= 1e-9 * max(1.0, abs(float(one)), abs(float(other)))


def inside(value: Number, lower: Number, upper: Number) -> bool:
    return lower <= value <= upper or close(value, lower) or close(value, upper)


def told(query: Query, line: object, what: str, more: object = "") -> str:
    """All one needs to see it again."""
    return f"{what}\n  query:  {query.sql}\n  answer: {line}\n  {more}"


# --- against the truth -----------------------------------------------------------------------------------


def check_truth(query: Query, lines: Sequence[Line], source: Source, more: object, coverage: Counter[str]) -> None:
    """Every true group is there, and no bound is missed."""
    truth, rows = source.answer(query), source.rows(query)
    listed = {line.key for line in lines}
    lost = [cell for key, cell in rows if key not in listed]
    if lost:
        assert (OTHER,) in listed, told(query, sorted(map(str, set(truth) - listed)), "a true key is lost", more)
    for line in lines:
        cells = lost if line.other else [cell for key, cell in rows if key == line.key]
        true = truth.get(line.key) if cells else aggregated(query.aggregate, [], query.target is None)
        if line.other:
            true = aggregated(query.aggregate, lost, query.target is None)
        known = sum(cell is not None for cell in cells) if query.target else len(cells)
        assert line.must <= len(cells), told(query, line, f"{len(cells)} tuples satisfy it", more)
        assert known <= line.may, told(query, line, f"{known} tuples satisfy it", more)
        if true is not None:
            assert inside(true, line.lower, line.upper), told(query, line, f"the truth {true} is outside", more)
            count_coverage(coverage, line, true)


def count_coverage(coverage: Counter[str], line: Line, true: Number) -> None:
    """How often the paper's interval holds the truth: reported, never asserted."""
    low, high = line.expected
    if low is not None and high is not None and not line.other:
        coverage["asked"] += 1
        coverage["covered"] += inside(true, low, high)


# --- against all worlds ----------------------------------------------------------------------------------


def check_worlds(query: Query, lines: Sequence[Line], worlds: Mapping[Key, Extremes], more: object) -> None:
    """No world has a group that the answer lacks, or an aggregate outside the bounds."""
    by_key = {line.key: line for line in lines}
    lost = set(worlds) - set(by_key)
    assert not lost, told(query, lines, f"keys that some world has are lost: {lost}", more)
    for key, seen in worlds.items():
        for value in (seen.lower, seen.upper):
            found = by_key[key]
            assert value is None or inside(value, found.lower, found.upper), told(
                query, found, f"some world answers {value}", more
            )


# --- against the oracle ----------------------------------------------------------------------------------


def check_tightness(query: Query, lines: Iterable[Line], shown: Shown, more: object) -> None:
    """Never wider than the plain must and may."""
    if not comparable(query):
        return
    for line in lines:
        bounds = None if line.other else certain(shown, query, line.key)
        is_nothing = line.may == 0 and query.aggregate in ("avg", "min", "max")
        if bounds is not None and not is_nothing:
            for bound in (line.lower, line.upper):
                assert inside(bound, *bounds), told(query, line, f"wider than {_shown(bounds)}", more)


def comparable(query: Query) -> bool:
    """One leaf per attribute: programs may evaluate several leaves of one attribute together, or one by one. Where they
    meet an OR, a key is one more, and so is a value that is counted: that it is not NULL.
    """
    names = [leaf.attribute for leaf in leaves(normal_form(query.where))]
    if any(isinstance(part, Or) for part in conjuncts(normal_form(query.where))):
        names += query.keys
        names += [query.target] if query.aggregate == "count" and query.target else []
    return len(set(names)) == len(names)


def check_expected(query: Query, lines: Iterable[Line], shown: Shown, more: object) -> int:
    """The paper's interval, exactly; how many were comparable."""
    checked = 0
    for line in lines:
        interval = None if line.other or not _agreed(query, shown) else expected(shown, query, line.key)
        if interval is not None:
            checked += 1
            same = all(
                one is not None and close(one, other) for one, other in zip(line.expected, interval, strict=True)
            )
            assert same, told(query, line, f"expected {_shown(interval)}", more)
    return checked


def check_estimate(query: Query, lines: Iterable[Line], estimating: Estimating, more: object) -> int:
    """The estimate, moved into the certain bounds; how many were comparable."""
    checked = 0
    for line in lines:
        found = None if line.other else estimating.estimate(query, line.key)
        if found is not None and line.estimate is not None and not any(map(isnan, (found, line.estimate))):
            checked += 1
            inner = min(max(found, float(line.lower)), float(line.upper))
            assert close(line.estimate, inner), told(query, line, f"estimated {found}, inside {inner}", more)
    return checked


def _agreed(query: Query, shown: Shown) -> bool:
    """A key inside a range of real numbers has no share."""
    return all(cell.values is not None or cell.discrete for name in query.keys for cell in set(shown.cells[name]))


def _shown(bounds: Iterable[Number]) -> Iterator[str] | list[str]:
    return [str(float(bound)) for bound in bounds]
