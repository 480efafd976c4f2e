"""Writing the relations of a release: which statements, and into what kind of place."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lgb_sql import manifest as manifests
from lgb_sql.binding import BoundPolicy
from lgb_sql.codes import unordered_parts
from lgb_sql.engines.duckdb import DuckDBEngine
from lgb_sql.engines.duckdb_caller import UserConnection
from lgb_sql.macros import MACRO_FILE, Macro, definitions, macros_of, script
from lgb_sql.plan import Step
from lgb_sql.query_helpers import helper_steps, large_buckets
from lgb_sql.release_names import idt, parquet_file, relation_of, sat
from lgb_sql.render import Sql, Statement, identifier, lit

RELEASE_DATABASE = "release_database"


@dataclass(frozen=True)
class ReleasedRelation:
    """A relation of the release; a view in a database, a file in a directory."""

    step: Step
    is_view: bool = False


def released_relations(bound: BoundPolicy) -> Iterator[ReleasedRelation]:
    """All relations in the order they are written; views read released tables only."""
    rows = {"bucketed": bound.bucketed, "insensitive": bound.insensitive}
    yield ReleasedRelation(Step("tuples", "publish/tuples", rows))
    members = tuple(range(len(unordered_parts(bound))))
    yield ReleasedRelation(Step("groups", "publish/groups", {"attributes": bound.generalised, "parts": members}))
    for a in bound.bucketed:
        assert a.principle is not None  # noqa: S101  bucketed attributes have one
        params = {"attribute": a, "values_may_repeat": a.principle.values_may_repeat}
        yield ReleasedRelation(Step(sat(a.name), "publish/sat", params))
        yield ReleasedRelation(Step(idt(a.name), "publish/idt", {"attribute": a}), is_view=True)
    yield ReleasedRelation(Step("anonymized", "publish/anonymized", {"attributes": bound.released}), is_view=True)


class Writer(ABC):
    """A place for a release. `relations` says where each written relation can be read for verification."""

    has_views = True
    """Whether views can be written, or their content must be."""

    def __init__(self, engine: DuckDBEngine) -> None:
        self.engine = engine
        self.relations: dict[str, Sql] = {}

    @abstractmethod
    def present(self) -> frozenset[str]:
        """The relations that the place really holds."""

    @abstractmethod
    def table(self, relation: str, statement: Statement) -> None:
        """Write a SELECT as a table."""

    @abstractmethod
    def view(self, relation: str, step: Step) -> None:
        """Write a view of released tables, or its content where the place has no views."""

    @abstractmethod
    def macros(self, macros: Sequence[Macro]) -> None:
        """Write the macros that answer questions, after all relations."""

    @abstractmethod
    def open(self) -> Any:
        """A context in which to write and verify; leaving it without an error completes the place."""


class DatabaseWriter(Writer):
    """Into a schema of an attached database: a new file, or the source's own."""

    def __init__(self, engine: DuckDBEngine, catalog: str, schema: str) -> None:
        super().__init__(engine)
        self.catalog = catalog
        self.schema = schema
        self.place = Sql(f"{identifier(catalog)}.{identifier(schema)}")

    def present(self) -> frozenset[str]:
        """Tables and views of the schema."""
        return frozenset(self.engine.relations_of(self.catalog, self.schema))

    def table(self, relation: str, statement: Statement) -> None:
        """A table, stored in the order of the SELECT."""
        self.engine.create_table_in(self.place, relation, statement)
        self.relations[relation] = Sql(f"{self.place}.{identifier(relation)}")

    def view(self, relation: str, step: Step) -> None:
        """A view whose text names tables of its own schema only."""
        self.engine.create_view_in(self.place, relation, step.statement())
        self.relations[relation] = Sql(f"{self.place}.{identifier(relation)}")

    def macros(self, macros: Sequence[Macro]) -> None:
        """Macros whose texts name relations and macros of their own schema only."""
        self.engine.run_in(self.place, definitions(macros))


class DuckDBFileWriter(DatabaseWriter):
    """A new DuckDB file."""

    def __init__(self, engine: DuckDBEngine, path: Path) -> None:
        super().__init__(engine, RELEASE_DATABASE, "main")
        self.path = path

    def macros(self, macros: Sequence[Macro]) -> None:
        """In one transaction, which costs less than one for each."""
        self.engine.run_in(self.place, ("BEGIN TRANSACTION", *definitions(macros), "COMMIT"))

    @contextmanager
    def open(self) -> Iterator[None]:
        """Attach, fill, and detach, which writes everything to disk."""
        self.engine.attach(self.path, RELEASE_DATABASE, read_only=False)
        yield
        self.engine.detach(RELEASE_DATABASE)


class SchemaWriter(DatabaseWriter):
    """A new schema of the attached source database, in one transaction."""

    @contextmanager
    def open(self) -> Iterator[None]:
        """All or nothing."""
        self.engine.run("BEGIN TRANSACTION")
        try:
            self.engine.run(f"CREATE SCHEMA {self.place}")
            yield
        except BaseException:
            self.engine.run("ROLLBACK")
            raise
        self.engine.run("COMMIT")


class ConnectionSchemaWriter(Writer):
    """A new schema of the caller's connection; what was written is read back for verification."""

    def __init__(self, engine: DuckDBEngine, user: UserConnection, schema: str) -> None:
        super().__init__(engine)
        self.user = user
        self.name = schema
        self.schema = identifier(schema)

    def present(self) -> frozenset[str]:
        """Tables and views of the schema, on the caller's side."""
        return self.user.relations_of(self.name)

    @contextmanager
    def open(self) -> Iterator[None]:
        """All or nothing, on the caller's connection."""
        with self.user.transaction():
            self.user.run(f"CREATE SCHEMA {self.schema}")
            yield

    def table(self, relation: str, statement: Statement) -> None:
        """Stream the rows over and back again."""
        columns = self.engine.describe(statement.sql)
        name = identifier(relation)
        self.user.create_from(
            f"CREATE TABLE {self.schema}.{name} AS SELECT {_casts(columns)} FROM lgb_incoming",
            self.engine.arrow_reader(statement.sql),
            "lgb_incoming",
        )
        self._read_back(relation, columns)

    def view(self, relation: str, step: Step) -> None:
        """A view on the caller's side; its twin for verification reads what was written."""
        sql = step.statement().sql
        self.user.run(f"CREATE VIEW {self.schema}.{identifier(relation)} AS\n{sql}")
        twin = f"written_{relation}"
        self.engine.view(twin, step.statement(aliases=self.relations))
        self.relations[relation] = identifier(twin)

    def macros(self, macros: Sequence[Macro]) -> None:
        """Macros on the caller's side."""
        self.user.run_in(self.name, definitions(macros))

    def _read_back(self, relation: str, columns: list[tuple[str, str]]) -> None:
        copy = f"written_{relation}"
        with self.engine.stream(
            "lgb_written", self.user.arrow_reader(f"SELECT * FROM {self.schema}.{identifier(relation)}")
        ):
            self.engine.materialize(copy, Statement(copy, f"SELECT {_casts(columns)} FROM lgb_written", frozenset()))
        self.relations[relation] = identifier(copy)


class ParquetWriter(Writer):
    """A directory with one Parquet file per relation."""

    has_views = False

    def __init__(self, engine: DuckDBEngine, directory: Path) -> None:
        super().__init__(engine)
        self.directory = directory

    def present(self) -> frozenset[str]:
        """Whatever lies in the directory."""
        return frozenset(relation_of(path.name) for path in self.directory.iterdir() if path.name != MACRO_FILE)

    @contextmanager
    def open(self) -> Iterator[None]:
        """A directory of its own."""
        self.directory.mkdir()
        yield

    def table(self, relation: str, statement: Statement) -> None:
        """One file, rows in the order of the SELECT."""
        path = self.directory / parquet_file(relation)
        self.engine.copy_to_parquet(relation, path, statement)
        self.relations[relation] = Sql(f"read_parquet({lit(str(path))})")

    def view(self, relation: str, step: Step) -> None:
        """The view's content, ordered by rid, read from the files written before."""
        statement = Step(step.relation, step.template, step.params, aliases=self.relations).statement()
        self.table(relation, Statement(step.template, f"{statement.sql}\nORDER BY rid", statement.inputs))

    def macros(self, macros: Sequence[Macro]) -> None:
        """A script that makes them, over the files beside it."""
        (self.directory / MACRO_FILE).write_text(script(self.relations, macros), encoding="utf-8")


def _casts(columns: list[tuple[str, str]]) -> str:
    return ", ".join(f"CAST({identifier(name)} AS {kind}) AS {identifier(name)}" for name, kind in columns)


def write_release(
    writer: Writer, bound: BoundPolicy, values: Mapping[str, object], manifest: Mapping[str, Any]
) -> None:
    """Write every relation, in its own content order."""
    engine = writer.engine
    engine.keep_order(True)  # a table keeps the order of its SELECT
    try:
        for relation in released_relations(bound):
            if relation.is_view:
                writer.view(relation.step.relation, relation.step)
            else:
                writer.table(relation.step.relation, relation.step.statement(values))
        large = large_buckets(engine, bound, writer.relations)
        for step in helper_steps(bound, writer.relations, large):  # they read what was written, nothing else
            writer.table(step.relation, step.statement(aliases=writer.relations))
        with engine.stream("manifest_rows", manifests.as_table(manifest)):
            writer.table("manifest", Statement("manifest", "SELECT key, value FROM manifest_rows", frozenset()))
        if macros := macros_of(bound):
            writer.macros(macros)
    finally:
        engine.keep_order(False)
