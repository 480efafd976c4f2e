"""Helpers of all tests: run the program on small tables, read a release without the program, look for leftovers."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from math import isclose
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeVar
from urllib.parse import unquote

import duckdb
import pyarrow as pa

import lgb_sql
from lgb_sql.events import Event, Listener, StatementFinished, ignore

Rows = list[tuple[Any, ...]]
Parameter = TypeVar("Parameter")


@dataclass(frozen=True)
class Relation:
    """One relation of a release as it is stored: its kind, its columns with their types, its rows in order."""

    kind: str
    columns: tuple[tuple[str, str], ...]
    rows: Rows

    @property
    def names(self) -> list[str]:
        return [name for name, _ in self.columns]

    def column(self, name: str) -> list[Any]:
        place = self.names.index(name)
        return [row[place] for row in self.rows]

    def records(self) -> list[dict[str, Any]]:
        return [dict(zip(self.names, row, strict=True)) for row in self.rows]


Observed = dict[str, Relation]


@dataclass(frozen=True)
class Outcome:
    """What a run left: the release, everything in it, and the private crosswalk (source position -> rid)."""

    release: lgb_sql.Release
    observed: Observed
    rids: dict[int, int | None]

    @property
    def manifest(self) -> dict[str, Any]:
        return {key: json.loads(value) for key, value in self.observed["manifest"].rows}


def quoted(name: str) -> str:
    """An identifier, quoted without the program's help."""
    return '"' + name.replace('"', '""') + '"'


def fetch(connection: duckdb.DuckDBPyConnection, sql: str) -> Rows:
    """All rows as Python values; through Arrow, since time zones need no other package there."""
    table = connection.sql(sql).to_arrow_table()
    columns = [table.column(place).to_pylist() for place in range(table.num_columns)]
    return list(zip(*columns, strict=True)) if columns else []


def columns_of(connection: duckdb.DuckDBPyConnection, sql: str) -> tuple[tuple[str, str], ...]:
    return tuple((str(row[0]), str(row[1])) for row in connection.execute(f"DESCRIBE {sql}").fetchall())


def read_duckdb(path: Path, schema: str = "main") -> Observed:
    """Everything in a DuckDB file."""
    with duckdb.connect(str(path), read_only=True) as connection:
        ((catalog,),) = connection.execute("SELECT current_database()").fetchall()
        connection.execute(f"USE {quoted(catalog)}.{quoted(schema)}")
        found = connection.execute(
            "SELECT table_name, table_type FROM information_schema.tables WHERE table_schema = ?", [schema]
        ).fetchall()
        return {name: _relation(connection, kind, f"SELECT * FROM {quoted(name)}") for name, kind in found}


def read_directory(path: Path) -> Observed:
    """Everything in a directory of Parquet files."""
    observed = {}
    with duckdb.connect() as connection:
        for file in sorted(path.iterdir()):
            if file.name == "macros.sql":
                continue
            assert file.suffix == ".parquet", file
            text = str(file).replace("'", "''")
            relation = unquote(file.name.removesuffix(".parquet"))
            observed[relation] = _relation(connection, "FILE", f"SELECT * FROM read_parquet('{text}')")
    return observed


def _relation(connection: duckdb.DuckDBPyConnection, kind: str, sql: str) -> Relation:
    return Relation(kind, columns_of(connection, sql), fetch(connection, sql))


def read_crosswalk(path: Path) -> dict[Any, int | None]:
    with duckdb.connect() as connection:
        return dict(connection.execute(f"SELECT row, rid FROM read_parquet('{path}')").fetchall())


def anonymize(
    table: Any,
    policy: Mapping[str, Any] | lgb_sql.Policy,
    directory: Path,
    *,
    seed: int | None = 7,
    threads: int = 1,
    to: str = "release.duckdb",
    listener: Listener = ignore,
) -> Outcome:
    """One run with a crosswalk, read back without the program."""
    crosswalk = directory / f"crosswalk-{to.strip('/')}.parquet"
    release = lgb_sql.anonymize(
        table,
        dict(policy) if isinstance(policy, Mapping) else policy,
        to=f"{directory}/{to}",
        crosswalk=crosswalk,
        options=lgb_sql.RunOptions(seed=seed, threads=threads),
        listener=listener,
    )
    place = directory / to
    observed = read_directory(place) if place.is_dir() else read_duckdb(place)
    return Outcome(release, observed, read_crosswalk(crosswalk))


def same_answer(one: pa.Table, other: pa.Table) -> bool:
    """Everything equal; doubles up to the order in which threads add them."""
    if not one.schema.equals(other.schema) or one.num_rows != other.num_rows:
        return False
    return all(
        all(map(_same_double, one[name].to_pylist(), other[name].to_pylist()))
        if pa.types.is_float64(one.schema.field(name).type)
        else one[name].equals(other[name])
        for name in one.column_names
    )


def _same_double(one: float | None, other: float | None) -> bool:
    if one is None or other is None:
        return one is other
    return isclose(one, other, rel_tol=1e-9, abs_tol=1e-9)


@contextmanager
def workplace() -> Iterator[Path]:
    """A new directory; hypothesis needs one per example."""
    with TemporaryDirectory(prefix="test-lgb-") as directory:
        yield Path(directory)


def leftovers(directory: Path) -> list[str]:
    """Everything in a directory, hidden files too."""
    return sorted(path.name for path in directory.iterdir())


class Recorder:
    """A listener that keeps everything it is told."""

    def __init__(self) -> None:
        self.events: list[Event] = []

    def __call__(self, event: Event) -> None:
        self.events.append(event)

    @property
    def statements(self) -> list[StatementFinished]:
        return [event for event in self.events if isinstance(event, StatementFinished)]


def people(rows: int) -> pa.Table:
    """The generated census-like table."""
    from lgb_sql.render import render  # noqa: PLC0415  the one place where tests of results need a template

    with duckdb.connect() as connection:
        return connection.sql(render("demo/people", {"rows": rows}).sql).to_arrow_table()


PEOPLE_POLICY: dict[str, Any] = {
    "k": 5,
    "attributes": {
        "relationship": {"role": "quasi-identifier"},
        "marital_status": {"role": "quasi-identifier"},
        "race": {"role": "quasi-identifier"},
        "education": {"role": "quasi-identifier"},
        "hours_per_week": {"role": "quasi-identifier"},
        "sex": {"role": "semi-sensitive", "flag": "sex_private", "principle": {"t_closeness": 0.2}},
        "age": {"role": "semi-sensitive", "flag": "age_private", "principle": {"l_diversity": 5}},
        "occupation": {"role": "semi-sensitive", "flag": "occupation_private", "principle": {"l_diversity": 5}},
        "salary": {"role": "sensitive", "principle": {"l_diversity": 5}},
    },
}


def ends_of(*given: Parameter) -> tuple[Parameter, ...]:
    """Parameters of slow tests: the first and the last, and all where LGB_EVERY is set."""
    return given if os.environ.get("LGB_EVERY") else (given[0], given[-1])
