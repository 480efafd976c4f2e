"""The paper's experiments in one command.

    python -m benchmarks.experiments [--data census.parquet] [--hierarchies DIRECTORY] [--seeds 3] [--workers 2]

Without `--data` the generated people. The table needs the paper's nine attributes by name; flags are drawn. Results
are kept point by point, so an interrupted run goes on where it ended; charts and the page are made at the end, or with
`--draw` of what is there.
"""

from __future__ import annotations

import argparse
import shlex
import sys
import tempfile
from functools import partial
from pathlib import Path

from benchmarks.apart import ROOT, Figures, apart
from benchmarks.experiments import page, queries
from benchmarks.experiments.figures import draw
from benchmarks.experiments.grid import DENSITIES, DIVERSITIES, KEYS, SIZES, Grid
from benchmarks.people import ROWS, make_people
from benchmarks.results import DIRECTORY, Point, Results, measure_points

MEASURE = "benchmarks.experiments.measuring:measure"


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="a Parquet file with the paper's attributes")
    parser.add_argument("--hierarchies", type=Path, help="a directory with <attribute>.csv for unordered attributes")
    parser.add_argument("--rows", type=int, default=ROWS, help="of the generated table")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--queries", type=int, default=1000, help="for each release; 0: ask nothing")
    parser.add_argument("--ks", type=int, nargs="+", default=SIZES)
    parser.add_argument("--ls", type=int, nargs="+", default=DIVERSITIES)
    parser.add_argument("--densities", type=int, nargs="+", default=DENSITIES)
    parser.add_argument("--workers", type=int, default=1, help="points measured at the same time")
    parser.add_argument("--draw", action="store_true", help="measure nothing; charts and page of what is there")
    parser.add_argument("--out", type=Path, default=DIRECTORY)
    parser.add_argument("--page", type=Path, default=ROOT / "docs" / "experiments.md")
    return parser.parse_args()


def measure(point: Point, source: Path, hierarchies: Path | None, asked: dict[int, Path]) -> Figures:
    file = asked.get(point["seed"])
    found = apart(MEASURE, point, str(source), str(hierarchies) if hierarchies else None, str(file) if file else None)
    return {name: value for name, value in found.items() if name != "peak_gb"}


def make_asked(source: Path, seeds: int, count: int, work: Path) -> dict[int, Path]:
    """A file of queries and true answers for each seed."""
    asked = {seed: work / f"queries_{seed}.json" for seed in range(1, seeds + 1)} if count else {}
    for seed, path in asked.items():
        queries.save(queries.make_queries(source, count, seed), path)
    return asked


def measure_all(grid: Grid, results: Results, given: argparse.Namespace) -> None:
    """What is missing of the grid."""
    with tempfile.TemporaryDirectory(prefix="lgb-experiments-") as place:
        work = Path(place)
        source = given.data or make_people(work, given.rows)
        asked = make_asked(source, given.seeds, given.queries, work)
        trees = given.hierarchies.resolve() if given.hierarchies else None
        one = partial(measure, source=source.resolve(), hierarchies=trees, asked=asked)
        measure_points(results, grid.points(), one, given.workers)


def main() -> None:
    given = parse()
    table = given.data.stem if given.data else "generated"
    grid = Grid(table, given.seeds, given.queries, given.hierarchies is not None, given.ks, given.ls, given.densities)
    results = Results(given.out / "experiments.csv", KEYS)
    if not given.draw:
        measure_all(grid, results, given)
    wanted = {results.key(point) for point in grid.points()}
    rows = [row for row in results.rows() if results.key(row) in wanted]
    drawn = draw([row for row in rows if row["status"] == "done"], given.out, table)
    command = shlex.join(["python", "-m", "benchmarks.experiments", *_named(sys.argv[1:])])
    page.write(rows, drawn, given.out, given.page, command)
    print(f"written: {given.page}")


def _named(arguments: list[str]) -> list[str]:
    """Arguments as the page shows them: of a path only its name."""
    return [Path(each).name if "/" in each else each for each in arguments]


if __name__ == "__main__":
    main()
