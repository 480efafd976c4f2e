"""Every error a person can meet: what is wrong, where, the numbers, and what to do.

No message ever holds a cell value: engine messages are dropped, not passed on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

OUT_OF_MEMORY = "memory ran out"
"""What an engine's error says that is no fault of what was asked of it."""


class LgbError(Exception):
    """Base of all errors of the package; `hint` says what to do, `exit_code` is the command's."""

    exit_code = 3

    def __init__(self, message: str, hint: str = "") -> None:
        self.message = message
        self.hint = hint
        super().__init__(f"{message}\nHint: {hint}" if hint else message)


@dataclass(frozen=True)
class Problem:
    """One thing wrong with a policy: the key it stands at, what is wrong, what to do."""

    key: str
    what: str
    hint: str = ""

    def __str__(self) -> str:
        return f"{self.key}: {self.what}" + (f" ({self.hint})" if self.hint else "")


class PolicyError(LgbError):
    """A policy that is wrong in itself or does not fit the source's columns, or options; lists every problem."""

    exit_code = 2

    def __init__(self, problems: Sequence[Problem], of: str = "the policy") -> None:
        self.problems = tuple(problems)
        count = len(self.problems)
        lines = "\n".join(f"  - {problem}" for problem in self.problems)
        super().__init__(f"{of} has {count} problem{'s' if count != 1 else ''}:\n{lines}")


class InfeasiblePolicyError(LgbError):
    """A well-formed policy that this table cannot satisfy: names what is required and what there is."""

    exit_code = 2


class SourceError(LgbError):
    """The source cannot be read, or holds what no release may be made of."""

    exit_code = 2


class ConversionError(SourceError):
    """A value of the source is none of the type that it is to have."""


class OutputError(LgbError):
    """The place for the release cannot be used: it exists, is a symlink, or has no parent."""

    exit_code = 2


class ReleaseError(LgbError):
    """A path that is not a readable release."""

    exit_code = 2


class QueryError(LgbError):
    """A question that a release cannot answer: says what is wrong, where in the text, and what is supported."""

    exit_code = 2


class EngineError(LgbError):
    """The engine failed (memory, disk, an internal error). Its own text may hold data and is not shown."""


class VerificationError(LgbError):
    """The finished release broke a promise; it was not published."""


class InternalError(LgbError):
    """Our bug: a template or a plan that is not what it should be. Please report it."""
