"""What calls of DuckDB have in common: errors without the engine's text, and what a catalog holds."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeVar

import duckdb

from lgb_sql.errors import OUT_OF_MEMORY, ConversionError, EngineError, LgbError, SourceError

Connection = duckdb.DuckDBPyConnection
_Result = TypeVar("_Result")

_CAUSES = (
    (duckdb.OutOfMemoryException, OUT_OF_MEMORY, "raise --memory, or point --temp at a disk with room"),
    (
        duckdb.TransactionException,
        "what was written could not be committed",
        "the disk may be full: check its free space",
    ),
    (
        duckdb.PermissionException,
        "a file was asked for that is out of reach",
        "a release reads its own tables only: do not trust one that reads others",
    ),
    (duckdb.IOException, "a file could not be read or written", "check the disk's free space and the paths"),
)


def attempt(what: str, action: Callable[[], _Result]) -> _Result:
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


def relations(connection: Connection, catalog: str, schema: str) -> list[tuple[str, str]]:
    """Names of the tables and views in a schema, with which of both they are."""
    query = (
        "SELECT table_name, 'table' FROM duckdb_tables() WHERE database_name = $c AND schema_name = $s "
        "UNION ALL SELECT view_name, 'view' FROM duckdb_views() "
        "WHERE database_name = $c AND schema_name = $s AND NOT internal"
    )
    rows = attempt("catalog", lambda: connection.execute(query, {"c": catalog, "s": schema}).fetchall())
    return [(str(name), str(kind)) for name, kind in rows]


def taken_schemas(connection: Connection, catalog: str) -> list[str]:
    """The schemas of a database and of the system, and the databases: `x.y` would be ambiguous if x were both."""
    query = (
        "SELECT schema_name FROM duckdb_schemas() WHERE database_name IN ($c, 'system') "
        "UNION ALL SELECT database_name FROM duckdb_databases()"
    )
    return [str(name) for (name,) in attempt("catalog", lambda: connection.execute(query, {"c": catalog}).fetchall())]
