"""Verification: queries that return what breaks a promise. They read the finished release and the source's snapshot,
and share no relation template with the generator.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from lgb_sql import release_names
from lgb_sql.binding import BoundPolicy
from lgb_sql.engines.duckdb import DuckDBEngine
from lgb_sql.errors import VerificationError
from lgb_sql.manifest import FIELDS
from lgb_sql.render import Sql, Statement, render

SHOWN = 5


@dataclass(frozen=True)
class Check:
    """One promise, and the template that returns whatever breaks it."""

    name: str
    promise: str
    template: str
    params: Mapping[str, object] = field(default_factory=dict)
    aliases: Mapping[str, Sql] = field(default_factory=dict)


def checks(bound: BoundPolicy, released: Mapping[str, Sql]) -> Iterator[Check]:
    """All promises of a policy; `released` says where each relation of the release is."""
    k = bound.policy.k
    generalised = {"attributes": bound.generalised}
    yield Check("group sizes", f"every group has at least {k} tuples", "verify/groups_below_k", {"k": k})
    yield Check("group forms", "a group shows ranges, sets or nothing", "verify/malformed_groups", generalised)
    yield Check("shared forms", "tuples of a group share their forms", "verify/forms_not_shared",
                {"attributes": bound.attributes})  # fmt: skip
    yield Check("truth of groups", "groups describe their tuples truly and show no flagged value",
                "verify/cells_not_covered", generalised)  # fmt: skip
    for relation, column in (("tuples", "rid"), ("groups", "gid")):
        yield Check(f"order of {relation}", f"{relation} is stored by {column}", "verify/ids_out_of_order",
                    {"id": column}, {"checked": released[relation]})  # fmt: skip
    for a in bound.bucketed:
        assert a.principle is not None  # noqa: S101  bucketed attributes have one
        sat = released[release_names.sat(a.name)]
        yield Check(f"{a.principle.name} of {a.name}", f"{a.name}: {a.principle.as_policy()}",
                    a.principle.verification, a.principle.verification_params, {"sat": sat})  # fmt: skip
        yield Check(f"order of sat_{a.name}", "stored by bid and value, no value twice", "verify/buckets_out_of_order",
                    {}, {"checked": sat})  # fmt: skip
        yield Check(f"truth of sat_{a.name}", "buckets hold the values of their tuples",
                    "verify/bucket_contents_wrong", {"attribute": a}, {"sat": sat})  # fmt: skip


def verify(engine: DuckDBEngine, bound: BoundPolicy, released: Mapping[str, Sql], rows_released: int) -> None:
    """Run every check on a written release; raise with the first promise that does not hold."""
    engine.keep_order(True)  # the order checks scan a table as it is stored
    try:
        _verify_relations(engine, bound, released, rows_released)
        engine.view("linked_tuples", render("verify/linked_tuples", {"bucketed": bound.bucketed}, released))
        for check in checks(bound, released):
            statement = render(check.template, check.params, {**released, **check.aliases})
            limited = f"SELECT * FROM (\n{statement.sql}\n) AS violations LIMIT {SHOWN}"
            found = engine.fetch(Statement(check.template, limited, statement.inputs))
            if found:
                header = [name for name, _ in engine.describe(statement.sql)]
                shown = "; ".join(_ids(header, row) for row in found)
                raise VerificationError(
                    f"verification failed: {check.name}: {check.promise}; broken at {shown}. Nothing was published.",
                    "this is a fault of the program, please report it",
                )
    finally:
        engine.keep_order(False)


def _ids(header: list[str], row: tuple[object, ...]) -> str:
    """Ids and counts of a violation; the templates return nothing else."""
    return ", ".join(f"{name} {value}" for name, value in zip(header, row, strict=True))


def _verify_relations(
    engine: DuckDBEngine, bound: BoundPolicy, released: Mapping[str, Sql], rows_released: int
) -> None:
    """Exactly the relations of the contract, as many tuples as there should be, and no other manifest field."""
    expected = expected_relations(bound)
    if set(released) != set(expected):
        raise VerificationError("verification failed: relations: the release holds others than it should.")
    tuples = engine.fetch(Statement("tuples", f"SELECT count(*) FROM {released['tuples']}", frozenset()))[0][0]
    if tuples != rows_released:
        raise VerificationError(f"verification failed: tuples: {tuples:,} were written of {rows_released:,}.")
    keys = engine.fetch(Statement("manifest", f"SELECT key FROM {released['manifest']} ORDER BY key", frozenset()))
    if [key for (key,) in keys] != sorted(FIELDS):
        raise VerificationError("verification failed: manifest: it holds other fields than it may.")


def expected_relations(bound: BoundPolicy) -> list[str]:
    """The relations of a release, by the contract."""
    per_attribute = [name(a.name) for a in bound.bucketed for name in (release_names.sat, release_names.idt)]
    return ["tuples", "groups", *per_attribute, "anonymized", "manifest"]
