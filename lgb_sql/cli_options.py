"""Options that commands of `lgb` share: how they are written, and what is refused at once."""

from __future__ import annotations

import csv
import re
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

MOST_THREADS = 1024
_MEMORY = re.compile(r"\d+(\.\d+)?\s*([KMGT]i?)?B", re.IGNORECASE)


def _threads(value: int | None) -> int | None:
    if value is not None and not 1 <= value <= MOST_THREADS:
        raise typer.BadParameter(f"{value} is not from 1 to {MOST_THREADS:,}; for instance --threads 4")
    return value


def _memory(value: str | None) -> str | None:
    if value is not None and (not _MEMORY.fullmatch(value) or not re.search("[1-9]", value)):
        raise typer.BadParameter("give a size with its unit, for instance --memory 4GB")
    return value


def seed_number(value: int | None) -> int | None:
    """A seed, or nothing."""
    if value is not None and value < 0:
        raise typer.BadParameter("give a whole number of at least 0, for instance --seed 1")
    return value


def names(value: str | None) -> list[str] | None:
    """Column names of an option, separated by commas; quoted where a name holds one."""
    if value is None:
        return None
    return [name.strip() for name in next(csv.reader([value], skipinitialspace=True), []) if name.strip()]


class AnswerFormat(StrEnum):
    """How a command prints its answer."""

    text = "text"
    json = "json"


class TableFormat(StrEnum):
    """How a command prints a table."""

    table = "table"
    json = "json"
    csv = "csv"


PolicyFile = Annotated[str, typer.Argument(metavar="POLICY", help="The policy, a TOML file.", show_default=False)]
Source = Annotated[
    str,
    typer.Option(
        metavar="SRC",
        show_default=False,
        help="A Parquet file, glob or directory, a CSV, or a DuckDB file with --table.",
    ),
]
Table = Annotated[str | None, typer.Option(metavar="T", help="A table or view of the DuckDB file.")]
Threads = Annotated[int | None, typer.Option(metavar="N", callback=_threads, help="How many threads to use.")]
Memory = Annotated[
    str | None, typer.Option(metavar="SIZE", callback=_memory, help="How much memory to use, such as 4GB.")
]
Temp = Annotated[
    Path | None,
    typer.Option(metavar="DIR", exists=True, file_okay=False, help="Where to spill what memory does not hold."),
]
