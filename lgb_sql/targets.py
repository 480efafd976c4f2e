"""Where a release goes or is: a DuckDB file, a directory of Parquet files, or a schema of a database."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from lgb_sql.errors import OutputError, ReleaseError
from lgb_sql.release_names import MAX_NAME

Kind = Literal["file", "directory", "schema"]


@dataclass(frozen=True)
class Place:
    """A place by its kind; for a schema `path` is the database file, or None for the source's own."""

    kind: Kind
    path: Path | None
    schema: str = "main"

    @property
    def new_schema(self) -> str | None:
        """The schema to be made, where the place is one."""
        return self.schema if self.kind == "schema" else None

    def __str__(self) -> str:
        return f"{self.path or ''}::{self.schema}" if self.kind == "schema" else str(self.path)


def parse_target(to: str | Path) -> Place:
    """Read OUT: `x.duckdb`, `x/` or `schema:NAME`."""
    if not isinstance(to, str | Path):
        raise OutputError(f"a {type(to).__name__} is no place for a release.", 'for instance to="release.duckdb"')
    text = str(to)
    if text.startswith("schema:"):
        name = text.removeprefix("schema:")
        if not name or len(name) > MAX_NAME or "\0" in name:
            raise OutputError("schema: needs a name of 1 to 255 characters.", "for instance --to schema:released")
        return Place("schema", None, name)
    if "\0" in text or not text:
        raise OutputError("the output path is empty or holds NUL.", "for instance --to release.duckdb")
    path = Path(text)
    if path.suffix == ".duckdb" and not text.endswith("/"):
        return Place("file", path)
    if text.endswith("/") or not path.suffix:
        return Place("directory", path)
    raise OutputError(
        f"{text} is no form of a release.", "use x.duckdb, x/ for Parquet files, or schema:NAME for a schema"
    )


def parse_release(release: str | Path) -> Place:
    """Read RELEASE: `x.duckdb`, `x/` or `file.duckdb::NAME`."""
    text = str(release)
    if "::" in text and not Path(text).exists():
        return _schema_of_a_file(text)
    path = Path(text)
    if path.is_dir():
        return Place("directory", path)
    if path.is_file():
        return Place("file", path)
    raise ReleaseError(f"there is no release at {text}.", "name a .duckdb file, a directory, or file.duckdb::SCHEMA")


def _schema_of_a_file(text: str) -> Place:
    """Both names may hold `::`; what comes before the schema is a file."""
    for separator in re.finditer("(?=::)", text):
        path, schema = Path(text[: separator.start()]), text[separator.start() + 2 :]
        if schema and path.is_file():
            return Place("schema", path, schema)
    raise ReleaseError(f"there is no database at {text.rpartition('::')[0]}.", "name it as file.duckdb::SCHEMA")
