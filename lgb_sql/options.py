"""How a run may use the machine: apart from the policy, which says what is promised."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class RunOptions:
    """Threads, memory and a place to spill; None leaves the engine's own choice."""

    threads: int | None = None
    memory: str | None = None
    temp: str | Path | None = None
    seed: int | None = None
