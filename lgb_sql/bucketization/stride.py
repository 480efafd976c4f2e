"""Stride: the closed form, one round-robin over the sorted values; the widest ranges."""

from __future__ import annotations

from lgb_sql.bucketization.slots import Histogram, Slots, deal


def stride(histogram: Histogram, l: int, slots: Slots) -> None:
    """Deal n tuples into floor(n / l) buckets; no value occurs more than once in one, as f * l <= n."""
    total = sum(count for _, count in histogram)
    deal(slots, histogram, total // l, first_bucket=slots.buckets)
