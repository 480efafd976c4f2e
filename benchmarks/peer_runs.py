"""What the peers' benchmark runs, each in a process of its own; peers in an environment that has them.

Every run takes a `Task` as a dictionary and leaves `classes.parquet` (row, class) and, where it publishes a table,
`published.parquet`, in the task's directory. The clock starts when the table is in the memory of whoever works in
memory; `lgb_sql` reads the file, and writes and verifies its release, within its time.
"""

from __future__ import annotations

import csv
from importlib.metadata import version
from pathlib import Path
from typing import Any, Literal

from benchmarks.apart import Figures, timed

Task = dict[str, Any]
"""table, directory, quasi, ordered, sensitive, k, hierarchies (a directory or None)"""

SUPPRESSION_PERCENT = 2
"""What ANJANA may suppress: the same as the default of a policy here."""
INTERVALS = (5, 10, 20, 40)
"""Widths of the levels that an ordered attribute without a hierarchy file gets."""


# --- here ---


def run_lgb(task: Task, generalization: str) -> Figures:
    """No flags; the sensitive attribute is released as it is, like the peers do."""
    import duckdb  # noqa: PLC0415  the peers' environment has none

    import lgb_sql  # noqa: PLC0415
    from benchmarks.people import THREADS  # noqa: PLC0415

    directory = Path(task["directory"])
    attributes: dict[str, Any] = {name: {"role": "quasi-identifier"} for name in task["quasi"]}
    attributes[task["sensitive"]] = {"role": "insensitive"}
    policy = {"k": task["k"], "generalization": generalization, "key": "row", "attributes": attributes}
    to, crosswalk = directory / "release.duckdb", directory / "crosswalk.parquet"
    options = lgb_sql.RunOptions(threads=THREADS)
    figures = timed(lambda: lgb_sql.anonymize(task["table"], policy, to=to, crosswalk=crosswalk, options=options))
    with duckdb.connect(str(to), read_only=True) as release:
        release.execute(
            f"COPY (SELECT row, gid AS class FROM read_parquet('{crosswalk}') JOIN tuples USING (rid)) "
            f"TO '{directory}/classes.parquet'"
        )
        release.execute(f"COPY anonymized TO '{directory}/published.parquet'")
    return {**figures, "version": lgb_sql.__version__}


def run_numpy(task: Task, cuts: Literal["median", "nearest"]) -> Figures:
    """The plain numpy Mondrian: partitions only, publishes nothing."""
    import numpy as np  # noqa: PLC0415
    import pyarrow as pa  # noqa: PLC0415
    import pyarrow.parquet as pq  # noqa: PLC0415

    from benchmarks.numpy_mondrian import mondrian  # noqa: PLC0415

    table = pq.read_table(task["table"])
    ordered = [name in task["ordered"] for name in task["quasi"]]
    groups: list[Any] = []

    def partition() -> None:
        columns = [np.asarray(table[name].to_pylist()) for name in task["quasi"]]
        codes = [
            column - column.min() if is_ordered else np.unique(column, return_inverse=True)[1]
            for column, is_ordered in zip(columns, ordered, strict=True)
        ]
        patterns = np.zeros(table.num_rows, np.int64)
        groups.extend(mondrian(np.stack(codes, axis=1).astype(np.int32), ordered, patterns, task["k"], cuts))

    figures = timed(partition)
    rows = np.concatenate(groups)
    numbers = np.repeat(np.arange(len(groups)), [group.size for group in groups])
    placed = pa.table({"row": table["row"].take(pa.array(rows)), "class": numbers})
    pq.write_table(placed, Path(task["directory"]) / "classes.parquet")
    return {**figures, "version": np.__version__}


def run_plain(table: str, directory: str, policy: dict[str, Any], ordered: list[str]) -> Figures:
    """Plain Python from Parquet to CSV files, with all buckets."""
    import pyarrow.parquet as pq  # noqa: PLC0415

    from benchmarks.python_baseline import release  # noqa: PLC0415

    groups: list[list[int]] = []

    def work() -> None:
        read = pq.read_table(table)
        columns = {name: read[name].to_pylist() for name in read.column_names}
        groups.extend(release(columns, policy, set(ordered), Path(directory)))

    return {**timed(work), "groups": len(groups)}


# --- in the peers' environment ---


def run_anonypy(task: Task) -> Figures:
    """`Preserver.anonymize_k_anonymity` in its two steps, so that the partition is known."""
    import pandas as pd  # noqa: PLC0415
    from anonypy import Preserver, anonymize  # noqa: PLC0415

    frame = pd.read_parquet(task["table"])
    for name in task["quasi"]:
        if name not in task["ordered"]:
            frame[name] = frame[name].astype("category")
    partitions: list[Any] = []
    published: list[dict[str, Any]] = []

    def work() -> None:
        preserver = Preserver(frame, task["quasi"], task["sensitive"])
        partitions.extend(preserver.modrian.partition(task["k"]))
        published.extend(anonymize(frame, partitions, task["quasi"], task["sensitive"]))

    figures = timed(work)
    placed = [(frame["row"][index], number) for number, part in enumerate(partitions) for index in part]
    directory = Path(task["directory"])
    pd.DataFrame(placed, columns=["row", "class"]).to_parquet(directory / "classes.parquet")
    shown = pd.DataFrame(published)
    shown.loc[shown.index.repeat(shown["count"])].astype(str).to_parquet(directory / "published.parquet")
    return {**figures, "version": version("anonypy")}


def run_anjana(task: Task) -> Figures:
    """Full-domain generalization along hierarchies; classes are recovered from equal rows of what it publishes."""
    import pandas as pd  # noqa: PLC0415
    from anjana.anonymity import k_anonymity  # noqa: PLC0415

    frame = pd.read_parquet(task["table"])
    frame[task["quasi"]] = frame[task["quasi"]].astype(str)
    hierarchies = {name: _hierarchy(task, name, sorted(set(frame[name]))) for name in task["quasi"]}
    published: list[Any] = []
    figures = timed(
        lambda: published.append(k_anonymity(frame, [], task["quasi"], task["k"], SUPPRESSION_PERCENT, hierarchies))
    )
    shown = published[0]
    directory = Path(task["directory"])
    shown["class"] = shown.groupby(task["quasi"]).ngroup()
    shown[["row", "class"]].to_parquet(directory / "classes.parquet")
    shown.astype(str).to_parquet(directory / "published.parquet")
    return {**figures, "version": version("anjana")}


def _hierarchy(task: Task, name: str, values: list[str]) -> dict[int, list[str]]:
    """The levels of an attribute, leaves first: from its file, else intervals of numbers, else all or nothing."""
    file = Path(task["hierarchies"] or "") / f"{name}.csv"
    if task["hierarchies"] and file.exists():
        with file.open(encoding="utf-8", newline="") as lines:
            return dict(enumerate(map(list, zip(*csv.reader(lines, delimiter=";"), strict=True))))
    levels = [values]
    if name in task["ordered"]:
        levels += [[_interval(int(value), width) for value in values] for width in INTERVALS]
    return dict(enumerate([*levels, ["*"] * len(values)]))


def _interval(number: int, width: int) -> str:
    start = number // width * width
    return f"[{start}, {start + width})"


def pycanon_k(published: str, quasi: list[str]) -> Figures:
    """The k of a published table by an independent measure."""
    import pandas as pd  # noqa: PLC0415
    from pycanon import anonymity  # noqa: PLC0415

    return {"k": int(anonymity.k_anonymity(pd.read_parquet(published), quasi))}
