"""Answers over numbers at the edges of their types, and conditions that are no predicates: bounds hold the truth."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pytest

import lgb_sql

N = 12
NUMBERS: dict[str, pa.Array] = {
    "bigint": pa.array([-4 * 10**18 - i if i % 2 else 5 for i in range(N)], pa.int64()),
    "ubigint": pa.array([18 * 10**18 + i if i % 2 else 5 for i in range(N)], pa.uint64()),
    "integer": pa.array([2**31 - 1 - i if i % 2 else -(2**31) + i for i in range(N)], pa.int32()),
    "decimal 18": pa.array([Decimal(10**17 + i) / 100 for i in range(N)], pa.decimal128(18, 2)),
    "decimal 25": pa.array([Decimal(f"-{10**22}.{i:02}") for i in range(N)], pa.decimal128(25, 2)),
    "decimal 38": pa.array([Decimal(f"{10**34}.{i:02}") for i in range(N)], pa.decimal128(38, 2)),
    "small decimals": pa.array([Decimal(i % 3) / 10 for i in range(N)], pa.decimal128(4, 1)),
    "doubles that cancel": pa.array([1e15 + i / 10 if i % 2 else -1e15 - i / 7 for i in range(N)], pa.float64()),
}
ROLES: dict[str, dict[str, Any]] = {
    "shown": {"role": "quasi-identifier"},
    "bucketed": {"role": "sensitive", "principle": {"l_diversity": 2}},
    "as it is": {"role": "insensitive"},
}

AGGREGATES = ("SUM(x)", "AVG(x)", "MIN(x)", "MAX(x)")
CONDITIONS = ("g IS NOT NULL", "g = 'a'", "g = 'b'", "x > 0", "x < 0 OR g = 'a'")


def released(values: pa.Array, role: dict[str, Any], place: Path) -> tuple[pa.Table, Any]:
    table = pa.table({"x": values, "g": ["ab"[i % 2] for i in range(len(values))]})
    policy = {"k": 3, "attributes": {"x": role, "g": {"role": "quasi-identifier"}}}
    return table, lgb_sql.anonymize(table, policy, to=place / "release.duckdb")


def bounds(release: Any, aggregate: str, condition: str) -> tuple[Any, Any]:
    answer = release.query(f"SELECT {aggregate} FROM released WHERE {condition}").to_pylist()[0]
    return answer["lower"], answer["upper"]


def truth(table: pa.Table, aggregate: str, condition: str) -> Any:
    (found,) = duckdb.from_arrow(table).filter(condition).aggregate(aggregate).fetchall()
    return found[0]


@pytest.mark.parametrize("role", ROLES.values(), ids=list(ROLES))
@pytest.mark.parametrize("values", NUMBERS.values(), ids=list(NUMBERS))
def test_sums_and_means_at_the_edges_of_types(values: pa.Array, role: dict[str, Any], tmp_path: Path) -> None:
    table, release = released(values, role, tmp_path)
    cases = [(aggregate, condition) for aggregate in AGGREGATES for condition in CONDITIONS]
    answers = release.query_many([f"SELECT {aggregate} FROM released WHERE {where}" for aggregate, where in cases])
    for (aggregate, condition), answer in zip(cases, answers, strict=True):
        true = truth(table, aggregate, condition)
        if true is not None:
            assert answer["lower"][0].as_py() <= true <= answer["upper"][0].as_py(), (aggregate, condition)


@pytest.mark.parametrize("values", [NUMBERS["bigint"], NUMBERS["decimal 25"]], ids=["bigint", "decimal"])
def test_a_sum_of_wide_numbers_over_everything_is_exact(values: pa.Array, tmp_path: Path) -> None:
    table, release = released(values, ROLES["bucketed"], tmp_path)
    assert bounds(release, "SUM(x)", "g IS NOT NULL") == (truth(table, "SUM(x)", "TRUE"),) * 2


@pytest.fixture(scope="module", params=ROLES, ids=list(ROLES))
def small_numbers(request: Any, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, pa.Table, Any]:
    values = pa.array([i % 6 for i in range(24)], pa.int32())
    return request.param, *released(values, ROLES[request.param], tmp_path_factory.mktemp("small"))


@pytest.mark.parametrize(
    "condition",
    ["x", "x - 3", "NOT x", "CASE WHEN x > 3 THEN 2 ELSE 0 END", "(x) AND g = 'a'", "x OR g = 'a'", "coalesce(x, 1)"],
)
def test_what_is_no_predicate_holds_as_in_the_engine(condition: str, small_numbers: tuple[str, pa.Table, Any]) -> None:
    role, table, release = small_numbers
    lower, upper = bounds(release, "COUNT(*)", condition)
    true = truth(table, "COUNT(*)", f"CAST({condition} AS BOOLEAN)")
    assert 0 <= lower <= true <= upper <= 24
    if role == "as it is" and "g" not in condition:
        assert lower == upper
