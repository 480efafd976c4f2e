"""Verification: queries that return what breaks a promise.

They read the finished release and the source's snapshot, and share no relation template with the generator.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from lgb_sql import release_names
from lgb_sql.binding import BoundPolicy
from lgb_sql.codes import parts_of
from lgb_sql.engines.duckdb import DuckDBEngine
from lgb_sql.errors import VerificationError
from lgb_sql.hierarchy_sql import cover_table
from lgb_sql.query_helpers import helper_columns
from lgb_sql.render import Sql, Statement, identifier, render

SHOWN = 5
READABLE_ROWS_OF_A_VIEW = 1_000
FEW_VALUES = 62
"""Up to this many values of an attribute, and one bit for any other, fit into a BIGINT."""


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


@dataclass(frozen=True)
class Check:
    """One promise, and the template that returns whatever breaks it."""

    name: str
    promise: str
    template: str
    params: Mapping[str, object] = field(default_factory=dict)
    aliases: Mapping[str, Sql] = field(default_factory=dict)


def checks(
    bound: BoundPolicy, released: Mapping[str, Sql], readable_rows: int, few: Collection[str]
) -> Iterator[Check]:
    """All promises of a policy; `released` says where each relation of the release is, `few` which unordered
    attributes show at most `FEW_VALUES`.
    """
    yield from _order_checks(bound, released)
    yield from _group_checks(bound, few)
    yield from _bucket_checks(bound, released)
    for a in bound.insensitive:
        yield Check(f"truth of {a.name}", "what is released as it is, is as it was",
                    "verify/insensitive_values_wrong", {"attribute": a})  # fmt: skip
    yield Check("texts", "anonymized shows groups and buckets as they are", "verify/texts_wrong",
                {"attributes": bound.released, "rows": readable_rows})  # fmt: skip


def _order_checks(bound: BoundPolicy, released: Mapping[str, Sql]) -> Iterator[Check]:
    for relation, column in (("tuples", "rid"), ("groups", "gid")):
        yield Check(f"order of {relation}", f"{relation} is stored by {column}", "verify/ids_out_of_order",
                    {"id": column}, {"checked": released[relation]})  # fmt: skip
    yield Check("links to the source", "every source row is released once or suppressed", "verify/ids_out_of_order",
                {"id": "source_row"}, {"checked": identifier("linked_tuples")})  # fmt: skip
    for a in bound.bucketed:
        sat = released[release_names.sat(a.name)]
        yield Check(f"order of sat_{a.name}", "stored by bid and value, no value twice", "verify/buckets_out_of_order",
                    {}, {"checked": sat})  # fmt: skip


def _group_checks(bound: BoundPolicy, few: Collection[str]) -> Iterator[Check]:
    k = bound.policy.k
    generalised = {"attributes": bound.generalised}
    yield Check("group sizes", f"every group has at least {k} tuples", "verify/groups_below_k", {"k": k})
    if bound.generalised:
        yield Check("group forms", "a group shows ranges, sets or nothing", "verify/malformed_groups", generalised)
    if bound.bucketed:
        yield Check("shared forms", "tuples of a group share their forms", "verify/forms_not_shared",
                    {"attributes": bound.bucketed})  # fmt: skip
    promise = "groups describe their tuples exactly and show no flagged value"
    for part in parts_of(bound.generalised) if bound.generalised else ():
        compared_as_bits = tuple(a for a in part if a.name in few)
        yield Check("truth of groups", promise, "verify/boxes_not_true", {"attributes": part, "few": compared_as_bits})
    for a in bound.generalised:
        if a.shows_node:
            yield Check(f"truth of nodes of {a.name}", "a node is the lowest above its tuples, its set what it covers",
                        "verify/nodes_not_true", {"attribute": a})  # fmt: skip
        elif not a.ordered and a.name not in few:
            yield Check(f"truth of the sets of {a.name}", promise, "verify/sets_not_true", {"attribute": a})


def _bucket_checks(bound: BoundPolicy, released: Mapping[str, Sql]) -> Iterator[Check]:
    for a in bound.bucketed:
        assert a.principle is not None  # noqa: S101  bucketed attributes have one
        sat, idt = released[release_names.sat(a.name)], released[release_names.idt(a.name)]
        yield Check(f"{a.principle.name} of {a.name}", f"{a.name}: {a.principle.as_policy()}",
                    a.principle.verification, a.principle.verification_params, {"sat": sat})  # fmt: skip
        yield Check(f"truth of sat_{a.name}", "buckets hold the values of their tuples",
                    "verify/bucket_contents_wrong", {"attribute": a}, {"sat": sat})  # fmt: skip
        yield Check(f"links of idt_{a.name}", "idt says what tuples says", "verify/links_wrong",
                    {"attribute": a}, {"idt": idt})  # fmt: skip


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
