"""How long an audit takes, as a ratio to making the release with `fast`, both measured in one run.

    python -m benchmarks.audit [--rows 1000000 10000000] [--memory 4GB] [--repeat 1]

The table, policy and threads are those of benchmarks.speed. Each measurement runs in a process of its own, so that
peak memory is that step's alone: making the release (read, generalize, bucketize, publish, verify), auditing its
files, and auditing it against source and crosswalk with every risk.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path
from typing import Any

import lgb_sql
from benchmarks.apart import Figures, apart, timed
from benchmarks.people import THREADS, make_people, policy


def measure(step: str, directory: str, people: str, memory: str | None) -> Figures:
    options = lgb_sql.RunOptions(threads=THREADS, memory=memory)
    release, crosswalk = Path(directory) / "release.duckdb", Path(directory) / "crosswalk.parquet"
    chosen: dict[str, Any] = {**policy(), "key": "id"}
    steps = {
        "make": lambda: lgb_sql.anonymize(people, chosen, to=release, options=options),
        "link": lambda: lgb_sql.anonymize(people, chosen, to=release, crosswalk=crosswalk, options=options),
        "files": lambda: answered(lgb_sql.audit(release, options=options)),
        "truth": lambda: answered(
            lgb_sql.audit(release, policy=chosen, source=people, crosswalk=crosswalk, options=options)
        ),
    }
    return timed(steps[step])


def answered(verdict: lgb_sql.Verdict) -> None:
    if not verdict:
        raise SystemExit(verdict.line)


def measured(step: str, directory: Path, people: Path, memory: str | None, repeat: int) -> Figures:
    """The best of several runs, by CPU; making leaves its last release."""
    results = []
    for _ in range(repeat):
        if step in ("make", "link"):
            for left in (directory / "release.duckdb", directory / "crosswalk.parquet"):
                left.unlink(missing_ok=True)
        results.append(apart("benchmarks.audit:measure", step, str(directory), str(people), memory))
    return min(results, key=lambda figures: float(figures["cpu"]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, nargs="+", default=[1_000_000])
    parser.add_argument("--memory")
    parser.add_argument("--repeat", type=int, default=1)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        for rows in given.rows:
            compare(Path(place), rows, given.memory, given.repeat)


def compare(directory: Path, rows: int, memory: str | None, repeat: int) -> None:
    people = make_people(directory, rows)
    made = measured("make", directory, people, memory, repeat)
    print(f"{rows:,} rows; making the release: peak {made['peak_gb']:.1f} GB")
    for step, what in (("files", "audit of the files"), ("truth", "audit with source and all risks")):
        if step == "truth":
            measured("link", directory, people, memory, 1)
        audited = measured(step, directory, people, memory, repeat)
        print(
            f"{what} / making it: CPU {audited['cpu'] / made['cpu']:.2f}, wall {audited['wall'] / made['wall']:.2f}, "
            f"peak {audited['peak_gb']:.1f} GB"
        )


if __name__ == "__main__":
    main()
