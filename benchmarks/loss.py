"""What each generalizer loses and costs, on the same generated people, all measured in one run.

    python -m benchmarks.loss [--rows 31055] [--repeat 3]

NCP and C_DM relative to `mdp`, CPU of a whole release relative to `fast`; then `tight` on ten jittered copies of the
table, relative to `tight` on the table. Every measurement runs in a process of its own.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

import duckdb

import lgb_sql
from benchmarks.apart import best_apart
from benchmarks.people import ROWS, THREADS, make_people
from benchmarks.speed import RELEASE

GENERALIZERS = ("mdp", "ncp", "fast", "tight")
COPIES = 10


def make_copies(directory: Path, people: Path) -> Path:
    """The same people ten times, ages and hours up to two off, flags drawn anew."""
    path = directory / "copies.parquet"
    near = "greatest({0} + CAST(hash(id, copy, '{0}') % 5 AS INTEGER) - 2, 0) AS {0}"
    flag = "hash(id, copy, '{0}') % 5 = 0 AS {0}"
    jitter = [near.format(name) for name in ("age", "hours_per_week")]
    jitter += [flag.format(f"{name}_private") for name in ("sex", "age", "occupation")]
    connection = duckdb.connect(config={"threads": THREADS})
    connection.execute(
        f"COPY (SELECT people.* REPLACE (id * {COPIES} + copy AS id, {', '.join(jitter)}) "
        f"FROM read_parquet('{people}') AS people, range({COPIES}) AS copies (copy)) TO '{path}' (FORMAT parquet)"
    )
    return path


def report(directory: Path, rows: int, repeat: int) -> None:
    people = make_people(directory, rows)
    found = {name: best_apart(RELEASE, str(people), None, {}, name, repeat=repeat) for name in GENERALIZERS}
    for name, figures in found.items():
        ncp, c_dm, cpu = (figures[each] for each in ("ncp", "c_dm", "cpu"))
        print(
            f"{rows:>9,} rows  {name:<5}  NCP {ncp:>9,.0f} ({ncp / found['mdp']['ncp']:.2f} of mdp)  "
            f"C_DM {c_dm:>9,} ({c_dm / found['mdp']['c_dm']:.2f})  "
            f"CPU {cpu:.2f} s ({cpu / found['fast']['cpu']:.1f} of fast)",
            flush=True,
        )
    cpu = best_apart(RELEASE, str(make_copies(directory, people)), None, {}, "tight")["cpu"]
    ratio = cpu / found["tight"]["cpu"]
    print(f"{rows * COPIES:>9,} rows  tight  CPU {cpu:.1f} s ({ratio:.1f} of {rows:,} rows)")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=ROWS)
    parser.add_argument("--repeat", type=int, default=3)
    given = parser.parse_args()
    python = sys.version.split()[0]
    print(f"lgb_sql {lgb_sql.__version__}, DuckDB {duckdb.__version__}, Python {python}, {THREADS} threads")
    with tempfile.TemporaryDirectory() as directory:
        report(Path(directory), given.rows, given.repeat)


if __name__ == "__main__":
    main()
