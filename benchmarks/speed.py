"""How fast a release is made, as ratios to sorting the table once, all measured in one run.

    python -m benchmarks.speed [--rows 31055 1000000 10000000] [--memory 4GB] [--repeat 3]

Each figure is the best of `--repeat`. CPU is user + system time of the process. The yardstick is
`CREATE TABLE sorted AS SELECT * FROM people ORDER BY <all quasi-identifier and semi-sensitive columns>`, on the table
already loaded. End to end means: read Parquet, encode, four bucketed attributes, groups, publish, verify. Every
measurement runs in a process of its own, so that peak memory is that step's alone.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path
from typing import Any

import duckdb

import lgb_sql
from benchmarks.apart import Figures, best_apart, cpu, timed
from benchmarks.numpy_mondrian import Cuts, mondrian
from benchmarks.people import FLAGGED, ORDERED, QUASI, THREADS, make_people, people_sql, policy
from lgb_sql.events import Event, StageStarted, StatementFinished

RELEASE = "benchmarks.speed:measure_release"

# --- what is measured, each in a process of its own ---


def measure_sort(people: str) -> Figures:
    connection = duckdb.connect(config={"threads": THREADS})
    connection.execute(f"CREATE TABLE people AS SELECT * FROM read_parquet('{people}')")
    columns = ", ".join(QUASI)
    return timed(
        lambda: connection.execute(f"CREATE TABLE sorted AS SELECT * FROM people ORDER BY {columns}").fetchall()
    )


class Stages:
    """A listener that adds up CPU time by stage and counts statements."""

    def __init__(self) -> None:
        self.cpu: dict[str, float] = {}
        self.statements = 0
        self._stage, self._since = "start", cpu()

    def __call__(self, event: Event) -> None:
        """Hear of a stage or a statement."""
        if isinstance(event, StageStarted):
            self.close(event.stage)
        elif isinstance(event, StatementFinished):
            self.statements += 1

    def close(self, following: str = "end") -> None:
        """End the running stage."""
        now = cpu()
        self.cpu[self._stage] = self.cpu.get(self._stage, 0) + now - self._since
        self._stage, self._since = following, now


def measure_release(
    people: str, memory: str | None, changes: dict[str, Any], generalization: str = "fast", temp: str | None = None
) -> Figures:
    """A whole release of the generated people, beside which it is written and removed again."""
    stages = Stages()
    chosen = policy(generalization)
    chosen["attributes"].update(changes)
    options = lgb_sql.RunOptions(threads=THREADS, memory=memory, temp=Path(temp) if temp else None)
    with tempfile.TemporaryDirectory(dir=Path(people).parent) as directory:
        to = Path(directory) / "release.duckdb"
        releases: list[lgb_sql.Release] = []
        figures = timed(
            lambda: releases.append(lgb_sql.anonymize(people, chosen, to=to, options=options, listener=stages))
        )
        size = to.stat().st_size
    stages.close()
    metrics = releases[0].metrics()
    return {
        **figures,
        **{f"cpu_{stage}": used for stage, used in stages.cpu.items()},
        "statements": stages.statements,
        "groups": metrics.groups,
        "ncp": metrics.ncp,
        "c_dm": metrics.c_dm,
        "release_gb": size / 1024**3,
    }


def measure_mondrian(people: str, cuts: Cuts) -> Figures:
    import numpy as np  # noqa: PLC0415  only this measurement needs it

    connection = duckdb.connect(config={"threads": THREADS})
    table = connection.execute(f"SELECT * FROM read_parquet('{people}')").fetchnumpy()
    flags = [table[f"{name}_private"] if name in FLAGGED else None for name in QUASI]
    codes = np.empty((len(table["id"]), len(QUASI)), np.int32)
    patterns = np.zeros(len(table["id"]), np.int64)
    for place, (name, flag) in enumerate(zip(QUASI, flags, strict=True)):
        codes[:, place] = np.unique(
            np.asarray(table[name]).astype(str) if name not in ORDERED else table[name], return_inverse=True
        )[1]
        if flag is not None:
            codes[flag, place] = 0
            patterns += np.asarray(flag, np.int64) << place
    ordered = [name in ORDERED for name in QUASI]
    groups: list[int] = []
    figures = timed(lambda: groups.append(len(mondrian(codes, ordered, patterns, 10, cuts))))
    return {**figures, "groups": groups[0]}


# --- the table ---


def make_many_values(directory: Path, rows: int, distinct: int) -> Path:
    """The people, with a numeric quasi-identifier and a sensitive value of so many distinct values."""
    path = directory / f"values_{distinct}.parquet"
    connection = duckdb.connect(config={"threads": THREADS})
    connection.execute(
        f"COPY (SELECT * EXCLUDE (hours_per_week, salary), CAST(hash(3 * id) % {distinct} AS INTEGER) "
        f"AS hours_per_week, "
        f"CAST(hash(5 * id) % {distinct} AS INTEGER) AS salary, "
        f"CAST(hash(7 * id) % {distinct} AS VARCHAR) AS code "
        f"FROM ({people_sql(rows)})) TO '{path}' (FORMAT parquet)"
    )
    return path


# --- the report ---


def report_release(directory: Path, rows: int, memory: str | None, repeat: int) -> None:
    people = make_people(directory, rows)
    sort = best_apart("benchmarks.speed:measure_sort", str(people), repeat=repeat)
    release = best_apart(RELEASE, str(people), None, {}, repeat=repeat)
    print(
        f"{rows:>11,} rows  sort {sort['cpu']:.2f} CPU s  release {release['cpu']:.2f} CPU s  "
        f"ratio CPU {release['cpu'] / sort['cpu']:.1f}  wall {release['wall'] / sort['wall']:.1f}  "
        f"generalization CPU {release['cpu_groups'] / sort['cpu']:.1f}  peak {release['peak_gb']:.2f} GB",
        flush=True,
    )
    if rows == 1_000_000:
        for cuts in ("median", "nearest"):
            plain = best_apart("benchmarks.speed:measure_mondrian", str(people), cuts, repeat=repeat)
            print(
                f"{rows:>11,} rows  generalization {release['cpu_groups']:.2f} CPU s, "
                f"{release['groups']:,} groups; "
                f"plain numpy Mondrian, {cuts} cuts: {plain['cpu']:.2f} CPU s, {plain['groups']:,} groups; "
                f"ratio {release['cpu_groups'] / plain['cpu']:.2f}",
                flush=True,
            )
    if memory and rows >= 10_000_000:
        limited = best_apart(RELEASE, str(people), memory, {}, repeat=1)
        print(
            f"{rows:>11,} rows  memory limit {memory}: peak resident {limited['peak_gb']:.2f} GB, "
            f"ratio CPU {limited['cpu'] / sort['cpu']:.1f}",
            flush=True,
        )
    people.unlink()


def report_many_values(directory: Path, rows: int, repeat: int) -> None:
    changes = {"code": {"role": "quasi-identifier"}}
    few, many = (
        best_apart(
            RELEASE,
            str(make_many_values(directory, rows, distinct)),
            None,
            changes,
            repeat=repeat,
        )
        for distinct in (1_000, 1_000_000)
    )
    print(
        f"{rows:>11,} rows  a million distinct values (numeric and text quasi-identifier, sensitive) "
        f"against a thousand, CPU: {many['cpu'] / few['cpu']:.2f}",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, nargs="+", default=[31_055, 1_000_000, 10_000_000])
    parser.add_argument("--memory", default="4GB")
    parser.add_argument("--repeat", type=int, default=3)
    given = parser.parse_args()
    python = sys.version.split()[0]
    print(f"lgb_sql {lgb_sql.__version__}, DuckDB {duckdb.__version__}, Python {python}, {THREADS} threads")
    with tempfile.TemporaryDirectory() as directory:
        for rows in given.rows:
            report_release(Path(directory), rows, given.memory, given.repeat)
        if 1_000_000 in given.rows:
            report_many_values(Path(directory), 1_000_000, given.repeat)


if __name__ == "__main__":
    main()
