"""How fast a release is made, as ratios to sorting the table once, all measured in one run.

    python -m benchmarks.speed [--rows 31055 1000000 10000000] [--memory 4GB] [--repeat 3]

Each figure is the best of `--repeat`. CPU is user + system time of the process. The yardstick is
`CREATE TABLE sorted AS SELECT * FROM people ORDER BY <all quasi-identifier and semi-sensitive columns>`, on the table
already loaded. End to end means: read Parquet, encode, four bucketed attributes, groups, publish, verify. Every
measurement runs in a process of its own, so that peak memory is that step's alone.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb

import lgb_sql
from benchmarks.numpy_mondrian import Cuts, mondrian
from lgb_sql.events import Event, StageStarted
from lgb_sql.render import render

QUASI = ["sex", "age", "relationship", "marital_status", "race", "education", "hours_per_week", "occupation"]
ORDERED = {"age", "hours_per_week"}
FLAGGED = {"sex": {"t_closeness": 0.2}, "age": {"l_diversity": 10}, "occupation": {"l_diversity": 10}}
THREADS = 2


def policy(generalization: str = "fast", k: int = 10) -> dict[str, Any]:
    """The paper's experiment."""
    attributes: dict[str, Any] = {
        name: {"role": "semi-sensitive", "flag": f"{name}_private", "principle": FLAGGED[name]}
        if name in FLAGGED
        else {"role": "quasi-identifier"}
        for name in QUASI
    }
    attributes["salary"] = {"role": "sensitive", "principle": {"l_diversity": 10}}
    return {"k": k, "generalization": generalization, "attributes": attributes}


def cpu() -> float:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def timed(action: Callable[[], object]) -> dict[str, float]:
    started, used = time.perf_counter(), cpu()
    action()
    return {"wall": time.perf_counter() - started, "cpu": cpu() - used}


# --- what is measured, each in a process of its own ---


def measure_sort(people: Path) -> dict[str, float]:
    connection = duckdb.connect(config={"threads": THREADS})
    connection.execute(f"CREATE TABLE people AS SELECT * FROM read_parquet('{people}')")
    columns = ", ".join(QUASI)
    return timed(
        lambda: connection.execute(f"CREATE TABLE sorted AS SELECT * FROM people ORDER BY {columns}").fetchall()
    )


def measure_release(
    people: Path, memory: str | None, changes: dict[str, Any], generalization: str = "fast"
) -> dict[str, float]:
    stages: dict[str, float] = {}
    last: list[Any] = ["start", cpu()]

    def listen(event: Event) -> None:
        if isinstance(event, StageStarted):
            stages[last[0]] = cpu() - last[1]
            last[:] = [event.stage, cpu()]

    chosen = policy(generalization)
    chosen["attributes"].update(changes)
    options = lgb_sql.RunOptions(threads=THREADS, memory=memory)
    with tempfile.TemporaryDirectory(dir=people.parent) as directory:
        to = Path(directory) / "release.duckdb"
        releases: list[lgb_sql.Release] = []
        figures = timed(
            lambda: releases.append(lgb_sql.anonymize(people, chosen, to=to, options=options, listener=listen))
        )
    metrics = releases[0].metrics()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024**2
    return {
        **figures,
        "generalization": stages["groups"],
        "groups": metrics.groups,
        "ncp": metrics.ncp,
        "c_dm": metrics.c_dm,
        "peak_gb": peak,
    }


def measure_mondrian(people: Path, cuts: Cuts) -> dict[str, float]:
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


MEASUREMENTS: dict[str, Callable[..., dict[str, float]]] = {
    "sort": measure_sort,
    "release": measure_release,
    "mondrian": measure_mondrian,
}


def in_process(name: str, people: Path, *arguments: Any, repeat: int) -> dict[str, float]:
    """The best of several runs, by CPU."""
    command = [sys.executable, "-m", "benchmarks.speed", "--measure", name, str(people), json.dumps(arguments)]
    results = []
    for _ in range(repeat):
        output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        results.append(json.loads(output.splitlines()[-1]))
    best = min(results, key=lambda figures: figures["cpu"])
    return {**best, "wall": min(figures["wall"] for figures in results)}


# --- the tables ---


def make_people(directory: Path, rows: int) -> Path:
    path = directory / f"people_{rows}.parquet"
    connection = duckdb.connect(config={"threads": THREADS})
    connection.execute(f"COPY ({render('demo/people', {'rows': rows}).sql}) TO '{path}' (FORMAT parquet)")
    return path


def make_many_values(directory: Path, rows: int, distinct: int) -> Path:
    """The people, with a numeric quasi-identifier and a sensitive value of so many distinct values."""
    path = directory / f"values_{distinct}.parquet"
    connection = duckdb.connect(config={"threads": THREADS})
    connection.execute(
        f"COPY (SELECT * EXCLUDE (hours_per_week, salary), CAST(hash(3 * id) % {distinct} AS INTEGER) "
        f"AS hours_per_week, "
        f"CAST(hash(5 * id) % {distinct} AS INTEGER) AS salary, "
        f"CAST(hash(7 * id) % {distinct} AS VARCHAR) AS code "
        f"FROM ({render('demo/people', {'rows': rows}).sql})) TO '{path}' (FORMAT parquet)"
    )
    return path


# --- the report ---


def report_release(directory: Path, rows: int, memory: str | None, repeat: int) -> None:
    people = make_people(directory, rows)
    sort = in_process("sort", people, repeat=repeat)
    release = in_process("release", people, None, {}, repeat=repeat)
    print(
        f"{rows:>11,} rows  sort {sort['cpu']:.2f} CPU s  release {release['cpu']:.2f} CPU s  "
        f"ratio CPU {release['cpu'] / sort['cpu']:.1f}  wall {release['wall'] / sort['wall']:.1f}  "
        f"generalization CPU {release['generalization'] / sort['cpu']:.1f}  peak {release['peak_gb']:.2f} GB",
        flush=True,
    )
    if rows == 1_000_000:
        for cuts in ("median", "nearest"):
            plain = in_process("mondrian", people, cuts, repeat=repeat)
            print(
                f"{rows:>11,} rows  generalization {release['generalization']:.2f} CPU s, "
                f"{release['groups']:,} groups; "
                f"plain numpy Mondrian, {cuts} cuts: {plain['cpu']:.2f} CPU s, {plain['groups']:,} groups; "
                f"ratio {release['generalization'] / plain['cpu']:.2f}",
                flush=True,
            )
    if memory and rows >= 10_000_000:
        limited = in_process("release", people, memory, {}, repeat=1)
        print(
            f"{rows:>11,} rows  memory limit {memory}: peak resident {limited['peak_gb']:.2f} GB, "
            f"ratio CPU {limited['cpu'] / sort['cpu']:.1f}",
            flush=True,
        )
    people.unlink()


def report_many_values(directory: Path, rows: int, repeat: int) -> None:
    changes = {"code": {"role": "quasi-identifier"}}
    few = in_process("release", make_many_values(directory, rows, 1_000), None, changes, repeat=repeat)
    many = in_process("release", make_many_values(directory, rows, 1_000_000), None, changes, repeat=repeat)
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
    parser.add_argument("--measure", nargs=3, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.measure:
        name, people, arguments = given.measure
        print(json.dumps(MEASUREMENTS[name](Path(people), *json.loads(arguments))))
        return
    python = sys.version.split()[0]
    print(f"lgb_sql {lgb_sql.__version__}, DuckDB {duckdb.__version__}, Python {python}, {THREADS} threads")
    with tempfile.TemporaryDirectory() as directory:
        for rows in given.rows:
            report_release(Path(directory), rows, given.memory, given.repeat)
        if 1_000_000 in given.rows:
            report_many_values(Path(directory), 1_000_000, given.repeat)


if __name__ == "__main__":
    main()
