"""A release opened for questions: read-only, without external access, with the facts that answers need."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

from lgb_sql.binding import BoundAttribute, BoundPolicy
from lgb_sql.engines.duckdb import DuckDBEngine
from lgb_sql.query.constants import Constants
from lgb_sql.query.questions import SHOWN
from lgb_sql.render import Sql, Statement, identifier, render


@dataclass(frozen=True)
class Shape:
    """What cells of an attribute are like in this release."""

    withheld: int
    shown_nulls: int
    other_nulls: int
    """NULLs in buckets, or of a column that is released as it is"""
    bucketed: bool
    """Whether some cells may be bucketed"""
    declared: str
    """nothing, values or span"""

    @property
    def all_shown(self) -> bool:
        """Whether every group shows values."""
        return not (self.withheld or self.shown_nulls or self.bucketed)

    @property
    def without_value(self) -> int:
        """Tuples that may have no value: NULLs, and withheld cells."""
        return self.withheld + self.shown_nulls + self.other_nulls


MOST_AT_ONCE = 50
"""Attributes of one statement: the engine plans several hundred scalar subqueries slowly."""


class Session:
    """One connection to a release; relations of the release are read by name, all others are temporary."""

    def __init__(self, engine: DuckDBEngine, bound: BoundPolicy, relations: Mapping[str, Sql]) -> None:
        self.engine = engine
        self.bound = bound
        self.relations = dict(relations)
        self.constants = Constants(engine)
        self._shapes: dict[str, Shape] = {}
        self._endless: dict[str, bool] = {}

    def table(self, relation: str, template: str, params: Mapping[str, object], **aliases: Sql) -> int:
        """Make a temporary table."""
        return self.engine.materialize_temporary(relation, self._statement(template, params, aliases))

    def view(self, relation: str, template: str, params: Mapping[str, object], **aliases: Sql) -> None:
        """Make a temporary view."""
        self.engine.view(relation, self._statement(template, params, aliases))

    def rows(self, template: str, params: Mapping[str, object], **aliases: Sql) -> list[tuple[Any, ...]]:
        """Read an answer: one row per question."""
        return self.engine.fetch(self._statement(template, params, aliases))

    def _statement(self, template: str, params: Mapping[str, object], aliases: Mapping[str, Sql]) -> Statement:
        return render(template, params, {**self.relations, **aliases})

    def learn(self, attributes: Iterable[BoundAttribute]) -> None:
        """Read what is to be known of attributes, all in one statement."""
        new = {a.name: a for a in attributes if a.name not in self._shapes}
        for each in batched(new.values(), MOST_AT_ONCE):
            facts = map(int, self.rows("query/cell_facts", {"attributes": each})[0])
            for a in each:
                withheld, nulls, declared = (next(facts), next(facts), next(facts)) if a.role in SHOWN else (0, 0, 0)
                other_nulls = next(facts) if a.role != "quasi-identifier" else 0
                semi = a.role == "semi-sensitive"
                self._shapes[a.name] = Shape(withheld, nulls, other_nulls, semi, _declared(a, declared))

    def holds_endless(self, attribute: BoundAttribute) -> bool:
        """Whether a column released as it is holds NaN or infinities; others are refused with them. Read once."""
        if attribute.name not in self._endless:
            known = attribute.family in ("float", "date", "timestamp")
            self._endless[attribute.name] = known and self._counts_endless(attribute)
        return self._endless[attribute.name]

    def _counts_endless(self, attribute: BoundAttribute) -> bool:
        value = identifier(attribute.name)
        finite = f"isfinite(CAST({value} AS TIMESTAMP))" if attribute.family == "timestamp" else f"isfinite({value})"
        sql = f"SELECT count(*) FROM {self.relations['tuples']} WHERE NOT {finite}"
        return bool(self.engine.fetch(Statement("endless values", sql, frozenset()))[0][0])

    def shape(self, attribute: BoundAttribute) -> Shape:
        """What is known of an attribute's cells; read once."""
        self.learn((attribute,))
        return self._shapes[attribute.name]


def _declared(a: BoundAttribute, values: int) -> str:
    """How the policy declared an attribute's domain."""
    if a.shows_node and a.role == "semi-sensitive":
        return "nothing"  # a flagged value need not be a leaf of the hierarchy, and may be withheld
    if not values:
        return "nothing"
    return "span" if a.ordered and values == 2 else "values"


def batched(given: Iterable[BoundAttribute], size: int) -> Iterator[tuple[BoundAttribute, ...]]:
    """Parts of a limited size."""
    rest = iter(given)
    while part := tuple(islice(rest, size)):
        yield part
