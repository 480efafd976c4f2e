"""A release that exists: opening it checks its format and manifest, not its promises."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa

from lgb_sql import release_names
from lgb_sql.binding import BoundAttribute, BoundPolicy
from lgb_sql.engines.duckdb import DuckDBEngine, connect_release
from lgb_sql.engines.duckdb_calls import Connection
from lgb_sql.errors import LgbError, ReleaseError
from lgb_sql.events import ignore
from lgb_sql.manifest import FIELDS, FORMAT_VERSION
from lgb_sql.metrics import Metrics
from lgb_sql.options import RunOptions
from lgb_sql.policy import Policy
from lgb_sql.principles import read_principle
from lgb_sql.publish import RELEASE_DATABASE
from lgb_sql.query.answers import answer_many
from lgb_sql.query.session import Session
from lgb_sql.render import Sql, Statement, identifier, lit
from lgb_sql.schema import parse_type
from lgb_sql.targets import Place, parse_release
from lgb_sql.verify import expected_columns
from lgb_sql.workspace import spill_directory


@dataclass(frozen=True)
class Release:
    """A release: where it is and what it says of itself."""

    place: Place
    manifest: dict[str, Any]
    relations: tuple[str, ...]

    @property
    def path(self) -> str:
        """The release as commands name it."""
        return str(self.place)

    def connect(self) -> Connection:
        """A read-only connection without external access, in which all relations can be queried by name."""
        return connect_release(self.place, {name: release_names.parquet_file(name) for name in self.relations})

    def query(self, sql: str, *, options: RunOptions | None = None) -> pa.Table:
        """Answer a question over `released` with certain bounds, an estimate and the paper's interval."""
        return self.query_many([sql], options=options)[0]

    def query_many(self, queries: Sequence[str], *, options: RunOptions | None = None) -> list[pa.Table]:
        """Answer many questions together, which is much cheaper than one by one."""
        notes = {b"rows_suppressed": str(self.manifest["rows_suppressed"]).encode()}
        options = options or RunOptions()
        with spill_directory(options.temp) as spill:
            engine = DuckDBEngine(options, spill, ignore)
            try:
                tables = answer_many(self._session(engine), queries)
            finally:
                engine.close()
        return [table.replace_schema_metadata(notes) for table in tables]

    def _session(self, engine: DuckDBEngine) -> Session:
        """This release opened for questions: read-only, nothing else within reach."""
        relations = located(engine, self.place, self.relations)
        engine.confine(own_directory(self.place))
        engine.lock()
        return Session(engine, bound_release(engine, self.manifest, relations), relations)

    def metrics(self) -> Metrics:
        """What the release costs: information loss of groups and buckets, cells withheld, rows suppressed."""
        return Metrics.of(self.manifest)

    def __repr__(self) -> str:
        counts = f"{self.manifest['rows_released']:,} tuples, {self.manifest['metrics']['groups']:,} groups"
        return f"<Release {self.path}: k = {self.manifest['k']}, {counts}>"


def open_release(release: str | Path | Place) -> Release:
    """Open a release; refuses what is not one."""
    place = release if isinstance(release, Place) else parse_release(release)
    if any(file.is_symlink() for directory in own_directory(place) for file in directory.iterdir()):
        raise ReleaseError(f"{place} holds symbolic links.", "a release is made of files of its own: make it again")
    with spill_directory(None) as spill:
        engine = DuckDBEngine(RunOptions(), spill, ignore)
        try:
            with attached(engine, place) as relations:
                manifest = _read_manifest(engine, place, relations)
                _check_relations(place, manifest, relations)
        finally:
            engine.close()
    return Release(place, manifest, tuple(relations))


@contextmanager
def attached(
    engine: DuckDBEngine, place: Place, database: str = RELEASE_DATABASE, *, beside: Iterable[Path] | None = ()
) -> Iterator[dict[str, Sql]]:
    """Where each relation of a release can be read, while the context lasts; `database` is its file's name inside.

    A release may come from anybody, and a view in it may read any file: so the engine reaches no other one from now on
    but those in the directories `beside`. None: it reaches all, as its user's own files are read, too.
    """
    relations = located(engine, place, None, database)
    if beside is not None:
        engine.confine((*own_directory(place), *beside))
    try:
        yield relations
    finally:
        if place.kind != "directory":
            engine.detach(database)


def own_directory(place: Place) -> tuple[Path, ...]:
    """Where the files of a release are, if it is more than one."""
    return (place.path,) if place.kind == "directory" and place.path is not None else ()


def located(
    engine: DuckDBEngine, place: Place, names: Iterable[str] | None, database: str = RELEASE_DATABASE
) -> dict[str, Sql]:
    """The same for relations known by name: listing a database's catalog costs as much as opening it."""
    assert place.path is not None  # noqa: S101  a release that exists has a path
    if place.kind == "directory":
        return {
            release_names.relation_of(file.name): Sql(f"read_parquet({lit(str(file))})")
            for file in sorted(place.path.resolve().glob("*.parquet"))
        }
    try:
        engine.attach(place.path, database, read_only=True)
    except LgbError:
        raise ReleaseError(f"{place} cannot be opened as a DuckDB database.", "is it a release, and free?") from None
    catalog = Sql(f"{identifier(database)}.{identifier(place.schema)}")
    if names is None:
        names = engine.relations_of(database, place.schema)
    return {name: Sql(f"{catalog}.{identifier(name)}") for name in names}


def _read_manifest(engine: DuckDBEngine, place: Place, relations: dict[str, Sql]) -> dict[str, Any]:
    problem = ReleaseError(f"{place} is not a release: it has no readable manifest.", "make it with lgb anonymize")
    if "manifest" not in relations:
        raise problem
    try:
        rows = engine.fetch(Statement("manifest", f"SELECT key, value FROM {relations['manifest']}", frozenset()))
        manifest = {str(key): json.loads(value) for key, value in rows}
    except (LgbError, ValueError, TypeError):
        raise problem from None
    if set(manifest) != set(FIELDS):
        raise problem
    if manifest["format_version"] != FORMAT_VERSION:
        raise ReleaseError(f"{place} has another format version.", "open it with the version that made it")
    return manifest


def _check_relations(place: Place, manifest: dict[str, Any], relations: dict[str, Sql]) -> None:
    missing = sorted(set(expected_columns(bound_of(manifest))) - set(relations))
    if missing:
        raise ReleaseError(f"{place} is incomplete: {len(missing)} of its relations are missing.", "make it again")


def bound_release(engine: DuckDBEngine, manifest: dict[str, Any], relations: Mapping[str, Sql]) -> BoundPolicy:
    """The attributes of an attached release; which of them show nodes is seen in the columns of its groups."""
    columns = {name for name, _ in engine.describe(f"SELECT * FROM {relations['groups']}")}
    return bound_of(manifest, frozenset(name for name in manifest["roles"] if f"{name}_node" in columns))


def bound_of(manifest: dict[str, Any], with_nodes: frozenset[str] = frozenset()) -> BoundPolicy:
    """The attributes of a release as its manifest describes them."""
    attributes = []
    for name, role in manifest["roles"].items():
        kind = parse_type(manifest["types"][name])
        if kind is None:
            raise ReleaseError("the manifest names a type that no release holds.")
        ordered = manifest["ordered"].get(name, False)
        principle = manifest["principles"].get(name)
        attributes.append(
            BoundAttribute(
                name=name,
                column=name,
                role=role,
                type=Sql(kind.name),
                family=kind.family.value,
                ordered=bool(ordered),
                words=tuple(ordered) if isinstance(ordered, list) else (),
                flag="" if role == "semi-sensitive" else None,
                principle=read_principle(_exact(principle)) if principle else None,
                shows_node=name in with_nodes,
            )
        )
    policy = Policy.model_construct(k=manifest["k"], attributes={})
    return BoundPolicy(policy, tuple(attributes), (), None, None)


def _exact(principle: dict[str, Any]) -> dict[str, Any]:
    return {key: Decimal(str(value)) if isinstance(value, float) else value for key, value in principle.items()}
