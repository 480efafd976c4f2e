"""Sweep: the narrowest ranges, planned on the whole histogram from its left end, and from its right.

With q buckets still to make, a value that occurs q times must be in each of them (it is forced); the rest of a
bucket is filled with the leftmost other values. Between two events (a value runs out, or becomes forced) all
buckets hold the same values, so the plan walks events, not buckets: O(log d) each, for d distinct values.
"""

from __future__ import annotations

from heapq import heappop, heappush

from lgb_sql.bucketization.slots import Histogram, Slots


def sweep(histogram: Histogram, l: int) -> list[Slots]:
    """Sweep in both directions; the engine, which knows the values, keeps the narrower."""
    return [_Sweep(histogram, l).slots, _Sweep(list(reversed(histogram)), l).slots] if histogram else [Slots()]


class _Sweep:
    """One direction. Values are known by their rank in that direction; time is the number of the next bucket."""

    def __init__(self, histogram: Histogram, l: int) -> None:
        self.codes = [code for code, _ in histogram]
        self.left = [count for _, count in histogram]
        self.l = l
        self.last = sum(self.left) // l
        self.slots = Slots()
        self.entered: dict[int, int] = {}
        self.displaced: list[int] = []
        self.frontier = 0
        self.ends: list[tuple[int, int]] = []
        self.forced = [(self.last - count, rank) for rank, count in enumerate(self.left)]
        self.forced.sort()
        self.movable: list[int] = []
        self.lowest: list[int] = []
        self.highest: list[int] = []
        self._run()

    def _run(self) -> None:
        now = 0
        while now < self.last - 1:
            self._settle(now)
            until = self._next_event(now)
            self._measure(until - now)
            now = until
        self._finish(now)

    def _settle(self, now: int) -> None:
        """Let values run out, let forced ones in, and bring the bucket to l values."""
        self._expire(now)
        while self.forced and self.forced[0][0] <= now:
            due, rank = heappop(self.forced)
            if rank not in self.entered and self.left[rank] and due == self.last - self.left[rank]:
                self._enter(rank, now)
        while len(self.entered) > self.l and (moved := self._last_movable()) is not None:
            self._leave(moved, now)
            heappush(self.displaced, moved)
            heappush(self.forced, (self.last - self.left[moved], moved))
        while len(self.entered) < self.l:
            self._enter(self._leftmost(), now)

    def _expire(self, now: int) -> None:
        while self.ends and self.ends[0][0] <= now:
            end, rank = heappop(self.ends)
            if rank in self.entered and self.entered[rank] + self.left[rank] == end:
                self._leave(rank, now)

    def _enter(self, rank: int, now: int) -> None:
        self.entered[rank] = now
        end = now + self.left[rank]
        heappush(self.ends, (end, rank))
        heappush(self.lowest, rank)
        heappush(self.highest, -rank)
        if end < self.last:
            heappush(self.movable, -rank)

    def _leave(self, rank: int, now: int) -> None:
        since = self.entered.pop(rank)
        if now > since:
            self.slots.lay(self.codes[rank], since, now - since)
            self.left[rank] -= now - since

    def _last_movable(self) -> int | None:
        """The rightmost value in the bucket that is not forced."""
        while self.movable:
            rank = -heappop(self.movable)
            if rank in self.entered and self.entered[rank] + self.left[rank] < self.last:
                return rank
        return None

    def _leftmost(self) -> int:
        """The leftmost value outside the bucket that has tuples left."""
        while self.displaced:
            rank = heappop(self.displaced)
            if rank not in self.entered and self.left[rank]:
                return rank
        while self.frontier in self.entered or not self.left[self.frontier]:
            self.frontier += 1
        return self.frontier

    def _next_event(self, now: int) -> int:
        until = min(self.ends[0][0], self.last - 1)
        while self.forced:
            due, rank = self.forced[0]
            if rank in self.entered or due != self.last - self.left[rank]:
                heappop(self.forced)
            else:
                return min(until, due)
        return max(until, now + 1)

    def _measure(self, buckets: int) -> None:
        """Note what the buckets made span."""
        while self.lowest[0] not in self.entered:
            heappop(self.lowest)
        while -self.highest[0] not in self.entered:
            heappop(self.highest)
        ends = self.codes[self.lowest[0]], self.codes[-self.highest[0]]
        self.slots.extents.append((buckets * len(self.entered), min(ends), max(ends)))

    def _finish(self, now: int) -> None:
        """The last bucket takes whatever is left, one tuple of each value."""
        self._expire(now)
        for rank, count in enumerate(self.left):
            if rank not in self.entered and count:
                self._enter(rank, now)
        self._measure(1)
        for rank in sorted(self.entered):
            self._leave(rank, now + 1)
