"""Measures of any table: against the reference, against pyCANON, and on the odd values that tables hold."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Sequence
from math import inf, isclose
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lgb_sql
from lgb_sql import PolicyError, SourceError
from tests.properties.cases import slow
from tests.reference import measures

MEASURES = {
    "distinct l": measures.distinct_l,
    "entropy l": measures.entropy_l,
    "recursive c": measures.recursive_c,
    "alpha": measures.alpha,
    "t (equal)": measures.t_equal,
    "t (ordered)": measures.t_ordered,
    "beta": measures.beta,
    "delta": measures.delta,
}


def numbers(verdict: lgb_sql.Verdict) -> dict[str, float]:
    return {risk.name: risk.number for risk in verdict.risks}


def table_of(rows: Sequence[tuple[Any, ...]], kind: pa.DataType) -> pa.Table:
    a, b, s = zip(*rows, strict=True)
    return pa.table({"a": pa.array(a, pa.string()), "b": pa.array(b, pa.int64()), "s": pa.array(s, kind)})


@slow(40)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["x", "[30-39]", "{A, B}", "*", None]),
            st.one_of(st.none(), st.integers(0, 2)),
            st.one_of(st.none(), st.integers(-3, 6)),
        ),
        min_size=1,
        max_size=40,
    )
)
def test_every_measure_is_the_reference_s(rows: list[tuple[Any, ...]]) -> None:
    classes = measures.classes_of(rows, (0, 1), 2)
    verdict = lgb_sql.audit(table_of(rows, pa.int64()), quasi=["a", "b"], sensitive=["s"], k=3, l=3)
    found = numbers(verdict)
    for name, reference in MEASURES.items():
        expected = reference(classes)
        if expected is None:
            assert f"{name} of s" not in found
        else:
            assert isclose(found[f"{name} of s"], float(expected), rel_tol=1e-9, abs_tol=1e-12), name
    assert found["prosecutor risk"] == found["journalist risk"] == 1 / measures.k_anonymity(classes)
    assert isclose(found["marketer risk"], len(classes) / len(rows))
    assert bool(verdict) == (measures.k_anonymity(classes) >= 3 and measures.distinct_l(classes) >= 3)


def test_text_has_no_ordered_distance() -> None:
    rows = [("x", 1, "flu"), ("x", 1, "gout")]
    found = numbers(lgb_sql.audit(table_of(rows, pa.string()), quasi=["a", "b"], sensitive=["s"]))
    assert "t (equal) of s" in found
    assert "t (ordered) of s" not in found


# --- pyCANON 1.3.6 ---------------------------------------------------------------------------------------

PYCANON = {"k": "k", "distinct l": "l", "alpha": "alpha", "t": "t", "beta": "beta", "delta present": "delta"}
HOSPITAL = {"Fk": "vh", "Ft": "ct", "Mk": "nth", "Ml": "chv", "Mt": "ccc"}
"""The classes of pyCANON's hospital example, each with its values as letters."""
SCORES = {
    "a": [76, 42, 75, 30, 30, 72, 55],
    "b": [62, 80, 77, 67, 95, 87, 60],
    "c": [52, 88, 76, 53, 58, 68, 64, 83],
    "d": [56, 72, 30, 73, 37, 52, 71],
}
MEASURED = [
    (HOSPITAL, {"k": 2, "l": 1, "alpha": 1.0, "t": 8 / 13, "beta": 3.333333333333333, "delta": 1.466337068793427}),
    (SCORES, {"k": 7, "l": 6, "alpha": 2 / 7, "t": 0.2122510173484687, "beta": 22 / 7, "delta": 1.4213856809311607}),
]
"""What pyCANON 1.3.6 answers."""
ADULT = {
    ("sex,race", "occupation"): {
        "k": 87, "l": 10, "alpha": 0.2789115646258503, "t": 0.3249624441807344, "beta": 17.722532588454378,
        "delta": 3.132721992807618,
    },
    ("sex,race", "hours_per_week"): {
        "k": 87, "l": 21, "alpha": 0.6057827926657263, "t": 0.046313803618905525, "beta": 23.76354679802956,
        "delta": 3.209372684650788,
    },
    ("education,sex", "occupation"): {
        "k": 14, "l": 5, "alpha": 0.8197802197802198, "t": 0.7073990925194427, "beta": 52.95706618962433,
        "delta": 3.988188659765531,
    },
}  # fmt: skip


def as_pycanon(verdict: lgb_sql.Verdict, name: str) -> dict[str, float]:
    found = numbers(verdict)
    (delta,) = [risk.more["present"] for risk in verdict.risks if risk.name == f"delta of {name}"]
    return {
        "k": round(1 / found["prosecutor risk"]),
        "l": found[f"distinct l of {name}"],
        "alpha": found[f"alpha of {name}"],
        "t": found.get(f"t (ordered) of {name}", found[f"t (equal) of {name}"]),
        "beta": found[f"beta of {name}"],
        "delta": delta,
    }


def same(found: dict[str, float], expected: dict[str, float]) -> None:
    for name, number in expected.items():
        assert isclose(found[name], number, rel_tol=1e-9, abs_tol=1e-12), (name, found[name], number)


def small(classes: dict[str, Any]) -> pa.Table:
    rows = [(name, value) for name, values in classes.items() for value in values]
    return pa.table({"q": [row[0] for row in rows], "s": [row[1] for row in rows]})


@pytest.mark.parametrize(("classes", "expected"), MEASURED)
def test_pycanon_s_examples(classes: dict[str, Any], expected: dict[str, float]) -> None:
    same(as_pycanon(lgb_sql.audit(small(classes), quasi=["q"], sensitive=["s"]), "s"), expected)


@pytest.mark.skipif("LGB_DATA" not in os.environ, reason="LGB_DATA is not set")
@pytest.mark.parametrize(("quasi", "sensitive"), ADULT)
def test_pycanon_on_adult(quasi: str, sensitive: str) -> None:
    adult = Path(os.environ["LGB_DATA"]) / "adult.parquet"
    verdict = lgb_sql.audit(adult, quasi=quasi.split(","), sensitive=[sensitive])
    same(as_pycanon(verdict, sensitive), ADULT[quasi, sensitive])


@pytest.mark.skipif(importlib.util.find_spec("pycanon") is None, reason="pycanon is not installed")
@pytest.mark.parametrize(("classes", "expected"), MEASURED)
def test_the_numbers_noted_are_pycanon_s(classes: dict[str, Any], expected: dict[str, float]) -> None:
    anonymity = importlib.import_module("pycanon.anonymity")
    data = small(classes).to_pandas()
    assert anonymity.k_anonymity(data, ["q"]) == expected["k"]
    assert isclose(anonymity.t_closeness(data, ["q"], ["s"]), expected["t"])


def test_where_pycanon_differs_entropy() -> None:
    """Two equally frequent values have entropy l of 2; pyCANON 1.3.6 cuts 1.999... to 1."""
    found = numbers(lgb_sql.audit(small({"a": "xy"}), quasi=["q"], sensitive=["s"]))
    assert isclose(found["entropy l of s"], 2)


def test_where_pycanon_differs_recursive() -> None:
    """Counts 8, 1, 1 with l = 3: r_1 < c * r_3 needs c above 8; pyCANON 1.3.6 sorts upwards and says 1."""
    found = numbers(lgb_sql.audit(small({"a": "xxxxxxxxyz"}), quasi=["q"], sensitive=["s"]))
    assert found["recursive c of s"] == 8


def test_where_pycanon_differs_null_quasi_identifier() -> None:
    """A row whose quasi-identifier is NULL is unique like any other; pyCANON 1.3.6 leaves it out and says k = 2."""
    table = pa.table({"q": ["a", "a", None, "b", "b"], "s": ["x", "y", "x", "x", "y"]})
    verdict = lgb_sql.audit(table, quasi=["q"], sensitive=["s"])
    assert numbers(verdict)["prosecutor risk"] == 1
    assert [result.name for result in verdict.broken] == ["k-anonymity", "l-diversity of s"]


def test_where_pycanon_differs_null_sensitive_value() -> None:
    """NULL is a value: pyCANON 1.3.6 fails on its entropy, and leaves it out of its distances (t = 0.25)."""
    table = pa.table({"q": ["a", "a", "b", "b"], "s": [1.0, None, 1.0, 2.0]})
    found = numbers(lgb_sql.audit(table, quasi=["q"], sensitive=["s"]))
    assert isclose(found["entropy l of s"], 2)
    assert found["t (equal) of s"] == 0.25
    assert found["t (ordered) of s"] == 0.125


def test_where_pycanon_differs_absent_values() -> None:
    """A class that lacks a value excludes it: delta-disclosure is unbounded, where pyCANON 1.3.6 says 0.69."""
    verdict = lgb_sql.audit(small({"a": "xy", "b": "xx"}), quasi=["q"], sensitive=["s"])
    assert numbers(verdict)["delta of s"] == inf
    assert isclose(as_pycanon(verdict, "s")["delta"], 0.6931471805599453)


# --- any table, in any form ------------------------------------------------------------------------------

SIX = pa.table({"a": ["x"] * 3 + ["y"] * 3, "b": [1] * 6, "s": [1, 2, 3, 1, 2, 3], "t": ["u"] * 3 + ["v"] * 3})


def test_every_form_of_a_table(tmp_path: Path) -> None:
    pq.write_table(SIX, tmp_path / "t.parquet")
    with duckdb.connect(str(tmp_path / "t.duckdb")) as connection:
        connection.register("six", SIX)
        connection.execute(f"CREATE TABLE t AS FROM six; COPY t TO '{tmp_path}/t.csv'")
    given: list[tuple[Any, str | None]] = [
        (tmp_path / "t.parquet", None), (tmp_path / "t.csv", None), (tmp_path / "t.duckdb", "t"), (SIX, None),
        (SIX.to_reader(), None),
    ]  # fmt: skip
    with duckdb.connect() as connection:
        connection.execute(f"CREATE TABLE t AS FROM '{tmp_path}/t.parquet'")
        answers = [
            numbers(lgb_sql.audit(each, table=table, quasi=["A", "b"], sensitive=["s"]))
            for each, table in (*given, (connection, "t"))
        ]
    assert answers == [answers[0]] * len(answers)
    assert answers[0]["t (equal) of s"] == 0


def test_several_sensitive_columns_and_none() -> None:
    verdict = lgb_sql.audit(SIX, quasi=["a"], sensitive=["s", "t"])
    assert [result.name for result in verdict.broken] == ["l-diversity of t"]
    assert numbers(lgb_sql.audit(SIX, quasi=["a"]))["prosecutor risk"] == 1 / 3


def test_what_is_asked_decides() -> None:
    assert lgb_sql.audit(SIX, quasi=["a"], sensitive=["s"], k=3, l=3, t=0)
    assert not lgb_sql.audit(SIX, quasi=["a"], sensitive=["s"], k=4)
    assert not lgb_sql.audit(SIX, quasi=["a"], sensitive=["s"], l=4)
    assert [r.name for r in lgb_sql.audit(SIX, quasi=["a"], sensitive=["t"], l=1, t=0.4).broken] == ["t-closeness of t"]


@pytest.mark.parametrize(
    "wrong",
    [
        {"quasi": ["nope"]}, {"quasi": []}, {"quasi": ["a"], "sensitive": ["a"]}, {"quasi": ["a"], "k": 0},
        {"quasi": ["a"], "l": 0}, {"quasi": ["a"], "t": 2.0}, {"quasi": ["a"], "sensitive": ["nope"]},
    ],
)  # fmt: skip
def test_wrong_use_is_told(wrong: dict[str, Any]) -> None:
    with pytest.raises(PolicyError) as caught:
        lgb_sql.audit(SIX, **wrong)
    assert caught.value.exit_code == 2


def test_an_empty_table_is_refused() -> None:
    with pytest.raises(SourceError, match="empty"):
        lgb_sql.audit(SIX.slice(0, 0), quasi=["a"])


@pytest.mark.parametrize("option", ["policy", "source", "crosswalk"])
def test_a_table_has_no_policy_source_or_crosswalk(option: str) -> None:
    given: dict[str, Any] = {option: "x"}
    with pytest.raises(lgb_sql.PolicyError, match=f"--{option}: has no part") as caught:
        lgb_sql.audit(pa.table({"a": [1, 1]}), quasi=["a"], **given)
    assert "the command has 1 problem" in str(caught.value)


def test_all_unknown_columns_are_told() -> None:
    with pytest.raises(lgb_sql.PolicyError, match=r"(?s)--quasi.*--sensitive"):
        lgb_sql.audit(pa.table({"a": [1, 1]}), quasi=["b"], sensitive=["c"])
