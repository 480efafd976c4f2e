"""t-closeness with equal distance: every bucket's distribution is within t of the bucketed values' own.

Buckets are dealt by stride over the sorted values; the largest number of buckets that keeps the promise is found
exactly, in integers. Feasibility is not monotone in that number, so it is scanned, never bisected.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from typing import Any, ClassVar

from lgb_sql.bucketization.slots import Histogram, Slots, deal
from lgb_sql.errors import InfeasiblePolicyError
from lgb_sql.principles.base import Principle
from lgb_sql.problems import unknown_key

DISTANCES = ("equal", "ordered", "hierarchy")


@dataclass(frozen=True)
class TCloseness(Principle):
    """A bucket tells hardly more about a person than the attribute's published histogram does."""

    t: Decimal | float
    name: ClassVar[str] = "t_closeness"
    verification: ClassVar[str] = "verify/buckets_not_t_close"
    values_may_repeat: ClassVar[bool] = True

    def __post_init__(self) -> None:
        # a number is taken as it is written, not as the binary fraction next to it
        object.__setattr__(self, "t", Decimal(str(self.t)))
        if not (Decimal(self.t).is_finite() and 0 < self.t < 1):
            raise ValueError("t_closeness must lie between 0 and 1, both excluded")

    @classmethod
    def read(cls, given: Any, options: Mapping[str, Any]) -> TCloseness:
        """Read `{ t_closeness = 0.2 }`."""
        distance = options.get("distance", "equal")
        if unknown := sorted(set(map(str, options)) - {"distance"}):
            raise ValueError(f"t_closeness has no option {', '.join(unknown)}; it has distance")
        if distance not in DISTANCES:
            raise ValueError(
                f"distance must be one of {', '.join(DISTANCES)} ({unknown_key(str(distance), DISTANCES)})"
            )
        if distance != "equal":
            raise ValueError(f'distance = "{distance}" is not available yet; use distance = "equal"')
        if isinstance(given, bool) or not isinstance(given, int | float | Decimal):
            raise ValueError("t_closeness must be a number between 0 and 1")
        return cls(given)

    @property
    def fraction(self) -> Fraction:
        """The bound as an exact fraction."""
        return Fraction(self.t)

    def check(self, attribute: str, histogram: Histogram) -> None:
        """Refuse a t that a bucket of one single value would satisfy, and values too few for any bucket."""
        if not histogram:
            return
        total = sum(count for _, count in histogram)
        most = max(count for _, count in histogram)
        if self.fraction >= 1 - Fraction(most, total):
            limit = float(1 - Fraction(most, total))
            lower = f"choose t below {limit:.4g}" if limit else "no t works, as all values are equal"
            raise InfeasiblePolicyError(
                f"{attribute} cannot be {self.t}-close: its most frequent value occurs {most:,} times among "
                f"{total:,} sensitive values, so a bucket of that value alone would pass and reveal it.",
                f"{lower}; or withhold {attribute} (role identifier)",
            )
        if _largest_feasible(tuple(histogram), self.fraction) is None:
            raise InfeasiblePolicyError(
                f"{attribute} cannot be {self.t}-close: {total:,} sensitive values are too few for one bucket "
                f"of at least {_smallest_size(self.fraction)}.",
                f"choose a larger t, or withhold {attribute} (role identifier)",
            )

    def assign(self, histogram: Histogram, bucketization: str) -> list[Slots]:
        """Deal by stride into the largest feasible number of buckets."""
        slots = Slots()
        buckets = _largest_feasible(tuple(histogram), self.fraction) if histogram else None
        if buckets:
            deal(slots, histogram, buckets)
        return [slots]

    @property
    def verification_params(self) -> Mapping[str, int]:
        """t as numerator and denominator, for exact arithmetic in SQL, and the smallest bucket size."""
        return {
            "numerator": self.fraction.numerator,
            "denominator": self.fraction.denominator,
            "smallest": _smallest_size(self.fraction),
        }

    def as_policy(self) -> dict[str, Any]:
        """As the policy writes it."""
        return {"t_closeness": float(self.t), "distance": "equal"}


def _smallest_size(t: Fraction) -> int:
    """At least ceil(1/t) tuples, and two."""
    return max(2, -(-t.denominator // t.numerator))


@lru_cache(maxsize=8)  # asked once for eligibility and once for the assignment
def _largest_feasible(histogram: tuple[tuple[int, int], ...], t: Fraction) -> int | None:
    """The largest number of buckets whose stride dealing is t-close everywhere."""
    counts = [count for _, count in histogram]
    total = sum(counts)
    for size in range(_smallest_size(t), total + 1):
        if not (_some_bucket_fits(counts, total, size, t) or _some_bucket_fits(counts, total, size + 1, t)):
            continue  # no bucket of this size is close, however it is filled
        for buckets in range(total // size, total // (size + 1), -1):
            if _all_close(counts, total, buckets, t):
                return buckets
    return None


def _some_bucket_fits(counts: list[int], total: int, size: int, t: Fraction) -> bool:
    """Whether the best rounding of the distribution to `size` tuples is within t."""
    floors = [count * size // total for count in counts]
    remainders = sorted((count * size % total for count in counts), reverse=True)
    up = size - sum(floors)
    excess = sum(total - rest for rest in remainders[:up]) + sum(remainders[up:])
    return excess * t.denominator <= 2 * total * size * t.numerator


def _all_close(counts: list[int], total: int, buckets: int, t: Fraction) -> bool:
    """Check every bucket of a stride dealing; neighbours differ at run borders only, so walk those."""
    size, larger = divmod(total, buckets)
    for first, filled in _bucket_classes(counts, total, buckets):
        bucket_size = size + (first < larger)
        excess = sum(abs(count * bucket_size - have * total) for count, have in zip(counts, filled, strict=True))
        if excess * t.denominator > 2 * total * bucket_size * t.numerator:
            return False
        if sum(have > 0 for have in filled) < 2:
            return False
    return True


def _bucket_classes(counts: list[int], total: int, buckets: int) -> Iterator[tuple[int, list[int]]]:
    """The first bucket of each class of equal buckets, with its number of tuples per value."""
    borders = {0, total % buckets}
    starts = []
    position = 0
    for count in counts:
        starts.append(position)
        position += count
        borders.add(position % buckets)
    for first in sorted(borders):
        yield (
            first,
            [
                _occurrences(start + count, first, buckets) - _occurrences(start, first, buckets)
                for start, count in zip(starts, counts, strict=True)
            ],
        )


def _occurrences(end: int, bucket: int, buckets: int) -> int:
    """How many positions below `end` fall into this bucket."""
    return (end - bucket + buckets - 1) // buckets if end > bucket else 0
