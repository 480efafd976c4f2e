"""Local bucketization: dealing a histogram into buckets. One module per assignment, registered here."""

from __future__ import annotations

from collections.abc import Callable

from lgb_sql.bucketization.m_invariance import m_invariance
from lgb_sql.bucketization.median_splits import on_median_splits
from lgb_sql.bucketization.slots import Histogram, Slots
from lgb_sql.bucketization.stride import stride
from lgb_sql.bucketization.sweep import sweep

ASSIGNMENTS: dict[str, Callable[[Histogram, int], list[Slots]]] = {
    "m_invariance": on_median_splits(m_invariance),
    "stride": on_median_splits(stride),
    "sweep": sweep,
}

__all__ = ["ASSIGNMENTS"]
