"""Bucket plans against the reference, and SAT tables against the reference's buckets."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from decimal import Decimal
from fractions import Fraction
from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lgb_sql import InfeasiblePolicyError, LDiversity, TCloseness
from lgb_sql.bucketization import ASSIGNMENTS
from lgb_sql.bucketization.slots import Histogram, Slots
from tests.properties.cases import KINDS, Case, Column
from tests.properties.invariants import check_release
from tests.reference.bucketization import Method, is_eligible, local_bucketization, sweep, t_close_stride, width
from tests.support import anonymize, workplace

METHODS: tuple[Method, ...] = ("m_invariance", "stride", "sweep")
PURE = settings(deadline=None, derandomize=True, database=None)

Buckets = list[tuple[int, ...]]


def expand(slots: Slots) -> Buckets:
    """The buckets of a plan; every occurrence of a code must be laid exactly once."""
    held: list[list[int]] = [[] for _ in range(slots.buckets)]
    occurrences: dict[int, list[int]] = {}
    columns = (slots.codes, slots.first_occurrences, slots.first_buckets, slots.lengths)
    for code, first_occurrence, first_bucket, length in zip(*columns, strict=True):
        assert length >= 1
        occurrences.setdefault(code, []).extend(range(first_occurrence, first_occurrence + length))
        for bucket in range(first_bucket, first_bucket + length):
            held[bucket].append(code)
    assert all(sorted(laid) == list(range(len(laid))) for laid in occurrences.values())
    return [tuple(sorted(bucket)) for bucket in held]


def check_l_diverse(buckets: Buckets, histogram: Histogram, l: int) -> None:
    assert Counter(code for bucket in buckets for code in bucket) == dict(histogram)
    assert all(len(set(bucket)) == len(bucket) and l <= len(bucket) < 2 * l for bucket in buckets)


def plans(histogram: Histogram, l: int, method: str) -> list[Buckets]:
    """Every plan that an assignment offers."""
    return [expand(slots) for slots in ASSIGNMENTS[method](histogram, l)]


def mirrored(histogram: Histogram) -> list[tuple[int, int]]:
    return sorted((-code, count) for code, count in histogram)


@st.composite
def histograms(draw: st.DrawFn, max_values: int = 30) -> list[tuple[int, int]]:
    """Ties, single occurrences and one very frequent value; codes are dense, as the program makes them."""
    largest = draw(st.sampled_from((1, 2, 5, 40)))
    counts = draw(st.lists(st.integers(1, largest), min_size=1, max_size=max_values))
    if draw(st.booleans()):
        place = draw(st.integers(0, len(counts) - 1))
        counts[place] = max(1, sum(counts) // draw(st.integers(1, 6)))
    return list(enumerate(counts))


@pytest.mark.parametrize("method", METHODS)
@settings(PURE, max_examples=400)
@given(histogram=histograms(), l=st.integers(2, 8))
def test_buckets_are_the_references(method: Method, histogram: list[tuple[int, int]], l: int) -> None:
    if not is_eligible(histogram, l):
        with pytest.raises(InfeasiblePolicyError):
            LDiversity(l).check("a", histogram)
        return
    LDiversity(l).check("a", histogram)
    found = plans(histogram, l, method)
    for buckets in found:
        check_l_diverse(buckets, histogram, l)
    if method == "sweep":
        backwards = [tuple(sorted(-code for code in bucket)) for bucket in sweep(mirrored(histogram), l)]
        expected = [sweep(histogram, l), backwards]
    else:
        expected = [local_bucketization(histogram, l, method)]
    assert [Counter(buckets) for buckets in found] == [Counter(buckets) for buckets in expected]


@settings(PURE, max_examples=200)
@given(histogram=histograms(), l=st.integers(2, 8))
def test_a_sweep_knows_how_wide_it_is(histogram: list[tuple[int, int]], l: int) -> None:
    """Of both directions the narrower is taken: by extents of codes, measured on the values later."""
    if not is_eligible(histogram, l):
        return
    for slots in ASSIGNMENTS["sweep"](histogram, l):
        assert sum(tuples * (high - low) for tuples, low, high in slots.extents) == width(expand(slots))
        assert sum(tuples for tuples, _, _ in slots.extents) == sum(count for _, count in histogram)


def small_histograms(values: int, most: int) -> Iterator[list[tuple[int, int]]]:
    """All histograms up to a size."""
    for distinct in range(1, values + 1):
        for counts in product(range(1, most + 1), repeat=distinct):
            yield list(enumerate(counts))


@pytest.mark.parametrize("method", METHODS)
def test_every_small_eligible_histogram_has_valid_buckets(method: Method) -> None:
    checked = 0
    for values, most in ((5, 5), (7, 3), (10, 2)):
        for histogram in small_histograms(values, most):
            for l in (2, 3, 4, 5):
                if is_eligible(histogram, l):
                    for buckets in plans(histogram, l, method):
                        check_l_diverse(buckets, histogram, l)
                    checked += 1
    assert checked > 9000


@pytest.mark.parametrize("method", METHODS)
def test_no_values_make_no_buckets(method: Method) -> None:
    """An attribute that nobody flags has an empty SAT."""
    LDiversity(2).check("a", [])
    TCloseness(Decimal("0.2")).check("a", [])
    assert plans([], 2, method) == [[]]
    assert [expand(slots) for slots in TCloseness(Decimal("0.2")).assign([], method)] == [[]]


@pytest.mark.parametrize("method", METHODS)
def test_a_large_histogram_is_planned_by_events_not_by_rows(method: Method) -> None:
    histogram = [(code, 1 + (code * 7919) % 5000) for code in range(3000)]
    l = 10
    assert is_eligible(histogram, l)
    for slots in ASSIGNMENTS[method](histogram, l):
        check_l_diverse(expand(slots), histogram, l)
        assert len(slots.codes) < 20 * len(histogram)


BOUNDS = ("0.5", "0.34", "0.25", "0.2", "0.15", "0.1", "0.07", "0.3333333333333333")


@settings(PURE, max_examples=500)
@given(histogram=histograms(max_values=9), t=st.sampled_from(BOUNDS))
def test_t_closeness_finds_the_references_buckets(histogram: list[tuple[int, int]], t: str) -> None:
    principle = TCloseness(Decimal(t))
    expected = t_close_stride(histogram, Fraction(t))
    if expected is None:
        with pytest.raises(InfeasiblePolicyError):
            principle.check("a", histogram)
        return
    principle.check("a", histogram)
    (slots,) = principle.assign(histogram, "sweep")
    assert slots.buckets == len(expected)
    assert Counter(expand(slots)) == Counter(expected)


def test_t_closeness_of_every_small_histogram() -> None:
    for histogram in (*small_histograms(4, 4), *small_histograms(2, 12)):
        for t in ("0.5", "0.4", "0.2"):
            expected = t_close_stride(histogram, Fraction(t))
            try:
                TCloseness(Decimal(t)).check("a", histogram)
            except InfeasiblePolicyError:
                assert expected is None
                continue
            assert expected is not None
            (slots,) = TCloseness(Decimal(t)).assign(histogram, "")
            assert Counter(expand(slots)) == Counter(expected)


def test_census_like_sex_is_dealt_into_the_most_buckets() -> None:
    (slots,) = TCloseness(Decimal("0.2")).assign([(0, 3300), (1, 2956)], "sweep")
    assert slots.buckets == 1251


# --- released SAT tables ---------------------------------------------------------------------------------


def released_sat(values: Sequence[Any], principle: tuple[str, Any], method: str, kind: str = "integer") -> None:
    """One sensitive attribute; `check_release` holds its SAT against the reference's buckets."""
    quasi = Column("q", "quasi-identifier", KINDS["integer"], tuple(range(len(values))))
    case = Case(2, (quasi, Column("s", "sensitive", KINDS[kind], tuple(values), None, None, principle)), "fast", method)
    with workplace() as directory:
        check_release(case, anonymize(case.table(), case.policy(), directory))


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    ("values", "principle"),
    [
        ([None] * 5 + [1, 2, 3, 4, 5], ("l_diversity", 2)),
        ([None, 1, 2, 3, None, 5, 6, 7, 7], ("l_diversity", 3)),
        ([1] * 6 + [2] * 6 + [3] * 6, ("l_diversity", 3)),
        ([9] * 10 + list(range(20, 40)), ("l_diversity", 3)),
        ([None] * 7 + [1] * 5 + [2] * 4, ("t_closeness", 0.3)),
    ],
)
def test_sat_with_nulls_ties_and_skew(values: list[int | None], principle: tuple[str, Any], method: str) -> None:
    released_sat(values, principle, method)


def test_sat_of_text_is_ordered_by_code_point() -> None:
    released_sat(["b", "a", "Z", "é", "z", "~", " ", "", "aa", "A", "日", "🙂"], ("l_diversity", 2), "sweep", "text")
