"""Algorithm 2: recursive median splits, guarded, then an assignment on every part that splits no further."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator
from itertools import accumulate

from lgb_sql.bucketization.slots import Histogram, Slots

Assignment = Callable[[Histogram, int, Slots], None]


def on_median_splits(assignment: Assignment) -> Callable[[Histogram, int], list[Slots]]:
    """Run an assignment on the leaves of the median splits."""

    def bucketize(histogram: Histogram, l: int) -> list[Slots]:
        slots = Slots()
        for low, high in _leaves([count for _, count in histogram], l):
            assignment(histogram[low:high], l, slots)
        return [slots]

    return bucketize


def _leaves(counts: list[int], l: int) -> Iterator[tuple[int, int]]:
    """Index ranges of the parts, in value order."""
    before = [0, *accumulate(counts)]
    pending = [(0, len(counts))] if counts else []
    while pending:
        low, high = pending.pop()
        cut = _median_cut(before, low, high)
        sides = ((low, cut), (cut, high))
        if all(_eligible(counts, before, *side, l) for side in sides):  # Algorithm 2, line 5
            pending.extend(reversed(sides))
        else:
            yield low, high


def _median_cut(before: list[int], low: int, high: int) -> int:
    """One past the lower median: the smallest value with 2 * cum >= n stays on the left."""
    half = before[low] + (before[high] - before[low] + 1) // 2
    return bisect_left(before, half, low + 1, high)


def _eligible(counts: list[int], before: list[int], low: int, high: int, l: int) -> bool:
    """check_condition, guarded: an empty side is not eligible."""
    return low < high and max(counts[low:high]) * l <= before[high] - before[low]
