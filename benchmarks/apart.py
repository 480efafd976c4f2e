"""Run a function in a process of its own, so that CPU time and peak memory are that step's alone.

    python -m benchmarks.apart MODULE:FUNCTION ARGUMENTS

Arguments and result travel as JSON. Only the standard library is imported here: other environments run it too.
"""

from __future__ import annotations

import importlib
import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
GLANCE = 0.1
"""Seconds between two looks at the size of a watched directory."""

Figures = dict[str, Any]


class TooSlowError(Exception):
    """A function did not end in the time it was given."""


def cpu() -> float:
    """User and system time of this process so far."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def timed(action: Callable[[], object]) -> Figures:
    started, used = time.perf_counter(), cpu()
    action()
    return {"wall": time.perf_counter() - started, "cpu": cpu() - used}


def apart(
    function: str,
    *arguments: Any,
    python: str = sys.executable,
    watched: Path | None = None,
    timeout: float | None = None,
) -> Figures:
    """What `module:function` returns, with `peak_gb`, and `spill_gb` of a watched directory."""
    command = [python, "-m", "benchmarks.apart", function, json.dumps(arguments)]
    deadline = time.monotonic() + timeout if timeout else None
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        spilled = 0
        while True:
            try:
                output, errors = process.communicate(timeout=GLANCE)
                break
            except subprocess.TimeoutExpired:
                spilled = max(spilled, size_of(watched)) if watched else 0
                if deadline and time.monotonic() > deadline:
                    process.kill()
                    raise TooSlowError(function) from None
    if process.returncode:
        raise RuntimeError(f"{function} failed:\n{errors}")
    figures: Figures = json.loads(output.splitlines()[-1])
    return {**figures, "spill_gb": spilled / 1024**3} if watched else figures


def best_apart(function: str, *arguments: Any, repeat: int = 1) -> Figures:
    """The best of several runs, by CPU."""
    results = [apart(function, *arguments) for _ in range(repeat)]
    best = min(results, key=lambda figures: float(figures["cpu"]))
    return {**best, "wall": min(figures["wall"] for figures in results)}


def size_of(directory: Path) -> int:
    """Bytes that a directory takes on disk; files may vanish meanwhile."""
    total = 0
    for parent, _, names in os.walk(directory):
        for name in names:
            try:
                total += os.stat(os.path.join(parent, name)).st_blocks * 512
            except FileNotFoundError:
                continue
    return total


def peak_gb() -> float:
    """Peak resident memory. Linux counts what stood in the parent's memory into ru_maxrss, not into VmHWM."""
    status = Path("/proc/self/status")
    if status.exists():
        lines = dict(line.split(":", 1) for line in status.read_text(encoding="utf-8").splitlines())
        return int(lines["VmHWM"].split()[0]) / 1024**2
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024**2


def main() -> None:
    place, arguments = sys.argv[1:]
    module, name = place.split(":")
    figures = getattr(importlib.import_module(module), name)(*json.loads(arguments))
    print(json.dumps({**figures, "peak_gb": peak_gb()}))


if __name__ == "__main__":
    main()
