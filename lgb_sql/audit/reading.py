"""Opening what claims to be a release: its relations, its manifest, and what both say it should be.

Whatever cannot be read as a release at all is refused here (exit code 2). What can be read is judged elsewhere.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from lgb_sql import release_names
from lgb_sql.binding import BoundPolicy
from lgb_sql.engines.duckdb import DuckDBEngine
from lgb_sql.errors import OUT_OF_MEMORY, EngineError, LgbError, ReleaseError
from lgb_sql.manifest import FORMAT_VERSION
from lgb_sql.publish import RELEASE_DATABASE
from lgb_sql.query_helpers import helper_columns
from lgb_sql.release import attached, bound_release
from lgb_sql.render import Sql, Statement
from lgb_sql.targets import Place
from lgb_sql.verify import expected_columns

Role = Literal["quasi-identifier", "semi-sensitive", "sensitive", "insensitive"]


class _Shape(BaseModel):
    """The JSON types that the fields need before anything else can be understood."""

    model_config = ConfigDict(strict=True, extra="allow")

    format_version: int
    reproducible: bool
    k: int
    roles: dict[str, Role]
    types: dict[str, str]
    ordered: dict[str, bool | list[str]]
    principles: dict[str, dict[str, Any]]
    rows_source: int
    rows_released: int
    rows_suppressed: int
    cells_withheld: int
    metrics: dict[str, Any]


@dataclass(frozen=True)
class Opened:
    """A release that can be read."""

    engine: DuckDBEngine
    place: Place
    relations: dict[str, Sql]
    kinds: dict[str, str]
    """table, view or file"""
    manifest: dict[str, Any]
    repeated_fields: int
    bound: BoundPolicy
    columns: dict[str, list[tuple[str, str]]]
    """Name and type of the columns of each relation that the contract names, and of the tables for queries."""

    @property
    def is_database(self) -> bool:
        """Whether relations are tables and views, not files."""
        return self.place.kind != "directory"

    def count(self, relation: str) -> int:
        """How many rows a relation has."""
        sql = f"SELECT count(*) FROM {self.relations[relation]}"
        return int(self.engine.fetch(Statement(relation, sql, frozenset()))[0][0])

    def buckets(self, attribute: str) -> int:
        """How many buckets an attribute has; bids are dense from 1, which is checked."""
        sql = f"SELECT coalesce(max(bid), 0) FROM {self.relations[release_names.sat(attribute)]}"
        return int(self.engine.fetch(Statement("buckets", sql, frozenset()))[0][0])


@contextmanager
def opened(engine: DuckDBEngine, place: Place, *, beside: Iterable[Path] | None = ()) -> Iterator[Opened]:
    """A release, for as long as the context lasts; `beside` is where else files may be read, None: anywhere."""
    _refuse_special_files(place)
    with attached(engine, place, beside=beside) as relations:
        manifest, repeated = _manifest(engine, place, relations)
        bound = _bound(engine, place, manifest, relations)
        expected = expected_columns(bound)
        missing = sorted(set(expected) - set(relations))
        if missing:
            raise ReleaseError(f"{place} is incomplete: it has no {', '.join(missing[:5])}.", "make the release again")
        described = [*expected, *(name for name in helper_columns(bound) if name in relations)]
        columns = {name: _described(engine, place, name, relations[name]) for name in described}
        for name, wanted in expected.items():
            if absent := sorted(set(wanted) - {column for column, _ in columns[name]}):
                raise ReleaseError(f"{place}: {name} has no column {', '.join(absent[:5])}.", "make the release again")
        kinds = dict.fromkeys(relations, "file")
        if place.kind != "directory":
            kinds = engine.relations_of(RELEASE_DATABASE, place.schema)
        yield Opened(engine, place, relations, kinds, manifest, repeated, bound, columns)


@contextmanager
def readable(release: Opened) -> Iterator[None]:
    """Turn an engine's failure over the release's files into the answer that they are damaged."""
    try:
        yield
    except EngineError as error:
        if OUT_OF_MEMORY in error.message:
            raise
    else:
        return
    raise ReleaseError(f"{release.place} cannot be read to its end.", "it is damaged; make the release again")


def _refuse_special_files(place: Place) -> None:
    """A pipe or a device among the files would never end."""
    assert place.path is not None  # noqa: S101  a release that exists has a path
    if place.kind == "directory" and any(
        file.is_symlink() or not file.is_file() for file in place.path.glob("*.parquet")
    ):
        raise ReleaseError(f"{place} holds something named .parquet that is no regular file.", "remove it")


def _manifest(engine: DuckDBEngine, place: Place, relations: dict[str, Sql]) -> tuple[dict[str, Any], int]:
    problem = ReleaseError(f"{place} is not a release: it has no readable manifest.", "make it with lgb anonymize")
    if "manifest" not in relations:
        raise problem
    try:
        rows = engine.fetch(Statement("manifest", f"SELECT key, value FROM {relations['manifest']}", frozenset()))
        manifest = {str(key): json.loads(value) for key, value in rows}
        _Shape.model_validate(manifest)
    except (LgbError, ValidationError, ValueError, TypeError, RecursionError):
        raise problem from None
    if manifest["format_version"] != FORMAT_VERSION:
        raise ReleaseError(f"{place} has another format version.", "audit it with the version that made it")
    return manifest, len(rows) - len(manifest)


def _bound(engine: DuckDBEngine, place: Place, manifest: dict[str, Any], relations: dict[str, Sql]) -> BoundPolicy:
    if "groups" not in relations:
        raise ReleaseError(f"{place} is incomplete: it has no groups.", "make the release again")
    names = set(manifest["roles"])
    needed = {name for name, role in manifest["roles"].items() if role in ("semi-sensitive", "sensitive")}
    if set(manifest["types"]) == names and set(manifest["principles"]) == needed and set(manifest["ordered"]) <= names:
        try:
            return bound_release(engine, manifest, relations)
        except (LgbError, ValueError, KeyError, TypeError):
            pass
    raise ReleaseError(f"{place}: roles, types and principles of the manifest do not fit together.", "make it again")


def _described(engine: DuckDBEngine, place: Place, name: str, relation: Sql) -> list[tuple[str, str]]:
    try:
        return engine.describe(f"SELECT * FROM {relation}")
    except LgbError:
        raise ReleaseError(
            f"{place}: {name} cannot be read.", "it is damaged, or reads other files; make the release again"
        ) from None
