"""Odd but legal tables: each gives a release that verifies, or a clear refusal that leaves nothing."""

# ruff: noqa: PT017  a run may succeed or fail

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pytest

import lgb_sql
from lgb_sql import LgbError
from lgb_sql.patterns import GREEDY_LIMIT
from tests.support import anonymize, leftovers


def quasi() -> dict[str, Any]:
    return {"role": "quasi-identifier"}


def semi(flag: str, l: int = 2) -> dict[str, Any]:
    return {"role": "semi-sensitive", "flag": flag, "principle": {"l_diversity": l}}


def released_or_refused(directory: Path, table: pa.Table, policy: dict[str, Any]) -> lgb_sql.Release | None:
    try:
        release = lgb_sql.anonymize(table, policy, to=directory / "r.duckdb", options=lgb_sql.RunOptions(seed=1))
    except LgbError as error:
        assert error.exit_code == 2, str(error)
        assert error.hint
        assert leftovers(directory) == []
        return None
    assert leftovers(directory) == ["r.duckdb"]
    return release


@pytest.mark.parametrize("rows", [60, GREEDY_LIMIT + 200])
def test_forty_semi_sensitive_attributes_with_one_row_per_pattern(rows: int, tmp_path: Path) -> None:
    random = Random(rows)
    columns: dict[str, pa.Array] = {}
    for place in range(40):
        columns[f"a{place}"] = pa.array([random.randrange(1000) for _ in range(rows)])
        columns[f"f{place}"] = pa.array([(row * 2654435761 >> place % 20) & 1 == 1 for row in range(rows)])
    patterns = set(zip(*(columns[f"f{place}"].to_pylist() for place in range(40)), strict=True))
    assert len(patterns) == rows
    policy = {"k": 3, "attributes": {f"a{place}": semi(f"f{place}") for place in range(40)}}
    release = released_or_refused(tmp_path, pa.table(columns), policy)
    if release:
        assert release.manifest["rows_released"] == rows
        assert release.manifest["cells_withheld"] > 0


THREE_HUNDRED = """
import resource
import sys
resource.setrlimit(resource.RLIMIT_CPU, (120, 120))
from random import Random
import pyarrow as pa
import lgb_sql
random, kind = Random(1), sys.argv[1]
cells = {"ordered": lambda: random.randrange(4), "unordered": lambda: random.choice("abcd")}[kind]
table = {f"q{place}": pa.array([cells() for _ in range(30)]) for place in range(300)}
attributes = {name: {"role": "quasi-identifier"} for name in table}
table["s"] = pa.array(range(30))
attributes["s"] = {"role": "sensitive", "principle": {"l_diversity": 3}}
release = lgb_sql.anonymize(pa.table(table), {"k": 3, "attributes": attributes}, to=sys.argv[2])
assert release.manifest["metrics"]["groups"] > 1
"""


@pytest.mark.parametrize("kind", ["ordered", "unordered"])
def test_three_hundred_quasi_identifiers_in_reasonable_time(kind: str, tmp_path: Path) -> None:
    """30 rows. In a process of its own, which is stopped after two minutes of work, however long other processes make
    them, and whose library prints nothing (no progress bar).
    """
    command = [sys.executable, "-c", THREE_HUNDRED, kind, str(tmp_path / "r.duckdb")]
    place = Path(lgb_sql.__file__).parents[1]
    result = subprocess.run(command, check=True, cwd=place, capture_output=True)
    assert result.stdout + result.stderr == b""


def test_three_hundred_columns_of_all_roles(tmp_path: Path) -> None:
    random = Random(2)
    rows = 40
    columns: dict[str, pa.Array] = {}
    policy: dict[str, Any] = {"k": 2, "attributes": {}}
    for place in range(60):
        columns[f"i{place}"] = pa.array([random.choice("ab") for _ in range(rows)])
        policy["attributes"][f"i{place}"] = {"role": "insensitive"}
        columns[f"t{place}"] = pa.array([f"v{random.randrange(70)}" for _ in range(rows)])
        policy["attributes"][f"t{place}"] = quasi()
    for place in range(30):
        columns[f"s{place}"] = pa.array(random.sample(range(1000), rows))
        policy["attributes"][f"s{place}"] = {"role": "sensitive", "principle": {"l_diversity": 2}}
    release = released_or_refused(tmp_path, pa.table(columns), policy)
    assert release


@pytest.mark.parametrize("generalization", ["mdp", "fast", "tight"])
def test_all_quasi_identifiers_equal(generalization: str, tmp_path: Path) -> None:
    table = pa.table({"a": pa.array([5] * 20), "b": pa.array(["x"] * 20), "s": pa.array(range(20))})
    policy = {
        "k": 3,
        "generalization": generalization,
        "attributes": {"a": quasi(), "b": quasi(), "s": {"role": "sensitive", "principle": {"l_diversity": 2}}},
    }
    outcome = anonymize(table, policy, tmp_path)
    assert outcome.observed["groups"].rows == [(1, 20, "Q", 5, 5, "Q", ["x"])]
    assert outcome.manifest["metrics"]["ncp"] == 0


@pytest.mark.parametrize("bucketization", ["sweep", "stride", "m_invariance"])
@pytest.mark.parametrize("share", ["all", "none", "one", "all but one"])
def test_flags_of_all_none_or_one(share: str, bucketization: str, tmp_path: Path) -> None:
    rows = 24
    flags = {
        "all": [True] * rows,
        "none": [False] * rows,
        "one": [row == 3 for row in range(rows)],
        "all but one": [row != 3 for row in range(rows)],
    }[share]
    table = pa.table({"a": pa.array(range(rows)), "b": pa.array([i % 3 for i in range(rows)]), "f": pa.array(flags)})
    policy = {"k": 3, "bucketization": bucketization, "attributes": {"a": semi("f"), "b": quasi()}}
    release = released_or_refused(tmp_path, table, policy)
    assert release
    buckets = release.manifest["metrics"]["buckets"]["a"]
    assert (buckets > 0) == (share in ("all", "all but one"))


@pytest.mark.parametrize("roles", ["quasi", "sensitive", "insensitive", "semi"])
@pytest.mark.parametrize("to", ["release.duckdb", "release/"])
def test_policies_of_one_single_role(roles: str, to: str, tmp_path: Path) -> None:
    """Plain k-anonymity, buckets alone, or columns as they are: the smallest policies there are."""
    table = pa.table({"a": pa.array(range(12)), "f": pa.array([i % 2 == 0 for i in range(12)])})
    entry = {
        "quasi": quasi(),
        "sensitive": {"role": "sensitive", "principle": {"l_diversity": 2}},
        "insensitive": {"role": "insensitive"},
        "semi": semi("f"),
    }[roles]
    outcome = anonymize(table, {"k": 2, "attributes": {"a": entry}}, tmp_path, to=to)
    assert len(outcome.observed["tuples"].rows) == 12
    assert sum(outcome.observed["groups"].column("size")) == 12


def test_every_value_null(tmp_path: Path) -> None:
    table = pa.table(
        {
            "a": pa.array([None] * 12, pa.int32()),
            "b": pa.array([None] * 12, pa.string()),
            "s": pa.array([None] * 6 + list(range(6))),
        }
    )
    policy = {
        "k": 2,
        "attributes": {"a": quasi(), "b": quasi(), "s": {"role": "sensitive", "principle": {"l_diversity": 2}}},
    }
    outcome = anonymize(table, policy, tmp_path)
    assert outcome.observed["groups"].rows == [(1, 12, "Q", None, None, "Q", [None])]
    shown = outcome.observed["anonymized"].records()[0]
    assert (shown["a"], shown["b"]) == ("[NULL, NULL]", "{NULL}")


def test_the_smallest_table(tmp_path: Path) -> None:
    table = pa.table({"a": pa.array([1, 2]), "s": pa.array(["x", "y"])})
    policy = {"k": 2, "attributes": {"a": quasi(), "s": {"role": "sensitive", "principle": {"l_diversity": 2}}}}
    outcome = anonymize(table, policy, tmp_path)
    assert outcome.observed["groups"].rows == [(1, 2, "Q", 1, 2)]
    assert outcome.observed["sat_s"].rows == [(1, "x", 1), (1, "y", 1)]


def test_one_flag_for_two_attributes_and_a_flag_that_is_released(tmp_path: Path) -> None:
    rows = 20
    table = pa.table(
        {"a": pa.array(range(rows)), "b": pa.array(range(rows)), "f": pa.array([i < 8 for i in range(rows)])}
    )
    policy = {"k": 2, "attributes": {"a": semi("f"), "b": semi("f"), "f": {"role": "insensitive"}}}
    outcome = anonymize(table, policy, tmp_path)
    assert all(
        (record["a_bid"] is None) == (record["b_bid"] is None) == (not record["f"])
        for record in outcome.observed["tuples"].records()
    )


def test_a_null_flag_counts_as_sensitive_where_the_policy_says_so(tmp_path: Path) -> None:
    table = pa.table({"a": pa.array(range(12)), "f": pa.array([None, True, False] * 4)})
    outcome = anonymize(table, {"k": 2, "flag_null": "sensitive", "attributes": {"a": semi("f")}}, tmp_path)
    flagged = {rid for row, rid in outcome.rids.items() if row % 3 < 2}
    assert {rid for rid, _ in outcome.observed["idt_a"].rows} == flagged


@pytest.mark.parametrize("generalization", ["mdp", "ncp", "fast", "tight"])
@pytest.mark.parametrize("hidden", ["flagged", "constant"])
def test_hierarchies_of_attributes_that_nobody_can_be_told_apart_by(
    generalization: str, hidden: str, tmp_path: Path
) -> None:
    """The only hierarchy is that of an attribute which everybody flagged, or of which there is one value."""
    jobs = ["cook" if hidden == "constant" else ("cook", "baker", "smith")[row % 3] for row in range(30)]
    table = pa.table(
        {
            "job": jobs,
            "flag": [hidden == "flagged"] * 30,
            "age": list(range(30)),
            "city": ["ab"[i % 2] for i in range(30)],
        }
    )
    tree = {"any": [{"food": ["cook", "baker"]}, {"metal": ["smith"]}]}
    job = semi("flag") if hidden == "flagged" else quasi()
    attributes = {"job": {**job, "hierarchy": tree}, "age": quasi(), "city": quasi()}
    policy = {"k": 3, "generalization": generalization, "attributes": attributes}
    assert released_or_refused(tmp_path, table, policy) is not None


LARGEST = 1.7e308


@pytest.mark.parametrize("generalization", ["mdp", "ncp", "fast", "tight"])
@pytest.mark.parametrize("values", [[-LARGEST, 0.0, LARGEST], [-LARGEST, -1.0, 5e-324, LARGEST, 1.5e308]])
def test_metrics_of_the_largest_doubles_are_numbers(values: list[float], generalization: str, tmp_path: Path) -> None:
    """Their differences, and sums of those, overflow unless they are taken with care; the manifest is JSON."""
    rows = 60
    column = [values[row % len(values)] * (1 - row % 7 / 20) for row in range(rows)]
    table = pa.table({"q": column, "s": column, "semi": column, "f": [row % 4 == 0 for row in range(rows)]})
    sensitive = {"role": "sensitive", "principle": {"l_diversity": 3}}
    attributes = {"q": quasi(), "semi": semi("f"), "s": sensitive}
    outcome = anonymize(table, {"k": 12, "generalization": generalization, "attributes": attributes}, tmp_path)
    metrics = outcome.manifest["metrics"]
    assert 0 < metrics["bucket_widths"]["s"] <= 1
    assert 0 < metrics["ncp_by_attribute"]["q"] < rows
    json.dumps(outcome.manifest, allow_nan=False)
    assert lgb_sql.audit(outcome.release.path, allow_seeded=True)


def test_the_narrower_plan_of_the_largest_doubles_is_found(tmp_path: Path) -> None:
    """The same buckets as for values a thousandth as large, of which those planned from above are the narrower."""
    tenths = [-10, -10, -10, -10, -7, -7, -7, -7, 5, 5, 7, 7, 7]
    widths = []
    for place, scale in (("large", LARGEST), ("small", LARGEST / 1000)):
        table = pa.table({"s": [scale / 10 * value for value in tenths]})
        (tmp_path / place).mkdir()
        attributes = {"s": {"role": "sensitive", "principle": {"l_diversity": 2}}}
        outcome = anonymize(table, {"k": 2, "attributes": attributes}, tmp_path / place)
        widths.append(outcome.manifest["metrics"]["bucket_widths"]["s"])
    assert widths[0] == widths[1]


def test_widths_of_buckets_that_do_and_do_not_repeat_values(tmp_path: Path) -> None:
    """Distinct values of the bucket / all distinct values, weighted by tuples."""
    table = pa.table({"a": ["xyz"[row % 3] for row in range(30)], "b": ["xy"[row % 2] for row in range(30)]})
    attributes = {
        "a": {"role": "sensitive", "principle": {"l_diversity": 2}},
        "b": {"role": "sensitive", "principle": {"t_closeness": 0.2}},
    }
    outcome = anonymize(table, {"k": 2, "attributes": attributes}, tmp_path)
    buckets = [[n for bid, _, n in outcome.observed["sat_a"].rows if bid == each] for each in range(1, 16)]
    expected = sum(sum(counts) * len(counts) / 3 for counts in buckets) / 30
    assert outcome.manifest["metrics"]["bucket_widths"] == {"a": round(expected, 6), "b": 1}
