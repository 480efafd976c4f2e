"""The plan of a bucketing: which occurrences of a value go to which buckets.

A slot says: occurrences first_occurrence, +1, ... (length of them) of the value with this code go to the buckets
first_bucket, +1, ...; so a plan is about as long as the histogram, however many rows there are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

Histogram = Sequence[tuple[int, int]]
"""(code, count) in the order of the values; all that planning may know of an attribute."""


@dataclass
class Slots:
    """Slots being laid, with occurrence numbers kept per code and touching slots joined."""

    buckets: int = 0
    codes: list[int] = field(default_factory=list)
    first_occurrences: list[int] = field(default_factory=list)
    first_buckets: list[int] = field(default_factory=list)
    lengths: list[int] = field(default_factory=list)
    extents: list[tuple[int, int, int]] = field(default_factory=list)
    """(tuples, lowest code, highest code) of buckets, where an assignment offers more than one plan."""
    _laid: dict[int, int] = field(default_factory=dict)
    _last: dict[int, int] = field(default_factory=dict)

    def lay(self, code: int, first_bucket: int, length: int) -> None:
        """Send the next `length` occurrences of a code to consecutive buckets."""
        last = self._last.get(code)
        if last is not None and self.first_buckets[last] + self.lengths[last] == first_bucket:
            self.lengths[last] += length
        else:
            self._last[code] = len(self.codes)
            self.codes.append(code)
            self.first_occurrences.append(self._laid.get(code, 0))
            self.first_buckets.append(first_bucket)
            self.lengths.append(length)
        self._laid[code] = self._laid.get(code, 0) + length
        self.buckets = max(self.buckets, first_bucket + length)


def deal(slots: Slots, histogram: Histogram, buckets: int, first_bucket: int = 0) -> None:
    """Deal round-robin in value order: the tuple at position p goes to bucket p % buckets."""
    position = 0
    for code, count in histogram:
        end = position + count
        while position < end:
            start = position % buckets
            length = min(end - position, buckets - start)
            slots.lay(code, first_bucket + start, length)
            position += length
