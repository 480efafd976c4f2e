"""Copying a release into another form: the same rows in the same order, checked relation by relation."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from lgb_sql.engines.duckdb import DuckDBEngine
from lgb_sql.errors import VerificationError
from lgb_sql.macros import macros_of
from lgb_sql.publish import Writer, released_relations
from lgb_sql.query_helpers import helper_columns, helper_order
from lgb_sql.release import Release, attached, bound_release
from lgb_sql.render import Sql, Statement, identifier
from lgb_sql.verify import expected_columns

_GIVEN_DATABASE = "given_database"
_ORDER = {"tuples": "rid", "groups": "gid", "manifest": "key"}


def copy_release(engine: DuckDBEngine, release: Release, writer: Writer, workspace: Path) -> None:
    """Copy the tables, make the views or their files anew, and compare; the writer's files are in the workspace."""
    engine.keep_order(True)
    with attached(engine, release.place, _GIVEN_DATABASE, beside=(workspace,)) as given, writer.open():
        bound = bound_release(engine, release.manifest, given)
        columns, helpers = expected_columns(bound), helper_columns(bound)
        for relation in released_relations(bound):
            name = relation.step.relation
            if relation.is_view:
                writer.view(name, relation.step)
            else:
                order = _ORDER.get(name, "bid, value NULLS LAST")
                writer.table(name, _ordered(name, given[name], columns[name], order))
        for name, wanted in helpers.items():
            if name in given:
                writer.table(name, _ordered(name, given[name], wanted, helper_order(name)))
        writer.table("manifest", Statement("manifest", f"SELECT key, value FROM {given['manifest']}", frozenset()))
        if macros := macros_of(bound):
            writer.macros(macros)
        for name, written in writer.relations.items():
            _compare(engine, name, given[name], written)


def _ordered(name: str, relation: Sql, columns: Mapping[str, str], order: str) -> Statement:
    """A relation's rows in their order, of the manifest's types: a Parquet file may hold their nearest relatives."""
    listed = ", ".join(
        f"CAST({identifier(column)} AS {kind}) AS {identifier(column)}" for column, kind in columns.items()
    )
    return Statement(name, f"SELECT {listed} FROM {relation} ORDER BY {order}", frozenset())


def _compare(engine: DuckDBEngine, name: str, given: Sql, written: Sql) -> None:
    sql = (
        f"SELECT count(*) FROM ((SELECT * FROM {given} EXCEPT ALL SELECT * FROM {written}) "
        f"UNION ALL (SELECT * FROM {written} EXCEPT ALL SELECT * FROM {given})) AS differences"
    )
    (differences,) = engine.fetch(Statement(f"comparison of {name}", sql, frozenset()))[0]
    if differences:
        raise VerificationError(f"the copy of {name} differs in {differences:,} rows; nothing was published.")
