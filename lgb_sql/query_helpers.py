"""Tables that help to answer queries: the values that a release shows, with weights, and the sums of its buckets.

They stand beside the relations of the contract and are made from released tables and the policy's public domains only.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Mapping

from lgb_sql.binding import BoundAttribute, BoundPolicy
from lgb_sql.engines.duckdb import DuckDBEngine
from lgb_sql.plan import Step
from lgb_sql.release_names import domain, help_table, sat
from lgb_sql.render import Sql, Statement, identifier
from lgb_sql.schema import Family

STEPS = (0, 1)
"""Steps of maximum likelihood for ranges; docs/decisions/0014-query-helpers.md compares numbers of them."""
MOST_CELLS = 250_000
"""Beyond so many different ranges, or members of different sets, weights are shared out evenly."""
LARGE_BUCKET = 200
"""Beyond so many values in a bucket, its sums run over rows: summing a part of a list for each of them is quadratic."""
_NUMBERS = (Family.INTEGER.value, Family.DECIMAL.value, Family.FLOAT.value)
_DECIMAL = re.compile(r"DECIMAL\((\d+),(\d+)\)")
_WIDE = 28
"""Digits of a decimal beyond which sums of a bucket might not fit into 38."""
_NARROW = 10
"""Digits of a number up to which sums of a bucket are kept in 64 bits: a hundred million such values fit, more than a
list can hold. Half as wide, they are written and read in half the time."""


def summed(bound: BoundPolicy) -> tuple[BoundAttribute, ...]:
    """The bucketed attributes that can be added up."""
    return tuple(a for a in bound.bucketed if a.family in _NUMBERS)


def helper_columns(bound: BoundPolicy) -> dict[str, dict[str, str]]:
    """The helper tables of a release with their columns and types."""
    tables = {
        domain(a.name): {"value": str(a.type), "weight": "DOUBLE", "declared": "BOOLEAN"} for a in bound.generalised
    }
    for a in summed(bound):
        sums = f"{sums_of(a)}[]"
        tables[help_table(a.name)] = {
            "bid": "BIGINT", "size": "BIGINT", "entries": f"{a.type}[]", "low_sums": sums, "high_sums": sums,
        }  # fmt: skip
    return tables


def helper_order(relation: str) -> str:
    """The columns that a helper table is ordered by; its name says which kind it is."""
    return "declared, value" if relation.startswith(domain("")) else "bid"


def helper_steps(
    bound: BoundPolicy, released: Mapping[str, Sql], large: Container[str] = frozenset()
) -> Iterator[Step]:
    """One statement for each helper table; `released` says where released relations can be read, `large` which
    attributes have large buckets.
    """
    for a in bound.generalised:
        yield _domain(a, released)
    for a in summed(bound):
        yield _help(a, released, large=a.name in large)


def large_buckets(engine: DuckDBEngine, bound: BoundPolicy, released: Mapping[str, Sql]) -> frozenset[str]:
    """The attributes with a bucket of more than `LARGE_BUCKET` values."""
    sizes = {
        a.name: f"SELECT coalesce(max(size), 0) FROM (SELECT sum(n) AS size FROM {released[sat(a.name)]} GROUP BY bid)"
        for a in summed(bound)
        if not is_wide(a)
    }
    if not sizes:
        return frozenset()
    largest = ", ".join(f"({size} AS buckets)" for size in sizes.values())
    ((*found,),) = engine.fetch(Statement("largest buckets", f"SELECT {largest}", frozenset()))
    return frozenset(name for name, size in zip(sizes, found, strict=True) if size > LARGE_BUCKET)


def _domain(a: BoundAttribute, released: Mapping[str, Sql]) -> Step:
    aliases = {"sat": released[sat(a.name)]} if a.principle else {}
    if declared := declared_values(a):
        aliases["declared_values"] = declared
    if a.ordered:
        params = {"attribute": a, "steps": STEPS, "most_cells": MOST_CELLS}
        return Step(domain(a.name), "query_helpers/ranges/domain", params, aliases=aliases)
    return Step(
        domain(a.name), "query_helpers/sets/domain", {"attribute": a, "most_cells": MOST_CELLS}, aliases=aliases
    )


def declared_values(a: BoundAttribute) -> Sql | None:
    """The engine's table of the values that the policy declares for an attribute, if it does."""
    if a.domain:
        return identifier(f"declared_values_{a.name}")
    return identifier(f"hierarchy_leaves_{a.name}") if a.hierarchy else None


def _help(a: BoundAttribute, released: Mapping[str, Sql], *, large: bool) -> Step:
    assert a.principle is not None  # noqa: S101  bucketed attributes have one
    aliases = {"sat": released[sat(a.name)]}
    if large:
        return Step(help_table(a.name), "query_helpers/long/help", {"sums": sums_of(a)}, aliases=aliases)
    params = {"sums": sums_of(a), "repeated": a.principle.values_may_repeat, "exact": sums_are_exact(a)}
    return Step(help_table(a.name), "query_helpers/help", params, aliases=aliases)


def is_wide(a: BoundAttribute) -> bool:
    """Whether sums of an attribute's values may be more than the widest decimal can hold."""
    return digits_of(a)[0] > _WIDE


def sums_are_exact(a: BoundAttribute) -> bool:
    """Whether every sum of an attribute's values is a number of its type."""
    return a.family != Family.FLOAT.value and not is_wide(a)


def sums_held(a: BoundAttribute) -> dict[str, object]:
    """Whether sums are exact, and up to how many digits before the point they can be held at all."""
    return {"exact": sums_are_exact(a), "held_digits": 307 if a.family == Family.FLOAT.value else 37 - digits_of(a)[1]}


def sums_of(a: BoundAttribute) -> Sql:
    """The type of sums of the values of one bucket."""
    digits, scale = digits_of(a)
    return Sql(f"DECIMAL({18 if digits <= _NARROW else 38},{scale})" if digits else "DOUBLE")


def digits_of(a: BoundAttribute) -> tuple[int, int]:
    """Digits of an exact number, and how many of them stand behind the point; none of any other."""
    if decimal := _DECIMAL.fullmatch(a.type):
        return int(decimal[1]), int(decimal[2])
    return (20 if "BIGINT" in a.type else 10) if a.family == Family.INTEGER.value else 0, 0
