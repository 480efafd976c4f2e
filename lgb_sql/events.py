"""What a run tells while it works: small objects handed to a listener (a progress bar, a trace)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class StageStarted:
    """A part of the work begins: ingest, patterns, buckets, groups, publish, verify."""

    stage: str


@dataclass(frozen=True)
class StatementFinished:
    """One statement ran. `rows` is the size of the relation it made, `sql` its text (never a cell value)."""

    relation: str
    sql: str
    seconds: float
    rows: int


@dataclass(frozen=True)
class Note:
    """Something the person who runs this should know; never a cell value."""

    text: str


Event = StageStarted | StatementFinished | Note
Listener = Callable[[Event], None]


def ignore(_event: Event) -> None:
    """Listen to nothing: the default of the Python interface."""
