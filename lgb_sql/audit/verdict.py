"""What an audit answers: one verdict, the checks behind it, and numbers about adversaries that nobody was promised.

Ids, counts and ratios only. No result ever holds a cell value, nor the name of anything that should not be there.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Literal

Status = Literal["holds", "broken", "not checked"]


@dataclass(frozen=True)
class Result:
    """One check: what was promised, what was measured, and where it is broken."""

    name: str
    promise: str
    status: Status
    measured: str
    violations: int = 0
    at: tuple[str, ...] = ()
    """The first few places, by their ids."""

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "check": self.name,
            "promised": self.promise,
            "status": self.status,
            "measured": self.measured,
            "violations": self.violations,
            "at": list(self.at),
        }


@dataclass(frozen=True)
class Risk:
    """A number about one adversary, and a sentence that says what it means."""

    name: str
    number: float
    meaning: str
    claimed: float | None = None
    """What is promised against the paper's adversary, to compare with."""
    more: dict[str, float] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "risk": self.name,
            "number": self.number,
            "claimed": self.claimed,
            "meaning": self.meaning,
            "more": self.more,
        }


@dataclass(frozen=True)
class Verdict:
    """Safe to publish, yes or no, and why. True where no check is broken."""

    subject: str
    results: tuple[Result, ...]
    risks: tuple[Risk, ...] = ()
    warnings: tuple[str, ...] = ()
    with_source: bool = False
    kind: Literal["release", "table"] = "release"

    def __bool__(self) -> bool:
        return not self.broken

    @property
    def broken(self) -> tuple[Result, ...]:
        """The checks that fail."""
        return tuple(result for result in self.results if result.status == "broken")

    @property
    def line(self) -> str:
        """The verdict in one line."""
        held = sum(result.status == "holds" for result in self.results)
        if self.broken:
            names = ", ".join(result.name for result in self.broken[:3]) + (", ..." if len(self.broken) > 3 else "")
            return f"NO: {len(self.broken)} of {held + len(self.broken)} checks fail ({names})"
        seen = f"YES: all {held} checks hold"
        more = f"{len(self.warnings)} warning{'s' if len(self.warnings) > 1 else ''}"
        return f"{seen}; {more}" if self.warnings else seen

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "safe": bool(self),
            "verdict": self.line,
            "subject": self.subject,
            "kind": self.kind,
            "with_source": self.with_source,
            "checks": [result.as_dict() for result in self.results],
            "risks": [risk.as_dict() for risk in self.risks],
            "warnings": list(self.warnings),
        }

    def __repr__(self) -> str:
        return f"<Verdict {self.line}>"


def broken(name: str, promise: str, measured: str, violations: int = 1, at: Iterable[str] = ()) -> Result:
    """A check that fails."""
    return Result(name, promise, "broken", measured, violations, tuple(at))


def holds(name: str, promise: str, measured: str) -> Result:
    """A check that holds."""
    return Result(name, promise, "holds", measured)


def judged(name: str, promise: str, violations: int, measured: str, wrong: str, at: Iterable[str] = ()) -> Result:
    """A check that holds where nothing violates it."""
    return broken(name, promise, wrong, violations, at) if violations else holds(name, promise, measured)
