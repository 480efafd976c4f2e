"""Random queries of the paper's form, their true answers, and how far a release's answers are from them.

SUM(salary) under predicates on four of the quasi-identifiers and semi-sensitive attributes. What the paper leaves
open: the m values of a categorical predicate are drawn without repetition, m from 1 to all; numbers are compared by
one of the six operators with a value of the table; a query whose true sum is 0 has no relative error and is redrawn.
"""

from __future__ import annotations

import json
import math
import random
import statistics
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import duckdb

from benchmarks.apart import Figures
from benchmarks.experiments.tables import SENSITIVE
from benchmarks.people import ORDERED, QUASI

ATTRIBUTES = 4
OPERATORS = (">", "<", "=", ">=", "<=", "<>")
AT_ONCE = 100
"""Predicates whose sums one statement computes."""


@dataclass(frozen=True)
class Query:
    """A predicate and the true sum of those who satisfy it."""

    predicate: str
    actual: float

    @property
    def sql(self) -> str:
        """As an analyst asks a release."""
        return f"SELECT SUM({SENSITIVE}) FROM released WHERE {self.predicate}"


def make_queries(source: Path, count: int, seed: int) -> list[Query]:
    """So many queries with a true sum other than 0."""
    draw = random.Random(f"queries/{seed}")
    found: list[Query] = []
    with duckdb.connect() as connection:
        connection.execute(f"CREATE TABLE people AS SELECT * FROM read_parquet('{source}')")
        domains = {name: _domain(connection, name) for name in QUASI}
        while len(found) < count:
            predicates = [_predicate(domains, draw) for _ in range(AT_ONCE)]
            sums = ", ".join(f"sum({SENSITIVE}) FILTER (WHERE {predicate})" for predicate in predicates)
            row = connection.execute(f"SELECT {sums} FROM people").fetchone()
            assert row is not None
            pairs = zip(predicates, row, strict=True)
            found += [Query(predicate, float(actual)) for predicate, actual in pairs if actual]
    return found[:count]


def _domain(connection: duckdb.DuckDBPyConnection, name: str) -> list[Any]:
    return [value for (value,) in connection.execute(f"SELECT DISTINCT {name} FROM people ORDER BY 1").fetchall()]


def _predicate(domains: Mapping[str, Sequence[Any]], draw: random.Random) -> str:
    return " AND ".join(_condition(name, domains[name], draw) for name in draw.sample(QUASI, ATTRIBUTES))


def _condition(name: str, domain: Sequence[Any], draw: random.Random) -> str:
    if name in ORDERED:
        return f"{name} {draw.choice(OPERATORS)} {draw.choice(domain)}"
    values = sorted(draw.sample(domain, draw.randint(1, len(domain))))
    return f"{name} IN ({', '.join(_literal(value) for value in values)})"


def _literal(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"


def save(queries: list[Query], path: Path) -> None:
    path.write_text(json.dumps([asdict(query) for query in queries]), encoding="utf-8")


def load(path: Path) -> list[Query]:
    return [Query(**each) for each in json.loads(path.read_text(encoding="utf-8"))]


@dataclass(frozen=True)
class Answer:
    """What a release says: certain bounds, an estimate, and the paper's interval around it."""

    lower: float
    estimate: float
    upper: float
    lower_expected: float
    upper_expected: float


def ask(release: Any, queries: Sequence[Query]) -> Iterator[Answer]:
    """The only place that knows how a release is asked; a bound of NULL is unbounded."""
    for table in release.query_many([query.sql for query in queries]):
        (row,) = table.to_pylist()
        yield Answer(
            lower=_bound(row["lower"], -math.inf),
            estimate=_bound(row["estimate"], 0.0),
            upper=_bound(row["upper"], math.inf),
            lower_expected=_bound(row["lower_expected"], -math.inf),
            upper_expected=_bound(row["upper_expected"], math.inf),
        )


def _bound(value: Any, unknown: float) -> float:
    return unknown if value is None else float(value)


FIGURES = ("error", "error_median", "error_certain", "error_estimate", "inside_expected", "inside_certain")


def errors(queries: Sequence[Query], answers: Sequence[Answer]) -> Figures:
    """The paper's R_error = (upper - lower) / actual, of its interval and of certain bounds, and what they cover."""
    pairs = list(zip(queries, answers, strict=True))
    relative = [(a.upper_expected - a.lower_expected) / q.actual for q, a in pairs]
    values = (
        statistics.fmean(relative),
        statistics.median(relative),
        statistics.fmean((a.upper - a.lower) / q.actual for q, a in pairs),
        statistics.fmean(abs(a.estimate - q.actual) / q.actual for q, a in pairs),
        statistics.fmean(a.lower_expected <= q.actual <= a.upper_expected for q, a in pairs),
        statistics.fmean(a.lower <= q.actual <= a.upper for q, a in pairs),
    )
    return dict(zip(FIGURES, values, strict=True))
