"""l-diversity by l-unique buckets (Corollary 2): at least l tuples, each value at most once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from lgb_sql.bucketization import ASSIGNMENTS
from lgb_sql.bucketization.slots import Histogram, Slots
from lgb_sql.errors import InfeasiblePolicyError
from lgb_sql.principles.base import Principle


@dataclass(frozen=True)
class LDiversity(Principle):
    """No flagged value can be learned with more than 1/l."""

    l: int
    name: ClassVar[str] = "l_diversity"
    verification: ClassVar[str] = "verify/buckets_not_l_diverse"
    values_may_repeat: ClassVar[bool] = False

    def __post_init__(self) -> None:
        if isinstance(self.l, bool) or not isinstance(self.l, int) or self.l < 2:
            raise ValueError("l_diversity must be a whole number of at least 2")

    @classmethod
    def read(cls, given: Any, options: Mapping[str, Any]) -> LDiversity:
        """Read `{ l_diversity = 10 }`."""
        if options:
            raise ValueError(f"l_diversity has no option {', '.join(sorted(map(str, options)))}")
        return cls(given)

    def check(self, attribute: str, histogram: Histogram) -> None:
        """l-eligibility: the most frequent value times l is at most the number of tuples."""
        if not histogram:
            return
        total, distinct = sum(count for _, count in histogram), len(histogram)
        most = max(count for _, count in histogram)
        if most * self.l <= total:
            return
        feasible = total // most
        lower = f"lower l to {feasible}, the largest that works" if feasible >= 2 else "no l of 2 or more works"
        hint = (
            f"{lower}; or protect {attribute} with t-closeness, if need be on coarser values for all rows; "
            "or leave the attribute out (role identifier)"
        )
        if distinct < self.l:
            raise InfeasiblePolicyError(
                f"{attribute} cannot be {self.l}-diverse: its {total:,} sensitive values have only "
                f"{distinct:,} distinct ones; at least {self.l:,} are needed.",
                hint,
            )
        raise InfeasiblePolicyError(
            f"{attribute} cannot be {self.l}-diverse: its most frequent value occurs {most:,} times among "
            f"{total:,} sensitive values; at most {total // self.l:,} are allowed.",
            hint,
        )

    def assign(self, histogram: Histogram, bucketization: str) -> list[Slots]:
        """Deal by the assignment that the policy names."""
        return ASSIGNMENTS[bucketization](histogram, self.l)

    @property
    def verification_params(self) -> Mapping[str, int]:
        """The l to check against."""
        return {"l": self.l}

    def as_policy(self) -> dict[str, Any]:
        """As the policy writes it."""
        return {"l_diversity": self.l}
