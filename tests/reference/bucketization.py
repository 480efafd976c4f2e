"""Local bucketization on a value histogram: the paper's Algorithm 2 and the bucket assignments beside it.

Everything here is a function of the histogram alone: no row, no quasi-identifier, no randomness.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import ceil
from typing import Literal

Histogram = Sequence[tuple[int, int]]
"""(code, count) pairs, codes ascending in value order, counts at least 1."""

Bucket = tuple[int, ...]
"""The codes of one bucket, ascending; a multiset under t-closeness, a set under l-diversity."""

Positions = Mapping[int, float]
"""Where the value of a code stands, for attributes whose ranges are measured on values."""

Method = Literal["m_invariance", "stride", "sweep"]


def total(histogram: Histogram) -> int:
    """The number of tuples."""
    return sum(count for _, count in histogram)


def is_eligible(histogram: Histogram, l: int) -> bool:
    """`check_condition` (Algorithm 2, line 5): the most frequent value occurs at most n / l times."""
    n = total(histogram)
    return n > 0 and max(count for _, count in histogram) * l <= n


def _require_eligible(histogram: Histogram, l: int) -> None:
    """Refuse what no bucketization can serve, before anything else happens."""
    if l < 2:
        raise ValueError("l must be at least 2")
    if not is_eligible(histogram, l):
        raise ValueError("the histogram is not l-eligible")


def lower_median(histogram: Histogram) -> int:
    """`calculate_median` (Algorithm 2, line 2): the smallest code v with 2 * cum(v) >= n."""
    n = total(histogram)
    cumulated = 0
    for code, count in histogram:
        cumulated += count
        if 2 * cumulated >= n:
            return code
    raise ValueError("an empty histogram has no median")


def median_splits(histogram: Histogram, l: int) -> list[list[tuple[int, int]]]:
    """Algorithm 2, lines 1-8: the sets that reach `divide_buckets`, in ascending order.

    The paper lets an empty side pass line 5; here an empty side is not eligible, so both sides are
    strictly smaller than their parent and the recursion ends.
    """
    _require_eligible(histogram, l)
    median = lower_median(histogram)
    small = [(code, count) for code, count in histogram if code <= median]
    big = [(code, count) for code, count in histogram if code > median]
    if is_eligible(small, l) and is_eligible(big, l):
        return median_splits(small, l) + median_splits(big, l)
    return [list(histogram)]


def _alpha_beta(counts: Sequence[int], l: int) -> tuple[int, int]:
    """m-Invariance: the smallest beta >= l that admits an alpha >= 1, with its largest alpha.

    `counts` descend: counts[0] is n_1, counts[beta] is n_(beta+1), which is 0 past the end.
    """
    gamma = sum(counts)
    for beta in range(l, len(counts) + 1):
        n_next = counts[beta] if beta < len(counts) else 0
        for alpha in range(counts[beta - 1], 0, -1):
            rest = gamma - alpha * beta
            if (counts[0] - alpha) * l <= rest and n_next * l <= rest:
                return alpha, beta
    raise ValueError("the m-Invariance assignment is stuck")


def m_invariance(histogram: Histogram, l: int) -> list[Bucket]:
    """`divide_buckets` (Algorithm 2, line 9): the assignment algorithm of m-Invariance.

    Each round takes alpha tuples of each of the beta most frequent values (ties: smaller code) and
    makes alpha buckets of beta values.
    """
    _require_eligible(histogram, l)
    left = dict(histogram)
    buckets: list[Bucket] = []
    while left:
        ranked = sorted(left, key=lambda code: (-left[code], code))
        alpha, beta = _alpha_beta([left[code] for code in ranked], l)
        chosen = ranked[:beta]
        buckets += [tuple(sorted(chosen))] * alpha
        for code in chosen:
            left[code] -= alpha
        left = {code: count for code, count in left.items() if count > 0}
    return buckets


def deal(histogram: Histogram, number_of_buckets: int) -> list[Bucket]:
    """Sort the tuples by value; the tuple at position i goes to bucket i % number_of_buckets."""
    hands: list[list[int]] = [[] for _ in range(number_of_buckets)]
    tuples = [code for code, count in sorted(histogram) for _ in range(count)]
    for position, code in enumerate(tuples):
        hands[position % number_of_buckets].append(code)
    return [tuple(hand) for hand in hands]


def stride(histogram: Histogram, l: int) -> list[Bucket]:
    """`divide_buckets` in closed form: deal the sorted tuples into floor(n / l) buckets."""
    _require_eligible(histogram, l)
    return deal(histogram, total(histogram) // l)


def sweep(histogram: Histogram, l: int) -> list[Bucket]:
    """One narrow bucket at a time, from the smallest code upwards.

    With q buckets still to make, a value that occurs q times must be in every one of them (forced). The
    bucket is filled up to l with the leftmost other values; the last bucket takes all that is left.
    """
    _require_eligible(histogram, l)
    left = dict(histogram)
    buckets: list[Bucket] = []
    while left:
        q = sum(left.values()) // l
        if q == 1:
            chosen = sorted(left)
        else:
            forced = sorted(code for code in left if left[code] == q)
            others = sorted(code for code in left if left[code] != q)
            chosen = sorted(forced + others[: max(0, l - len(forced))])
        buckets.append(tuple(chosen))
        for code in chosen:
            left[code] -= 1
        left = {code: count for code, count in left.items() if count > 0}
    return buckets


def width(buckets: Sequence[Bucket], positions: Positions | None = None) -> float:
    """The range of every tuple's bucket, summed over all tuples: on positions, or on codes without them."""
    at = positions or {code: code for bucket in buckets for code in bucket}
    return sum(len(bucket) * (at[max(bucket)] - at[min(bucket)]) for bucket in buckets)


def sweep_both(histogram: Histogram, l: int, positions: Positions | None = None) -> list[Bucket]:
    """The sweep from the left, or the sweep from the right where that one is strictly narrower."""
    forwards = sweep(histogram, l)
    mirrored = sorted((-code, count) for code, count in histogram)
    backwards = [tuple(sorted(-code for code in bucket)) for bucket in sweep(mirrored, l)]
    return backwards if width(backwards, positions) < width(forwards, positions) else forwards


def local_bucketization(
    histogram: Histogram, l: int, method: Method, positions: Positions | None = None
) -> list[Bucket]:
    """Algorithm 2 as a whole. The sweep needs no median splits: it runs on the whole histogram."""
    if method == "sweep":
        return sweep_both(histogram, l, positions)
    divide_buckets = {"m_invariance": m_invariance, "stride": stride}[method]
    return [bucket for leaf in median_splits(histogram, l) for bucket in divide_buckets(leaf, l)]


def emd_equal(histogram: Histogram, bucket: Bucket) -> Fraction:
    """Earth mover's distance of a bucket to the whole histogram when all values are equally far apart."""
    n = total(histogram)
    size = len(bucket)
    gaps = [abs(Fraction(count, n) - Fraction(bucket.count(code), size)) for code, count in histogram]
    return sum(gaps, Fraction(0)) / 2


def t_close_stride(histogram: Histogram, t: Fraction) -> list[Bucket] | None:
    """t-closeness with equal distance: the largest B whose dealt buckets are all t-close.

    Every bucket holds at least ceil(1 / t) tuples, at least two of them, and at least two distinct values.
    A t that a bucket of one single value could meet (t >= 1 - p_max) is refused: None.
    """
    if t <= 0:
        raise ValueError("t must be positive")
    n = total(histogram)
    if n == 0 or t >= 1 - Fraction(max(count for _, count in histogram), n):
        return None
    for number_of_buckets in range(n // max(2, ceil(1 / t)), 0, -1):
        buckets = deal(histogram, number_of_buckets)
        if all(len(set(bucket)) >= 2 and emd_equal(histogram, bucket) <= t for bucket in buckets):
            return buckets
    return None
