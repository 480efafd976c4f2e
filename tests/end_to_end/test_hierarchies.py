"""Hierarchies end to end: the example of docs/policy.md, every kind of release, export, and the command line."""

from __future__ import annotations

import datetime as dt
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import lgb_sql
from tests.support import people

DOCS = Path(__file__).resolve().parents[2] / "docs" / "policy.md"
BORN = [dt.date(2001, 2, 3), dt.date(2001, 7, 1), dt.date(2002, 1, 31), dt.date(2002, 1, 31)]


@pytest.fixture
def example(tmp_path: Path) -> Path:
    """The policy of the documentation, its hierarchy beside it, and a table that fits."""
    section = DOCS.read_text(encoding="utf-8").partition("## Hierarchies")[2]
    policy, tree = (re.search(rf"^```{kind}\n(.*?)^```$", section, re.M | re.S) for kind in ("toml", "text"))
    assert policy
    assert tree
    (tmp_path / "policy.toml").write_text(policy[1])
    (tmp_path / "race.csv").write_text(tree[1])
    rows = {
        "race": ["Chinese", "Thai", "White", None],
        "born": [str(day) for day in BORN],
        "region": ["North", "South", "Island", "Island"],
    }
    pq.write_table(pa.table(rows), tmp_path / "people.parquet")
    return tmp_path


def test_the_example_of_the_documentation(example: Path) -> None:
    release = lgb_sql.anonymize(example / "people.parquet", example / "policy.toml", to=example / "release.duckdb")
    with release.connect() as connection:
        shown = connection.execute("SELECT * EXCLUDE (gid) FROM groups ORDER BY race_form").fetchall()
        texts = connection.execute("SELECT race, born, region FROM anonymized ORDER BY ALL").fetchall()
    asians = (2, "Q", ["Chinese", "Thai"], "Asian", "Q", BORN[:2], "2001", "Q", ["North", "South"], "Mainland")
    withheld = (2, "W", None, None, "Q", [BORN[2]], "2002-01-31", "Q", ["Island"], "Island")
    assert shown == [asians, withheld]
    assert texts == [("*", "2002-01-31", "Island")] * 2 + [("Asian", "2001", "Mainland")] * 2


def lgb(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "lgb_sql.cli", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_the_command_line(example: Path) -> None:
    given = [str(example / "policy.toml"), "--source", str(example / "people.parquet")]
    assert lgb("anonymize", *given, "--to", str(example / "release")).returncode == 0
    (example / "race.csv").write_text("White;Any\nBlack;Other\n")
    refused = lgb("anonymize", *given, "--to", str(example / "other"))
    assert refused.returncode == 2
    assert "line 2, column 2: a second root" in " ".join(refused.stderr.split())
    assert not (example / "other").exists()


def nodes(release: lgb_sql.Release) -> Any:
    with release.connect() as connection:
        return connection.execute(
            "SELECT education_node, education_set, hours_per_week_node, hours_per_week_set, count(*) FROM groups "
            "JOIN tuples USING (gid) GROUP BY ALL ORDER BY ALL"
        ).fetchall()


def test_every_kind_of_release_says_the_same(tmp_path: Path) -> None:
    table = people(400)
    education = sorted(set(table["education"].to_pylist()))
    hours = {f"{start} to {start + 9}": list(range(start, start + 10)) for start in range(0, 100, 10)}
    policy = {
        "k": 4,
        "attributes": {
            "education": {"role": "quasi-identifier", "hierarchy": {"any": {"a": education[:3], "b": education[3:]}}},
            "hours_per_week": {"role": "quasi-identifier", "hierarchy": {"any": hours}},
            "salary": {"role": "sensitive", "principle": {"l_diversity": 2}},
        },
    }
    seeded = lgb_sql.RunOptions(seed=3)
    file = lgb_sql.anonymize(table, policy, to=tmp_path / "file.duckdb", options=seeded)
    expected = nodes(file)
    assert len(expected) > 10
    assert nodes(lgb_sql.anonymize(table, policy, to=f"{tmp_path}/parquet/", options=seeded)) == expected
    assert nodes(lgb_sql.export(tmp_path / "file.duckdb", to=f"{tmp_path}/exported/")) == expected
    assert nodes(lgb_sql.export(f"{tmp_path}/parquet/", to=tmp_path / "back.duckdb")) == expected
    with duckdb.connect(str(tmp_path / "source.duckdb")) as connection:
        connection.register("given", table)
        connection.execute("CREATE TABLE people AS SELECT * FROM given").fetchall()
    lgb_sql.anonymize(tmp_path / "source.duckdb", policy, table="people", to="schema:shared", options=seeded)
    assert nodes(lgb_sql.open_release(f"{tmp_path}/source.duckdb::shared")) == expected
    with duckdb.connect(str(tmp_path / "own.duckdb")) as connection:
        connection.register("given", table)
        connection.execute("CREATE TABLE people AS SELECT * FROM given").fetchall()
        lgb_sql.anonymize(connection, policy, table="people", to="schema:shared", options=seeded)
    assert nodes(lgb_sql.open_release(f"{tmp_path}/own.duckdb::shared")) == expected


def test_metrics_are_those_of_the_manifest(example: Path) -> None:
    lgb_sql.anonymize(example / "people.parquet", example / "policy.toml", to=example / "release.duckdb")
    metrics = lgb_sql.open_release(example / "release.duckdb").metrics()
    # race: 2 * 2/4 and 2 withheld; born: 2 * 2/4; region: 2 * 2/3
    assert metrics.ncp_by_attribute == pytest.approx({"race": 3, "born": 1, "region": 4 / 3}, abs=1e-6)
    assert metrics.ncp == pytest.approx(16 / 3, abs=1e-6)
    assert metrics.quasi_identifier_cells == 12
    assert metrics.ncp_percent == pytest.approx(100 * 16 / 36, abs=1e-4)
    assert (metrics.groups, metrics.average_group_size, metrics.c_dm) == (2, 2, 8)
    assert (metrics.cells_withheld, metrics.rows_suppressed) == (2, 0)
    assert metrics.buckets == metrics.bucket_widths == {}
