"""The caller's own DuckDB connection, which a run reads and may write a schema into."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager

import duckdb
import pyarrow as pa

from lgb_sql.engines.duckdb_calls import Connection, attempt, relations, taken_schemas
from lgb_sql.errors import LgbError, OutputError, SourceError
from lgb_sql.render import Sql, identifier, lit

_SETTINGS = {"integer_division": False, "preserve_insertion_order": True}
"""What the texts of macros and the order of tables depend on, with the values that a release is written under."""


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
        return frozenset(name for name, _ in relations(self._connection, self._catalog(), schema))

    def taken_schemas(self) -> list[str]:
        """Names that a new schema of the current database cannot have."""
        return taken_schemas(self._connection, self._catalog())

    def is_read_only(self) -> bool:
        """Whether nothing that lasts can be written into the current database."""
        query = "SELECT readonly OR internal FROM duckdb_databases() WHERE database_name = current_database()"
        return bool(attempt("catalog", lambda: self._connection.execute(query).fetchall())[0][0])

    def _catalog(self) -> str:
        query = "SELECT current_database()"
        return str(attempt("catalog", lambda: self._connection.execute(query).fetchall())[0][0])

    @contextmanager
    def _settings_to_write(self) -> Iterator[None]:
        """Set what a release depends on for a while; refuses where the caller's settings are locked otherwise."""
        names = ", ".join(f"current_setting({lit(name)})" for name in _SETTINGS)
        (found,) = attempt("settings", lambda: self._connection.execute(f"SELECT {names}").fetchall())
        other = {name: value for name, value in zip(_SETTINGS, found, strict=True) if value != _SETTINGS[name]}
        try:
            self._set({name: _SETTINGS[name] for name in other})
        except LgbError:
            raise OutputError(
                f"the connection's settings are locked, with {', '.join(other)} other than a schema needs.",
                'use to="x.duckdb" or to="x/"',
            ) from None
        try:
            yield
        finally:
            self._set(other)

    def _set(self, settings: Mapping[str, bool]) -> None:
        for name, value in settings.items():
            self.run(f"SET {name} = {lit(value)}")

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All or nothing; the search path, which is no part of a transaction, is as before afterwards."""
        with self._same_search_path(), self._settings_to_write():
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
        ((path,),) = attempt("search path", lambda: self._connection.execute(query).fetchall())
        try:
            yield
        finally:
            self.run("SET search_path = ''")  # else the engine completes names by the path before
            self.run(f"SET search_path = {lit(path)}")

    def run(self, sql: str) -> None:
        """Run a statement that answers nothing."""
        attempt("statement", lambda: self._connection.execute(sql).fetchall())

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
        return attempt("stream", lambda: self._connection.sql(sql).to_arrow_reader())


def _spellings(table: str) -> list[Sql]:
    """A name as given, and as schema.name where it holds a dot."""
    parts = [identifier(part) for part in table.split(".") if part]
    return [identifier(table), Sql(".".join(parts))] if len(parts) > 1 else [identifier(table)]
