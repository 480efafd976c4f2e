"""The plan for small patterns against the reference, and its promises where no reference reaches."""

from __future__ import annotations

import re
from collections import Counter
from functools import reduce
from random import Random
from time import process_time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lgb_sql import InfeasiblePolicyError
from lgb_sql.patterns import GREEDY_LIMIT, PatternPlan, plan_patterns
from tests.reference.patterns import common_form, greedy_merge

PURE = settings(deadline=None, derandomize=True, database=None)


@st.composite
def pattern_counts(draw: st.DrawFn) -> dict[str, int]:
    """Counts by pattern: many ties, some full patterns."""
    attributes = draw(st.integers(0, 6))
    patterns = draw(st.lists(st.text("QNS", min_size=attributes, max_size=attributes), min_size=1, max_size=14))
    most = draw(st.sampled_from((1, 3, 8, 30)))
    return {pattern: draw(st.integers(1, most)) for pattern in dict.fromkeys(patterns)}


def merge(counts: dict[str, int], k: int) -> PatternPlan:
    return plan_patterns(counts, k, "merge", 0.0)


def check_plan(plan: PatternPlan, counts: dict[str, int], k: int) -> None:
    """Every cluster has k tuples and the common form of its patterns, and nothing is lost."""
    assert plan.suppressed == ()
    assert sum(cluster.size for cluster in plan.clusters) == sum(counts.values())
    assert min(cluster.size for cluster in plan.clusters) >= k
    assert Counter(m for cluster in plan.clusters for m in cluster.members) == Counter(dict.fromkeys(counts, 1))
    for cluster in plan.clusters:
        own = reduce(common_form, cluster.members)
        size = sum(counts[member] for member in cluster.members)
        if plan.borrowing and cluster == plan.borrowing.borrower:
            assert cluster.form == common_form(own, plan.borrowing.donor.form)
            assert cluster.size == k == size + plan.borrowing.rows
        elif plan.borrowing and cluster == plan.borrowing.donor:
            assert cluster.form == own
            assert cluster.size == size - plan.borrowing.rows
        else:
            assert (cluster.form, cluster.size) == (own, size)


@settings(PURE, max_examples=600)
@given(counts=pattern_counts(), k=st.integers(2, 12))
def test_merges_are_the_references(counts: dict[str, int], k: int) -> None:
    if sum(counts.values()) < k:
        with pytest.raises(InfeasiblePolicyError, match="fewer than k"):
            merge(counts, k)
        return
    expected = greedy_merge(counts, k)
    plan = merge(counts, k)
    check_plan(plan, counts, k)
    clusters = [(cluster.form, cluster.size, cluster.members) for cluster in plan.clusters]
    assert sorted(clusters, key=lambda cluster: cluster[2][0]) == expected.clusters
    if plan.borrowing:
        assert expected.borrowed == (plan.borrowing.donor.members[0], plan.borrowing.rows)
    # The order in which patterns are counted means nothing.
    shuffled = list(counts.items())
    Random(k).shuffle(shuffled)
    assert merge(dict(shuffled), k) == plan


def many_patterns(number: int, attributes: int, most: int) -> dict[str, int]:
    random = Random(number)
    counts: dict[str, int] = {}
    while len(counts) < number:
        counts["".join(random.choices("QNS", k=attributes))] = random.randint(1, most)
    return counts


@pytest.mark.parametrize(
    ("number", "k", "most"),
    [(GREEDY_LIMIT, 5, 4), (GREEDY_LIMIT + 1, 5, 4), (GREEDY_LIMIT + 1, 1400, 2), (4000, 10, 30)],
)
def test_many_patterns(number: int, k: int, most: int) -> None:
    """Up to the limit greedily, above it set-wise: always k, common forms and all tuples."""
    counts = many_patterns(number, 40, most)
    check_plan(merge(counts, k), counts, k)


def test_more_patterns_than_pairs_can_be_held() -> None:
    """10^8 pairs must not be looked at."""
    counts = many_patterns(10_000, 40, 1)
    started = process_time()  # other load on the machine is no fault
    check_plan(merge(counts, 10), counts, 10)
    assert process_time() - started < 5


def test_many_small_patterns_that_are_fewer_than_k_together_borrow() -> None:
    counts = many_patterns(GREEDY_LIMIT + 1, 12, 1) | {"Q" * 12: 90_000}
    plan = merge(counts, 5000)
    check_plan(plan, counts, 5000)
    assert plan.borrowing
    assert plan.borrowing.rows == 5000 - (sum(counts.values()) - 90_000)


@settings(PURE, max_examples=200)
@given(counts=pattern_counts(), k=st.integers(2, 12), percent=st.sampled_from((0, 2, 10, 29, 50, 100)))
def test_suppression_stays_within_its_limit(counts: dict[str, int], k: int, percent: int) -> None:
    total = sum(counts.values())
    small = {pattern: count for pattern, count in counts.items() if count < k}
    allowed = 100 * sum(small.values()) <= percent * total and len(small) < len(counts)
    if not allowed and small:
        reason = "suppression_limit" if len(small) < len(counts) else "leaves nothing"
        with pytest.raises(InfeasiblePolicyError, match=reason) as caught:
            plan_patterns(counts, k, "suppress", percent / 100)
        if offered := re.search(r"raise suppression_limit to ([\d.]+)", caught.value.hint):
            plan_patterns(counts, k, "suppress", float(offered[1]))
        return
    plan = plan_patterns(counts, k, "suppress", percent / 100)
    assert sorted(plan.suppressed) == sorted(small)
    assert plan.borrowing is None
    assert {cluster.form: cluster.size for cluster in plan.clusters} == {p: c for p, c in counts.items() if c >= k}
    assert all(cluster.members == (cluster.form,) for cluster in plan.clusters)


def test_the_suppression_limit_is_what_is_written_not_its_binary_fraction() -> None:
    """29 of 100 tuples are 0.29; 0.29 * 100 is 28.999999999999996 in binary."""
    plan = plan_patterns({"Q": 71, "S": 29}, 30, "suppress", 0.29)
    assert plan.suppressed == ("S",)


@settings(PURE, max_examples=100)
@given(counts=pattern_counts(), k=st.integers(2, 12))
def test_error_mode_refuses_any_small_pattern(counts: dict[str, int], k: int) -> None:
    if any(count < k for count in counts.values()):
        with pytest.raises(InfeasiblePolicyError, match="fewer than k"):
            plan_patterns(counts, k, "error", 1.0)
    else:
        plan = plan_patterns(counts, k, "error", 0.0)
        assert {cluster.form: cluster.size for cluster in plan.clusters} == counts
