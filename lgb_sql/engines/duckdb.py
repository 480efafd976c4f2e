"""DuckDB: the only module that imports it. Tables in, counts out; errors without the engine's text."""

from __future__ import annotations

import re
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

import duckdb
import pyarrow as pa

from lgb_sql.errors import ConversionError, EngineError, LgbError, PolicyError, Problem, SourceError
from lgb_sql.events import Listener, StatementFinished
from lgb_sql.options import RunOptions
from lgb_sql.render import Sql, Statement, identifier, lit
from lgb_sql.targets import Place

STORAGE_VERSION = "v1.4.0"
"""Releases are written so that DuckDB 1.4 and later can open them."""

Connection = duckdb.DuckDBPyConnection
_Result = TypeVar("_Result")


class DuckDBEngine:
    """A private in-memory database that holds one run's relations and spills into a private directory."""

    def __init__(self, options: RunOptions, spill: Path, listener: Listener) -> None:
        self._listener = listener
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
                [Problem("--memory or --threads", "the engine refuses the value", "for instance --memory 4GB")]
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
        rows = _attempt(statement.template, lambda: self._connection.execute(statement.sql).fetchall())
        self._tell(statement.template, statement.sql, started, len(rows))
        return rows

    def fetch_arrow(self, statement: Statement) -> pa.Table:
        """Read a histogram of (code, count) or (pattern, count)."""
        started = time.perf_counter()
        table = _attempt(statement.template, lambda: self._connection.sql(statement.sql).to_arrow_table())
        self._tell(statement.template, statement.sql, started, table.num_rows)
        return table

    def describe(self, select: str) -> list[tuple[str, str]]:
        """Names and types of a SELECT's columns, without running it."""
        rows = _attempt("describe", lambda: self._connection.execute(f"DESCRIBE {select}").fetchall())
        return [(str(row[0]), str(row[1])) for row in rows]

    def run(self, sql: str) -> None:
        """Run a statement that answers nothing."""
        _attempt("statement", lambda: self._connection.execute(sql).fetchall())

    def _timed(self, relation: str, sql: str) -> int:
        started = time.perf_counter()
        result = _attempt(relation, lambda: self._connection.execute(sql).fetchall())
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

    def lock(self, directory: Path | None) -> None:
        """Read nothing but what is attached, and files of one directory; for good."""
        if directory is not None:
            self.run(f"SET allowed_directories = [{lit(str(directory.resolve()) + '/')}]")
        self.run("SET enable_external_access = false")
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
        return dict(_relations(self._connection, catalog, schema))

    def taken_schemas(self, catalog: str) -> list[str]:
        """Names that a new schema of an attached database cannot have."""
        return _taken_schemas(self._connection, catalog)

    def texts_of(self, catalog: str) -> list[str]:
        """The statements that would make everything in an attached database but its rows, as the engine writes them."""
        with tempfile.TemporaryDirectory(prefix="lgb-") as directory:
            copied = Path(directory) / "copy"
            self.run(f"ATTACH ':memory:' AS {identifier('catalog copy')}")
            try:
                self.run(f"COPY FROM DATABASE {identifier(catalog)} TO {identifier('catalog copy')} (SCHEMA)")
                self.run(f"EXPORT DATABASE {identifier('catalog copy')} TO {lit(str(copied))} (FORMAT parquet)")
            finally:
                self.run(f"DETACH {identifier('catalog copy')}")
            text = (copied / "schema.sql").read_text(encoding="utf-8")
        return re.split(r";+\n(?=CREATE )", text.rstrip(";\n"))

    def arrow_reader(self, sql: str) -> pa.RecordBatchReader:
        """Stream a result to another connection, buffer by buffer."""
        return _attempt("stream", lambda: self._connection.sql(sql).to_arrow_reader())


def _relations(connection: Connection, catalog: str, schema: str) -> list[tuple[str, str]]:
    query = (
        "SELECT table_name, 'table' FROM duckdb_tables() WHERE database_name = $c AND schema_name = $s "
        "UNION ALL SELECT view_name, 'view' FROM duckdb_views() "
        "WHERE database_name = $c AND schema_name = $s AND NOT internal"
    )
    rows = _attempt("catalog", lambda: connection.execute(query, {"c": catalog, "s": schema}).fetchall())
    return [(str(name), str(kind)) for name, kind in rows]


def _taken_schemas(connection: Connection, catalog: str) -> list[str]:
    """The schemas of a database and of the system, and the databases: `x.y` would be ambiguous if x were both."""
    query = (
        "SELECT schema_name FROM duckdb_schemas() WHERE database_name IN ($c, 'system') "
        "UNION ALL SELECT database_name FROM duckdb_databases()"
    )
    return [str(name) for (name,) in _attempt("catalog", lambda: connection.execute(query, {"c": catalog}).fetchall())]


class UserConnection:
    """The caller's own connection: read as one stream, written in one transaction, its settings untouched."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._resolved: dict[str, Sql] = {}

    def refuse_open_transaction(self) -> None:
        """What an open transaction sees or will do is not ours to publish."""
        if self._is_in_transaction():
            raise SourceError("the connection has an open transaction.", "commit or roll it back first")

    def _is_in_transaction(self) -> bool:
        try:
            ids = [self._connection.execute("SELECT txid_current()").fetchall() for _ in range(2)]
        except duckdb.TransactionException:  # one that has failed and waits for its ROLLBACK
            return True
        except duckdb.Error:
            ids = []
        if not ids:
            raise SourceError("the connection answers no query.", "is it closed? Open a new one")
        return ids[0] == ids[1]  # without an open transaction every statement is one of its own

    def describe(self, table: str) -> list[tuple[str, str]]:
        """Names and types of a table's columns."""
        for name in _spellings(table):
            try:
                rows = self._connection.execute(f"DESCRIBE SELECT * FROM {name}").fetchall()
            except duckdb.Error:
                continue
            self._resolved[table] = name
            return [(str(row[0]), str(row[1])) for row in rows]
        raise SourceError(f"the connection has no table or view {table}.", "check its name")

    def keeps_positions(self, table: str) -> bool:
        """Whether rows of this table come in a fixed order: a base table, order not switched off."""
        ((kept,),) = self._connection.execute("SELECT current_setting('preserve_insertion_order')").fetchall()
        return bool(kept) and self._is_table(self._resolved[table])

    def _is_table(self, name: Sql) -> bool:
        """Whether the engine takes a name for a base table's: only those have storage to describe."""
        try:
            self._connection.execute("DESCRIBE SELECT * FROM pragma_storage_info($1)", [name])
        except duckdb.Error:
            return False
        return True

    def stream(self, table: str, columns: Sequence[str]) -> pa.RecordBatchReader:
        """Columns of the table as Arrow batches; ENUMs as text, so that no dictionary travels along."""
        kinds = dict(self.describe(table))
        parts = [
            f"CAST({identifier(name)} AS VARCHAR) AS {identifier(name)}"
            if kinds[name].startswith("ENUM(") or kinds[name] == "UUID"
            else identifier(name)
            for name in dict.fromkeys(columns)  # two attributes may share a flag; Arrow knows a name once
        ]
        return self.arrow_reader(f"SELECT {', '.join(parts)} FROM {self._resolved[table]}")

    def relations_of(self, schema: str) -> frozenset[str]:
        """Tables and views of a schema of the current database."""
        return frozenset(name for name, _ in _relations(self._connection, self._catalog(), schema))

    def taken_schemas(self) -> list[str]:
        """Names that a new schema of the current database cannot have."""
        return _taken_schemas(self._connection, self._catalog())

    def is_read_only(self) -> bool:
        """Whether nothing that lasts can be written into the current database."""
        query = "SELECT readonly OR internal FROM duckdb_databases() WHERE database_name = current_database()"
        return bool(_attempt("catalog", lambda: self._connection.execute(query).fetchall())[0][0])

    def _catalog(self) -> str:
        query = "SELECT current_database()"
        return str(_attempt("catalog", lambda: self._connection.execute(query).fetchall())[0][0])

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All or nothing; the search path, which is no part of a transaction, is as before afterwards."""
        with self._same_search_path():
            self.run("BEGIN TRANSACTION")
            try:
                yield
            except BaseException:
                self._connection.execute("ROLLBACK")
                raise
            self.run("COMMIT")

    @contextmanager
    def _same_search_path(self) -> Iterator[None]:
        query = "SELECT current_setting('search_path')"
        ((path,),) = _attempt("search path", lambda: self._connection.execute(query).fetchall())
        try:
            yield
        finally:
            self.run("SET search_path = ''")  # else the engine completes names by the path before
            self.run(f"SET search_path = {lit(path)}")

    def run(self, sql: str) -> None:
        """Run a statement that answers nothing."""
        _attempt("statement", lambda: self._connection.execute(sql).fetchall())

    def run_in(self, schema: str, statements: Iterable[str]) -> None:
        """Run statements whose unqualified names mean a schema, from here to the end of the transaction."""
        self.run(f"USE {identifier(self._catalog())}.{identifier(schema)}")
        self.run(";\n".join(statements))

    def create_from(self, sql: str, reader: pa.RecordBatchReader, name: str) -> None:
        """Run a statement that reads a stream under a name."""
        self._connection.register(name, reader)
        try:
            self.run(sql)
        finally:
            self._connection.unregister(name)

    def arrow_reader(self, sql: str) -> pa.RecordBatchReader:
        """Stream a result."""
        return _attempt("stream", lambda: self._connection.sql(sql).to_arrow_reader())


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


def _spellings(table: str) -> list[Sql]:
    """A name as given, and as schema.name where it holds a dot."""
    parts = [identifier(part) for part in table.split(".") if part]
    return [identifier(table), Sql(".".join(parts))] if len(parts) > 1 else [identifier(table)]


_CAUSES = (
    (duckdb.OutOfMemoryException, "memory ran out", "raise --memory, or point --temp at a disk with room"),
    (
        duckdb.TransactionException,
        "what was written could not be committed",
        "the disk may be full: check its free space",
    ),
    (duckdb.IOException, "a file could not be read or written", "check the disk's free space and the paths"),
)


def _attempt(what: str, action: Callable[[], _Result]) -> _Result:
    """Run something of the engine's; fail with our own error, to which the engine's, and the cell values in its text,
    is not even linked as context: hence the raise outside of the except clauses.
    """
    failure: BaseException
    try:
        return action()
    except duckdb.InterruptException:
        failure = KeyboardInterrupt()
    except duckdb.Error as error:
        failure = translate(what, error)
    except RuntimeError as error:
        interrupted = str(error) == "Query interrupted"  # how the client reports a Ctrl-C during a statement
        failure = (
            KeyboardInterrupt() if interrupted else EngineError(f"while making {what}: the engine's client failed")
        )
    raise failure


def translate(what: str, error: duckdb.Error) -> LgbError:
    """Our error for an engine's: the step, the kind of failure and what to do."""
    if what == "source_rows" and not isinstance(error, duckdb.OutOfMemoryException | duckdb.InternalException):
        if isinstance(error, duckdb.ConversionException):
            return ConversionError(
                "a value of the source could not be converted.", "check that every row fits its column's type"
            )
        return SourceError("the source could not be read to its end.", "check that it is complete and still there")
    for kind, cause, hint in _CAUSES:
        if isinstance(error, kind):
            return EngineError(f"while making {what}: {cause}", hint)
    name = re.sub(r"[^A-Za-z]", "", type(error).__name__)
    return EngineError(f"while making {what}: the engine failed ({name})", "run again with --trace to see the step")


__all__ = ["Connection", "DuckDBEngine", "UserConnection", "translate"]
