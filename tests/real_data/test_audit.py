"""The audit on real census rows: sound, and it names the column that gives a flagged attribute away."""

from __future__ import annotations

from pathlib import Path

import pytest

import lgb_sql
from tests.real_data.test_census import DATA, census, policy

pytestmark = pytest.mark.skipif(not DATA.exists(), reason="LGB_DATA does not name the census data")


def test_census(tmp_path: Path) -> None:
    """'Woman living alone': relationship determines sex for a fifth of those who flagged it."""
    known = policy(generalization="fast")
    crosswalk = tmp_path / "crosswalk.parquet"
    lgb_sql.anonymize(census(), known, to=tmp_path / "release.duckdb", crosswalk=crosswalk)
    verdict = lgb_sql.audit(tmp_path / "release.duckdb", policy=known, source=census(), crosswalk=crosswalk)
    assert verdict, verdict.line
    risks = {risk.name: risk for risk in verdict.risks}
    assert 0.18 < risks["sex determined by relationship"].number < 0.26
    assert any("sex determined by relationship" in warning for warning in verdict.warnings)
    assert risks["posterior of salary"].number <= 1 / 10
    assert risks["posterior of sex"].number <= 3 / 5
    learned = risks["learned correlation of sex"]
    assert learned.number > learned.more["by_chance"]
