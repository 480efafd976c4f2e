"""`fast` and `tight` beside what pip can install, on the same tables, measured by one yardstick.

    python -m benchmarks.peers [--data DIRECTORY] [--timeout 900] [--cap 50000] [--million 1000000]

All keep the same quasi-identifiers k-anonymous with k = 10, without flags. Tables: Adult and census from `--data` or
LGB_DATA (`adult.parquet`, `census.parquet`, `hierarchies/<table>/<attribute>.csv`), else the generated people. Peers
run in an environment of their own, which the first run makes. NCP and C_DM are computed from the classes of row
numbers alone (benchmarks/yardstick.py): anonypy's partition, equal rows of what ANJANA publishes, the groups of the
numpy Mondrian, and groups by crosswalk for `lgb_sql`, whose time includes reading, writing and verifying.

Then a verified release of generated people with four bucketed attributes against benchmarks/python_baseline.py.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import duckdb

from benchmarks import yardstick
from benchmarks.apart import ROOT, Figures, TooSlowError, apart
from benchmarks.peer_runs import Task
from benchmarks.people import ORDERED, QUASI, ROWS, make_people, policy
from benchmarks.results import DIRECTORY, Point, Results, measure_points
from benchmarks.speed import RELEASE

K = 10
LGB_FAST, PLAIN = "lgb_sql fast", "plain Python"
PACKAGES = ("anonypy==0.2.1", "anjana==1.2.3", "pycanon==1.3.5", "pyarrow")
RUNS: dict[str, tuple[str, tuple[str, ...]]] = {
    LGB_FAST: ("run_lgb", ("fast",)),
    "lgb_sql tight": ("run_lgb", ("tight",)),
    "numpy Mondrian, median cuts": ("run_numpy", ("median",)),
    "numpy Mondrian, cuts of fast": ("run_numpy", ("nearest",)),
    "anonypy": ("run_anonypy", ()),
    "ANJANA": ("run_anjana", ()),
}
SLOW = {"anonypy", "ANJANA"}
"""Those that get no more rows than the cap, and run in the peers' environment."""
COLUMNS = (*("wall", "cpu", "peak_gb", "version"), *yardstick.FIGURES, "k_by_pycanon", "status")
RUNS_IN = "benchmarks.peer_runs"
SPEEDUP = 8


@dataclass(frozen=True)
class Table:
    """A table with a column `row`, and what is what in it."""

    name: str
    path: Path
    quasi: tuple[str, ...]
    ordered: tuple[str, ...]
    sensitive: str
    hierarchies: Path | None = None

    @property
    def columns(self) -> tuple[str, ...]:
        """All that anybody gets to see."""
        return (*self.quasi, self.sensitive)

    def task(self, path: Path, directory: Path) -> Task:
        """What a run is told."""
        return {
            "table": str(path),
            "directory": str(directory),
            "quasi": self.quasi,
            "ordered": self.ordered,
            "sensitive": self.sensitive,
            "k": K,
            "hierarchies": str(self.hierarchies) if self.hierarchies else None,
        }


_ADULT = ("sex", "age", "race", "marital_status", "education", "native_country", "workclass", "occupation")
_SHAPES = {
    "adult": (_ADULT, ("age",), "salary_class"),
    "census": (tuple(QUASI), tuple(ORDERED), "salary"),
    "generated": (tuple(QUASI), tuple(ORDERED), "salary"),
}


def tables(data: Path | None, work: Path, rows: int) -> Iterator[Table]:
    """Adult and census where there are any, else generated people."""
    found = [name for name in ("adult", "census") if data and (data / f"{name}.parquet").exists()]
    for name in found:
        assert data is not None
        yield Table(name, data / f"{name}.parquet", *_SHAPES[name], data / "hierarchies" / name)
    if not found:
        yield Table("generated", make_people(work, rows), *_SHAPES["generated"])


def _numbered(source: Path, path: Path, columns: tuple[str, ...], limit: int | None) -> Path:
    """A copy with row numbers, of some rows where there are too many."""
    with duckdb.connect() as connection:
        connection.execute(
            f"COPY (SELECT row_number() OVER () AS row, {', '.join(columns)} FROM read_parquet('{source}') "
            f"{f'LIMIT {limit}' if limit else ''}) TO '{path}' (FORMAT parquet)"
        )
    return path


@dataclass(frozen=True)
class Means:
    """Where and how runs are measured; without `python` of the peers' environment, only what runs here."""

    work: Path
    cap: int
    timeout: float
    python: str | None


def points(chosen: list[Table], means: Means) -> list[Point]:
    runs = [name for name in RUNS if means.python or name not in SLOW]
    return [{"table": table.name, "who": who, "k": K} for table in chosen for who in runs]


def measure(point: Point, chosen: list[Table], means: Means) -> Figures:
    """Time, memory and loss of one run; what is unknown is None."""
    table = next(table for table in chosen if table.name == point["table"])
    slow = point["who"] in SLOW
    figures: Figures = dict.fromkeys(COLUMNS)
    with tempfile.TemporaryDirectory(dir=means.work) as place:
        directory = Path(place)
        path = _numbered(table.path, directory / "table.parquet", table.columns, means.cap if slow else None)
        function, arguments = RUNS[point["who"]]
        task = table.task(path, directory)
        python = means.python if means.python and slow else sys.executable
        try:
            found = apart(f"{RUNS_IN}:{function}", task, *arguments, python=python, timeout=means.timeout)
        except TooSlowError:
            return {**figures, "status": f"not done in {means.timeout:.0f} s"}
        published = directory / "published.parquet"
        if means.python and published.exists():
            figures |= {"k_by_pycanon": _pycanon_k(published, table, means.python)}
        losses = yardstick.loss(path, directory / "classes.parquet", table.quasi, table.ordered)
    return {**figures, **found, **losses, "status": "done"}


def _pycanon_k(published: Path, table: Table, python: str) -> int:
    return int(apart(f"{RUNS_IN}:pycanon_k", str(published), table.quasi, python=python)["k"])


def peers_python(directory: Path) -> str:
    """The interpreter of the peers' environment, which is made where there is none."""
    python = directory / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", directory], check=True)
        try:
            subprocess.run([python, "-m", "pip", "install", "-q", *PACKAGES], check=True)
        except BaseException:
            shutil.rmtree(directory)  # half an environment would be taken for a whole one
            raise
    return str(python)


# --- end to end against plain Python ---


def measure_end_to_end(point: Point, work: Path) -> Figures:
    people = make_people(work, point["rows"])
    if point["who"] == LGB_FAST:
        found = apart(RELEASE, str(people), None, {})
        return {name: found[name] for name in ("wall", "cpu", "groups", "peak_gb", "cpu_verify")}
    with tempfile.TemporaryDirectory(dir=work) as directory:
        found = apart(f"{RUNS_IN}:run_plain", str(people), directory, policy(), sorted(ORDERED))
    return {**found, "cpu_verify": 0.0}


# --- the report ---


def report(results: Results) -> None:
    print(
        "| table | rows | who | version | CPU s | wall s | peak GB | NCP % | C_DM | groups | suppressed | k (pycanon) |"
    )
    print("|---|---|---|---|---|---|---|---|---|---|---|---|")
    for row in results.rows():
        if row["status"] != "done":
            print(f"| {row['table']} | | {row['who']} | {row['status']} | | | | | | | | |")
            continue
        print(
            f"| {row['table']} | {row['rows']:,} | {row['who']} | {row['version']} | {row['cpu']:.1f} "
            f"| {row['wall']:.1f} | {row['peak_gb']:.2f} | {row['ncp_percent']:.2f} | {row['c_dm']:,} "
            f"| {row['groups']:,} | {row['suppressed']:,} | {row['k_by_pycanon'] or ''} |"
        )


def draw(results: Results, directory: Path) -> None:
    """Loss over time, a panel for each table: best is below left."""
    import altair as alt  # noqa: PLC0415  charts are optional

    from benchmarks.charts import dots, save  # noqa: PLC0415

    done = [row for row in results.rows() if row["status"] == "done"]
    panels = [
        dots(
            [row for row in done if row["table"] == table],
            alt.X("cpu:Q", scale=alt.Scale(type="log"), title="CPU seconds"),
            alt.Y("ncp_percent:Q", title="NCP, % of all cells"),
            alt.Color("who:N", title=None, sort=list(RUNS)),
            f"{table}, k = {K}",
        )
        for table in dict.fromkeys(row["table"] for row in done)
    ]
    save(alt.hconcat(*panels), directory, "peers")


def report_end_to_end(results: Results) -> None:
    for rows in sorted({row["rows"] for row in results.rows()}):
        ours, plain = (
            next(row for row in results.rows() if (row["rows"], row["who"]) == (rows, who)) for who in (LGB_FAST, PLAIN)
        )
        ratio = plain["cpu"] / ours["cpu"]
        unverified = plain["cpu"] / (ours["cpu"] - ours["cpu_verify"])
        print(
            f"{rows:,} rows, four bucketed attributes: {ours['cpu']:.1f} CPU s, plain Python {plain['cpu']:.1f} CPU s: "
            f"{ratio:.1f} times as much ({unverified:.1f} times without our verification, which it does not do); "
            f"{SPEEDUP} or more: {'holds' if ratio >= SPEEDUP else 'does not hold'}"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=os.environ.get("LGB_DATA"))
    parser.add_argument("--rows", type=int, default=ROWS, help="of the generated table")
    parser.add_argument("--cap", type=int, default=50_000, help="rows for those that are slow")
    parser.add_argument("--timeout", type=float, default=900, help="seconds for one run")
    parser.add_argument("--million", type=int, default=1_000_000, help="rows end to end; 0: leave it out")
    parser.add_argument("--environment", type=Path, default=ROOT / ".venv-peers")
    parser.add_argument("--without-peers", action="store_true", help="only what needs no other environment")
    parser.add_argument("--out", type=Path, default=DIRECTORY)
    given = parser.parse_args()
    compared = Results(given.out / "peers.csv", ("table", "who", "k"))
    end_to_end = Results(given.out / "end_to_end.csv", ("rows", "who"))
    with tempfile.TemporaryDirectory(prefix="lgb-peers-") as place:
        work = Path(place)
        python = None if given.without_peers else peers_python(given.environment.absolute())
        means = Means(work, given.cap, given.timeout, python)
        chosen = list(tables(given.data.resolve() if given.data else None, work, given.rows))
        measure_points(compared, points(chosen, means), partial(measure, chosen=chosen, means=means))
        if given.million:
            both = [{"rows": given.million, "who": who} for who in (LGB_FAST, PLAIN)]
            measure_points(end_to_end, both, partial(measure_end_to_end, work=work))
    report(compared)
    draw(compared, given.out)
    report_end_to_end(end_to_end)


if __name__ == "__main__":
    main()
