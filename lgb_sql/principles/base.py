"""What a principle provides: is a histogram eligible, how its tuples are dealt, and how to check a release."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar

from lgb_sql.bucketization.slots import Histogram, Slots


class Principle(ABC):
    """A promise about the buckets of one attribute. It sees (code, count) histograms only, never a value."""

    name: ClassVar[str]
    verification: ClassVar[str]
    """The template that returns the buckets which break the principle."""
    values_may_repeat: ClassVar[bool]
    """Whether one bucket may hold a value more than once."""

    @classmethod
    @abstractmethod
    def read(cls, given: Any, options: Mapping[str, Any]) -> Principle:
        """Make the principle from what the policy says; ValueError says what is wrong."""

    @abstractmethod
    def check(self, attribute: str, histogram: Histogram) -> None:
        """Raise InfeasiblePolicyError where no bucketing of this histogram can satisfy the principle."""

    @abstractmethod
    def assign(self, histogram: Histogram, bucketization: str) -> list[Slots]:
        """Deal the histogram into buckets; of several plans the narrowest is taken."""

    @property
    @abstractmethod
    def verification_params(self) -> Mapping[str, int]:
        """The integers that the verification template needs."""

    @abstractmethod
    def as_policy(self) -> dict[str, Any]:
        """The principle as the policy (and the manifest) writes it."""
