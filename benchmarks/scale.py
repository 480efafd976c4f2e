"""How time, memory and spill grow with rows: releases of generated people, from ten thousand to a hundred million.

    python -m benchmarks.scale [--rows 10000 ... 100000000] [--limits 1GB 2GB 4GB] [--work DIRECTORY]

`fast`, k = 10, four bucketed attributes, from Parquet to a verified DuckDB file, two threads, each in a process of
its own. Results are kept as they come; a run that was interrupted goes on where it ended. The work directory should
be on a disk with room: a hundred million rows are 1 GB of Parquet, the release takes more, and tables spill.
"""

from __future__ import annotations

import argparse
import math
import shutil
import statistics
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from benchmarks.apart import Figures, apart
from benchmarks.people import make_pieces
from benchmarks.results import DIRECTORY, Point, Results, measure_points
from benchmarks.speed import RELEASE

ROWS = tuple(10**power for power in range(4, 9))
MEMORY = "12GB"
"""The engine's limit at every size: far from felt up to ten million rows; beyond, rows spill."""
LIMITS = ("1GB", "2GB", "4GB")
LIMITED_ROWS = 10_000_000
LINE_FROM = 1_000_000
"""The slope is that of the line from here up: below, planning the statements takes most of the time."""
LARGEST_SLOPE = 1.1
LARGEST_PEAKS = {(10_000_000, "4GB"): 4, (100_000_000, MEMORY): 16}
"""Resident memory, in GB, that the process may reach."""


def points(rows: list[int], limits: list[str]) -> Iterator[Point]:
    for count in sorted(rows):
        if count == LIMITED_ROWS:
            yield from ({"rows": count, "memory": limit} for limit in limits)
        yield {"rows": count, "memory": MEMORY}


def measure(point: Point, work: Path) -> Figures:
    people = work / f"people_{point['rows']}"
    apart(f"{make_pieces.__module__}:{make_pieces.__name__}", str(people), point["rows"])
    with tempfile.TemporaryDirectory(dir=work) as temp:
        return apart(RELEASE, str(people), point["memory"], {}, "fast", temp, watched=Path(temp))


def slope(results: Results, figure: str) -> float | None:
    """The slope of the least-squares line of log figure over log rows; None below two points."""
    line = [row for row in results.rows() if row["memory"] == MEMORY and row["rows"] >= LINE_FROM]
    if len(line) < 2:
        return None
    rows = [math.log(row["rows"]) for row in line]
    return statistics.linear_regression(rows, [math.log(row[figure]) for row in line]).slope


def report(results: Results) -> None:
    print("|        rows | limit | CPU s | CPU µs / row | wall s | peak GB | spill GB | release GB | statements |")
    print("|---|---|---|---|---|---|---|---|---|")
    for row in sorted(results.rows(), key=lambda row: (row["rows"], row["memory"] == MEMORY, row["memory"])):
        print(
            f"| {row['rows']:>11,} | {row['memory']:>5} | {row['cpu']:.1f} | {1e6 * row['cpu'] / row['rows']:.1f} "
            f"| {row['wall']:.1f} | {row['peak_gb']:.2f} | {row['spill_gb']:.2f} | {row['release_gb']:.2f} "
            f"| {row['statements']:,} |"
        )
    for row in results.rows():
        most = LARGEST_PEAKS.get((row["rows"], row["memory"]))
        if most:
            print(f"{row['rows']:,} rows peak at {row['peak_gb']:.2f} GB; {_verdict(row['peak_gb'], most)}")
    for figure in ("cpu", "wall"):
        found = slope(results, figure)
        if found is not None:
            print(f"{figure} grows as rows^{found:.2f} from {LINE_FROM:,} rows; {_verdict(found, LARGEST_SLOPE)}")


def _verdict(found: float, most: float) -> str:
    return f"at most {most}: {'holds' if found <= most else 'does not hold'}"


def draw(results: Results, directory: Path) -> None:
    import altair as alt  # noqa: PLC0415  charts are optional

    from benchmarks.charts import lines, save  # noqa: PLC0415

    unlimited = [row for row in results.rows() if row["memory"] == MEMORY]
    rows = [
        {"rows": row["rows"], "figure": label, "value": row[name]}
        for row in unlimited
        for name, label in (("cpu", "CPU seconds"), ("wall", "seconds"), ("peak_gb", "peak memory, GB"))
    ]
    chart = lines(
        rows,
        alt.X("rows:Q", scale=alt.Scale(type="log"), axis=alt.Axis(format="~s"), title="rows"),
        alt.Y("value:Q", scale=alt.Scale(type="log"), axis=alt.Axis(format="~g"), title=None),
        alt.Color("figure:N", title=None),
        "From Parquet to a verified release, 2 threads",
    )
    save(chart, directory, "scale")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, nargs="+", default=ROWS)
    parser.add_argument("--limits", nargs="*", default=LIMITS)
    parser.add_argument("--out", type=Path, default=DIRECTORY)
    parser.add_argument("--work", type=Path, help="where tables are made; kept there. Without: a temporary directory")
    given = parser.parse_args()
    work = given.work.resolve() if given.work else Path(tempfile.mkdtemp(prefix="lgb-scale-"))
    results = Results(given.out / "scale.csv", ("rows", "memory"))
    try:
        measure_points(results, points(given.rows, given.limits), partial(measure, work=work))
    finally:
        if given.work is None:
            shutil.rmtree(work, ignore_errors=True)
    report(results)
    draw(results, given.out)


if __name__ == "__main__":
    main()
