"""Answers at the edges: values that no tree, decimal or clock holds are bounded by nothing, or refused by name."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pytest

import lgb_sql
from lgb_sql import RunOptions

QUASI = {"role": "quasi-identifier"}
AS_IT_IS = {"role": "insensitive"}


def released(directory: Path, select: str, k: int = 2, **attributes: dict[str, Any]) -> lgb_sql.Release:
    with duckdb.connect() as connection:
        table = connection.sql(select).to_arrow_table()
    to = directory / "release.duckdb"
    return lgb_sql.anonymize(table, {"k": k, "attributes": attributes}, to=to, options=RunOptions(seed=1))


def one(release: lgb_sql.Release, sql: str) -> dict[str, Any]:
    (row,) = release.query(sql).to_pylist()
    return dict(row)


def test_a_withheld_value_need_not_be_a_leaf(tmp_path: Path) -> None:
    """Two of nine flag values that the hierarchy lacks; fewer than k, so all of their group are withheld."""
    tree = {"any": {"low": [1, 2], "high": [3, 4]}}
    semi = {"role": "semi-sensitive", "flag": "f", "principle": {"l_diversity": 2}, "hierarchy": tree}
    values = "CASE i WHEN 0 THEN 1000 WHEN 1 THEN 2000 ELSE 1 + i % 4 END"
    release = released(
        tmp_path, f"SELECT {values} AS v, i < 2 AS f, 'x' AS g FROM range(9) AS r (i)", 3, v=semi, g=QUASI
    )
    assert release.manifest["cells_withheld"] > 0
    for aggregate in ("SUM", "AVG", "MAX"):
        assert one(release, f"SELECT {aggregate}(v) FROM released")["upper"] is None
    assert one(release, "SELECT MAX(v) FROM released WHERE v > 2")["upper"] is None


@pytest.mark.parametrize("condition", ["", " WHERE v > 0", " WHERE g = 1"])
def test_sums_beyond_the_widest_decimal_are_floats(condition: str, tmp_path: Path) -> None:
    sensitive = {"role": "sensitive", "principle": {"l_diversity": 3}}
    rows = [(1.5 + i % 7, i % 2) for i in range(14)]
    select = "SELECT CAST(1.5 + i % 7 AS DECIMAL(38, 37)) AS v, i % 2 AS g FROM range(14) AS r (i)"
    release = released(tmp_path, select, v=sensitive, g=QUASI)
    kept = [v for v, g in rows if "g" not in condition or g == 1]
    for aggregate, true in (("SUM", sum(kept)), ("AVG", sum(kept) / len(kept))):
        answer = one(release, f"SELECT {aggregate}(v) FROM released{condition}")
        assert answer["lower"] <= true <= answer["upper"], answer
        assert answer["lower"] <= answer["estimate"] <= answer["upper"]


def test_nanoseconds_are_counted_and_not_returned(tmp_path: Path) -> None:
    select = (
        "SELECT CAST('2020-01-01 00:00:00.000000' || lpad(CAST(i * 100 AS VARCHAR), 3, '0') AS TIMESTAMP_NS) AS ts "
        "FROM (SELECT unnest([1, 1, 2, 2, 9, 9]) AS i)"
    )
    release = released(tmp_path, select, ts=QUASI)
    assert one(release, "SELECT COUNT(*) FROM released WHERE ts > '2020-01-01 00:00:00.0000001'")["lower"] == 4
    for sql in ("SELECT MAX(ts) FROM released", "SELECT ts, COUNT(*) FROM released GROUP BY ts"):
        with pytest.raises(lgb_sql.errors.QueryError, match="ts has nanoseconds"):
            release.query(sql)


@pytest.mark.parametrize(
    ("values", "sql"),
    [
        ("['infinity', '-infinity', '2020-01-01', '9999-12-31']::DATE[]", "SELECT MAX(x) FROM released"),
        (
            "['infinity', '-infinity', '2020-01-01', '9999-12-31']::DATE[]",
            "SELECT x, COUNT(*) FROM released GROUP BY x",
        ),
        ("['inf', '-inf', '1', '2']::DOUBLE[]", "SELECT SUM(x) FROM released WHERE x < 5"),
        ("['nan', '0', '1', '2']::DOUBLE[]", "SELECT AVG(x) FROM released"),
    ],
)
def test_endless_values_of_a_plain_column_are_refused(values: str, sql: str, tmp_path: Path) -> None:
    release = released(tmp_path, f"SELECT unnest({values}) AS x, 1 AS q", x=AS_IT_IS, q=QUASI)
    with pytest.raises(lgb_sql.errors.QueryError, match="NaN or an infinity"):
        release.query(sql)
    assert one(release, "SELECT COUNT(*) FROM released")["lower"] == 4


def test_years_beyond_python_are_refused(tmp_path: Path) -> None:
    select = "SELECT unnest(['12020-01-01', '12020-01-02', '2020-01-01', '2020-01-02']::DATE[]) AS x"
    release = released(tmp_path, select, x=QUASI)
    with pytest.raises(lgb_sql.errors.QueryError, match="an answer cannot hold"):
        release.query("SELECT MAX(x) FROM released")


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> lgb_sql.Release:
    columns = ", ".join(f"(i * {step}) % {size} AS {name}" for name, step, size in (
        ("a", 7, 10), ("b", 3, 8), ("c", 11, 6), ("d", 13, 9)))  # fmt: skip
    select = f"SELECT {columns} FROM range(40) AS r (i)"
    return released(tmp_path_factory.mktemp("small"), select, a=QUASI, b=QUASI, c=QUASI, d=QUASI)


@pytest.mark.parametrize(
    "condition",
    [
        "(a = 1 OR b = 2) AND (c = 1 OR d = 2) AND (a = 3 OR c = 4)",
        "NOT (a = 1 AND b = 2) AND NOT (a = 2 AND b = 3) AND NOT (a = 3 AND b = 4)",
        " AND ".join(f"(a <> {number} OR b <> {number})" for number in range(24)),
    ],
)
def test_many_alternatives_are_counted(condition: str, small: lgb_sql.Release) -> None:
    """Without a join, or a list, for every way to combine them."""
    rows = [((i * 7) % 10, (i * 3) % 8, (i * 11) % 6, (i * 13) % 9) for i in range(40)]
    with duckdb.connect() as connection:
        connection.register("released", pa.table(dict(zip("abcd", map(list, zip(*rows, strict=True)), strict=True))))
        found = connection.execute(f"SELECT count(*) FROM released WHERE {condition}").fetchone()
    assert found
    answer = one(small, f"SELECT COUNT(*) FROM released WHERE {condition}")
    assert answer["lower"] <= found[0] <= answer["upper"]
    assert math.isfinite(answer["estimate"])


@pytest.mark.parametrize(
    ("sql", "words"),
    [
        ("SELECT COUNT(*) FROM released LIMIT 99999999999999999999", "64 bits"),
        ("SELECT a, COUNT(*) FROM released WHERE 6 // a = 'x' GROUP BY a", "cannot be evaluated"),
    ],
)
def test_what_cannot_be_answered_is_refused_by_name(sql: str, words: str, small: lgb_sql.Release) -> None:
    with pytest.raises(lgb_sql.errors.QueryError, match=words) as caught:
        small.query(sql)
    assert caught.value.exit_code == 2


def test_the_row_of_unlisted_keys_can_stand_first(tmp_path: Path) -> None:
    release = released(tmp_path, "SELECT 10 * (i % 4) AS a, i % 5 AS b FROM range(12) AS r (i)", 5, a=QUASI, b=QUASI)
    answer = release.query("SELECT a, COUNT(*) FROM released GROUP BY a ORDER BY other_values DESC")
    marks = answer["other_values"].to_pylist()
    assert marks[0]
    assert not any(marks[1:])
