"""The verbs: anonymize a table, explain what would run, export a release."""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from lgb_sql.binding import BoundPolicy, bind
from lgb_sql.crosswalk import Crosswalk
from lgb_sql.engines.duckdb import DuckDBEngine
from lgb_sql.errors import ConversionError, OutputError, PolicyError, Problem, SourceError
from lgb_sql.events import Listener, Note, StageStarted, ignore
from lgb_sql.explain import explain_plan
from lgb_sql.export import copy_release
from lgb_sql.hierarchy_sql import value_ranks
from lgb_sql.ledger import Ledger
from lgb_sql.manifest import make_manifest
from lgb_sql.measure import measure
from lgb_sql.options import RunOptions
from lgb_sql.planner import make_plan, source_columns
from lgb_sql.policy import Policy, PolicyLike, read_policy
from lgb_sql.publish import (
    ConnectionSchemaWriter,
    DuckDBFileWriter,
    ParquetWriter,
    SchemaWriter,
    Writer,
    write_release,
)
from lgb_sql.randomness import Randomness
from lgb_sql.release import Release, bound_of, open_release
from lgb_sql.release_names import MAX_NAME, parquet_file, relations_of
from lgb_sql.run import Run
from lgb_sql.sources import SOURCE_DATABASE, ConnectionSource, DuckDBFileSource, Source, open_source
from lgb_sql.targets import Place, parse_release, parse_target
from lgb_sql.verify import Written, prepare, verify
from lgb_sql.workspace import Identity, check_free, identity_of, is_same, private_directory, publish, spill_directory


def anonymize(
    source: Any,
    policy: PolicyLike,
    *,
    to: str | Path,
    table: str | None = None,
    crosswalk: str | Path | None = None,
    ledger: str | Path | None = None,
    options: RunOptions | None = None,
    listener: Listener = ignore,
) -> Release:
    """Make a verified release of a table, or raise and leave nothing behind.

    `source` is a path (Parquet file, glob or directory, CSV, DuckDB file), a DuckDB connection with `table`, or an
    Arrow table; `to` is `x.duckdb`, `x/` or `schema:NAME`.
    """
    options = options or RunOptions()
    target = parse_target(to)
    loaded, problems = _load_policy(policy)
    origin = open_source(source, table)
    _check_target(target, origin)
    link = Crosswalk.at(crosswalk, target.path) if crosswalk is not None else None
    memory = Ledger.at(ledger, target.path, link.path if link else None) if ledger is not None else None
    with _private_places(target, options) as (workspace, spill), _engine(options, spill, listener) as engine:
        bound = bind(loaded, origin.open(engine, into=target.new_schema), problems, value_ranks(engine))
        if link:
            link.check(bound.policy, origin)
        if memory:
            memory.check(bound.policy)
        _check_file_names(target, bound)
        _tell_what_stays(bound, target, listener)
        run = Run(engine, Randomness(options.seed), listener)
        with origin.reading(engine, [column.source for column in source_columns(bound)]) as relation:
            run.aliases["source"] = relation
            by_position = link is not None and bound.policy.key is None
            with _casts_named(loaded):
                run.execute(make_plan(bound, keep_order=by_position or run.randomness.reproducible))
        return _publish(run, bound, origin, target, workspace, _Private(link, memory), listener)


def explain(
    source: Any,
    policy: PolicyLike,
    *,
    table: str | None = None,
    sql: bool = False,
    options: RunOptions | None = None,
) -> str:
    """The plan of a run in words, from the schema alone; with `sql` every statement, a loop's once."""
    loaded, problems = _load_policy(policy)
    origin = open_source(source, table)
    options = options or RunOptions()
    with (
        spill_directory(options.temp) as spill,
        _engine(options, spill, ignore) as engine,
    ):
        bound = bind(loaded, origin.open(engine), problems, value_ranks(engine))
        return explain_plan(bound, make_plan(bound), sql=sql)


def export(release: str | Path, *, to: str | Path, options: RunOptions | None = None) -> Release:
    """Copy a release into another form, checked to be the same row by row."""
    options = options or RunOptions()
    target = parse_target(to)
    if target.kind == "schema" or target.path is None:
        raise OutputError("an exported release is a file or a directory.", "use --to x.duckdb or --to x/")
    check_free(target.path, "the output")
    given = open_release(parse_release(release))
    _check_file_names(target, bound_of(given.manifest))
    with _private_places(target, options) as (workspace, spill), _engine(options, spill, ignore) as engine:
        built = workspace / "release"
        copy_release(engine, given, _file_writer(engine, target, built), workspace)
        publish(built, target.path)
    return open_release(target)


@dataclass(frozen=True)
class _Private:
    """What a run writes besides the release, for the publisher alone."""

    crosswalk: Crosswalk | None
    ledger: Ledger | None


def _warn(listener: Listener, text: str) -> None:
    """Tell the listener; where nobody listens, warn as Python does."""
    if listener is ignore:
        warnings.warn(text, CompositionWarning, stacklevel=2)
    else:
        listener(Note(f"warning: {text}"))


class CompositionWarning(UserWarning):
    """People of this release are in an earlier one."""


def _load_policy(policy: PolicyLike) -> tuple[Policy, list[Problem]]:
    """The sound part of a policy and its problems, to be reported together with those of its columns."""
    loaded, problems = read_policy(policy)
    if loaded is None:
        raise PolicyError(problems)
    return loaded, problems


def _check_target(target: Place, origin: Source) -> None:
    if target.path is not None:
        check_free(target.path, "the output")
    elif not isinstance(origin, DuckDBFileSource | ConnectionSource):
        raise OutputError("schema:NAME needs a DuckDB database as the source.", "use --to x.duckdb or --to x/")


def _check_file_names(target: Place, bound: BoundPolicy) -> None:
    """Names that are legal in a database may be too long for a file."""
    too_long = [
        a.name
        for a in bound.of("quasi-identifier", "semi-sensitive", "sensitive")
        if any(len(parquet_file(name)) > MAX_NAME for name in relations_of(a))
    ]
    if target.kind == "directory" and too_long:
        raise PolicyError(
            [
                Problem(
                    f"attributes.{name}", "its name is too long for a Parquet file", "use --to x.duckdb, or rename it"
                )
                for name in too_long
            ]
        )


@contextmanager
def _private_places(target: Place, options: RunOptions) -> Iterator[tuple[Path, Path]]:
    """A directory to build in, beside the output, and one to spill into."""
    parent = target.path.parent if target.path else Path(options.temp or tempfile.gettempdir())
    label = target.path.name if target.path else "schema"
    with ExitStack() as stack:
        workspace = stack.enter_context(private_directory(parent, label))
        if options.temp is None:
            spill = workspace / "spill"
            spill.mkdir(mode=0o700)
        else:
            spill = stack.enter_context(spill_directory(options.temp))
        yield workspace, spill


@contextmanager
def _engine(options: RunOptions, spill: Path, listener: Listener) -> Iterator[DuckDBEngine]:
    engine = DuckDBEngine(options, spill, listener)
    try:
        yield engine
    finally:
        engine.close()


@contextmanager
def _casts_named(policy: Policy) -> Iterator[None]:
    """Say of a failed conversion which attributes the policy casts."""
    try:
        yield
    except ConversionError as error:
        casts = [name for name, attribute in policy.attributes.items() if getattr(attribute, "type", None)]
        if not casts:
            raise
        raise SourceError(error.message, f"check the `type` of {', '.join(casts)} in the policy") from None


def _tell_what_stays(bound: BoundPolicy, target: Place, listener: Listener) -> None:
    if bound.unreleased:
        listener(Note(f"not released, as the policy does not name them: {', '.join(bound.unreleased)}"))
    if target.kind == "schema":
        listener(Note("whoever opens this database also sees the raw table; lgb export makes a copy to ship"))


def _publish(
    run: Run,
    bound: BoundPolicy,
    origin: Source,
    target: Place,
    workspace: Path,
    private: _Private,
    listener: Listener,
) -> Release:
    """Write, verify what was written, and only then give it its name."""
    manifest = make_manifest(run, bound, measure(run, bound))
    prepare(run.engine, bound)
    built = workspace / "release"
    writer = _writer(run.engine, origin, target, built)
    listener(StageStarted("publish"))
    committed = False
    identity: Identity | None = None

    def released() -> bool:
        return committed or (target.path is not None and is_same(target.path, identity))

    link = private.crosswalk
    with ExitStack() as stack:
        if private.ledger:
            warn = partial(_warn, listener)
            stack.enter_context(private.ledger.recording(run.engine, bound.policy, str(target), released, warn))
        if link:
            stack.enter_context(link.written(run.engine, bound.policy.key is not None, released))
        with writer.open():
            write_release(writer, bound, run.values, manifest)
            identity = identity_of(built)
            listener(StageStarted("verify"))
            rows = run.count("rows_in_secret_order")
            written = Written(manifest, rows, run.count("source_rows"), writer.present, writer.has_views)
            verify(run.engine, bound, writer.relations, written)
            if link and target.path is None:
                link.publish()
        committed = target.path is None
        if target.path is not None:
            if link:
                link.publish()
            publish(built, target.path)
    return Release(_place(target, origin), manifest, tuple(writer.relations))


def _place(target: Place, origin: Source) -> Place:
    path = origin.path if isinstance(origin, DuckDBFileSource) else None
    return Place("schema", path, target.schema) if target.kind == "schema" else target


def _writer(engine: DuckDBEngine, origin: Source, target: Place, built: Path) -> Writer:
    if target.kind != "schema":
        return _file_writer(engine, target, built)
    if isinstance(origin, ConnectionSource):
        return ConnectionSchemaWriter(engine, origin.user, target.schema)
    return SchemaWriter(engine, SOURCE_DATABASE, target.schema)


def _file_writer(engine: DuckDBEngine, target: Place, built: Path) -> Writer:
    return DuckDBFileWriter(engine, built) if target.kind == "file" else ParquetWriter(engine, built)
