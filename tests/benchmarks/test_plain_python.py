"""The plain Python baseline keeps what it is measured for: groups of k, l different values, t-close buckets."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from benchmarks.people import ORDERED, QUASI, make_people, policy
from benchmarks.python_baseline import bucketize, release
from tests.reference import generalization as reference

ROWS = 800


@pytest.fixture(scope="module")
def columns(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Any]]:
    table: dict[str, list[Any]] = pq.read_table(make_people(tmp_path_factory.mktemp("people"), ROWS)).to_pydict()
    return table


def test_groups_are_those_of_fast(columns: dict[str, list[Any]], tmp_path: Path) -> None:
    chosen = policy(k=5)
    groups = release(columns, chosen, ORDERED, tmp_path)
    cells = [
        {
            name: reference.HIDDEN if columns.get(f"{name}_private", [False] * ROWS)[row] else columns[name][row]
            for name in QUASI
        }
        for row in range(ROWS)
    ]
    attributes = [reference.Attribute(name, name in ORDERED) for name in QUASI]
    large = {group for group in reference.fast(cells, attributes, 5) if len(group) >= 5}
    assert {frozenset(group) for group in groups if len(group) >= 5} == large
    assert len((tmp_path / "tuples.csv").read_text(encoding="utf-8").splitlines()) == ROWS


@pytest.mark.parametrize(("name", "l"), [("age", 4), ("occupation", 6), ("salary", 10)])
def test_buckets_hold_l_different_values(columns: dict[str, list[Any]], name: str, l: int) -> None:
    flag = f"{name}_private" if f"{name}_private" in columns else None
    buckets = bucketize(columns, name, {"l_diversity": l}, flag)
    wanted = [row for row in range(ROWS) if flag is None or columns[flag][row]]
    assert sorted(row for bucket in buckets for row in bucket) == wanted
    for bucket in buckets:
        assert len({columns[name][row] for row in bucket}) == len(bucket) >= l


def test_dealt_buckets_are_close(columns: dict[str, list[Any]]) -> None:
    buckets = bucketize(columns, "sex", {"t_closeness": 0.2}, "sex_private")
    flagged = [value for value, flag in zip(columns["sex"], columns["sex_private"], strict=True) if flag]
    share = Counter(flagged)["Male"] / len(flagged)
    for bucket in buckets:
        assert abs(sum(columns["sex"][row] == "Male" for row in bucket) / len(bucket) - share) <= 0.2
