"""Hand-checkable cases and small exhaustive checks of the reference implementations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import combinations_with_replacement, product
from random import Random

import pytest

from .bucketization import (
    Bucket,
    Histogram,
    Method,
    deal,
    emd_equal,
    is_eligible,
    local_bucketization,
    lower_median,
    m_invariance,
    median_splits,
    stride,
    sweep,
    sweep_both,
    t_close_stride,
    width,
)
from .generalization import HIDDEN, Attribute, Cell, Row, c_dm, fast, mdp, ncp, quasi_partition
from .patterns import cells_lost, common_form, greedy_merge
from .possible_worlds import assignment_posterior, identity_posterior, value_posterior

METHODS: tuple[Method, ...] = ("m_invariance", "stride", "sweep")
AGE = Attribute("age", ordered=True)
ZIP = Attribute("zip", ordered=True)
SEX = Attribute("sex", ordered=False)


def small_histograms() -> Iterator[list[tuple[int, int]]]:
    """All histograms of up to five values that occur up to three times; the codes have gaps."""
    for distinct in range(1, 6):
        for counts in product((1, 2, 3), repeat=distinct):
            yield [(code * code, count) for code, count in enumerate(counts)]


def column(name: str, *values: int | str | None) -> list[Row]:
    """Rows of one attribute."""
    return [{name: value} for value in values]


# --- bucketization ---------------------------------------------------------------------------------------


def test_eligibility() -> None:
    assert is_eligible([(1, 2), (2, 2)], 2)
    assert is_eligible([(1, 5), (2, 5)], 2)
    assert not is_eligible([(1, 6), (2, 1), (3, 1), (4, 1), (5, 1)], 2)
    assert not is_eligible([], 2)


@pytest.mark.parametrize("method", METHODS)
def test_ineligible_values_and_l_below_2_are_refused(method: Method) -> None:
    with pytest.raises(ValueError, match="eligible"):
        local_bucketization([(1, 6), (2, 1), (3, 1), (4, 1), (5, 1)], 2, method)
    with pytest.raises(ValueError, match="at least 2"):
        local_bucketization([(1, 1), (2, 1)], 1, method)


def test_the_median_is_the_lower_one() -> None:
    assert lower_median([(1, 2), (2, 2)]) == 1
    assert lower_median([(1, 1), (2, 1), (3, 1)]) == 2
    assert lower_median([(1, 1), (7, 9)]) == 7


def test_median_splits() -> None:
    assert median_splits([(1, 2), (2, 2)], 2) == [[(1, 2), (2, 2)]]
    assert median_splits([(1, 1), (2, 1), (3, 1), (4, 1)], 2) == [[(1, 1), (2, 1)], [(3, 1), (4, 1)]]
    # The right side {4 x 2} is not eligible, so the whole is one leaf.
    assert median_splits([(1, 1), (2, 1), (4, 2)], 2) == [[(1, 1), (2, 1), (4, 2)]]
    # The median is the maximum: an empty right side is no split.
    assert median_splits([(1, 1), (2, 1), (3, 2)], 2) == [[(1, 1), (2, 1), (3, 2)]]


def test_m_invariance_by_hand() -> None:
    # beta = 2, alpha = 2 uses everything up.
    assert m_invariance([(1, 2), (2, 2)], 2) == [(1, 2), (1, 2)]
    # beta = 2, alpha = n_2 = 1 in every round; among equal counts the smaller code goes first.
    assert m_invariance([(1, 3), (2, 1), (3, 1), (4, 1)], 2) == [(1, 2), (1, 3), (1, 4)]
    # beta = 2 would leave one tuple, which is not eligible: beta grows to 3.
    assert m_invariance([(1, 1), (2, 1), (3, 1)], 2) == [(1, 2, 3)]


def test_stride_by_hand() -> None:
    assert stride([(1, 2), (2, 1), (5, 2)], 2) == [(1, 2, 5), (1, 5)]


def test_sweep_by_hand() -> None:
    assert sweep([(1, 1), (2, 1), (3, 1), (4, 1), (5, 1)], 2) == [(1, 2), (3, 4, 5)]
    # q = 2: code 9 occurs twice, so it is forced into both buckets.
    assert sweep([(1, 1), (2, 1), (9, 2)], 2) == [(1, 9), (2, 9)]
    # q = 3: none forced, 1 and 2. q = 2: code 3 is forced, filled up with 1. q = 1: the rest.
    assert sweep([(1, 2), (2, 2), (3, 2)], 2) == [(1, 2), (1, 3), (2, 3)]
    # n = 8, l = 3, q = 2: four values are forced, more than l.
    assert sweep([(1, 2), (2, 2), (3, 2), (4, 2)], 3) == [(1, 2, 3, 4), (1, 2, 3, 4)]


def test_sweep_both_keeps_the_narrower_direction() -> None:
    # Forwards {1,2}, {3,4,9}: 2*1 + 3*6 = 20. Backwards {4,9}, {1,2,3}: 2*5 + 3*2 = 16.
    histogram = [(1, 1), (2, 1), (3, 1), (4, 1), (9, 1)]
    assert width(sweep(histogram, 2)) == 20
    assert sweep_both(histogram, 2) == [(4, 9), (1, 2, 3)]
    # A tie (6 each): forwards.
    assert sweep_both([(1, 1), (2, 1), (3, 1), (4, 1), (5, 1)], 2) == [(1, 2), (3, 4, 5)]


@pytest.mark.parametrize("method", METHODS)
def test_every_eligible_histogram_is_bucketized_validly(method: Method) -> None:
    checked = 0
    for histogram in small_histograms():
        for l in (2, 3, 4):
            if not is_eligible(histogram, l):
                continue
            buckets = local_bucketization(histogram, l, method)
            assert Counter(code for bucket in buckets for code in bucket) == dict(histogram)
            assert all(list(bucket) == sorted(set(bucket)) for bucket in buckets)
            assert all(l <= len(bucket) <= 2 * l - 1 for bucket in buckets)
            checked += 1
    assert checked > 300


@pytest.mark.parametrize("assign", [m_invariance, stride, sweep])
def test_assignments_hold_without_median_splits(assign: Callable[[Histogram, int], list[Bucket]]) -> None:
    for histogram in small_histograms():
        for l in (2, 3, 4):
            if is_eligible(histogram, l):
                buckets = assign(histogram, l)
                assert Counter(code for bucket in buckets for code in bucket) == dict(histogram)
                assert all(len(set(b)) == len(b) and l <= len(b) <= 2 * l - 1 for b in buckets)


def test_median_splits_are_the_histogram_cut_at_values() -> None:
    for histogram in small_histograms():
        if is_eligible(histogram, 2):
            leaves = median_splits(histogram, 2)
            assert [pair for leaf in leaves for pair in leaf] == histogram
            assert all(is_eligible(leaf, 2) for leaf in leaves)


def test_t_closeness_refuses_a_t_that_one_value_could_meet() -> None:
    sex = [(0, 90), (1, 10)]
    assert t_close_stride(sex, Fraction(1, 5)) is None
    assert t_close_stride(sex, Fraction(1, 10)) is None
    assert t_close_stride([(0, 10)], Fraction(1, 100)) is None
    assert t_close_stride([], Fraction(1, 5)) is None
    with pytest.raises(ValueError, match="positive"):
        t_close_stride(sex, Fraction(0))


def test_t_closeness_by_hand() -> None:
    assert emd_equal([(0, 2), (1, 2)], (0, 1)) == 0
    assert emd_equal([(0, 2), (1, 2)], (0, 0, 1)) == Fraction(1, 6)
    assert emd_equal([(0, 90), (1, 10)], (0,)) == Fraction(1, 10)
    # t = 1/3: three tuples at least, so at most three buckets of nine tuples; distances 1/9, 1/9, 2/9.
    assert t_close_stride([(0, 5), (1, 4)], Fraction(1, 3)) == [(0, 0, 1), (0, 0, 1), (0, 1, 1)]
    # The bound is inclusive: four values of 1/4 each, a bucket of two of them is at distance 1/2.
    four = [(0, 1), (1, 1), (2, 1), (3, 1)]
    assert t_close_stride(four, Fraction(1, 2)) == [(0, 2), (1, 3)]
    assert t_close_stride(four, Fraction(49, 100)) == [(0, 1, 2, 3)]


def is_t_close(histogram: Histogram, buckets: Sequence[Bucket], t: Fraction) -> bool:
    """All conditions on the buckets, one by one."""
    return (
        all(len(bucket) * t >= 1 for bucket in buckets)
        and all(len(set(bucket)) >= 2 for bucket in buckets)
        and all(emd_equal(histogram, bucket) <= t for bucket in buckets)
    )


def test_t_closeness_finds_the_largest_number_of_buckets() -> None:
    for histogram in small_histograms():
        n = sum(count for _, count in histogram)
        p_max = Fraction(max(count for _, count in histogram), n)
        for t in (Fraction(1, 2), Fraction(1, 3), Fraction(1, 5), Fraction(3, 20)):
            buckets = t_close_stride(histogram, t)
            if buckets is None:
                # B = 1 is always at distance 0, so only too few tuples or the refusal explain it.
                assert t >= 1 - p_max or n * t < 1
                continue
            assert t < 1 - p_max
            assert Counter(code for bucket in buckets for code in bucket) == dict(histogram)
            valid = [b for b in range(1, n + 1) if is_t_close(histogram, deal(histogram, b), t)]
            assert len(buckets) == max(valid)


def test_two_values_need_no_more_than_ceil_1_over_t_tuples() -> None:
    # 6,256 tuples at t = 1/5: floor(6256 / 5) = 1,251 buckets of 5 or 6.
    buckets = t_close_stride([(0, 3300), (1, 2956)], Fraction(1, 5))
    assert buckets is not None
    assert Counter(map(len, buckets)) == {5: 1250, 6: 1}


# --- generalization --------------------------------------------------------------------------------------


def test_quasi_partition_by_hidden_null_and_value() -> None:
    rows: list[Row] = [{"age": 1}, {"age": HIDDEN}, {"age": None}, {"age": 2}, {"age": HIDDEN}]
    assert quasi_partition(rows, [AGE]) == [[0, 3], [1, 4], [2]]


def test_the_literal_median_gives_up_where_fast_cuts() -> None:
    rows = column("age", *[1] * 3, *[2] * 7)
    assert mdp(rows, [AGE], 3) == {frozenset(range(10))}
    assert fast(rows, [AGE], 3) == {frozenset(range(3)), frozenset(range(3, 10))}


def test_mdp_by_hand() -> None:
    rows = column("age", 5, 4, 3, 2, 1)
    # Lower median 3: {1,2,3} left, {4,5} right; the left side cannot be cut again with k = 2.
    assert mdp(rows, [AGE], 2) == {frozenset({2, 3, 4}), frozenset({0, 1})}


def test_the_widest_dimension_comes_first_and_the_first_named_on_a_tie() -> None:
    rows: list[Row] = [
        {"age": 0, "zip": 0},
        {"age": 0, "zip": 9},
        {"age": 5, "zip": 0},
        {"age": 5, "zip": 9},
    ]
    by_age = {frozenset({0, 1}), frozenset({2, 3})}
    by_zip = {frozenset({0, 2}), frozenset({1, 3})}
    assert mdp(rows, [AGE, ZIP], 2) == by_age
    assert mdp(rows, [ZIP, AGE], 2) == by_zip
    # Another pattern (zip hidden) stretches the domain of age: there age is narrower than zip.
    others: list[Row] = [{"age": 50, "zip": HIDDEN}, {"age": 50, "zip": HIDDEN}]
    assert mdp(rows + others, [AGE, ZIP], 2) == by_zip | {frozenset({4, 5})}


def test_a_failing_dimension_is_dropped_and_the_next_tried() -> None:
    # age is widest (9/9) but its median leaves one row on the right; zip (1/9 of its range) cuts.
    rows: list[Row] = [
        {"age": 0, "zip": 0},
        {"age": 0, "zip": 1},
        {"age": 0, "zip": 0},
        {"age": 9, "zip": 1},
        {"age": HIDDEN, "zip": 9},
        {"age": HIDDEN, "zip": 9},
    ]
    expected = {frozenset({0, 2}), frozenset({1, 3}), frozenset({4, 5})}
    assert mdp(rows, [AGE, ZIP], 2) == expected
    assert fast(rows, [AGE, ZIP], 2) == expected


def test_an_unordered_width_counts_distinct_values() -> None:
    # sex: (2 - 1) / (2 - 1) = 1; age: 1/10 because of the hidden-sex rows.
    rows: list[Row] = [
        {"age": 0, "sex": "f"},
        {"age": 1, "sex": "f"},
        {"age": 0, "sex": "m"},
        {"age": 1, "sex": "m"},
        {"age": 10, "sex": HIDDEN},
        {"age": 10, "sex": HIDDEN},
    ]
    assert mdp(rows, [AGE, SEX], 2) == {frozenset({0, 1}), frozenset({2, 3}), frozenset({4, 5})}


def test_fast_orders_an_unordered_attribute_by_frequency() -> None:
    job = Attribute("job", ordered=False)
    rows = column("job", "a", "b", "b", "b", "c", "d")
    # b(3) a c d: the boundary after b is the middle. By value a|b.. would give 1/5 or 4/2.
    assert fast(rows, [job], 2) == {frozenset({1, 2, 3}), frozenset({0, 4, 5})}
    assert mdp(rows, [job], 2) == {frozenset({0, 1, 2, 3}), frozenset({4, 5})}
    # Ties by value ascending: a and b left, c and d right.
    ties = column("job", "d", "c", "b", "a")
    assert fast(ties, [job], 2) == {frozenset({2, 3}), frozenset({0, 1})}


def test_fast_takes_the_smaller_left_side_on_a_tie() -> None:
    # Counts 2, 1, 2: the boundaries 2|3 and 3|2 are equally near the middle.
    rows = column("age", 1, 1, 2, 3, 3)
    assert fast(rows, [AGE], 2) == {frozenset({0, 1}), frozenset({2, 3, 4})}


def test_null_and_hidden_are_patterns_of_their_own() -> None:
    rows = [*column("age", None, None, 1, 9), *[{"age": HIDDEN}] * 2]
    expected = {frozenset({0, 1}), frozenset({2, 3}), frozenset({4, 5})}
    assert mdp(rows, [AGE], 2) == expected
    assert fast(rows, [AGE], 2) == expected


def test_a_pattern_below_k_is_refused() -> None:
    with pytest.raises(ValueError, match="fewer than k"):
        mdp(column("age", 1, 2, None), [AGE], 2)
    with pytest.raises(ValueError, match="fewer than k"):
        fast(column("age", 1, 2, None), [AGE], 2)


def test_metrics_by_hand() -> None:
    groups = [[0, 1, 2], [3, 4]]
    rows: list[Row] = [
        {"age": 0, "sex": "f"},
        {"age": 5, "sex": "m"},
        {"age": 5, "sex": "m"},
        {"age": 10, "sex": "x"},
        {"age": 10, "sex": HIDDEN},
    ]
    assert c_dm(groups) == 13
    # age: 3 * 5/10 + 0; sex: 3 * 2/3 + 0.
    assert ncp(rows, [AGE, SEX], groups) == 3.5
    assert ncp(rows, [AGE, SEX], [[i] for i in range(5)]) == 0
    assert ncp(column("age", 4, 4, None), [AGE], [[0, 1], [2]]) == 0


def test_partitions_cover_every_row_once_with_k_rows_or_more() -> None:
    random = Random(7)
    ages: list[Cell] = [HIDDEN, None, 0, 1, 2, 3, 4, 5]
    zips: list[Cell] = [1.5, 2.25, Fraction(1, 3), 8]
    for _ in range(30):
        rows: list[Row] = [{"age": age, "zip": random.choice(zips), "sex": random.choice("fmx")} for age in ages * 8]
        for partition in (mdp, fast):
            groups = partition(rows, [AGE, ZIP, SEX], 3)
            assert sorted(index for group in groups for index in group) == list(range(64))
            assert min(map(len, groups)) >= 3
            subsets = quasi_partition(rows, [AGE, ZIP, SEX])
            assert all(any(group <= set(subset) for subset in subsets) for group in groups)


# --- patterns --------------------------------------------------------------------------------------------


def test_common_form_and_cells_lost() -> None:
    assert common_form("QSNW", "QQNW") == "QWNW"
    assert common_form("QN", "NQ") == "WW"
    assert cells_lost("QS", 2, "QQ", 3) == 5
    assert cells_lost("WS", 2, "QS", 3) == 3
    assert cells_lost("WS", 2, "WS", 3) == 0


def test_full_patterns_stay_untouched() -> None:
    result = greedy_merge({"QQ": 5, "QS": 3}, 3)
    assert result.clusters == [("QQ", 5, ("QQ",)), ("QS", 3, ("QS",))]
    assert result.borrowed is None


def test_the_pair_that_loses_fewest_cells_is_merged() -> None:
    # QQS + QSS differ in one letter (4 cells), either with SQQ in two or three.
    result = greedy_merge({"QQS": 2, "QSS": 2, "SQQ": 2, "SQS": 2}, 4)
    # QQS+QSS, QQS+SQS and SQQ+SQS all lose 4; the smallest pair of forms goes first.
    assert result.clusters == [("QWS", 4, ("QQS", "QSS")), ("SQW", 4, ("SQQ", "SQS"))]


def test_a_merged_cluster_that_is_still_small_merges_again() -> None:
    result = greedy_merge({"QQ": 1, "QS": 1, "SS": 1}, 3)
    # QQ+QS (2 cells) -> QW of 2; then with SS: W from Q,S 3 cells, W stays, S of SS 1 more.
    assert result.clusters == [("WW", 3, ("QQ", "QS", "SS"))]
    assert result.borrowed is None


def test_the_last_small_cluster_borrows_only_the_rows_it_needs() -> None:
    result = greedy_merge({"QQ": 1_000_000, "QS": 3}, 10)
    assert result.borrowed == ("QQ", 7)
    assert result.clusters == [("QQ", 999_993, ("QQ",)), ("QW", 10, ("QS",))]


def test_a_donor_never_keeps_fewer_than_k_rows() -> None:
    result = greedy_merge({"QQ": 11, "QS": 3}, 10)
    assert result.borrowed == ("QQ", 11)
    assert result.clusters == [("QW", 14, ("QQ", "QS"))]


def test_the_donor_that_loses_fewest_cells_is_chosen() -> None:
    # SQ: one letter differs, 2 + 1 rows = 3 cells. QS: two letters, 6 cells.
    assert greedy_merge({"QS": 90, "SQ": 50, "SN": 2}, 3).borrowed == ("SQ", 1)
    # Both lose 3 cells: the larger donor.
    assert greedy_merge({"QS": 50, "SQ": 90, "SS": 2}, 3).borrowed == ("SQ", 1)
    # Equally large too: the smaller form.
    assert greedy_merge({"SQ": 50, "QS": 50, "SS": 2}, 3).borrowed == ("QS", 1)


def test_the_merge_refuses_a_table_below_k() -> None:
    with pytest.raises(ValueError, match="fewer than k"):
        greedy_merge({"QQ": 1, "QS": 1}, 3)


def test_every_merge_keeps_all_rows_and_reaches_k() -> None:
    random = Random(11)
    for _ in range(200):
        patterns = {"".join(random.choices("QNS", k=3)) for _ in range(random.randint(1, 9))}
        counts = {pattern: random.randint(1, 9) for pattern in patterns}
        if sum(counts.values()) < 5:
            continue
        result = greedy_merge(counts, 5)
        assert sum(size for _, size, _ in result.clusters) == sum(counts.values())
        assert min(size for _, size, _ in result.clusters) >= 5
        assert sorted(member for _, _, members in result.clusters for member in members) == sorted(counts)
        for form, _, members in result.clusters:
            for member in members:
                assert all(f in (m, "W") for f, m in zip(form, member, strict=True))
        shuffled = list(counts.items())
        random.shuffle(shuffled)
        assert greedy_merge(dict(shuffled), 5) == result


# --- possible worlds -------------------------------------------------------------------------------------


def buckets_of(values: Sequence[int], l: int, method: Method) -> list[Bucket]:
    """Bucketize a multiset."""
    return local_bucketization(sorted(Counter(values).items()), l, method)


def test_posteriors_by_hand() -> None:
    # One LEG of two rows in two buckets: each person may be in either bucket.
    persons = ["g", "g", "h", "h"]
    released = [("g", 0), ("g", 1), ("h", 0), ("h", 1)]
    sat = {0: ["flu", "hiv"], 1: ["flu", "gout"]}
    identity = identity_posterior(persons, released, sat)
    assert identity == {(t, r): Fraction(1, 2) for t, r in [*product((0, 1), repeat=2), *product((2, 3), repeat=2)]}
    value = value_posterior(persons, released, sat)
    assert value[0, "flu"] == Fraction(1, 2)
    assert value[0, "hiv"] == value[0, "gout"] == Fraction(1, 4)


def test_a_leg_of_one_row_identifies_and_a_bucket_of_one_value_reveals() -> None:
    identity = identity_posterior(["g", "h"], [("g", 0), ("h", 0)], {0: ["flu", "hiv"]})
    assert identity[0, 0] == 1
    value = value_posterior(["g", "g"], [("g", 0), ("g", 0)], {0: ["flu", "flu"]})
    assert value[1, "flu"] == 1


def test_a_release_that_does_not_fit_is_refused() -> None:
    with pytest.raises(ValueError, match="LEG"):
        value_posterior(["g"], [("h", 0)], {0: ["flu"]})
    with pytest.raises(ValueError, match="bucket"):
        value_posterior(["g"], [("g", 0)], {0: ["flu", "hiv"]})


@pytest.mark.parametrize("legs", ["aaabb", "aabbb", "ababa", "aaaaa"])
@pytest.mark.parametrize("method", METHODS)
def test_posteriors_stay_below_1_over_l_and_1_over_k(legs: str, method: Method) -> None:
    l, k = 2, min(Counter(legs).values())
    random = Random(legs + method)
    for values in ([1, 1, 2, 2, 3], [1, 2, 3, 4, 5]):
        buckets = buckets_of(values, l, method)
        bids = [bid for bid, bucket in enumerate(buckets) for _ in bucket]
        random.shuffle(bids)
        released = list(zip(legs, bids, strict=True))
        sat = dict(enumerate(buckets))
        assert max(value_posterior(legs, released, sat).values()) <= Fraction(1, l)
        assert max(identity_posterior(legs, released, sat).values()) == Fraction(1, k)


@pytest.mark.parametrize("method", METHODS)
def test_the_value_promise_holds_for_every_small_multiset(method: Method) -> None:
    def bucketizer(values: Sequence[int]) -> list[Bucket]:
        return buckets_of(values, l, method)

    checked = 0
    for n, l in ((4, 2), (5, 2), (6, 2), (6, 3)):
        for values in combinations_with_replacement(range(4), n):
            if is_eligible(sorted(Counter(values).items()), l):
                assert assignment_posterior(values, bucketizer) <= Fraction(1, l)
                checked += 1
    assert checked > 40


def test_the_oracle_sees_a_broken_bucketizer() -> None:
    assert assignment_posterior([1, 1, 2, 2], lambda values: [values[:2], values[2:]]) == 1
    assert assignment_posterior([1, 1, 1, 2], lambda values: [values]) == Fraction(3, 4)


def test_ties_in_a_known_order_break_the_promise() -> None:
    # Buckets {1,2} and {1,3}: IDT (1,0,0,1) forces the second 1 onto the last person.
    def bucketizer(values: Sequence[int]) -> list[Bucket]:
        return [(1, 2), (1, 3)]

    assert assignment_posterior([1, 1, 2, 3], bucketizer) == Fraction(1, 2)
    assert assignment_posterior([1, 1, 2, 3], bucketizer, ties="by_person") == 1
