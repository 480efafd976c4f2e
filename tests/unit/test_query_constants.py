"""Constants of other types than their attribute: the engine compares in a common type, and bounds hold its truth."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pytest

import lgb_sql

N = 24
BIG = 2**53
COLUMNS: dict[str, tuple[str, tuple[str, ...]]] = {
    "INTEGER": (
        "range",
        ("'0.2'", "'7'", "11.5", "3", "7e0", "2.0000000000000000001", "CAST(16777217 AS FLOAT)", "TRUE", "10 / 3"),
    ),
    "BIGINT": (
        f"{BIG - 6} + range",
        (f"{BIG}e0", f"{BIG + 1}", f"{BIG + 1}.5", f"CAST({BIG + 3} AS DOUBLE)", "1e300", f"'{BIG + 1}'", "1e0"),
    ),
    "DECIMAL(8,2)": ("range + 0.5", ("'0.504'", "99.9999", "3.5", "7e0", "0.50400000000000000000000000001", "4")),
    "DECIMAL(38,2)": ("range + 0.5", ("3.504", "'3.504'", "4", "7.5e0")),
    "FLOAT": ("range / 10", ("-1e0", "0.2", "0.7", "1", "'0.3'", "CAST(0.4 AS DOUBLE)", "16777217")),
    "DOUBLE": ("range / 10", ("0.3", "0.1 + 0.2", "'0.7'", "1", "1e-1", "0.30000000000000004")),
    "DATE": (
        "DATE '2020-01-01' + CAST(range AS INTEGER)",
        (
            "'2020-01-05'",
            "'2020-01-05 12:00:00'",
            "TIMESTAMP '2020-01-12 00:00:01'",
            "DATE '2020-01-07'",
            "DATE 'infinity'",
            "'-infinity'",
        ),
    ),
    "TIMESTAMP": (
        "TIMESTAMP '2020-01-01' + INTERVAL 1 HOUR * range",
        ("'2020-01-01 05:00:00'", "DATE '2020-01-01'", "TIMESTAMP '2020-01-01 07:30:00'", "TIMESTAMP 'infinity'"),
    ),
    "VARCHAR": ("'v' || lpad(range::VARCHAR, 2, '0')", ("'v05'", "'w'", "CAST('v07' AS VARCHAR)", "''")),
}
"""Type, values, and constants to compare them with"""
ROLES: dict[str, dict[str, Any]] = {
    "range": {"role": "quasi-identifier"},
    "bucket": {"role": "sensitive", "principle": {"l_diversity": 2}},
    "as it is": {"role": "insensitive"},
}


def conditions(constants: tuple[str, ...]) -> list[str]:
    """Every comparison with one constant; every list, range and OR of two."""
    alone = [f"x {word} {constant}" for word in ("=", "<>", "<", ">=") for constant in constants]
    for one, other in product(constants, repeat=2):
        if one != other:
            alone += [f"x BETWEEN {one} AND {other}", f"x NOT BETWEEN {one} AND {other}"]
            alone += [f"x IN ({one}, {other})", f"x NOT IN ({one}, {other})", f"x = {one} OR x = {other}"]
    return alone


@pytest.mark.parametrize("role", ROLES.values(), ids=list(ROLES))
@pytest.mark.parametrize("kind", COLUMNS)
def test_bounds_hold_what_the_engine_finds(kind: str, role: dict[str, Any], tmp_path: Path) -> None:
    values, constants = COLUMNS[kind]
    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'UTC'")
        columns = f"CAST({values} AS {kind}) AS x, range % 5 AS s, range % 3 AS q"
        connection.execute(f"CREATE TABLE released AS SELECT {columns} FROM range({N})")
        table = connection.sql("FROM released").to_arrow_table()
        policy = {"k": 3, "attributes": {"x": role, "q": {"role": "quasi-identifier"}}}
        release = lgb_sql.anonymize(table, policy, to=tmp_path / "release.duckdb")
        asked = [(where, true) for where in conditions(constants) if (true := truth(connection, where)) is not None]
        assert len(asked) > len(constants)
        answers = release.query_many([f"SELECT COUNT(*) FROM released WHERE {where}" for where, _ in asked])
        for (where, true), answer in zip(asked, answers, strict=True):
            (line,) = answer.to_pylist()
            assert line["lower"] <= true <= line["upper"], where
            if role["role"] == "insensitive":
                assert line["lower"] == line["upper"], where


def truth(connection: duckdb.DuckDBPyConnection, where: str) -> int | None:
    """None where the engine refuses the condition."""
    try:
        return int(connection.execute(f"SELECT count(*) FROM released WHERE {where}").fetchall()[0][0])
    except duckdb.Error:
        return None


def test_a_sum_over_a_column_with_nulls_that_is_released_as_it_is(tmp_path: Path) -> None:
    table = pa.table({"x": [1, 2, 11, 12] * 2, "v": [None, 70, 30, 40, 5, None, None, 1]})
    policy = {"k": 2, "attributes": {"x": {"role": "quasi-identifier"}, "v": {"role": "insensitive"}}}
    release = lgb_sql.anonymize(table, policy, to=tmp_path / "release.duckdb")
    for where in ("x = 1", "x IN (1, 12)", "x < 2", "x >= 11", "x IS NOT NULL"):
        (line,) = release.query(f"SELECT SUM(v) FROM released WHERE {where}").to_pylist()
        (true,) = duckdb.from_arrow(table).filter(where).aggregate("coalesce(sum(v), 0)").fetchall()[0]
        assert line["lower"] <= true <= line["upper"], where
    for line in release.query("SELECT x, SUM(v) FROM released GROUP BY x").to_pylist():
        true = sum(
            v or 0 for x, v in zip(table["x"].to_pylist(), table["v"].to_pylist(), strict=True) if x == line["x"]
        )
        assert line["lower"] <= true <= line["upper"]


WITHHELD = pa.table(
    {
        "pay": [1, 5000, 5001, 7000],
        "flag": [False, False, False, True],
        "age": [30, 31, 50, 51],
    }
)


def test_a_withheld_target_is_bounded_by_no_condition_with_one_end(tmp_path: Path) -> None:
    """Two patterns of fewer than k tuples are merged, which withholds pay from all of them."""
    policy = {
        "k": 4,
        "attributes": {
            "pay": {"role": "semi-sensitive", "flag": "flag", "principle": {"l_diversity": 2}},
            "age": {"role": "quasi-identifier"},
        },
    }
    release = lgb_sql.anonymize(WITHHELD, policy, to=tmp_path / "release.duckdb")
    assert release.manifest["cells_withheld"] == 4
    for aggregate, where in product(("SUM", "AVG", "MIN", "MAX"), ("pay > 0", "pay < 9000", "pay IS NOT NULL")):
        (line,) = release.query(f"SELECT {aggregate}(pay) FROM released WHERE {where}").to_pylist()
        (true,) = duckdb.from_arrow(WITHHELD).filter(where).aggregate(f"{aggregate}(pay)").fetchall()[0]
        assert line["lower"] is None or line["lower"] <= true, (aggregate, where)
        assert line["upper"] is None or true <= line["upper"], (aggregate, where)
    (line,) = release.query("SELECT MAX(pay) FROM released WHERE pay > 0").to_pylist()
    assert line["upper"] is None
    (line,) = release.query("SELECT MAX(pay) FROM released WHERE pay BETWEEN 1 AND 8000").to_pylist()
    assert line["upper"] == 8000
