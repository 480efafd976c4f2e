"""Counts of a release's groups and buckets: one row each, read by several checks and risks."""

from __future__ import annotations

from typing import Any

from lgb_sql.audit.reading import Opened
from lgb_sql.binding import BoundAttribute
from lgb_sql.engines.duckdb import DuckDBEngine
from lgb_sql.render import Statement, render


def group_facts(release: Opened) -> dict[str, Any]:
    """Sizes of groups and what the manifest repeats."""
    statement = render("audit/group_facts", {"attributes": release.bound.generalised}, release.relations)
    return one_row(release.engine, statement)


def bucket_facts(release: Opened, a: BoundAttribute) -> dict[str, Any]:
    """Sizes and posteriors of an attribute's buckets."""
    return one_row(release.engine, render("audit/bucket_facts", {"attribute": a}))


def one_row(engine: DuckDBEngine, statement: Statement) -> dict[str, Any]:
    """The single row of a statement, by column."""
    names = [name for name, _ in engine.describe(statement.sql)]
    return dict(zip(names, engine.fetch(statement)[0], strict=True))
