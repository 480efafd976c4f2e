"""Verification: running the checks of a release that is written and not yet published."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from lgb_sql import release_names
from lgb_sql.binding import BoundPolicy
from lgb_sql.checks import FEW_VALUES, Check, checks
from lgb_sql.engines.duckdb import DuckDBEngine
from lgb_sql.errors import VerificationError
from lgb_sql.hierarchy_sql import cover_table
from lgb_sql.query_helpers import helper_columns
from lgb_sql.render import Sql, Statement, render

SHOWN = 5
READABLE_ROWS_OF_A_VIEW = 1_000


@dataclass(frozen=True)
class Written:
    """What a written release must agree with."""

    manifest: Mapping[str, Any]
    rows: int
    source_rows: int
    present: Callable[[], frozenset[str]]
    """Finds the relations that the place really holds."""
    has_views: bool
    """Whether `anonymized` and `idt_...` are views of released tables, or tables of their own."""


def prepare(engine: DuckDBEngine, bound: BoundPolicy) -> None:
    """Bring what checks need beside the release, before it is written: one transaction writes one database."""
    engine.view("row_links", render("verify/row_links"))
    for a in bound.generalised:
        if a.hierarchy:
            engine.upload(f"hierarchy_cover_{a.name}", cover_table(a.hierarchy))


def verify(engine: DuckDBEngine, bound: BoundPolicy, released: Mapping[str, Sql], written: Written) -> None:
    """Run every check on a written release; raise with the first promise that does not hold."""
    engine.keep_order(True)  # the order checks scan a table as it is stored
    try:
        _verify_relations(engine, bound, released, written)
        few = _prepare(engine, bound, released, written)
        readable_rows = READABLE_ROWS_OF_A_VIEW if written.has_views else written.rows
        for check in checks(bound, released, readable_rows, few):
            _verify_check(engine, check, released)
    finally:
        engine.keep_order(False)


def _prepare(engine: DuckDBEngine, bound: BoundPolicy, released: Mapping[str, Sql], written: Written) -> frozenset[str]:
    """Make what several checks read; returns the unordered attributes that show few values."""
    bucketed = {"bucketed": bound.bucketed}
    linked = {**bucketed, "suppressed": written.rows < written.source_rows}
    engine.materialize_temporary("linked_tuples", render("verify/linked_tuples", linked, released))
    engine.materialize_temporary("tuple_counts", render("verify/tuple_counts", bucketed, released))
    values = {
        a.name: engine.materialize_temporary(
            f"shown_values_{a.name}", render("verify/shown_values", {"attribute": a}, released)
        )
        for a in bound.generalised
        if not (a.ordered or a.shows_node)
    }
    return frozenset(name for name, count in values.items() if count <= FEW_VALUES)


def _verify_check(engine: DuckDBEngine, check: Check, released: Mapping[str, Sql]) -> None:
    statement = render(check.template, check.params, {**released, **check.aliases})
    found = _first(engine, statement)
    if found:
        header = [name for name, _ in engine.describe(statement.sql)]
        shown = "; ".join(_ids(header, row) for row in found)
        raise _broken(f"{check.name}: {check.promise}; broken at {shown}")


def _first(engine: DuckDBEngine, statement: Statement) -> list[tuple[object, ...]]:
    """The first few rows of what a statement finds."""
    limited = f"SELECT * FROM (\n{statement.sql}\n) AS violations LIMIT {SHOWN}"
    return engine.fetch(Statement(statement.template, limited, statement.inputs))


def _ids(header: list[str], row: tuple[object, ...]) -> str:
    """Ids and counts of a violation; the templates return nothing else."""
    return ", ".join(f"{name} {value}" for name, value in zip(header, row, strict=True))


def _broken(what: str) -> VerificationError:
    hint = "this is a fault of the program, please report it"
    return VerificationError(f"verification failed: {what}. Nothing was published.", hint)


def _verify_relations(engine: DuckDBEngine, bound: BoundPolicy, released: Mapping[str, Sql], written: Written) -> None:
    """Exactly the relations and columns of the contract, all tuples, and the manifest that was meant."""
    columns = {**expected_columns(bound), **helper_columns(bound)}
    if set(released) != set(columns) or written.present() != set(columns):
        raise _broken("relations: the release holds others than it should")
    for relation, expected in columns.items():
        found = engine.describe(f"SELECT * FROM {released[relation]}")
        names_only = not written.has_views  # a Parquet file may give a type's nearest relative
        if [name for name, _ in found] != list(expected) or not (names_only or dict(found) == expected):
            raise _broken(f"relations: {relation} has other columns or types than it should")
    (tuples,) = engine.fetch(Statement("tuples", f"SELECT count(*) FROM {released['tuples']}", frozenset()))[0]
    if tuples != written.rows:
        raise _broken(f"tuples: {tuples:,} were written of {written.rows:,}")
    rows = engine.fetch(Statement("manifest", f"SELECT key, value FROM {released['manifest']}", frozenset()))
    meant = {key: json.loads(json.dumps(value)) for key, value in written.manifest.items()}
    if len(rows) != len(meant) or {key: json.loads(value) for key, value in rows} != meant:
        raise _broken("manifest: it says something else than was meant")


def expected_columns(bound: BoundPolicy) -> dict[str, dict[str, str]]:
    """The relations of a release with their columns and types, by the contract."""
    bids = {f"{a.name}_bid": "BIGINT" for a in bound.bucketed}
    plain = {a.name: str(a.type) for a in bound.insensitive}
    groups = {"gid": "BIGINT", "size": "BIGINT"}
    for a in bound.generalised:
        groups[f"{a.name}_form"] = "VARCHAR"
        shape = {f"{a.name}_lo": str(a.type), f"{a.name}_hi": str(a.type)}
        groups.update(shape if a.ordered else {f"{a.name}_set": f"{a.type}[]"})
        if a.shows_node:
            groups[f"{a.name}_node"] = "VARCHAR"
    relations = {"tuples": {"rid": "BIGINT", "gid": "BIGINT", **bids, **plain}, "groups": groups}
    for a in bound.bucketed:
        relations[release_names.sat(a.name)] = {"bid": "BIGINT", "value": str(a.type), "n": "BIGINT"}
        relations[release_names.idt(a.name)] = {"rid": "BIGINT", "bid": "BIGINT"}
    texts = {a.name: "VARCHAR" for a in bound.released}
    relations["anonymized"] = {"rid": "BIGINT", "gid": "BIGINT", **texts}
    relations["manifest"] = {"key": "VARCHAR", "value": "VARCHAR"}
    return relations
