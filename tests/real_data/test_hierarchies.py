"""Real hierarchies on real rows: census and Adult; skipped where LGB_DATA does not name a folder that has them."""

from __future__ import annotations

import csv
import os
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import lgb_sql
from tests.real_data.test_census import QUASI, census, policy, released_partition
from tests.reference import generalization as reference
from tests.support import ends_of

DATA = Path(os.environ.get("LGB_DATA", "/nonexistent"))
TREES = DATA / "hierarchies"
pytestmark = pytest.mark.skipif(not TREES.exists(), reason="LGB_DATA does not name the hierarchies")

ADULT = ["sex", "age", "race", "marital_status", "education", "native_country", "workclass", "occupation"]


def paths_of(dataset: str, name: str) -> dict[str, tuple[str, ...]]:
    """Each leaf's nodes from below the root down, leaves depth first; read without the program."""
    with (TREES / dataset / f"{name}.csv").open(newline="") as file:
        rows = [row[-2::-1] for row in csv.reader(file, delimiter=";")]
    first: dict[tuple[str, ...], int] = {}
    for row in rows:
        for depth in range(1, len(row) + 1):
            first.setdefault(tuple(row[:depth]), len(first))
    rows.sort(key=lambda row: [first[tuple(row[:depth])] for depth in range(1, len(row) + 1)])
    return {row[-1]: tuple(row) for row in rows}


def with_trees(given: dict[str, Any], dataset: str) -> dict[str, Any]:
    attributes = {
        name: {**entry, "hierarchy": str(TREES / dataset / f"{name}.csv")} if entry["role"] != "sensitive" else entry
        for name, entry in given["attributes"].items()
    }
    return {**given, "attributes": attributes}


def compare(table: pa.Table, given: dict[str, Any], dataset: str, names: list[str], to: Path) -> dict[str, float]:
    """Both generalizers against the reference, group by group; their NCP."""
    trees = {name: paths_of(dataset, name) for name in names}
    places = {name: {leaf: place for place, leaf in enumerate(tree)} for name, tree in trees.items()}
    attributes = [reference.Attribute(name, ordered=False, paths=tuple(trees[name].values())) for name in names]
    rows = [
        {n: reference.HIDDEN if row.get(f"{n}_private") else places[n][str(row[n])] for n in names}
        for row in table.to_pylist()
    ]
    found = {}
    for method, algorithm in (("mdp", reference.mdp), ("fast", reference.fast)):
        path, crosswalk = to / f"{method}.duckdb", to / f"{method}.parquet"
        release = lgb_sql.anonymize(table, {**given, "generalization": method}, to=path, crosswalk=crosswalk)
        groups = algorithm(rows, attributes, given["k"])
        assert released_partition(path, crosswalk) == groups
        metrics = release.metrics()
        assert metrics.c_dm == reference.c_dm(groups)
        assert metrics.ncp == pytest.approx(reference.ncp(rows, attributes, groups), rel=1e-9)
        found[method] = metrics.ncp
    return found


@pytest.mark.parametrize("k", ends_of(5, 8, 10))
def test_census(tmp_path: Path, k: int) -> None:
    ncp = compare(census(), with_trees(policy(k), "census"), "census", QUASI, tmp_path)
    assert ncp["fast"] <= 0.8 * ncp["mdp"]
    with duckdb.connect(str(tmp_path / "fast.duckdb"), read_only=True) as release:
        nodes = {node for (node,) in release.execute("SELECT DISTINCT age_node FROM groups").fetchall()}
    assert nodes <= {None, "*", *(node for path in paths_of("census", "age").values() for node in path)}


@pytest.mark.parametrize("k", [5, 10])
def test_adult(tmp_path: Path, k: int) -> None:
    given = {"k": k, "attributes": {name: {"role": "quasi-identifier"} for name in ADULT}}
    table = pq.read_table(DATA / "adult.parquet", columns=ADULT)
    ncp = compare(table, with_trees(given, "adult"), "adult", ADULT, tmp_path)
    assert ncp["fast"] <= 0.8 * ncp["mdp"]
