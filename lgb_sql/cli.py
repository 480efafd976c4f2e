"""The command `lgb`: options in, verbs of the package called, plain words and exit codes out.

Exit codes: 0 done, 1 a promise is broken (audit), 2 wrong use or an impossible policy, 3 the run failed, 130
interrupted. Nothing that an engine or Python says of an error is ever shown: it may hold cell values.
"""

from __future__ import annotations

import os
import shutil
import signal
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from io import TextIOWrapper
from pathlib import Path
from types import FrameType
from typing import Annotated, Any, TextIO

import typer

import lgb_sql
from lgb_sql import api, workspace
from lgb_sql.audit import audit as run_audit
from lgb_sql.audit.words import as_json, as_text
from lgb_sql.cli_options import (
    AnswerFormat,
    Memory,
    PolicyFile,
    Source,
    Table,
    TableFormat,
    Temp,
    Threads,
    names,
    seed_number,
)
from lgb_sql.demo import run_demo, show_demo
from lgb_sql.errors import LgbError, OutputError
from lgb_sql.events import Event, Listener
from lgb_sql.options import RunOptions
from lgb_sql.progress import Notes, PlainConsole, plain, progress_line, together, traced
from lgb_sql.query.words import answers_as_text, queries_of
from lgb_sql.release import Release, open_release
from lgb_sql.targets import parse_target

BROKEN = 1
FAILED = 3
INTERRUPTED = 130

app = typer.Typer(
    name="lgb",
    help="Share a table about people: local generalization and bucketization inside DuckDB.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,  # names and paths in messages are text, never markup
    pretty_exceptions_enable=False,
)


# --- ending well and badly ---


class _Stop:
    """Ctrl-C and SIGTERM: the first ends the run; more of them do not cut its cleaning up short."""

    def __init__(self) -> None:
        self.came = False
        self.too_late = False

    def __call__(self, _signal: int, frame: FrameType | None) -> None:
        """Interrupt, unless a directory is being removed or the release is getting its name."""
        if self.came or self.too_late:
            return
        self.came = True
        if not _finishing(frame):
            raise KeyboardInterrupt

    def listen(self, _event: Event) -> None:
        """Interrupt now if it could not be done when the signal came."""
        if self.came:
            raise KeyboardInterrupt


def _finishing(frame: FrameType | None) -> bool:
    while frame is not None:
        if frame.f_code is workspace.publish.__code__ or frame.f_code.co_filename == shutil.__file__:
            return True
        frame = frame.f_back
    return False


_stop = _Stop()


def _tell(*lines: str) -> None:
    """Lines to stderr, as they are."""
    console = PlainConsole(stderr=True)
    for line in lines:
        console.say(line)


def _frames(error: BaseException) -> None:
    """Where an error arose, for LGB_DEBUG=1: places in the code, never an exception's text."""
    if os.environ.get("LGB_DEBUG") == "1":
        _tell(*(line.rstrip("\n") for line in traceback.format_tb(error.__traceback__)))


@contextmanager
def _reported() -> Iterator[None]:
    """Turn every way to fail into a message and an exit code."""
    try:
        yield
    except (KeyboardInterrupt, Exception) as error:
        _frames(error)
        code, lines = _told(error)
        _tell(*lines)
    else:
        return
    raise typer.Exit(code)


def _told(error: BaseException) -> tuple[int, list[str]]:
    if _stop.came or isinstance(error, KeyboardInterrupt):  # an engine reports an interrupt as some error of its own
        return INTERRUPTED, ["interrupted; nothing was written"]
    if isinstance(error, LgbError):
        return error.exit_code, [f"error: {error.message}", *([f"hint: {error.hint}"] if error.hint else [])]
    if isinstance(error, OSError) and error.errno is not None:
        return FAILED, [f"error: the system refused: {os.strerror(error.errno)}", "hint: check the disk and the paths"]
    return FAILED, [f"internal error: {type(error).__name__}", "please report it; LGB_DEBUG=1 shows where it arose"]


def _completed(make: Callable[[], Release], to: str) -> Release:
    """Run it. A signal that comes after the release got its name comes too late, and the release is there."""
    path = parse_target(to).path
    absent = path is not None and not os.path.lexists(path)
    try:
        release = make()
    except BaseException:
        if not (_stop.came and absent and path is not None and os.path.lexists(path)):
            raise
        release = open_release(to)
    _stop.too_late = True
    return release


def _answer(text: str, *, whole: bool) -> None:
    """Text to stdout. A reader that has seen enough is no failure; nor is a lost summary of work that is done."""
    if sys.stdout is None:  # closed by the caller
        return
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except OSError as error:
        _discard(sys.stdout)
        if whole and not isinstance(error, BrokenPipeError):
            raise


def _discard(stream: TextIO) -> None:
    """Let the rest of a broken stream go nowhere: else the interpreter fails once more at its exit."""
    with suppress(OSError, ValueError), open(os.devnull, "w", encoding="utf-8") as nowhere:
        os.dup2(nowhere.fileno(), stream.fileno())


# --- commands ---


def _version(value: bool) -> None:
    if value:
        typer.echo(f"lgb {lgb_sql.__version__}")
        raise typer.Exit


@app.callback()
def _lgb(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Share a table about people: local generalization and bucketization inside DuckDB."""


@app.command()
@_reported()
def demo(
    to: Annotated[Path, typer.Option(metavar="DIR", help="The new directory for its files.")] = Path("lgb-demo"),
    threads: Threads = None,
    memory: Memory = None,
    temp: Temp = None,
) -> None:
    """Make a release of a generated table, and show what happened."""
    with _listening() as listener:
        finished = run_demo(to, RunOptions(threads, memory, temp), listener)
    _stop.too_late = True
    console = PlainConsole()
    with console.capture() as shown:
        show_demo(finished, console)
    _answer(shown.get(), whole=False)


@app.command()
@_reported()
def anonymize(  # noqa: PLR0913, PLR0917  one argument per option of the contract
    policy: PolicyFile,
    source: Source,
    to: Annotated[
        str, typer.Option(metavar="OUT", show_default=False, help="x.duckdb, x/ for Parquet files, or schema:NAME.")
    ],
    table: Table = None,
    crosswalk: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Also write the private link from source rows to rids.")
    ] = None,
    ledger: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Remember who is released, and warn of earlier releases.")
    ] = None,
    seed: Annotated[
        int | None, typer.Option(metavar="N", callback=seed_number, help="Make the run reproducible; for tests only.")
    ] = None,
    threads: Threads = None,
    memory: Memory = None,
    temp: Temp = None,
    trace: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write each statement and its time as a line of JSON.")
    ] = None,
) -> None:
    """Make a verified release of a table, or leave nothing behind."""
    options = RunOptions(threads, memory, temp, seed)
    _refuse_same_file(trace, to, crosswalk, ledger)
    with traced(trace) as tracing, _listening(tracing) as listener:
        release = _completed(
            lambda: api.anonymize(
                source,
                policy,
                to=to,
                table=table,
                crosswalk=crosswalk,
                ledger=ledger,
                options=options,
                listener=listener,
            ),
            to,
        )
    _answer(_summary(release), whole=False)
    if seed is not None:
        _tell("warning: with --seed the release is reproducible, so it is for tests and not for publishing")


@app.command()
def audit(  # noqa: PLR0913, PLR0917  one argument per option of the contract
    release: Annotated[
        str,
        typer.Argument(
            metavar="RELEASE", show_default=False, help="x.duckdb, x/, or file.duckdb::NAME; with --quasi any table."
        ),
    ],
    policy: Annotated[
        Path | None, typer.Option(metavar="POLICY", help="Also hold it against the policy, a TOML file.")
    ] = None,
    source: Annotated[
        str | None, typer.Option(metavar="SRC", help="Also hold it against its source, with --crosswalk.")
    ] = None,
    table: Table = None,
    crosswalk: Annotated[
        Path | None, typer.Option(metavar="FILE", help="The private link from source rows to rids.")
    ] = None,
    quasi: Annotated[
        str | None, typer.Option(metavar="A,B,C", help="Measure any table: the columns that others may know.")
    ] = None,
    sensitive: Annotated[str | None, typer.Option(metavar="D", help="Its sensitive columns.")] = None,
    k: Annotated[int, typer.Option(metavar="K", help="Of any table: the k it must have.")] = 2,
    l: Annotated[int, typer.Option(metavar="L", help="Of any table: the l it must have.")] = 2,
    t: Annotated[float | None, typer.Option(metavar="T", help="Of any table: the t it must keep.")] = None,
    format: Annotated[AnswerFormat, typer.Option(help="How to print the answer.")] = AnswerFormat.text,
    allow_seeded: Annotated[
        bool, typer.Option("--allow-seeded", help="Accept a release that was made with --seed.")
    ] = False,
    threads: Threads = None,
    memory: Memory = None,
    temp: Temp = None,
) -> None:
    """Say whether a release, or any table, is safe to publish: exit code 0 yes, 1 no."""
    with _reported(), _listening() as listener:
        verdict = run_audit(
            release, policy=policy, source=source, table=table, crosswalk=crosswalk, quasi=names(quasi),
            sensitive=names(sensitive) or (), k=k, l=l, t=t, allow_seeded=allow_seeded,
            options=RunOptions(threads, memory, temp), listener=listener,
        )  # fmt: skip
    with _reported():
        _answer(as_json(verdict) if format is AnswerFormat.json else as_text(verdict), whole=True)
    raise typer.Exit(0 if verdict else BROKEN)


@app.command()
@_reported()
def query(
    release: Annotated[
        str, typer.Argument(metavar="RELEASE", show_default=False, help="x.duckdb, x/, or file.duckdb::NAME.")
    ],
    sql: Annotated[
        str | None, typer.Argument(metavar="SQL", show_default=False, help="SELECT SUM(a) FROM released WHERE ...")
    ] = None,
    file: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Queries, each ended by a semicolon, answered together.")
    ] = None,
    format: Annotated[TableFormat, typer.Option(help="How to print the answers.")] = TableFormat.table,
    threads: Threads = None,
    memory: Memory = None,
    temp: Temp = None,
) -> None:
    """Ask a release: certain bounds, an estimate, and the paper's interval."""
    texts = queries_of(sql, file)
    answers = open_release(release).query_many(texts, options=RunOptions(threads, memory, temp))
    _answer(answers_as_text(answers, format.value), whole=True)


@app.command()
@_reported()
def export(
    release: Annotated[
        str, typer.Argument(metavar="RELEASE", show_default=False, help="x.duckdb, x/, or file.duckdb::NAME.")
    ],
    to: Annotated[str, typer.Option(metavar="OUT", show_default=False, help="x.duckdb, or x/ for Parquet files.")],
    threads: Threads = None,
    memory: Memory = None,
    temp: Temp = None,
) -> None:
    """Copy a release into another form."""
    options = RunOptions(threads, memory, temp)
    copy = _completed(lambda: api.export(release, to=to, options=options), to)
    _answer(f"copied {copy.manifest['rows_released']:,} rows, each compared, to {plain(copy.path)}\n", whole=False)


@app.command()
@_reported()
def explain(
    policy: PolicyFile,
    source: Source,
    table: Table = None,
    sql: Annotated[bool, typer.Option("--sql", help="Show each statement, a loop's once.")] = False,
    threads: Threads = None,
    memory: Memory = None,
    temp: Temp = None,
) -> None:
    """Show the plan of a run; reads no row of the table."""
    options = RunOptions(threads, memory, temp)
    _answer(api.explain(source, policy, table=table, sql=sql, options=options), whole=True)


@contextmanager
def _listening(*more: Listener) -> Iterator[Listener]:
    console = PlainConsole(stderr=True)
    with progress_line(console) as line:
        yield together(*more, line, Notes(console), _stop.listen)


def _refuse_same_file(trace: Path | None, *others: str | Path | None) -> None:
    if trace is not None and any(other and Path(other).resolve() == trace.resolve() for other in others):
        raise OutputError(f"the trace file {trace} is also another output.", "name another with --trace")


def _summary(release: Release) -> str:
    """What was done, in a few lines."""
    manifest: dict[str, Any] = release.manifest
    metrics = manifest["metrics"]
    buckets = ", ".join(f"{name} {count:,}" for name, count in metrics["buckets"].items()) or "none"
    lines = (
        f"released {manifest['rows_released']:,} of {manifest['rows_source']:,} rows "
        f"in {metrics['groups']:,} groups of at least {manifest['k']:,} (k)",
        f"buckets: {buckets}",
        f"suppressed rows: {manifest['rows_suppressed']:,}; withheld cells: {manifest['cells_withheld']:,}",
        f"verified and written to {release.path}",
    )
    return "".join(f"{plain(line)}\n" for line in lines)


def main() -> None:
    """The entry point: the commands, with SIGTERM and a lost terminal handled like Ctrl-C."""
    signals = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    handled = [
        each for each in signals if signal.getsignal(each) is not signal.SIG_IGN
    ]  # ignored: by the caller's will
    for each in handled:
        signal.signal(each, _stop)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a name that the terminal cannot show is no failure
    try:
        app(prog_name="lgb")
    finally:
        _stop.too_late = True
        for each in handled:  # else a signal while the interpreter ends changes the exit code
            signal.signal(each, signal.SIG_IGN)


if __name__ == "__main__":
    main()
