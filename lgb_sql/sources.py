"""Where the table comes from: a connection, a DuckDB file, Parquet, CSV or Arrow. Each is read in one statement."""

from __future__ import annotations

import glob
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import Any

import pyarrow as pa

from lgb_sql.engines.duckdb import DuckDBEngine
from lgb_sql.engines.duckdb_caller import UserConnection
from lgb_sql.engines.duckdb_calls import Connection
from lgb_sql.errors import OUT_OF_MEMORY, LgbError, OutputError, SourceError
from lgb_sql.render import Sql, identifier, lit
from lgb_sql.schema import Column, SourceSchema

SOURCE_DATABASE = "source_database"


class Source(ABC):
    """A table that can be read once."""

    positioned = True
    """Whether a row's position in one scan is well defined; a crosswalk needs a key otherwise."""

    @abstractmethod
    def open(self, engine: DuckDBEngine, *, into: str | None = None) -> SourceSchema:
        """Find the columns; `into` names the new schema of the source's own database that is to hold the release."""

    @abstractmethod
    def reading(self, engine: DuckDBEngine, columns: Sequence[str]) -> AbstractContextManager[Sql]:
        """What to SELECT these columns from, for as long as the context lasts."""


class FileSource(Source):
    """Parquet files or a CSV file, read through a table function."""

    def __init__(self, pattern: str, function: Sql) -> None:
        self.pattern = pattern
        self.function = function

    def open(self, engine: DuckDBEngine, *, into: str | None = None) -> SourceSchema:
        """Refuse a pattern that matches nothing, then let the engine find the columns."""
        if not any(Path(match).is_file() for match in glob.iglob(self.pattern, recursive=True)):
            raise SourceError(f"no file at {self.pattern}", "check the path")
        return _schema(engine, self.function)

    def reading(self, engine: DuckDBEngine, columns: Sequence[str]) -> AbstractContextManager[Sql]:
        """The files themselves; the engine reads only the columns it needs."""
        return nullcontext(self.function)


class DuckDBFileSource(Source):
    """A table or view of a DuckDB file, attached read-only unless the release goes into it."""

    def __init__(self, path: Path, table: str | None) -> None:
        if not table:
            raise SourceError(f"{path.name} is a database; which table of it?", "name it with --table (table=...)")
        self.path = path
        self.table = table

        self.relation = Sql("")

    def open(self, engine: DuckDBEngine, *, into: str | None = None) -> SourceSchema:
        """Attach the file for the length of the run."""
        try:
            engine.attach(self.path, SOURCE_DATABASE, read_only=into is None)
        except LgbError as error:
            if OUT_OF_MEMORY in error.message:
                raise
            raise SourceError(
                f"{self.path.name} cannot be opened as a DuckDB database.",
                "if this process has it open, pass that connection as the source; close other programs that write it",
            ) from None
        if into is not None:
            _refuse_taken(into, engine.taken_schemas(SOURCE_DATABASE))
        self.relation = self._find(engine)
        return _schema(engine, self.relation)

    def reading(self, engine: DuckDBEngine, columns: Sequence[str]) -> AbstractContextManager[Sql]:
        """The attached table."""
        return nullcontext(self.relation)

    def _find(self, engine: DuckDBEngine) -> Sql:
        catalog = identifier(SOURCE_DATABASE)
        candidates = [("main", self.table)]
        if "." in self.table:
            schema, _, name = self.table.partition(".")
            candidates.append((schema, name))
        for schema, name in candidates:
            kind = {key.casefold(): value for key, value in engine.relations_of(SOURCE_DATABASE, schema).items()}
            if name.casefold() in kind:
                self.positioned = kind[name.casefold()] == "table"
                return Sql(f"{catalog}.{identifier(schema)}.{identifier(name)}")
        names = ", ".join(sorted(engine.relations_of(SOURCE_DATABASE))[:20]) or "none"
        raise SourceError(f"{self.path.name} has no table or view {self.table}.", f"its tables: {names}")


class ArrowSource(Source):
    """An Arrow table, or a stream of record batches."""

    def __init__(self, data: pa.Table | pa.RecordBatchReader) -> None:
        self.data = data
        self.positioned = isinstance(data, pa.Table)

    def open(self, engine: DuckDBEngine, *, into: str | None = None) -> SourceSchema:
        """Describe an empty copy; duplicate column names are refused, the engine would rename them."""
        names = [name.casefold() for name in self.data.schema.names]
        if len(set(names)) != len(names):
            raise SourceError("two columns of the Arrow table differ in case only or not at all.", "rename one")
        with engine.stream("source_stream", self.data.schema.empty_table()):
            return _schema(engine, identifier("source_stream"))

    @contextmanager
    def reading(self, engine: DuckDBEngine, columns: Sequence[str]) -> Iterator[Sql]:
        """The registered data."""
        with engine.stream("source_stream", self.data):
            yield identifier("source_stream")


class ConnectionSource(Source):
    """A table or view of the caller's own connection, streamed as Arrow so that its settings stay untouched."""

    def __init__(self, connection: Connection, table: str | None) -> None:
        if not table:
            raise SourceError("a connection needs the name of a table or view.", "pass table=...")
        self.user = UserConnection(connection)
        self.table = table

    def open(self, engine: DuckDBEngine, *, into: str | None = None) -> SourceSchema:
        """Describe the table."""
        self.user.refuse_open_transaction()
        if into is not None:
            self._refuse_unwritable(into)
        columns = self.user.describe(self.table)
        self.positioned = self.user.keeps_positions(self.table)
        return SourceSchema(tuple(Column(name, kind) for name, kind in columns))

    def _refuse_unwritable(self, schema: str) -> None:
        if self.user.is_read_only():
            raise OutputError(
                "the connection's current database is read-only or temporary, so it can hold no new schema.",
                'open it for writing, USE another database, or use to="x.duckdb" or to="x/"',
            )
        _refuse_taken(schema, self.user.taken_schemas())

    @contextmanager
    def reading(self, engine: DuckDBEngine, columns: Sequence[str]) -> Iterator[Sql]:
        """Stream the needed columns in one query."""
        with engine.stream("source_stream", self.user.stream(self.table, columns)):
            yield identifier("source_stream")


def _refuse_taken(schema: str, taken: Iterable[str]) -> None:
    if schema.casefold() in {name.casefold() for name in taken}:
        raise OutputError(
            f"the schema {schema} exists already, or its name is reserved.", "name a new one with --to schema:NAME"
        )


def _schema(engine: DuckDBEngine, relation: Sql) -> SourceSchema:
    try:
        rows = engine.describe(f"SELECT * FROM {relation}")
    except LgbError as error:
        if OUT_OF_MEMORY in error.message:
            raise
        raise SourceError("the source cannot be read.", "check that it exists and is what its name says") from None
    return SourceSchema(tuple(Column(name, kind) for name, kind in rows))


def open_source(source: Any, table: str | None = None) -> Source:
    """Find out what kind of source was given."""
    if isinstance(source, Connection):
        return ConnectionSource(source, table)
    if isinstance(source, pa.Table | pa.RecordBatchReader):
        _refuse_table("an Arrow table", table)
        return ArrowSource(source)
    if isinstance(source, str | Path):
        return _from_path(str(source), table)
    kind = type(source).__name__
    raise SourceError(
        f"a {kind} is no source.", "give a path, a DuckDB connection with a table name, or an Arrow table"
    )


def _from_path(text: str, table: str | None) -> Source:
    path = Path(text)
    if not path.exists() and not glob.has_magic(text):
        raise SourceError(f"the source {text} does not exist.", "check the path")
    is_csv = path.name.lower().endswith((".csv", ".csv.gz", ".tsv", ".csv.zst"))
    if path.is_file() and not is_csv and _magic(path, 8, b"DUCK"):
        return DuckDBFileSource(path, table)
    _refuse_table(path.name, table)
    if path.is_dir():
        return _parquet(f"{glob.escape(text.rstrip('/'))}/**/*.parquet", hive=True)
    if not path.exists():
        return _parquet(text, hive=False)
    if is_csv:
        return FileSource(glob.escape(text), Sql(f"read_csv({lit(glob.escape(text))})"))
    if _magic(path, 0, b"PAR1"):
        return _parquet(glob.escape(text), hive=False)
    raise SourceError(
        f"{path.name} is neither Parquet, CSV nor a DuckDB file.", "name a .parquet, .csv or .duckdb file"
    )


def _refuse_table(source: str, table: str | None) -> None:
    if table is not None:
        raise SourceError(f"{source} is no database, so it has no table {table}.", "leave --table (table=...) out")


def _parquet(pattern: str, *, hive: bool) -> Source:
    partitioned = ", hive_partitioning = true" if hive else ""
    return FileSource(pattern, Sql(f"read_parquet({lit(pattern)}{partitioned})"))


def _magic(path: Path, offset: int, expected: bytes) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(offset + len(expected))[offset:] == expected
    except OSError:
        raise SourceError(f"the source {path} cannot be read.", "check its permissions") from None
