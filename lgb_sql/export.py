"""Copying a release into another form: the same rows in the same order, checked relation by relation."""

from __future__ import annotations

from lgb_sql.engines.duckdb import DuckDBEngine
from lgb_sql.errors import VerificationError
from lgb_sql.macros import macros_of
from lgb_sql.publish import Writer, released_relations
from lgb_sql.query_helpers import helper_columns, helper_order
from lgb_sql.release import Release, attached, bound_release
from lgb_sql.render import Sql, Statement

_GIVEN_DATABASE = "given_database"
_ORDER = {"tuples": "rid", "groups": "gid", "manifest": "key"}


def copy_release(engine: DuckDBEngine, release: Release, writer: Writer) -> None:
    """Copy the tables, make the views or their files anew, and compare."""
    engine.keep_order(True)
    with attached(engine, release.place, _GIVEN_DATABASE) as given, writer.open():
        bound = bound_release(engine, release.manifest, given)
        for relation in released_relations(bound):
            name = relation.step.relation
            if relation.is_view:
                writer.view(name, relation.step)
            else:
                writer.table(name, _ordered(name, given[name], _ORDER.get(name, "bid, value NULLS LAST")))
        for name in helper_columns(bound):
            if name in given:
                writer.table(name, _ordered(name, given[name], helper_order(name)))
        writer.table("manifest", Statement("manifest", f"SELECT key, value FROM {given['manifest']}", frozenset()))
        if macros := macros_of(bound):
            writer.macros(macros)
        for name, written in writer.relations.items():
            _compare(engine, name, given[name], written)


def _ordered(name: str, relation: Sql, order: str) -> Statement:
    return Statement(name, f"SELECT * FROM {relation} ORDER BY {order}", frozenset())


def _compare(engine: DuckDBEngine, name: str, given: Sql, written: Sql) -> None:
    sql = (
        f"SELECT count(*) FROM ((SELECT * FROM {given} EXCEPT ALL SELECT * FROM {written}) "
        f"UNION ALL (SELECT * FROM {written} EXCEPT ALL SELECT * FROM {given})) AS differences"
    )
    (differences,) = engine.fetch(Statement(f"comparison of {name}", sql, frozenset()))[0]
    if differences:
        raise VerificationError(f"the copy of {name} differs in {differences:,} rows; nothing was published.")
