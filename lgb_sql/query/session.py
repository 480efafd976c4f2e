"""A release opened for questions: read-only, without external access, with the facts that answers need."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from lgb_sql.binding import BoundAttribute, BoundPolicy
from lgb_sql.engines.duckdb import DuckDBEngine
from lgb_sql.query.constants import Constants
from lgb_sql.render import Sql, Statement, render


@dataclass(frozen=True)
class Shape:
    """What cells of an attribute are like in this release."""

    withheld: int
    shown_nulls: int
    bucketed_nulls: int
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
        return self.withheld + self.shown_nulls + self.bucketed_nulls


class Session:
    """One connection to a release; relations of the release are read by name, all others are temporary."""

    def __init__(self, engine: DuckDBEngine, bound: BoundPolicy, relations: Mapping[str, Sql]) -> None:
        self.engine = engine
        self.bound = bound
        self.relations = dict(relations)
        self.constants = Constants(engine)
        self._shapes: dict[str, Shape] = {}

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

    def shape(self, attribute: BoundAttribute) -> Shape:
        """What is known of an attribute's cells; read once."""
        if attribute.name not in self._shapes:
            self._shapes[attribute.name] = self._read_shape(attribute)
        return self._shapes[attribute.name]

    def _read_shape(self, a: BoundAttribute) -> Shape:
        withheld = nulls = declared_values = bucketed = 0
        if a.role in ("quasi-identifier", "semi-sensitive"):
            template = self._statement("query/cell_facts", {"attribute": a}, {})
            ((withheld, nulls, declared_values),) = self.engine.fetch(template)
        if a.principle is not None:
            ((bucketed,),) = self.rows("query/bucketed_nulls", {"attribute": a})
        if a.shows_node and a.role == "semi-sensitive":
            declared_values = 0  # a flagged value need not be a leaf of the hierarchy, and may be withheld
        span = a.ordered and declared_values == 2
        declared = "nothing" if not declared_values else "span" if span else "values"
        return Shape(int(withheld), int(nulls), int(bucketed), a.role == "semi-sensitive", declared)
