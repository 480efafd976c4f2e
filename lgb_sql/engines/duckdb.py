"""DuckDB as the engine of a run: tables in, counts out. Only modules of this folder import it."""

from __future__ import annotations

import re
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa

from lgb_sql.engines.duckdb_calls import Connection, attempt, relations, taken_schemas
from lgb_sql.errors import LgbError, PolicyError, Problem
from lgb_sql.events import Listener, StatementFinished
from lgb_sql.options import RunOptions
from lgb_sql.render import Sql, Statement, identifier, lit
from lgb_sql.targets import Place

STORAGE_VERSION = "v1.4.0"
"""Releases are written so that DuckDB 1.4 and later can open them."""


class DuckDBEngine:
    """A private in-memory database that holds one run's relations and spills into a private directory."""

    def __init__(self, options: RunOptions, spill: Path, listener: Listener) -> None:
        self._listener = listener
        self._spill = spill
        config: dict[str, str | bool | int | float | list[str]] = {
            "temp_directory": str(spill),
            "python_enable_replacements": False,
            "autoinstall_known_extensions": False,
        }
        if options.seed is not None:
            config["threads"] = 1  # the only way to the same order of rows every time
        elif options.threads is not None:
            config["threads"] = options.threads
        if options.memory is not None:
            config["memory_limit"] = options.memory
        try:
            self._connection = duckdb.connect(config=config)
        except (duckdb.Error, ValueError, TypeError, OverflowError):
            raise PolicyError(
                [Problem("--memory or --threads", "the engine refuses the value", "for instance --memory 4GB")],
                of="the command",
            ) from None
        self._connection.execute("SET enable_progress_bar = false")
        self.keep_order(False)

    def close(self) -> None:
        """Let go of all memory and spill files."""
        self._connection.close()

    def keep_order(self, keep: bool) -> None:
        """Whether a new table keeps the order of what it was made from; costs memory, so only where needed."""
        with suppress(duckdb.TransactionException):  # a failed transaction is about to be rolled back: let it
            self._connection.execute(f"SET preserve_insertion_order = {'true' if keep else 'false'}")

    @contextmanager
    def one_thread(self) -> Iterator[None]:
        """Run statements on one thread for a while."""
        ((threads,),) = self._connection.execute("SELECT current_setting('threads')").fetchall()
        self._connection.execute("SET threads = 1")
        try:
            yield
        finally:
            self._connection.execute(f"SET threads = {int(threads)}")

    # --- relations ---

    def materialize(self, relation: str, statement: Statement) -> int:
        """Make a table of a SELECT, in the place of an older one; returns its number of rows."""
        return self._timed(relation, f"CREATE OR REPLACE TABLE {identifier(relation)} AS\n{statement.sql}")

    def view(self, relation: str, statement: Statement) -> None:
        """Give a SELECT a name; temporary, so that it may be made while another database is written."""
        self.run(f"CREATE OR REPLACE TEMP VIEW {identifier(relation)} AS\n{statement.sql}")

    def materialize_temporary(self, relation: str, statement: Statement) -> int:
        """The same for a temporary table, which may be made while another database is written."""
        return self._timed(relation, f"CREATE OR REPLACE TEMP TABLE {identifier(relation)} AS\n{statement.sql}")

    def append(self, relation: str, statement: Statement) -> int:
        """Add the rows of a SELECT to a table; returns how many."""
        return self._timed(relation, f"INSERT INTO {identifier(relation)}\n{statement.sql}")

    def empty_like(self, relation: str, like: str) -> None:
        """Make an empty table with another's columns."""
        self.run(f"CREATE OR REPLACE TABLE {identifier(relation)} AS SELECT * FROM {identifier(like)} LIMIT 0")

    def replace(self, relation: str, by: str) -> None:
        """Put one table in another's place."""
        self.drop(relation)
        self.run(f"ALTER TABLE {identifier(by)} RENAME TO {identifier(relation)}")

    def drop(self, *relations: str) -> None:
        """Forget tables."""
        for relation in relations:
            self.run(f"DROP TABLE IF EXISTS {identifier(relation)}")

    def upload(self, relation: str, table: pa.Table) -> None:
        """Make a table of what was planned in Python."""
        with self.stream("uploaded", table):
            self.run(f"CREATE TABLE {identifier(relation)} AS SELECT * FROM uploaded")

    @contextmanager
    def stream(self, name: str, data: pa.Table | pa.RecordBatchReader) -> Iterator[None]:
        """Let statements read Arrow data under a name for a while."""
        self._connection.register(name, data)
        try:
            yield
        finally:
            self._connection.unregister(name)

    def fetch(self, statement: Statement) -> list[tuple[Any, ...]]:
        """Read a small result: counts and ids, never rows of the table."""
        started = time.perf_counter()
        rows = attempt(statement.template, lambda: self._connection.execute(statement.sql).fetchall())
        self._tell(statement.template, statement.sql, started, len(rows))
        return rows

    def fetch_arrow(self, statement: Statement) -> pa.Table:
        """Read a histogram of (code, count) or (pattern, count)."""
        started = time.perf_counter()
        table = attempt(statement.template, lambda: self._connection.sql(statement.sql).to_arrow_table())
        self._tell(statement.template, statement.sql, started, table.num_rows)
        return table

    def describe(self, select: str) -> list[tuple[str, str]]:
        """Names and types of a SELECT's columns, without running it."""
        rows = attempt("describe", lambda: self._connection.execute(f"DESCRIBE {select}").fetchall())
        return [(str(row[0]), str(row[1])) for row in rows]

    def run(self, sql: str) -> None:
        """Run a statement that answers nothing."""
        attempt("statement", lambda: self._connection.execute(sql).fetchall())

    def _timed(self, relation: str, sql: str) -> int:
        started = time.perf_counter()
        result = attempt(relation, lambda: self._connection.execute(sql).fetchall())
        rows = int(result[0][0]) if result else 0
        self._tell(relation, sql, started, rows)
        return rows

    def _tell(self, relation: str, sql: str, started: float, rows: int) -> None:
        self._listener(StatementFinished(relation, sql, time.perf_counter() - started, rows))

    # --- files ---

    def attach(self, path: Path, alias: str, *, read_only: bool) -> None:
        """Open a database file beside the run's own."""
        mode = "READ_ONLY" if read_only else "READ_WRITE"
        if not path.exists():
            mode = f"STORAGE_VERSION {lit(STORAGE_VERSION)}"
        self.run(f"ATTACH {lit(str(path))} AS {identifier(alias)} ({mode})")

    def confine(self, directories: Iterable[Path]) -> None:
        """Read and write nothing but what is attached, and files of some directories; for good."""
        if listed := ", ".join(lit(f"{directory.resolve()}/") for directory in directories):
            self.run(f"SET allowed_directories = [{listed}]")
        self.run("SET enable_external_access = false")

    def lock(self) -> None:
        """Keep all settings as they are; for good."""
        self.run("SET lock_configuration = true")

    def detach(self, alias: str) -> None:
        """Close a database file; what was written is on disk afterwards."""
        self.run(f"DETACH {identifier(alias)}")

    def create_table_in(self, catalog: Sql, relation: str, statement: Statement) -> int:
        """Make a table in another database or schema."""
        return self._timed(relation, f"CREATE TABLE {catalog}.{identifier(relation)} AS\n{statement.sql}")

    def create_view_in(self, catalog: Sql, relation: str, statement: Statement) -> None:
        """Make a view; its text reads released tables only."""
        self._timed(relation, f"CREATE VIEW {catalog}.{identifier(relation)} AS\n{statement.sql}")

    def run_in(self, schema: Sql, statements: Iterable[str]) -> None:
        """Run statements whose unqualified names mean a schema of an attached database."""
        started = time.perf_counter()
        text = ";\n".join(statements)
        self.run(f"USE {schema}")
        try:
            self.run(text)
        finally:
            with suppress(LgbError):  # a failed transaction is about to be rolled back: let it
                self.run("USE memory.main")
        self._tell("macros", text, started, 0)

    def copy_to_parquet(self, relation: str, path: Path, statement: Statement) -> int:
        """Write a SELECT as one Parquet file."""
        return self._timed(
            relation, f"COPY (\n{statement.sql}\n) TO {lit(str(path))} (FORMAT parquet, COMPRESSION zstd)"
        )

    def relations_of(self, catalog: str, schema: str = "main") -> dict[str, str]:
        """Names of the tables and views in a schema of an attached database, with which of both they are."""
        return dict(relations(self._connection, catalog, schema))

    def taken_schemas(self, catalog: str) -> list[str]:
        """Names that a new schema of an attached database cannot have."""
        return taken_schemas(self._connection, catalog)

    def texts_of(self, catalog: str) -> list[str]:
        """The statements that would make all views and macros of an attached database, as the engine writes them."""
        with tempfile.TemporaryDirectory(dir=self._spill) as directory:
            copied = Path(directory) / "copy"
            self.run(f"ATTACH ':memory:' AS {identifier('catalog copy')}")
            try:
                self.run(f"COPY FROM DATABASE {identifier(catalog)} TO {identifier('catalog copy')} (SCHEMA)")
                self._drop_tables("catalog copy")
                self.run(f"EXPORT DATABASE {identifier('catalog copy')} TO {lit(str(copied))} (FORMAT parquet)")
            finally:
                self.run(f"DETACH {identifier('catalog copy')}")
            text = (copied / "schema.sql").read_text(encoding="utf-8")
        return re.split(r";+\n(?=CREATE )", text.rstrip(";\n"))

    def _drop_tables(self, catalog: str) -> None:
        """Else an export writes a file for each, whose name may be too long."""
        query = "SELECT schema_name, table_name FROM duckdb_tables() WHERE database_name = $c"
        tables = attempt("catalog", lambda: self._connection.execute(query, {"c": catalog}).fetchall())
        for schema, table in tables:
            self.run(f"DROP TABLE {identifier(catalog)}.{identifier(schema)}.{identifier(table)}")

    def arrow_reader(self, sql: str) -> pa.RecordBatchReader:
        """Stream a result to another connection, buffer by buffer."""
        return attempt("stream", lambda: self._connection.sql(sql).to_arrow_reader())


def connect_release(place: Place, files: Mapping[str, str]) -> Connection:
    """Open a release read-only, with external access off and the configuration locked."""
    assert place.path is not None  # noqa: S101  a release that exists has a path
    if place.kind == "directory":
        connection = duckdb.connect(config={"python_enable_replacements": False})
        for relation, file in files.items():
            path = lit(str((place.path / file).resolve()))
            connection.execute(f"CREATE VIEW {identifier(relation)} AS SELECT * FROM read_parquet({path})")
        directory = lit(str(place.path.resolve()) + "/")
        connection.execute(f"SET allowed_directories = [{directory}]")
    else:
        connection = duckdb.connect(str(place.path), read_only=True, config={"python_enable_replacements": False})
        ((catalog,),) = connection.execute("SELECT current_database()").fetchall()
        connection.execute(f"USE {identifier(catalog)}.{identifier(place.schema)}")  # both may have the same name
    connection.execute("SET enable_external_access = false")
    connection.execute("SET lock_configuration = true")
    return connection
