"""The paper's divide_buckets: the assignment step of m-Invariance, on a histogram."""

from __future__ import annotations

import heapq

from lgb_sql.bucketization.slots import Histogram, Slots

_Heap = list[tuple[int, int]]
"""(-count, code): the most frequent value first, ties by code."""


def m_invariance(histogram: Histogram, l: int, slots: Slots) -> None:
    """Take alpha tuples of each of the beta most frequent values, alpha buckets at a time, until none is left."""
    heap: _Heap = [(-count, code) for code, count in histogram]
    heapq.heapify(heap)
    remaining = sum(count for _, count in histogram)
    while heap:
        taken, alpha = _next_values(heap, l, remaining)
        first_bucket = slots.buckets
        for count, code in taken:
            slots.lay(code, first_bucket, alpha)
            if count > alpha:
                heapq.heappush(heap, (alpha - count, code))
        remaining -= alpha * len(taken)


def _next_values(heap: _Heap, l: int, remaining: int) -> tuple[list[tuple[int, int]], int]:
    """Pop the beta values of the next buckets: the smallest beta >= l that allows an alpha >= 1."""
    taken: list[tuple[int, int]] = []
    while True:
        count, code = heapq.heappop(heap)
        taken.append((-count, code))
        if len(taken) >= l:
            following = -heap[0][0] if heap else 0
            alpha = _largest_alpha(taken, following, l, remaining)
            if alpha >= 1:
                return taken, alpha


def _largest_alpha(taken: list[tuple[int, int]], following: int, l: int, remaining: int) -> int:
    """The most buckets of these values after which the rest is still l-eligible."""
    beta = len(taken)
    alpha = min(taken[-1][0], (remaining - following * l) // beta)
    if beta > l:
        alpha = min(alpha, (remaining - taken[0][0] * l) // (beta - l))
    return alpha
