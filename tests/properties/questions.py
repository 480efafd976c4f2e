"""Random questions to the macros of a release, and what is true of them by the source itself."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Any

import duckdb

from tests.properties.cases import Case, Column
from tests.support import Rows, fetch, quoted

TOLERANCE = 1e-9
"""Sums of floats differ with the order of addition."""


def literal(column: Column, value: Any) -> str:
    """A value as SQL."""
    if value is None:
        return "NULL"
    text = str(value).lower() if isinstance(value, bool) else str(value)
    return f"CAST('{text.replace(chr(39), 2 * chr(39))}' AS {column.kind.released})"


def predicate(random: Random, column: Column) -> str:
    """A predicate over one attribute, its constants among the values and beside them."""
    name = quoted(column.name)
    most = 2 if column.kind.name == "boolean" else 14
    one, two, three = (literal(column, column.kind.value(random.randrange(most))) for _ in range(3))
    forms = [
        f"{name} > {one}", f"{name} <= {one}", f"{name} = {one}", f"{name} <> {one}", f"NOT {name} >= {one}",
        f"{name} IN ({one}, {two}, {three})", f"{name} NOT IN ({one}, NULL)", f"{name} BETWEEN {one} AND {two}",
        f"{name} IS NULL", f"{name} IS NOT NULL", f"coalesce({name} < {one}, TRUE)", "TRUE", "NULL",
        f"CAST({name} AS VARCHAR) LIKE '%1%'", f"length(CAST({name} AS VARCHAR)) % 2 = 0",
        f"CASE WHEN {name} = {one} THEN NULL ELSE {name} <= {two} END", f"{name} IS DISTINCT FROM {one}",
    ]  # fmt: skip
    return random.choice(forms)


@dataclass(frozen=True)
class Question:
    """Predicates by attribute, and the key if there is one."""

    predicates: dict[str, str]
    key: Column | None

    def arguments(self) -> str:
        return ", ".join(f"{quoted(name)} := {text}" for name, text in self.predicates.items())

    def condition(self) -> str:
        return " AND ".join(f"({text})" for text in self.predicates.values()) or "TRUE"


def question(random: Random, case: Case, keyed: bool) -> Question:
    columns = list(case.columns)
    asked = random.sample(columns, random.randint(0, min(3, len(columns))))
    key = random.choice(columns) if keyed else None
    return Question({column.name: predicate(random, column) for column in asked}, key)


def load_truth(connection: duckdb.DuckDBPyConnection, case: Case, kept: list[int]) -> None:
    """The source's rows that were released, in the released types."""
    connection.register("given", case.table().take(kept))
    columns = ", ".join(f"CAST({quoted(c.name)} AS {c.kind.released}) AS {quoted(c.name)}" for c in case.columns)
    connection.execute(f"CREATE TEMP TABLE truth AS SELECT {columns} FROM given")


def ask(connection: duckdb.DuckDBPyConnection, macro: str, asked: Question) -> Rows:
    return fetch(connection, f"SELECT * FROM {quoted(macro)}({asked.arguments()})")


def true_answers(connection: duckdb.DuckDBPyConnection, aggregate: str, asked: Question) -> Rows:
    key = f"{quoted(asked.key.name)}, " if asked.key else ""
    group = " GROUP BY 1" if asked.key else ""
    return fetch(connection, f"SELECT {key}{aggregate} FROM truth WHERE {asked.condition()}{group}")


def contains(row: tuple[Any, ...], truth: Any) -> bool:
    """Whether the bounds of a row hold the truth; there is none where no value counts."""
    lower, upper = row[0], row[2]
    if truth is None:
        return True
    slack = TOLERANCE * max(1.0, abs(float(truth)))
    return (lower is None or float(lower) <= float(truth) + slack) and (
        upper is None or float(truth) <= float(upper) + slack
    )
