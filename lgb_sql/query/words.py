"""Questions from the command line and answers for people and programs: a table, JSON, or CSV."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from datetime import date, datetime, time
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from lgb_sql.errors import QueryError
from lgb_sql.progress import plain
from lgb_sql.query.language import split_queries


def queries_of(sql: str | None, file: Path | None) -> list[str]:
    """The queries of a command: one as an argument, or those of a file."""
    if (sql is None) == (file is None):
        raise QueryError("give one query, or a file of them.", "lgb query RELEASE 'SELECT ...', or --file queries.sql")
    if sql is not None:
        return [sql]
    assert file is not None  # noqa: S101  one of both is given
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        raise QueryError(f"{file} cannot be read as text.", "is the path right, and is it UTF-8?") from None
    queries = split_queries(text)
    if not queries:
        raise QueryError(f"{file} holds no query.", "end each query by a semicolon")
    return queries


def answers_as_text(answers: Sequence[pa.Table], form: str) -> str:
    """All answers in one text: tables, a JSON list (of lists, if several), or CSV, an empty line between two."""
    if form == "json":
        rows = [[{name: _json(value) for name, value in row.items()} for row in each.to_pylist()] for each in answers]
        return json.dumps(rows if len(rows) > 1 else rows[0], ensure_ascii=False, indent=2) + "\n"
    render = _csv if form == "csv" else _table
    return "\n".join(render(each) for each in answers)


def _json(value: Any) -> Any:
    """Numbers stay numbers; decimals are texts, so that no digit is lost."""
    return str(value) if isinstance(value, Decimal | date | datetime | time) else value


def _csv(answer: pa.Table) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(answer.column_names)
    for row in answer.to_pylist():
        writer.writerow(["" if value is None else value for value in row.values()])
    return text.getvalue()


def _table(answer: pa.Table) -> str:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for field in answer.schema:
        number = pa.types.is_integer(field.type) or pa.types.is_floating(field.type) or pa.types.is_decimal(field.type)
        table.add_column(Text(plain(field.name)), justify="right" if number else "left", no_wrap=True)
    for row in answer.to_pylist():
        table.add_row(*(Text(plain(_shown(value))) for value in row.values()))
    text = io.StringIO()
    Console(file=text, width=10_000, color_system=None, highlight=False).print(table)
    return "".join(f"{line.rstrip()}\n" for line in text.getvalue().splitlines() if line.strip())


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return f"{value:,.1f}" if abs(value) >= 1_000 else f"{value:.4g}"
    return "NULL" if value is None else f"{value:,}" if isinstance(value, int | Decimal) else str(value)
