"""Domains that a policy declares: what they may be, whom they refuse, and how a release shows them."""

from __future__ import annotations

import datetime as dt
import re
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pytest

import lgb_sql
from tests.support import leftovers

ROWS = 24
FIRST = dt.date(2000, 1, 1)
LEVELS = ["low", "mid", "high"]
TABLE = pa.table(
    {
        "age": pa.array([20 + row for row in range(ROWS)]),
        "town": pa.array(["Bonn", "Kiel", "Ulm"] * (ROWS // 3)),
        "level": pa.array([*LEVELS[:2], LEVELS[1]] * (ROWS // 3)),
        "price": pa.array([row / 2 for row in range(ROWS)]),
        "day": pa.array([dt.date(2001, 1, 1 + row) for row in range(ROWS)]),
        "hidden": pa.array([row % 3 == 0 for row in range(ROWS)]),
    }
)
QUASI = {"role": "quasi-identifier"}
SENSITIVE = {"role": "sensitive", "principle": {"l_diversity": 2}}
SEMI = {"role": "semi-sensitive", "flag": "hidden", "principle": {"l_diversity": 2}}


def released(path: Path, **attributes: Any) -> lgb_sql.Release:
    return lgb_sql.anonymize(TABLE, {"k": 3, "attributes": attributes}, to=path / "release.duckdb")


def declared(release: lgb_sql.Release, name: str) -> list[Any]:
    with release.connect() as connection:
        rows = connection.execute(f"SELECT value, weight FROM domain_{name} WHERE declared").fetchall()
    assert all(weight is None for _, weight in rows)
    return [value for value, _ in rows]


DECLARED: dict[str, tuple[str, dict[str, Any], list[Any]]] = {
    "ends": ("age", {**QUASI, "domain": [0, 120]}, [0, 120]),
    "equal to the data's": ("age", {**QUASI, "domain": [20, 43]}, [20, 43]),
    "ends as text": ("age", {**QUASI, "domain": ["0", "120"]}, [0, 120]),
    "a list of numbers": ("age", {**QUASI, "domain": list(range(99, 9, -1))}, list(range(10, 100))),
    "two values of an unordered attribute": (
        "level",
        {**QUASI, "domain": ["mid", "low"]},
        ["low", "mid"],
    ),
    "words, in their own order": ("level", {**QUASI, "ordered": LEVELS, "domain": ["low", "high"]}, ["high", "low"]),
    "dates": ("day", {**SEMI, "domain": [FIRST, "2001-12-31"]}, [FIRST, dt.date(2001, 12, 31)]),
    "floats": ("price", {**SEMI, "domain": [-0.5, 1e3]}, [-0.5, 1000.0]),
    "a tree": ("town", {**QUASI, "hierarchy": {"all": ["Ulm", "Kiel", "Hof", "Bonn"]}}, ["Bonn", "Hof", "Kiel", "Ulm"]),
    "a list beside a tree": (
        "town",
        {**QUASI, "hierarchy": {"all": ["Ulm", "Kiel", "Bonn"]}, "domain": ["Ulm", "Kiel", "Bonn", "Hof"]},
        ["Bonn", "Hof", "Kiel", "Ulm"],
    ),
    "none": ("age", QUASI, []),
}  # fmt: skip


@pytest.mark.parametrize("name", DECLARED)
def test_a_release_shows_what_is_declared(name: str, tmp_path: Path) -> None:
    attribute, entry, expected = DECLARED[name]
    release = released(tmp_path, **{attribute: entry})
    assert declared(release, attribute) == expected
    assert lgb_sql.audit(release.path, policy={"k": 3, "attributes": {attribute: entry}})


def test_a_sensitive_attribute_is_held_against_its_domain_and_has_no_table(tmp_path: Path) -> None:
    release = released(tmp_path, age={**SENSITIVE, "domain": [0, 120]})
    assert "domain_age" not in release.relations


OUTSIDE: dict[str, dict[str, Any]] = {
    "above the highest": {"age": {**QUASI, "domain": [20, 40]}},
    "below the lowest": {"age": {**QUASI, "domain": [22, 99]}},
    "not in a list": {"town": {**QUASI, "domain": ["Bonn", "Kiel"]}},
    "between the items of a list": {"age": {**QUASI, "domain": [20, 30, 43]}},
    "two items of an unordered attribute": {"age": {**QUASI, "ordered": False, "domain": [20, 43]}},
    "sensitive": {"age": {**SENSITIVE, "domain": [20, 40]}},
    "a flagged value": {"age": {**SEMI, "domain": [21, 99]}},
    "words": {"level": {**QUASI, "ordered": LEVELS, "domain": ["mid", "high"]}},
}


@pytest.mark.parametrize("name", OUTSIDE)
def test_values_outside_are_refused(name: str, tmp_path: Path) -> None:
    """Without a number: who is outside may have flagged the value, and be suppressed."""
    with pytest.raises(lgb_sql.SourceError) as caught:
        released(tmp_path, **OUTSIDE[name])
    assert not re.search(r"\d", caught.value.message)
    assert "outside its declared domain" in caught.value.message
    assert "widen `domain`" in caught.value.hint
    assert caught.value.exit_code == 2
    assert not any(str(value) in caught.value.message for value in ("Ulm", "41", "43"))
    assert leftovers(tmp_path) == []


WRONG: dict[str, tuple[str, dict[str, Any], str]] = {
    "no number": ("age", {**QUASI, "domain": ["young", 99]}, "item 1 is no BIGINT"),
    "a fraction": ("age", {**QUASI, "domain": [0, 99.5]}, "item 2 is no BIGINT"),
    "no date": ("day", {**QUASI, "domain": ["2001-02-30", "2002-01-01"]}, "item 1 is no DATE"),
    "a table": ("age", {**QUASI, "domain": [0, {"a": 1}]}, "item 2 must be a value"),
    "endless": ("price", {**QUASI, "domain": [0, float("inf")]}, "item 2 is no DOUBLE"),
    "reversed": ("age", {**QUASI, "domain": [99, 0]}, "the lowest value is above the highest"),
    "reversed as numbers": ("age", {**QUASI, "domain": ["100", "99"]}, "the lowest value is above the highest"),
    "reversed words": ("level", {**QUASI, "ordered": LEVELS, "domain": ["high", "low"]}, "the lowest value is above"),
    "an unknown word": ("level", {**QUASI, "ordered": LEVELS, "domain": ["low", "top"]}, "item 2 is not in the"),
    "a value twice": ("age", {**QUASI, "domain": [1, 2, "01"]}, "item 3 is the same value as item 1"),
    "empty": ("age", {**QUASI, "domain": []}, "is empty"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_no_domain_is_listed_with_all_other_problems(name: str, tmp_path: Path) -> None:
    attribute, entry, expected = WRONG[name]
    with pytest.raises(lgb_sql.PolicyError) as caught:
        released(tmp_path, **{attribute: entry, "missing": QUASI})
    problems = {problem.key: problem for problem in caught.value.problems}
    assert expected in problems[f"attributes.{attribute}.domain"].what
    assert "[lowest, highest]" in problems[f"attributes.{attribute}.domain"].hint
    assert "attributes.missing" in problems


def test_a_null_is_never_outside(tmp_path: Path) -> None:
    table = pa.table({"age": pa.array([*range(20), *[None] * 4])})
    policy = {"k": 3, "attributes": {"age": {**QUASI, "domain": [0, 19]}}}
    release = lgb_sql.anonymize(table, policy, to=tmp_path / "release/")
    with duckdb.connect() as connection:
        shown = connection.execute(f"SELECT count(*) FROM '{release.path}/domain_age.parquet' WHERE value IS NULL")
        assert shown.fetchall() == [(0,)]
