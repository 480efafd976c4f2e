"""A plain numpy Mondrian: what one would write by hand, as a yardstick for the generalization step.

With `cuts="median"` it is the literal Algorithm 3 (`<= median`, `> median`); with `cuts="nearest"` it makes the cuts of
`fast`, and so the same groups.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

Codes = NDArray[np.int32]
Rows = NDArray[np.int64]
Side = NDArray[np.bool_]
Cuts = Literal["median", "nearest"]


def mondrian(codes: Codes, ordered: list[bool], patterns: NDArray[np.int64], k: int, cuts: Cuts) -> list[Rows]:
    """Partition dense codes; one array of row numbers per group. Positions of ordered attributes are their codes."""
    sizes = [int(column.max()) + 1 for column in codes.T]
    pending = [np.flatnonzero(patterns == pattern) for pattern in np.unique(patterns)]
    groups = []
    while pending:
        rows = pending.pop()
        left = _left_side(codes[rows], ordered, sizes, k, cuts) if rows.size >= 2 * k else None
        if left is None:
            groups.append(rows)
        else:
            pending += [rows[left], rows[~left]]
    return groups


def _left_side(node: Codes, ordered: list[bool], sizes: list[int], k: int, cuts: Cuts) -> Side | None:
    widths = [
        _width(column, is_ordered, size, cuts) for column, is_ordered, size in zip(node.T, ordered, sizes, strict=True)
    ]
    for attribute in sorted(range(len(widths)), key=lambda place: (-widths[place], sizes[place])):
        if widths[attribute] == 0:
            return None
        cut = _median_cut if cuts == "median" else _nearest_cut
        left = cut(node[:, attribute], ordered[attribute], k)
        if left is not None:
            return left
    return None


def _width(column: Codes, is_ordered: bool, size: int, cuts: Cuts) -> float:
    if is_ordered:
        return int(np.ptp(column)) / max(size - 1, 1)
    distinct = np.unique(column).size
    if cuts == "median":
        return (distinct - 1) / max(size - 1, 1)
    return distinct / size if distinct > 1 else 0.0


def _median_cut(column: Codes, is_ordered: bool, k: int) -> Side | None:
    middle = (column.size - 1) // 2
    left: Side = column <= np.partition(column, middle)[middle]
    return left if left.sum() >= k and column.size - left.sum() >= k else None


def _nearest_cut(column: Codes, is_ordered: bool, k: int) -> Side | None:
    values, counts = np.unique(column, return_counts=True)
    if not is_ordered:
        order = np.lexsort((values, -counts))
        values, counts = values[order], counts[order]
    running = np.cumsum(counts)
    allowed = np.flatnonzero((running >= k) & (column.size - running >= k))
    if allowed.size == 0:
        return None
    best = allowed[np.argmin(np.abs(2 * running[allowed] - column.size))]
    left: Side = column <= values[best] if is_ordered else np.isin(column, values[: best + 1])
    return left
