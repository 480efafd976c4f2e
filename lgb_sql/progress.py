"""Listeners of the command line: a progress line and notes for a person, a trace file for a machine."""

from __future__ import annotations

import json
import os
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from lgb_sql.errors import EngineError, LgbError, OutputError
from lgb_sql.events import Event, Listener, Note, StageStarted, StatementFinished, ignore
from lgb_sql.workspace import check_free

STAGES = {
    "ingest": "reading the table",
    "patterns": "counting who hides what",
    "buckets": "filling buckets",
    "groups": "forming groups",
    "labels": "drawing secret labels",
    "publish": "writing the release",
    "verify": "verifying the release",
    "audit": "auditing",
}


class PlainConsole(Console):
    """A console that shows text as it is: names of columns and paths may look like markup."""

    def __init__(self, *, stderr: bool = False) -> None:
        super().__init__(stderr=stderr, markup=False, emoji=False, highlight=False, soft_wrap=True)

    def on_broken_pipe(self) -> None:
        """Nobody reads any more: work on in silence."""
        self.quiet = True

    def say(self, text: str) -> None:
        """Print a line; a run does not fail because its words are lost."""
        try:
            self.print(plain(text))
            self.file.flush()
        except OSError:
            self.quiet = True


def plain(text: str) -> str:
    """Text without what a terminal would obey; lines stay lines."""
    return "".join(
        character.encode("unicode_escape").decode()
        if unicodedata.category(character).startswith("C") and character != "\n"
        else character
        for character in text
    )


def together(*listeners: Listener) -> Listener:
    """Tell several listeners."""

    def tell(event: Event) -> None:
        for listener in listeners:
            listener(event)

    return tell


@contextmanager
def progress_line(console: Console) -> Iterator[Listener]:
    """One line with the stage and the number of statements, on a terminal only; it leaves nothing behind."""
    columns = (SpinnerColumn(), TextColumn("{task.description}", markup=False), TimeElapsedColumn())
    shown = console.is_terminal and not console.is_dumb_terminal
    with Progress(*columns, console=console, transient=True, refresh_per_second=4, disable=not shown) as progress:
        task = progress.add_task("starting", total=None)
        stage, statements = "starting", 0

        def tell(event: Event) -> None:
            nonlocal stage, statements
            if isinstance(event, StageStarted):
                stage = STAGES.get(event.stage, event.stage)
            elif isinstance(event, StatementFinished):
                statements += 1
            progress.update(task, description=f"{stage} ({statements:,} statements)")

        yield tell


class Notes:
    """Notes as lines `note: ...`, each once."""

    def __init__(self, console: PlainConsole) -> None:
        self._console = console
        self._told: set[str] = set()

    def __call__(self, event: Event) -> None:
        """Print a note that was not printed before."""
        if isinstance(event, Note) and event.text not in self._told:
            self._told.add(event.text)
            self._console.say(f"note: {event.text}")


class _Trace:
    """One line of JSON per statement. The file appears with the first one, so a refused command leaves none."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.file: TextIO | None = None

    def __call__(self, event: Event) -> None:
        if not isinstance(event, StatementFinished):
            return
        fields = {
            "relation": event.relation,
            "seconds": round(event.seconds, 6),
            "rows": event.rows,
            "sql": event.sql,
        }
        try:
            self.file = self.file or self._create()
            self.file.write(json.dumps(fields) + "\n")
        except FileExistsError:
            raise OutputError(f"the trace file {self.path} appeared meanwhile.", "name another with --trace") from None
        except OSError as error:
            raise EngineError(
                f"cannot write the trace file {self.path}: {error.strerror}", "name another with --trace"
            ) from None

    def _create(self) -> TextIO:
        number = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        return os.fdopen(number, "w", encoding="utf-8", buffering=1)  # a killed run leaves whole lines


@contextmanager
def traced(path: Path | None) -> Iterator[Listener]:
    """Write a trace, where one is wanted. It outlives a failed run, which it explains, but not a refused one."""
    if path is None:
        yield ignore
        return
    check_free(path, "the trace file")
    trace = _Trace(path)
    try:
        yield trace
    except LgbError as error:
        if error.exit_code == 2 and trace.file is not None:
            path.unlink(missing_ok=True)
        raise
    finally:
        if trace.file is not None:
            trace.file.close()
