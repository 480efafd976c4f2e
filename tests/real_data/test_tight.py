"""How much less `tight` loses on census and Adult rows; skipped where LGB_DATA does not name a folder that has them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import lgb_sql
from tests.real_data.test_census import DATA, ORDERED, QUASI, census, policy
from tests.support import ends_of

TREES = DATA.parent / "hierarchies" / "census"
pytestmark = pytest.mark.skipif(not TREES.exists(), reason="LGB_DATA does not name the census data")

LITERAL_NCP = {5: 20_890, 8: 28_162, 10: 32_154}
"""Mean NCP by k of the paper's Algorithm 4 to the letter, in Python, on the flags of `census()`."""
LITERAL_NCP_WITH_TREES = {5: 45_845, 8: 56_205, 10: 61_670}
"""The same where every text attribute has its hierarchy."""
ADULT = ["age", "education_num", "hours_per_week", "workclass", "marital_status", "race", "sex"]


def metrics(table: pa.Table, given: dict[str, Any], to: Path) -> lgb_sql.Metrics:
    """Of a verified release."""
    return lgb_sql.anonymize(table, given, to=to, options=lgb_sql.RunOptions(seed=1)).metrics()


@pytest.mark.parametrize(("k", "share"), ends_of((5, 0.57), (8, 0.59), (10, 0.59)))
def test_census(tmp_path: Path, k: int, share: float) -> None:
    tight = metrics(census(), policy(k, generalization="tight"), tmp_path / "tight.duckdb")
    mdp = metrics(census(), policy(k, generalization="mdp"), tmp_path / "mdp.duckdb")
    assert tight.ncp <= share * LITERAL_NCP[k]
    assert tight.c_dm <= 0.85 * mdp.c_dm


@pytest.mark.parametrize(("k", "share"), ends_of((5, 0.64), (8, 0.72), (10, 0.74)))
def test_census_with_hierarchies(tmp_path: Path, k: int, share: float) -> None:
    given = policy(k, generalization="tight")
    for name in set(QUASI) - ORDERED:
        given["attributes"][name]["hierarchy"] = str(TREES / f"{name}.csv")
    assert metrics(census(), given, tmp_path / "tight.duckdb").ncp <= share * LITERAL_NCP_WITH_TREES[k]


def test_adult(tmp_path: Path) -> None:
    given = {"k": 10, "generalization": "tight", "attributes": {name: {"role": "quasi-identifier"} for name in ADULT}}
    table = pq.read_table(DATA.parent / "adult.parquet", columns=ADULT)
    assert metrics(table, given, tmp_path / "tight.duckdb").ncp_percent <= 4.6
