"""Every type that a release may hold can be compared, grouped by, and asked for its least and greatest value."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import lgb_sql
from tests.properties.cases import KINDS, Kind
from tests.properties.random_queries import literal

ROWS = 12


def released(kind: Kind, place: Path) -> tuple[list[Any], lgb_sql.Release]:
    """Everyone's value as it is: every answer is certain."""
    values = [kind.value(i // 3) for i in range(ROWS)]
    stored = pa.array([kind.stored(value) for value in values], kind.arrow)
    table = pa.table({"x": stored, "g": ["ab"[i % 2] for i in range(ROWS)]})
    insensitive = {"role": "insensitive", **({"type": kind.cast} if kind.cast else {})}
    policy = {"k": 3, "attributes": {"g": {"role": "quasi-identifier"}, "x": insensitive}}
    return values, lgb_sql.anonymize(table, policy, to=place / "release.duckdb")


@pytest.mark.parametrize("kind", KINDS.values(), ids=list(KINDS))
def test_a_type_is_asked(kind: Kind, tmp_path: Path) -> None:
    values, release = released(kind, tmp_path)
    place = sorted(values)[ROWS // 2]
    cast = kind.cast or kind.released
    for constant in (literal(place), f"CAST('{place}' AS {cast})"):
        (answer,) = release.query(f"SELECT COUNT(*) FROM released WHERE x >= {constant}").to_pylist()
        assert answer["lower"] == answer["upper"] == sum(value >= place for value in values), constant
    grouped = release.query("SELECT x, COUNT(*) FROM released GROUP BY x").to_pylist()
    assert {row["x"]: row["lower"] for row in grouped} == {value: values.count(value) for value in values}
    (ends,) = release.query("SELECT MIN(x), MAX(x) FROM released").to_pylist()
    assert (ends["min_x_lower"], ends["max_x_upper"]) == (min(values), max(values))


def test_a_group_whose_counted_values_are_all_null_is_listed(tmp_path: Path) -> None:
    table = pa.table({"x": pa.array([None] * 3 + [1] * 3, pa.int32()), "g": ["a"] * 3 + ["b"] * 3})
    roles = {"x": {"role": "insensitive"}, "g": {"role": "quasi-identifier"}}
    release = lgb_sql.anonymize(table, {"k": 3, "attributes": roles}, to=tmp_path / "release.duckdb")
    rows = release.query("SELECT g, COUNT(x) FROM released GROUP BY g").to_pylist()
    assert {row["g"]: (row["lower"], row["upper"]) for row in rows} == {"a": (0, 0), "b": (3, 3)}
