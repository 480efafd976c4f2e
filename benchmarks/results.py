"""Results that are kept: tidy CSV files, a line per point, with what it was measured on; no point is measured twice."""

from __future__ import annotations

import csv
import os
import platform
import subprocess
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

import duckdb
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

import lgb_sql
from benchmarks.apart import ROOT, Figures

DIRECTORY = Path(__file__).parent / "results"
Point = Mapping[str, Any]


class Results:
    """A tidy file. `keys` are the columns that tell one point from another."""

    def __init__(self, path: Path, keys: Sequence[str]) -> None:
        self.path = path
        self.keys = tuple(keys)

    def rows(self) -> list[dict[str, Any]]:
        """All lines, numbers as numbers, empty cells as None."""
        if not self.path.exists():
            return []
        with self.path.open(encoding="utf-8", newline="") as file:
            return [{name: _value(text) for name, text in line.items()} for line in csv.DictReader(file)]

    def missing(self, points: Iterable[Point]) -> list[Point]:
        """Those of the points that were not measured yet."""
        there = {self.key(row) for row in self.rows()}
        return [point for point in points if self.key(point) not in there]

    def add(self, point: Point, figures: Mapping[str, Any]) -> None:
        """Append a line, and what it was measured on."""
        line = {**point, **figures, **circumstances()}
        new = not self.path.exists()
        if not new:
            with self.path.open(encoding="utf-8", newline="") as file:
                header = next(csv.reader(file))
            if set(header) != set(line):
                raise ValueError(f"{self.path.name} has other columns; remove it to measure anew")
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("a", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, list(line) if new else header, lineterminator="\n")
            if new:
                writer.writeheader()
            writer.writerow({name: _text(value) for name, value in line.items()})

    def key(self, row: Point) -> tuple[str, ...]:
        """What tells this point from others, in a file and before."""
        return tuple(_text(row[name]) for name in self.keys)


def measure_points(
    results: Results, points: Iterable[Point], measure: Callable[[Point], Figures], workers: int = 1
) -> None:
    """Measure what is missing, under a progress bar; every result is kept as soon as it is there."""
    missing = results.missing(points)
    columns = (
        TextColumn(results.path.stem),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.description}"),
    )
    with Progress(*columns) as progress, ThreadPoolExecutor(workers) as pool:
        task = progress.add_task("", total=len(missing))
        running = {pool.submit(measure, point): point for point in missing}
        try:
            for done in as_completed(running):
                point = running[done]
                results.add(point, done.result())
                progress.update(task, advance=1, description=" ".join(f"{k}={v}" for k, v in point.items()))
        finally:
            pool.shutdown(cancel_futures=True)  # a failure or Ctrl-C: what has not begun stays for the next time


@cache
def circumstances() -> dict[str, str]:
    """What figures were measured on, and when."""
    return {
        "machine": _machine(),
        "python": platform.python_version(),
        "duckdb": duckdb.__version__,
        "lgb_sql": lgb_sql.__version__,
        "commit": _commit(),
        "date": datetime.now(UTC).date().isoformat(),
    }


def _machine() -> str:
    gigabytes = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1024**3
    return f"{os.cpu_count()} cores {platform.machine()}, {gigabytes:.0f} GB, {platform.system()}"


def _commit() -> str:
    """The commit, with a `+` where files were changed since."""
    shown = _git("rev-parse", "--short", "HEAD")
    return shown + ("+" if shown and _git("status", "--porcelain", "--untracked-files=no") else "")


def _git(*arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout.strip()


def _value(text: str) -> Any:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return {"True": True, "False": False, "": None}.get(text, text)


def _text(value: Any) -> str:
    if value is None:
        return ""
    return f"{value:.6g}" if isinstance(value, float) else str(value)
