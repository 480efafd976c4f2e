"""A plain numpy Mondrian: what one would write by hand, as a yardstick for the generalization step."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Codes = NDArray[np.int32]
Rows = NDArray[np.int64]


def mondrian(codes: Codes, ordered: list[bool], patterns: NDArray[np.int64], k: int) -> list[Rows]:
    """Algorithm 3 on dense codes, one array of row numbers per group."""
    scales = [max(int(column.max()), 1) for column in codes.T]
    pending = [np.flatnonzero(patterns == pattern) for pattern in np.unique(patterns)]
    groups = []
    while pending:
        rows = pending.pop()
        sides = _split(codes, rows, ordered, scales, k) if rows.size >= 2 * k else None
        if sides is None:
            groups.append(rows)
        else:
            pending.extend(sides)
    return groups


def _split(codes: Codes, rows: Rows, ordered: list[bool], scales: list[int], k: int) -> tuple[Rows, Rows] | None:
    node = codes[rows]
    widths = [
        (int(np.ptp(column)) if is_ordered else np.unique(column).size - 1) / scale
        for column, is_ordered, scale in zip(node.T, ordered, scales, strict=True)
    ]
    for attribute in sorted(range(len(widths)), key=lambda place: -widths[place]):
        if widths[attribute] == 0:
            return None
        column = node[:, attribute]
        middle = (rows.size - 1) // 2
        left = column <= np.partition(column, middle)[middle]
        if left.sum() >= k and rows.size - left.sum() >= k:
            return rows[left], rows[~left]
    return None
