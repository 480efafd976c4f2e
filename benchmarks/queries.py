"""What it costs to ask a release, and what its answers are worth, all as ratios measured in one run.

    python -m benchmarks.queries [--data census.parquet] [--rows 31055] [--queries 1000] [--million 1000000]

Queries are the paper's: SUM(salary) under four predicates, of a release with k = 10 and l = 10. CPU is user + system
time; every measurement runs in a process of its own, and counts its best of `--repeat`. Plain bounds and the uniform
estimate are computed by `benchmarks.plain_answers`, which shares no code with what answers queries. What no certain
bounds can undercut comes from tables that fit the release (`benchmarks.possible_answers`). The million rows are
generated ones, released by `fast`. `--data` has no flags: one in five is drawn for each semi-sensitive attribute.
"""

from __future__ import annotations

import argparse
import math
import os
import sys
import tempfile
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from statistics import fmean, median
from typing import Any

import duckdb
import pyarrow.parquet as pq

import lgb_sql
from benchmarks.apart import Figures, apart, best_apart, timed
from benchmarks.experiments.queries import Answer, Query, ask, load, make_queries, save
from benchmarks.experiments.tables import SENSITIVE, flagged
from benchmarks.people import ROWS, THREADS, make_people, policy
from benchmarks.plain_answers import Plain, Reading
from benchmarks.possible_answers import Worlds
from benchmarks.results import DIRECTORY, Results

DENSITY = 20
"""Percent of each semi-sensitive attribute that is flagged, as in the generated table."""
SEED = 1
SAMPLE = 60
"""Queries that are asked one by one; the time of all is extrapolated."""
POSSIBLE = 200
"""Queries for which extreme tables are made that fit the release."""
SINGLE = 15
"""Queries asked of the large release, each alone."""
BUCKETS = (5, 20)
"""The two l whose answers should cost the same."""
ESTIMATE_DIGITS = 1e-9
JOIN = "SELECT count(*), sum(n) FROM (SELECT {bid}, count(*) AS n FROM tuples JOIN groups USING (gid) GROUP BY {bid})"
OPTIONS = lgb_sql.RunOptions(threads=THREADS)

# --- what is measured, each in a process of its own ---


def make_release(source: str, generalization: str, l: int, to: str) -> Figures:
    chosen = policy(generalization)
    for attribute in chosen["attributes"].values():
        if "l_diversity" in attribute.get("principle", {}):
            attribute["principle"] = {"l_diversity": l}
    made = lgb_sql.anonymize(source, chosen, to=Path(to), options=OPTIONS)
    return {"groups": made.metrics().groups, "cells_withheld": made.metrics().cells_withheld}


def measure_together(release: str, asked: str) -> Figures:
    opened, texts = lgb_sql.open_release(release), [query.sql for query in load(Path(asked))]
    opened.query(texts[0], options=OPTIONS)
    return timed(lambda: opened.query_many(texts, options=OPTIONS))


def measure_one_by_one(release: str, asked: str, sample: int) -> Figures:
    """A sample, spread over all queries, and how many of its answers differ from those given together."""
    opened, chosen = lgb_sql.open_release(release), [query.sql for query in _spread(load(Path(asked)), sample)]
    opened.query(chosen[0], options=OPTIONS)
    alone: list[Any] = []
    time = timed(lambda: alone.extend(opened.query(text, options=OPTIONS) for text in chosen))
    together = opened.query_many(chosen, options=OPTIONS)
    differing = [not _same(one, other) for one, other in zip(alone, together, strict=True)]
    return {**time, "asked": len(chosen), "differing": sum(differing)}


def _same(one: Any, other: Any) -> bool:
    """Everything equal; the estimate up to the order of adding."""
    (first,), (second,) = one.to_pylist(), other.to_pylist()
    estimates = first.pop("estimate"), second.pop("estimate")
    return first == second and math.isclose(*estimates, rel_tol=ESTIMATE_DIGITS)


def measure_alone(release: str, asked: str, repeat: int) -> Figures:
    """The release is opened for each query, as analysts do."""
    opened = lgb_sql.open_release(release)
    return _each([partial(opened.query, query.sql, options=OPTIONS) for query in load(Path(asked))], repeat)


def measure_raw(source: str, asked: str, repeat: int) -> Figures:
    """The same aggregates of the raw table, loaded."""
    connection = duckdb.connect(config={"threads": THREADS})
    connection.execute(f"CREATE TABLE released AS SELECT * FROM read_parquet('{source}')")
    return _each([partial(_fetch, connection, query.sql) for query in load(Path(asked))], repeat)


def measure_join(release: str, repeat: int) -> Figures:
    """What the paper's method cannot do without: tuples with their groups, counted by bucket."""

    def join() -> None:
        with duckdb.connect(release, read_only=True, config={"threads": THREADS}) as connection:
            connection.execute(JOIN.format(bid=f"{SENSITIVE}_bid")).fetchall()

    return _each([join], repeat)


def _fetch(connection: duckdb.DuckDBPyConnection, sql: str) -> list[Any]:
    return list(connection.execute(sql).fetchall())


def _each(actions: Sequence[Callable[[], object]], repeat: int) -> Figures:
    """The best CPU time of each action; the first is run once before."""
    actions[0]()
    return {"cpu": [min(float(timed(action)["cpu"]) for _ in range(repeat)) for action in actions]}


def measure_worth(release: str, asked: str) -> Figures:
    queries, opened = load(Path(asked)), lgb_sql.open_release(release)
    with opened.connect() as connection:
        reading = Reading(connection, SENSITIVE)
        plain = [reading.answer(query.predicate) for query in queries]
    return worth(queries, list(ask(opened, queries)), plain)


def worth(queries: Sequence[Query], answers: Sequence[Answer], plain: Sequence[Plain]) -> Figures:
    """Errors, widths and what intervals cover."""
    actual = [query.actual for query in queries]
    estimate, uniform = [a.estimate for a in answers], [p.uniform for p in plain]
    width = [a.upper - a.lower for a in answers]
    per_bucket = [p.upper - p.lower for p in plain]
    per_tuple = [p.upper_per_tuple - p.lower_per_tuple for p in plain]
    pairs = list(zip(answers, plain, strict=True))
    told = list(zip(actual, answers, strict=True))
    return {
        "error_to_uniform": _error(estimate, actual) / _error(uniform, actual),
        "error_relative": median(abs(e - a) / a for e, a in zip(estimate, actual, strict=True)),
        "error_relative_uniform": median(abs(e - a) / a for e, a in zip(uniform, actual, strict=True)),
        "width_to_per_bucket": median(width) / median(per_bucket),
        "width_to_per_bucket_each": _median_ratio(width, per_bucket),
        "width_to_per_tuple": median(width) / median(per_tuple),
        "width_to_per_tuple_each": _median_ratio(width, per_tuple),
        "width_relative": median(w / a for w, a in zip(width, actual, strict=True)),
        "covered_certain": fmean(a.lower <= true <= a.upper for true, a in told),
        "covered_expected": fmean(a.lower_expected <= true <= a.upper_expected for true, a in told),
        "wider_than_plain": sum(a.lower < p.lower or a.upper > p.upper for a, p in pairs),
        "other_expected": sum(
            (a.lower_expected, a.upper_expected) != (p.lower_expected, p.upper_expected) for a, p in pairs
        ),
    }


def measure_possible(release: str, asked: str, sample: int) -> Figures:
    """How far apart two sums are that tables behind the release have, for queries spread over all."""
    queries = _spread(load(Path(asked)), sample)
    with lgb_sql.open_release(release).connect() as connection:
        reading = Reading(connection, SENSITIVE)
        worlds = Worlds(reading)
        plain = [reading.answer(query.predicate) for query in queries]
        sums = [worlds.sums(query.predicate) for query in queries]
    width = [high - low for low, high in sums]
    per_bucket = [p.upper - p.lower for p in plain]
    per_tuple = [p.upper_per_tuple - p.lower_per_tuple for p in plain]
    return {
        "possible": len(queries),
        "possible_to_per_bucket": median(width) / median(per_bucket),
        "possible_to_per_bucket_each": _median_ratio(width, per_bucket),
        "possible_to_per_tuple": median(width) / median(per_tuple),
        "possible_to_per_tuple_each": _median_ratio(width, per_tuple),
    }


def _spread(queries: Sequence[Query], sample: int) -> Sequence[Query]:
    return queries[:: max(1, len(queries) // sample)][:sample]


def _error(given: Sequence[float], actual: Sequence[float]) -> float:
    return median(abs(one - other) for one, other in zip(given, actual, strict=True))


def _median_ratio(ones: Sequence[float], others: Sequence[float]) -> float:
    """Where plain bounds leave nothing open there is nothing to narrow."""
    return median(one / other if other else 1.0 for one, other in zip(ones, others, strict=True))


# --- the two tables ---


def ask_workload(directory: Path, source: Path, queries: int, repeat: int) -> Figures:
    """The paper's workload: what asking costs, and what answers are worth."""
    asked, release = directory / "workload.json", directory / "release.duckdb"
    save(make_queries(source, queries, SEED), asked)
    made = apart("benchmarks.queries:make_release", str(source), "auto", 10, str(release))
    if made["cells_withheld"]:
        print(f"{made['cells_withheld']:,} cells are withheld: their share in the uniform estimate is a guess")
    together = best_apart("benchmarks.queries:measure_together", str(release), str(asked), repeat=repeat)
    alone = best_apart("benchmarks.queries:measure_one_by_one", str(release), str(asked), SAMPLE, repeat=repeat)
    cpu_alone = alone["cpu"] / alone["asked"]
    return {
        "groups": made["groups"],
        "cpu_together": together["cpu"],
        "cpu_alone_each": cpu_alone,
        "one_by_one_to_together": cpu_alone * queries / together["cpu"],
        "differing": alone["differing"],
        **apart("benchmarks.queries:measure_possible", str(release), str(asked), POSSIBLE),
        **apart("benchmarks.queries:measure_worth", str(release), str(asked)),
    }


def ask_million(directory: Path, rows: int, repeat: int) -> Figures:
    """One query at a time of a large release, against the raw table."""
    source, asked = make_people(directory, rows), directory / "single.json"
    save(make_queries(source, SINGLE, SEED), asked)
    raw = apart("benchmarks.queries:measure_raw", str(source), str(asked), repeat)["cpu"]
    released = {l: _ask_released(directory, source, asked, l, repeat) for l in (10, *BUCKETS)}
    alone = released[10]["cpu"]
    few, many = (sum(released[l]["cpu"]) for l in BUCKETS)
    return {
        "cpu_raw": sum(raw) / len(raw),
        "cpu_alone": sum(alone) / len(alone),
        "cpu_join": released[10]["join"],
        "alone_to_raw": sum(alone) / sum(raw),
        "alone_to_raw_each": _median_ratio(alone, raw),
        "join_to_raw": released[10]["join"] * len(raw) / sum(raw),
        "large_to_small_buckets": many / few,
    }


def _ask_released(directory: Path, source: Path, asked: Path, l: int, repeat: int) -> Figures:
    release = directory / f"million_{l}.duckdb"
    apart("benchmarks.queries:make_release", str(source), "fast", l, str(release))
    alone = apart("benchmarks.queries:measure_alone", str(release), str(asked), repeat)
    (join,) = apart("benchmarks.queries:measure_join", str(release), repeat)["cpu"]
    release.unlink()
    return {**alone, "join": join}


MILLION = (
    "cpu_raw",
    "cpu_alone",
    "cpu_join",
    "alone_to_raw",
    "alone_to_raw_each",
    "join_to_raw",
    "large_to_small_buckets",
)

# --- the report ---


def report_workload(figures: Figures, queries: int) -> None:
    sample = min(SAMPLE, queries)
    lines = [
        f"{queries:,} queries, {figures['groups']:,} groups, k = l = 10",
        f"one by one (extrapolated from {sample}) / together, CPU   {figures['one_by_one_to_together']:.1f}"
        f"   goal >= 8   ({1000 * figures['cpu_alone_each']:.0f} ms each; together {figures['cpu_together']:.1f} s)",
        f"answers that differ between the two   {figures['differing']}   goal 0",
        f"median error, estimate / uniform   {figures['error_to_uniform']:.2f}   goal <= 0.8   (relative: "
        f"{figures['error_relative']:.3f} against {figures['error_relative_uniform']:.3f})",
        f"median width, certain / plain per bucket   {figures['width_to_per_bucket']:.2f}   goal <= 0.7   "
        f"(median of ratios {figures['width_to_per_bucket_each']:.2f})",
        f"median width, certain / plain per tuple   {figures['width_to_per_tuple']:.2f}   goal <= 0.7   "
        f"(median of ratios {figures['width_to_per_tuple_each']:.2f})",
        f"no certain bounds can be narrower, of {figures['possible']} queries, than   "
        f"{figures['possible_to_per_bucket']:.2f} of plain per bucket (median of ratios "
        f"{figures['possible_to_per_bucket_each']:.2f}), {figures['possible_to_per_tuple']:.2f} of plain per tuple "
        f"({figures['possible_to_per_tuple_each']:.2f})",
        f"width of the certain bounds / true sum, median   {figures['width_relative']:.2f}",
        f"true sums inside the certain bounds   {figures['covered_certain']:.3f}   goal 1",
        f"true sums inside the paper's interval   {figures['covered_expected']:.3f}",
        f"certain bounds wider than plain ones   {figures['wider_than_plain']}   goal 0",
        f"the paper's interval, computed twice, differs   {figures['other_expected']}   goal 0",
    ]
    print("\n  ".join(lines), flush=True)


def report_million(figures: Figures, rows: int) -> None:
    lines = [
        f"{rows:,} rows, fast, {SINGLE} queries each alone",
        f"answer / raw aggregate, CPU, of the sums   {figures['alone_to_raw']:.1f}   "
        f"({1000 * figures['cpu_alone']:.0f} ms against {1000 * figures['cpu_raw']:.1f} ms)",
        f"answer / raw aggregate, CPU, median of ratios   {figures['alone_to_raw_each']:.1f}   goal <= 12",
        f"bare join of tuples and groups / raw aggregate, CPU   {figures['join_to_raw']:.1f}",
        f"l = {BUCKETS[1]} / l = {BUCKETS[0]}, CPU   {figures['large_to_small_buckets']:.2f}   goal 1",
    ]
    print("\n  ".join(lines), flush=True)


def table(directory: Path, data: Path | None, rows: int) -> Path:
    """The generated people, or so many of the given ones with flags drawn."""
    if data is None:
        return make_people(directory, rows)
    path = directory / "people.parquet"
    pq.write_table(flagged(data, DENSITY, SEED).slice(0, rows), path)
    return path


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--rows", type=int, default=ROWS)
    parser.add_argument("--queries", type=int, default=1_000)
    parser.add_argument("--million", type=int, default=1_000_000, help="rows of the large table; 0 leaves it out")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--out", type=Path, default=DIRECTORY)
    given = parser.parse_args()
    python = sys.version.split()[0]
    print(f"lgb_sql {lgb_sql.__version__}, DuckDB {duckdb.__version__}, Python {python}, {THREADS} threads")
    point = {
        "data": given.data.stem if given.data else "generated",
        "rows": given.rows,
        "queries": given.queries,
        "million": given.million,
    }
    load_before = os.getloadavg()[0]
    with tempfile.TemporaryDirectory() as directory:
        source = table(Path(directory), given.data, given.rows)
        figures = ask_workload(Path(directory), source, given.queries, given.repeat)
        report_workload(figures, given.queries)
        figures |= dict.fromkeys(MILLION)
        if given.million:
            figures |= ask_million(Path(directory), given.million, given.repeat)
            report_million(figures, given.million)
    print(f"load when it began: {load_before:.1f}")
    Results(given.out / "queries.csv", tuple(point)).add(point, {**figures, "load": load_before})


if __name__ == "__main__":
    main()
