"""The groups are the reference's, group by group, for every generalizer."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from decimal import Context, Decimal, localcontext
from random import Random
from typing import Any

import duckdb
import pyarrow as pa
import pytest
from hypothesis import given

import lgb_sql
from lgb_sql import InfeasiblePolicyError
from lgb_sql.codes import MEDIUM_DOMAIN, PART
from tests.properties import plan
from tests.properties.cases import KINDS, Case, Column, Kind, cases, eligible_fill, fill, slow
from tests.properties.invariants import Released, check_partition, check_release
from tests.properties.tight_runs import check_run, watching
from tests.support import PEOPLE_POLICY, anonymize, people, workplace

GENERALIZERS = ("mdp", "fast", "tight")


def run_and_check(case: Case) -> Released | None:
    """One run; either everything holds, or the reference agrees that it cannot."""
    with workplace() as directory, watching() as watched:
        try:
            outcome = anonymize(case.table(), case.policy(), directory)
        except InfeasiblePolicyError:
            assert plan.may_be_infeasible(case)
            return None
        check_release(case, outcome)
        if case.generalization == "tight":
            check_run(case, outcome, watched)
        return Released(case, outcome)


@slow(8)
@given(cases(sensitive=False, hostile_names=False))
def test_groups_are_the_references(case: Case) -> None:
    for generalization in GENERALIZERS:
        run_and_check(replace(case, generalization=generalization))


def quasi(name: str, kind: str | Kind, values: Sequence[Any], ordered: bool | tuple[str, ...] | None = None) -> Column:
    return Column(
        name, "quasi-identifier", KINDS[kind] if isinstance(kind, str) else kind, tuple(values), None, ordered
    )


@pytest.mark.parametrize("generalization", GENERALIZERS)
@pytest.mark.parametrize("distinct", [1, 2, 61, 62, 63, 64, 65, 130])
def test_large_unordered_domains(generalization: str, distinct: int) -> None:
    """Sets of values may be counted as bits of an integer; the borders of such a word must not show."""
    random = Random(distinct)
    text = Kind("text", pa.string(), "VARCHAR", False, lambda i: f"v{i:03}")
    rows = 2 * distinct + 40
    values = [text.value(i % distinct) for i in range(rows)]
    random.shuffle(values)
    numbers = [random.randrange(10) for _ in range(rows)]
    run_and_check(Case(3, (quasi("word", text, values), quasi("number", "integer", numbers)), generalization))


@pytest.mark.parametrize("generalization", ["mdp", "fast"])
def test_a_set_too_large_for_a_bit_string(generalization: str) -> None:
    """Of so many values, those that go left are rows of a relation; beside one where they are a bit string."""
    random = Random(5)
    text = Kind("text", pa.string(), "VARCHAR", False, lambda i: f"v{i:05}")
    columns = []
    for place, distinct in enumerate((MEDIUM_DOMAIN + 1, 300)):
        values = [text.value(i % distinct) for i in range(MEDIUM_DOMAIN + 400)]
        random.shuffle(values)
        columns.append(quasi(f"q{place}", text, values))
    run_and_check(Case(150, tuple(columns), generalization))


@pytest.mark.parametrize("generalization", GENERALIZERS)
def test_many_attributes_of_many_values(generalization: str) -> None:
    """More bits of codes than one integer holds, mixed ordered and unordered, some NULL."""
    random = Random(3)
    columns = []
    for place in range(12):
        distinct = (2, 3, 40, 17)[place % 4]
        values = [random.choice([None, *range(distinct)] if place == 5 else range(distinct)) for _ in range(150)]
        columns.append(quasi(f"q{place}", "integer", values, ordered=place % 3 != 0))
    run_and_check(Case(4, tuple(columns), generalization))


@pytest.mark.parametrize("generalization", GENERALIZERS)
def test_sets_of_more_values_than_one_integer_has_bits(generalization: str) -> None:
    """Several words of value bits, beside ordered attributes that have none and one of many values."""
    random = Random(8)
    columns = [quasi("number", "integer", [random.randrange(3) for _ in range(160)])]
    for place, distinct in enumerate((30, 30, 4, 30, 70)):
        kind = Kind("text", pa.string(), "VARCHAR", False, lambda i: f"v{i:03}")
        columns.append(quasi(f"q{place}", kind, [kind.value(random.randrange(distinct)) for _ in range(160)]))
    run_and_check(Case(4, tuple(columns), generalization))


@pytest.mark.parametrize("number", [PART - 1, PART, PART + 1, 2 * PART + 3])
def test_wide_tables(number: int) -> None:
    """Statements take so many attributes at a time; the seams must not show."""
    random = Random(number)
    rows = 45
    columns = []
    for place in range(number):
        kind, distinct = (("integer", 6), ("text", 4), ("date", 9), ("boolean", 2), ("text", 30))[place % 5]
        cells = fill(random, rows, KINDS[kind], distinct, "even")
        if place % 29 == 3:
            cells[:5] = [None] * 5
        if place % 31 == 7:
            flags = tuple(row >= 35 for row in range(rows))
            cells[35:] = eligible_fill(random, 10, KINDS[kind], distinct)
            columns.append(
                Column(f"c{place}", "semi-sensitive", KINDS[kind], tuple(cells), flags, None, ("l_diversity", 2))
            )
        else:
            columns.append(quasi(f"c{place}", kind, cells))
    run_and_check(Case(4, tuple(columns), GENERALIZERS[number % 2]))


@pytest.mark.parametrize("generalization", GENERALIZERS)
def test_integers_beyond_the_precision_of_doubles_are_still_cut(generalization: str) -> None:
    values = [2**60 + i for i in range(20)]
    released = run_and_check(Case(2, (quasi("big", "integer", values),), generalization))
    assert released
    assert len(released.groups) > 1


@pytest.mark.parametrize("generalization", GENERALIZERS)
def test_integers_of_both_signs_up_to_the_limits(generalization: str) -> None:
    values = [-(2**63), 2**63 - 1, 0, -1, 1, 2**62, -(2**62), 5] * 3
    run_and_check(Case(3, (quasi("big", "integer", values),), generalization))


@pytest.mark.parametrize("scale", [0, 10, 38])
def test_the_largest_decimals(scale: int) -> None:
    """Differences of 38-digit numbers have 39 digits; sums over tuples have more."""
    largest = 10**38 - 1
    numbers = [-largest, largest, 0, 1, -1, largest // 2, -largest // 3, 7] * 3
    kind = Kind("decimal", pa.decimal128(38, scale), f"DECIMAL(38,{scale})", True, Decimal)
    with localcontext(Context(prec=60)):
        values = [Decimal(number).scaleb(-scale) for number in numbers]
        secret = Column("s", "sensitive", kind, tuple(values), None, None, ("l_diversity", 3))
        # sweep would choose its direction by widths that differ in the 39th digit
        run_and_check(Case(3, (quasi("big", kind, values), secret), "mdp", bucketization="m_invariance"))


@pytest.mark.parametrize(
    ("kind", "first", "last"),
    [
        ("TIMESTAMP", "290309-12-22 (BC) 00:00:00", "294247-01-10 04:00:54"),
        ("TIMESTAMP_S", "290309-12-22 (BC) 00:00:00", "294247-01-10 04:00:54"),
        ("TIMESTAMP_NS", "1677-09-22 00:00:00", "2262-04-11 00:00:00"),
        ("TIMESTAMPTZ", "290309-12-22 (BC) 00:00:00+00", "294247-01-10 04:00:54+00"),
        ("DATE", "5877642-06-25 (BC)", "5881580-07-10"),
        ("TIME", "00:00:00", "24:00:00"),
        ("UBIGINT", "0", "18446744073709551615"),
        ("DOUBLE", "-1e308", "1e308"),
        ("FLOAT", "-3e38", "3e38"),
    ],
)
def test_the_widest_ranges(kind: str, first: str, last: str) -> None:
    """From the first to the last value of a type: shown and bucketed, cut in two."""
    with workplace() as directory, duckdb.connect() as connection:
        values = f"CASE WHEN range < 4 THEN '{first}'::{kind} ELSE '{last}'::{kind} END"
        connection.execute(f"CREATE TABLE t AS SELECT {values} AS a, {values} AS s, range AS p FROM range(8)")
        attributes = {
            "a": {"role": "quasi-identifier"},
            "s": {"role": "sensitive", "principle": {"l_diversity": 2}},
            "p": {"role": "quasi-identifier"},
        }
        release = lgb_sql.anonymize(connection, {"k": 4, "attributes": attributes}, to=directory / "r", table="t")
        assert release.manifest["metrics"]["groups"] == 2
        whole = lgb_sql.anonymize(connection, {"k": 8, "attributes": attributes}, to=directory / "w", table="t")
        assert whole.manifest["metrics"]["ncp_by_attribute"] == {"a": 8, "p": 8}


@pytest.mark.parametrize("generalization", GENERALIZERS)
def test_equal_ratios_of_decimals_are_ties(generalization: str) -> None:
    """Widths 0.2/0.4 and 1/2 are equal: the attribute that the policy names first is cut."""
    kind = Kind("decimal", pa.decimal128(9, 2), "DECIMAL(9,2)", True, lambda i: Decimal(i) / 10)
    # In the large node both attributes have half of their domain's range; the domains come from other patterns.
    prices = [*map(kind.value, (1, 1, 3, 3)), None, None, *map(kind.value, (5, 5))]
    numbers = [0, 1, 0, 1, 2, 2, None, None]
    run_and_check(Case(2, (quasi("price", kind, prices), quasi("number", "integer", numbers)), generalization))
    run_and_check(Case(2, (quasi("number", "integer", numbers), quasi("price", kind, prices)), generalization))


@pytest.mark.parametrize("generalization", GENERALIZERS)
def test_both_zeros_are_one_value(generalization: str) -> None:
    values = [0.0, -0.0, 1.0, 1.0, 0.0, -0.0, 2.0, 2.0]
    zeros = Column(
        "s", "sensitive", KINDS["double"], (0.0, 1.0, -0.0, 2.0, 1.0, 3.0, 4.0, 5.0), None, None, ("l_diversity", 2)
    )
    run_and_check(Case(2, (quasi("x", "double", values), quasi("y", "double", values, False), zeros), generalization))


@pytest.mark.parametrize("generalization", GENERALIZERS)
def test_nanoseconds_are_told_apart(generalization: str) -> None:
    moments = pa.array(range(1_600_000_000_000_000_000, 1_600_000_000_000_000_016), pa.timestamp("ns"))
    with workplace() as directory:
        policy = {"k": 2, "generalization": generalization, "attributes": {"at": {"role": "quasi-identifier"}}}
        release = lgb_sql.anonymize(pa.table({"at": moments}), policy, to=directory / "release.duckdb")
        assert release.manifest["metrics"]["groups"] == 8


@pytest.mark.parametrize("generalization", GENERALIZERS)
def test_the_order_of_a_list_is_the_lists(generalization: str) -> None:
    words = ("low", "mid", "high", "unused", "top")
    levels = ["low"] * 4 + ["mid"] * 3 + ["high"] * 5 + ["top"] * 2
    released = run_and_check(Case(3, (quasi("level", "text", levels, words),), generalization))
    assert released
    assert {(group["level_lo"], group["level_hi"]) for group in released.groups.values()} <= {
        (low, high) for i, low in enumerate(words) for high in words[i:]
    }


@pytest.mark.parametrize("rows", [4, 5, 9, 40])
def test_borrowed_rows_follow_from_flags_and_quasi_identifiers(rows: int) -> None:
    """Only as many rows as needed; which ones does not depend on the secret, but for rows that are equal."""
    random = Random(rows)
    k, few = 4, 2
    ages = [random.randrange(30) for _ in range(rows + few)]
    zips = (*(random.randrange(3) for _ in range(rows)), 1, 2)
    flags = (*[False] * rows, *[True] * few)
    hidden = Column("zip", "semi-sensitive", KINDS["integer"], zips, flags, None, ("l_diversity", 2))
    case = Case(k, (quasi("age", "integer", ages), hidden))
    chosen = []
    for seed in (1, 2, 3):
        with workplace() as directory:
            outcome = anonymize(case.table(), case.policy(), directory, seed=seed)
        check_release(case, outcome)
        released = Released(case, outcome)
        lent = [row for row in range(rows) if released.form(row) == "QW"]
        assert len(lent) == (k - few if rows - (k - few) >= k else rows)
        chosen.append(Counter((ages[row], zips[row]) for row in lent))
    assert chosen[0] == chosen[1] == chosen[2]


@pytest.mark.parametrize("generalization", GENERALIZERS)
@pytest.mark.parametrize("k", [5, 8])
def test_people(generalization: str, k: int) -> None:
    """A census-like table: five quasi-identifiers, three semi-sensitive attributes, one sensitive."""
    table = people(1500)
    columns = []
    for name, entry in PEOPLE_POLICY["attributes"].items():
        kind = {"hours_per_week": SMALLINT, "age": SMALLINT, "salary": INTEGER}.get(name, KINDS["text"])
        flags = tuple(table[entry["flag"]].to_pylist()) if "flag" in entry else None
        principle = next(iter(entry["principle"].items())) if "principle" in entry else None
        columns.append(Column(name, entry["role"], kind, tuple(table[name].to_pylist()), flags, None, principle))
    case = Case(k, tuple(columns), generalization, "sweep", "merge", 0.02)
    with workplace() as directory:
        outcome = anonymize(table, {**PEOPLE_POLICY, "k": k, "generalization": generalization}, directory, threads=2)
        if (generalization, k) == ("fast", 5):
            check_release(case, outcome)
        else:
            check_partition(Released(case, outcome))


SMALLINT = Kind("smallint", pa.int16(), "SMALLINT", True, lambda i: i)
INTEGER = Kind("int", pa.int32(), "INTEGER", True, lambda i: i)


def test_a_date_is_measured_in_days() -> None:
    """A width in days, so that 1900 to 2100 with one far value is wide."""
    days = [dt.date(1900, 1, 1), dt.date(2000, 1, 1), dt.date(2000, 1, 2), dt.date(2100, 1, 1)] * 5
    run_and_check(Case(5, (quasi("day", "date", days), quasi("n", "integer", [0, 1, 1, 2] * 5)), "mdp"))
