"""Tables for queries: sums of buckets of every size and type, weights of heaped values, nothing that is withheld."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from random import Random
from typing import Any
from unittest.mock import patch

import duckdb
import pyarrow as pa
import pytest

import lgb_sql
from lgb_sql import query_helpers
from lgb_sql.query_helpers import helper_order

QUASI = {"role": "quasi-identifier"}
PAY = {"role": "sensitive", "principle": {"l_diversity": 3}}


def rows_of(release: lgb_sql.Release, relation: str) -> list[tuple[Any, ...]]:
    with release.connect() as connection:
        return connection.execute(f"SELECT * FROM {relation}").fetchall()


def sensitive(column: pa.Array, to: Path, **principle: Any) -> lgb_sql.Release:
    policy = {"k": 2, "attributes": {"pay": {"role": "sensitive", "principle": principle}}}
    options = lgb_sql.RunOptions(seed=3)
    release = lgb_sql.anonymize(pa.table({"pay": column}), policy, to=to, options=options)
    assert lgb_sql.audit(to, policy=policy, allow_seeded=True)
    return release


COLUMNS = {
    "integers": pa.array([*range(-20, 20), None, None]),
    "unsigned": pa.array([2**64 - 1 - i for i in range(40)], pa.uint64()),
    "decimals": pa.array([Decimal(i) / 4 - 3 for i in range(40)], pa.decimal128(9, 2)),
    "wide decimals": pa.array([Decimal(i) / 4 - 3 for i in range(40)], pa.decimal128(38, 2)),
    "floats": pa.array([1e300, -1e300, 5e-324, *(i / 3 for i in range(40))]),
    "halves": pa.array([i / 2 for i in range(40)], pa.float32()),
}


@pytest.mark.parametrize("name", COLUMNS)
@pytest.mark.parametrize("large", [200, 1])
def test_sums_of_large_and_small_buckets_are_the_same(name: str, large: int, tmp_path: Path) -> None:
    with patch.object(query_helpers, "LARGE_BUCKET", large):
        release = sensitive(COLUMNS[name], tmp_path / "release.duckdb", l_diversity=4)
    sat = rows_of(release, "sat_pay")
    for bid, size, entries, low_sums, high_sums in rows_of(release, "help_pay"):
        values = [value for each, value, _ in sat if each == bid]
        present = sorted(value for value in values if value is not None)
        assert (size, entries) == (len(values), present)
        for sums, ordered in ((low_sums, present), (high_sums, present[::-1])):
            expected = [sum(ordered[:count]) for count in range(len(present) + 1)]
            assert [float(each) for each in sums] == pytest.approx([float(each) for each in expected], rel=1e-12)


@pytest.mark.parametrize("large", [200, 1])
def test_repeated_values_stand_as_often_as_they_occur(large: int, tmp_path: Path) -> None:
    with patch.object(query_helpers, "LARGE_BUCKET", large):
        release = sensitive(pa.array([1, 1, 1, 2, 5] * 12), tmp_path / "release.duckdb", t_closeness=0.3)
    rows = rows_of(release, "help_pay")
    assert sorted(value for row in rows for value in row[2]) == sorted([1, 1, 1, 2, 5] * 12)
    assert any(len(set(row[2])) < len(row[2]) for row in rows)
    assert all(list(row[2]) == sorted(row[2]) and row[3][-1] == row[4][-1] == sum(row[2]) for row in rows)


def test_a_sum_that_its_type_cannot_hold_is_null(tmp_path: Path) -> None:
    column = pa.array([Decimal(10**38 - 1 - i) for i in range(12)], pa.decimal128(38, 0))
    release = sensitive(column, tmp_path / "release.duckdb", l_diversity=3)
    for _, _, entries, low_sums, high_sums in rows_of(release, "help_pay"):
        assert (low_sums[:2], high_sums[:2]) == ([0, entries[0]], [0, entries[-1]])
        assert set(low_sums[2:]) == set(high_sums[2:]) == {None}


def test_heaped_values_weigh_more(tmp_path: Path) -> None:
    """Four in ten work 40 hours: an even spread over a group's range would give them a few percent."""
    random = Random(5)
    hours = [40 if random.random() < 0.4 else random.randrange(1, 80) for _ in range(3000)]
    towns = [random.choice("abcdefgh") for _ in hours]
    table = pa.table({"hours": pa.array(hours), "town": pa.array(towns)})
    policy = {"k": 10, "generalization": "mdp", "attributes": {"town": QUASI, "hours": QUASI}}
    release = lgb_sql.anonymize(table, policy, to=tmp_path / "release.duckdb")
    weights = {value: weight for value, weight, _ in rows_of(release, "domain_hours")}
    assert sum(weights.values()) == pytest.approx(len(hours))
    assert 0.75 * hours.count(40) < weights[40] < 1.25 * hours.count(40)


@pytest.mark.parametrize("ordered", [True, False])
def test_too_many_cells_are_shared_out_evenly(ordered: bool, tmp_path: Path) -> None:
    table = pa.table({"town": pa.array(["a", "a", "b", "c"] * 3 + ["d"] * 3)})
    policy = {"k": 15, "attributes": {"town": {**QUASI, "ordered": ordered}}}
    with patch.object(query_helpers, "MOST_CELLS", 0):
        release = lgb_sql.anonymize(table, policy, to=tmp_path / "release.duckdb")
    expected = [("a", 7.5), ("d", 7.5)] if ordered else [(name, 3.75) for name in "abcd"]
    assert rows_of(release, "domain_town") == [(name, weight, False) for name, weight in expected]


def test_withheld_and_suppressed_values_stay_away(tmp_path: Path) -> None:
    """One person's flag and another's NULL are merged away or dropped: their values appear nowhere."""
    count = 40
    table = pa.table(
        {
            "age": pa.array([77, *(20 + i % 9 for i in range(count - 1))]),
            "hidden": pa.array([True, *[False] * (count - 1)]),
            "pay": pa.array([i % 10 for i in range(count)]),
        }
    )
    attributes = {
        "age": {"role": "semi-sensitive", "flag": "hidden", "principle": {"l_diversity": 2}},
        "pay": {"role": "sensitive", "principle": {"l_diversity": 2}},
    }
    for number, keys in enumerate(({}, {"small_patterns": "suppress", "suppression_limit": 0.1})):
        policy = {"k": 3, "attributes": attributes, **keys}
        release = lgb_sql.anonymize(table, policy, to=tmp_path / f"release{number}.duckdb")
        assert 77 not in [row[0] for row in rows_of(release, "domain_age")]
        assert rows_of(release, "help_age") == []


@pytest.mark.parametrize("place", ["release.duckdb", "release/", "schema:released"])
def test_every_kind_of_place_holds_them(place: str, tmp_path: Path) -> None:
    database = tmp_path / "source.duckdb"
    with duckdb.connect(str(database)) as connection:
        connection.execute("CREATE TABLE people AS SELECT range AS age, range % 7 AS pay FROM range(42)")
    policy = {"k": 3, "attributes": {"age": {**QUASI, "domain": [0, 99]}, "pay": PAY}}
    to = place if place.startswith("schema:") else f"{tmp_path}/{place}"
    release = lgb_sql.anonymize(database, policy, table="people", to=to)
    assert {"domain_age", "help_pay"} <= set(lgb_sql.open_release(release.path).relations)
    assert lgb_sql.audit(release.path, policy=policy)
    copy = lgb_sql.export(release.path, to=tmp_path / "copy/")
    assert lgb_sql.audit(copy.path, policy=policy)
    for relation in ("domain_age", "help_pay"):
        assert rows_of(copy, relation) == rows_of(release, relation)


def test_a_schema_of_the_caller_s_connection_holds_them() -> None:
    policy = {"k": 3, "attributes": {"age": {**QUASI, "domain": [0, 99]}, "pay": PAY}}
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE people AS SELECT range AS age, range % 7 AS pay FROM range(42)")
        lgb_sql.anonymize(connection, policy, table="people", to="schema:released")
        declared = connection.execute("SELECT value FROM released.domain_age WHERE declared").fetchall()
        assert declared == [(0,), (99,)]
        sizes = connection.execute("SELECT sum(size) FROM released.help_pay").fetchall()
        assert sizes == [(42,)]


@pytest.mark.parametrize("length", [230, 240])
def test_a_name_may_be_too_long_for_a_file(length: int, tmp_path: Path) -> None:
    """domain_ and .parquet take 15 characters of the 255 that a file name may have."""
    name = "x" * length
    policy = {"k": 3, "attributes": {name: QUASI}}
    table = pa.table({name: pa.array(range(12))})
    if length + 15 <= 255:
        lgb_sql.anonymize(table, policy, to=tmp_path / "release/")
    with pytest.raises(lgb_sql.PolicyError, match="too long for a Parquet file"):
        lgb_sql.anonymize(pa.table({name + "x" * 11: table[name]}), {"k": 3, "attributes": {name + "x" * 11: QUASI}},
                          to=tmp_path / "other/")  # fmt: skip


def test_a_table_s_name_says_its_order() -> None:
    assert (helper_order("domain_help_x"), helper_order("help_domain_x")) == ("declared, value", "bid")
