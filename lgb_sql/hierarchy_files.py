"""Reading hierarchies: a CSV file in the layout of ARX, or a tree written into the policy itself."""

from __future__ import annotations

import csv
import datetime
import io
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from lgb_sql.hierarchies import Branch, Hierarchy, grow

Read = tuple[Hierarchy | None, list[str]]
"""A tree, or what is wrong with it."""


def read_hierarchy(given: str | Mapping[str, Any]) -> Read:
    """Read what stands at a policy's `hierarchy` key."""
    return read_csv(Path(given)) if isinstance(given, str) else read_tree(given)


def read_csv(path: Path) -> Read:
    """Read one row per leaf, the leaf first and the root last, cells apart by `;` or `,`; rows may be ragged."""
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except IsADirectoryError:
        return None, [f"{path.name} is a directory, not a CSV file"]
    except FileNotFoundError:
        return None, [f"there is no file {path.name}; its path is relative to the policy file"]
    except UnicodeDecodeError:
        return None, [f"{path.name} is not UTF-8"]
    except (OSError, ValueError):
        return None, [f"the file {path.name} cannot be read"]
    branches, problems = _branches(text)
    if problems:
        return None, problems
    return grow(branches)


def _branches(text: str) -> tuple[list[Branch], list[str]]:
    delimiter = ";" if ";" in text.partition("\n")[0] else ","
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    branches: list[Branch] = []
    problems: list[str] = []
    try:
        for row in reader:
            places = tuple(f"line {reader.line_num}, column {column}" for column in range(1, len(row) + 1))
            if not any(row):
                problems.append(f"line {reader.line_num}: the line is empty")
            elif not all(row[1:]):
                problems.append(f"{places[row.index('', 1)]}: the cell is empty")
            else:
                branches.append(Branch(tuple(row), places))
    except csv.Error:
        problems.append(f"line {reader.line_num}: not readable as CSV, check the quotes")
    return branches, problems


def read_tree(tree: Mapping[str, Any]) -> Read:
    """Read a tree of tables and lists: a table's keys are nodes, a list's items leaves or tables.

    A node with an empty list is a leaf. Positions in errors count children from the root down, from 1.
    """
    problems: list[str] = []
    branches = list(_walk(tree, ((), ()), problems))
    if problems:
        return None, problems
    return grow(branches)


_Above = tuple[tuple[str, ...], tuple[str, ...]]
"""Names and places of the nodes above, the root last."""


def _walk(children: Any, above: _Above, problems: list[str]) -> Iterator[Branch]:
    names, places = above
    for number, (name, below) in enumerate(_children(children), start=1):
        place = f"{places[0]}.{number}" if places else f"position {number}"
        if name is None:
            problems.append(f"{place}: must be a value, or a table of nodes")
        elif isinstance(below, Mapping | list) and below:
            yield from _walk(below, ((name, *names), (place, *places)), problems)
        elif isinstance(below, Mapping | list):
            yield Branch((name, *names), (place, *places))
        else:
            problems.append(f"{place}: a node's children must be a list or a table")


def _children(given: Any) -> Iterator[tuple[str | None, Any]]:
    """(name, children) of each child; a leaf has none."""
    if isinstance(given, Mapping):
        yield from given.items()
        return
    for item in given:
        if isinstance(item, Mapping):
            yield from item.items()
        else:
            yield value_text(item), []


def value_text(value: Any) -> str | None:
    """A value of a policy as text, for the engine to cast; None for tables and lists."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str | int | float):
        return str(value)
    if isinstance(value, datetime.date | datetime.time):
        return str(value)
    return None
