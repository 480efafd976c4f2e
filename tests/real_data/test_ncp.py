"""`ncp` on real census rows: the literal algorithm group by group, so NCP is its NCP; skipped without LGB_DATA."""

from __future__ import annotations

from pathlib import Path

import pytest

import lgb_sql
from lgb_sql import RunOptions
from tests.properties.test_ncp import as_drawn, recorded_orders
from tests.real_data.test_census import DATA, ORDERED, QUASI, census, policy, reference_rows, released_partition
from tests.real_data.test_hierarchies import TREES, paths_of
from tests.reference import generalization
from tests.reference import ncp as reference

pytestmark = pytest.mark.skipif(
    not (DATA.exists() and TREES.exists()), reason="LGB_DATA does not name the census data and its hierarchies"
)


@pytest.mark.parametrize(("k", "trees"), [(5, False), (10, True)])
def test_groups_are_the_references_and_lose_less_than_mdp(tmp_path: Path, k: int, trees: bool) -> None:
    given = policy(k, 5)
    leaves = {name: paths_of("census", name) for name in QUASI if trees and name not in ORDERED}
    for name in leaves:
        given["attributes"][name]["hierarchy"] = str(TREES / "census" / f"{name}.csv")
    to, crosswalk = tmp_path / "ncp.duckdb", tmp_path / "ncp.parquet"
    with recorded_orders() as orders:
        release = lgb_sql.anonymize(
            census(), {**given, "generalization": "ncp"}, to=to, crosswalk=crosswalk, options=RunOptions(seed=k)
        )
    places = {name: {leaf: place for place, leaf in enumerate(of)} for name, of in leaves.items()}
    rows = [
        {name: places[name].get(value, value) if name in places else value for name, value in row.items()}
        for row in reference_rows()
    ]
    attributes = [
        generalization.Attribute(name, name in ORDERED, tuple(leaves[name].values()) if name in leaves else ())
        for name in QUASI
    ]
    assert released_partition(to, crosswalk) == reference.lgb_ncp(rows, attributes, k, as_drawn(orders))
    literal = lgb_sql.anonymize(census(), {**given, "generalization": "mdp"}, to=tmp_path / "mdp.duckdb")
    assert release.metrics().ncp <= 0.86 * literal.metrics().ncp
