"""The benchmark of queries runs on a few hundred rows, and what it compares with is what it says."""

from __future__ import annotations

import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest

import lgb_sql
from benchmarks import queries
from benchmarks.experiments.queries import ask, make_queries
from benchmarks.people import make_people, policy
from benchmarks.plain_answers import Reading
from benchmarks.results import Results


def run(monkeypatch: pytest.MonkeyPatch, *arguments: object) -> None:
    monkeypatch.setattr(sys, "argv", ["queries", *map(str, arguments)])
    queries.main()


def test_it_runs_on_generated_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(queries, "SINGLE", 2)
    run(monkeypatch, "--rows", 400, "--queries", 6, "--million", 800, "--repeat", 1, "--out", tmp_path)
    (line,) = Results(tmp_path / "queries.csv", ()).rows()
    assert (line["differing"], line["wider_than_plain"], line["covered_certain"]) == (0, 0, 1)
    assert 0 < line["possible_to_per_bucket"] <= line["width_to_per_bucket"]
    assert line["possible_to_per_tuple"] <= line["possible_to_per_bucket"]
    assert line["alone_to_raw"] > 0
    assert line["large_to_small_buckets"] > 0
    printed = capsys.readouterr().out
    assert "goal >= 8" in printed
    assert "no certain bounds can be narrower, of 6 queries" in printed
    assert "800 rows, fast, 2 queries" in printed


def test_it_runs_on_given_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    people = pq.read_table(make_people(tmp_path, 500))
    plain = people.drop_columns([name for name in people.column_names if name.endswith("_private")])
    pq.write_table(plain, tmp_path / "census.parquet")
    given = ("--data", tmp_path / "census.parquet", "--rows", 400, "--million", 0)
    run(monkeypatch, *given, "--queries", 4, "--repeat", 1, "--out", tmp_path)
    (line,) = Results(tmp_path / "queries.csv", ()).rows()
    assert (line["data"], line["rows"], line["alone_to_raw"]) == ("census", 400, None)


def test_plain_answers_hold_and_repeat_the_papers_interval(tmp_path: Path) -> None:
    source = make_people(tmp_path, 600)
    release = lgb_sql.anonymize(source, policy(k=4), to=tmp_path / "release.duckdb")
    assert release.metrics().cells_withheld == 0
    asked = make_queries(source, 20, 1)
    with release.connect() as connection:
        reading = Reading(connection, "salary")
        plain = [reading.answer(query.predicate) for query in asked]
    for query, answer, slow in zip(asked, ask(release, asked), plain, strict=True):
        assert (answer.lower_expected, answer.upper_expected) == (slow.lower_expected, slow.upper_expected)
        assert slow.lower_per_tuple <= slow.lower <= answer.lower <= query.actual
        assert query.actual <= answer.upper <= slow.upper <= slow.upper_per_tuple
        assert slow.lower <= slow.uniform <= slow.upper
