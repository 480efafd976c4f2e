"""From analysts' texts to answers: queries become questions, answered in chunks; figures become tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import Any

import pyarrow as pa

from lgb_sql.errors import QueryError
from lgb_sql.query.chunks import Figures, answer
from lgb_sql.query.conditions import Leaf, Node, both, conjuncts, either, leaves_of, read_condition
from lgb_sql.query.keys import possible_keys
from lgb_sql.query.language import (
    FIGURES,
    Aggregate,
    Order,
    Query,
    answer_columns,
    other_values_column,
    read_query,
)
from lgb_sql.query.questions import Question, chunked, counting, counting_values, valuing
from lgb_sql.query.session import Session
from lgb_sql.query.types import arrow_array

CHUNK = 250
"""Questions answered together. More would not be cheaper: the engine's planning grows with the columns."""
MOST_GROUPS = 5_000
"""Possible groups of one query."""
MOST_ALONE = 300
"""Groups of a query where OR joins a key to other attributes: each is then answered by statements of its own."""


@dataclass(frozen=True)
class _Row:
    """One row of an answer: its keys, and the question behind each aggregate."""

    keys: tuple[Any, ...]
    questions: tuple[Question, ...]
    existing: Question
    """How many tuples the group may have; a group whose counted values are all NULL exists"""
    is_other: bool = False
    """Whether it stands for all keys that no released table lists"""


def answer_many(session: Session, texts: Iterable[str]) -> list[pa.Table]:
    """Answer queries together."""
    asked = list(texts)
    queries, rows = [], []
    for number, text in enumerate(asked, 1):
        with _naming(number, len(asked)):
            queries.append(read_query(text, session.bound.released))
    session.learn(a for query in queries for a in query.attributes())
    for number, query in enumerate(queries, 1):
        with _naming(number, len(asked)):
            rows.append(_rows(session, query))
    wanted: dict[Question, set[str]] = {}
    for query, found in zip(queries, rows, strict=True):
        for row in found:
            for aggregate, question in zip(query.aggregates, row.questions, strict=True):
                wanted.setdefault(question, set()).add(aggregate.kind)
            if query.keys and row.existing not in wanted:
                wanted[row.existing] = {"count"}
    figures: dict[Question, Figures] = {}
    for chunk in chunked(wanted, CHUNK):
        kinds = frozenset(kind for question in chunk for kind in wanted[question])
        figures.update(zip(chunk, answer(session, chunk, kinds), strict=True))
    return [_table(query, found, figures) for query, found in zip(queries, rows, strict=True)]


@contextmanager
def _naming(number: int, count: int) -> Iterator[None]:
    """Of many queries an error says which it means; its line and column count from there."""
    try:
        with _within_depth():
            yield
    except QueryError as error:
        if count == 1:
            raise
        raise QueryError(f"query {number} of {count}: {error.message}", error.hint) from None


@contextmanager
def _within_depth() -> Iterator[None]:
    """A text may nest deeper than the parser's own recursion goes."""
    try:
        yield
    except RecursionError:
        raise QueryError(
            "the query nests too many expressions, from line 1, column 1 on.", "write it flatter"
        ) from None


def _refuse_unsayable(session: Session, query: Query) -> None:
    """Values that an answer cannot hold, or that nothing bounds: infinite ones are in no group and in no bucket."""
    returned = [*query.keys, *(each.target for each in query.aggregates if each.kind in ("min", "max") and each.target)]
    valued = [each.target for each in query.aggregates if each.kind != "count" and each.target]
    for a in dict.fromkeys(returned):
        if a.type == "TIMESTAMP_NS":
            raise QueryError(
                f"{a.name} has nanoseconds, which an answer cannot hold.",
                'ask for COUNT, or release it with type = "TIMESTAMP"',
            )
    for a in dict.fromkeys((*query.keys, *valued)):
        if a.role == "insensitive" and session.holds_endless(a):
            raise QueryError(f"{a.name} holds NaN or an infinity.", "ask for COUNT, with conditions on it")


def _rows(session: Session, query: Query) -> list[_Row]:
    _refuse_unsayable(session, query)
    condition = read_condition(query.condition, query.attribute_of)
    if not query.keys:
        return [_row(query, (), condition)]
    choices = [possible_keys(session, key, condition) for key in query.keys]
    groups = prod(len(listed) for listed, _ in choices)
    joined = {each.attribute for part in conjuncts(condition) if not isinstance(part, Leaf) for each in leaves_of(part)}
    if groups > MOST_ALONE and joined & set(query.keys):
        raise QueryError(
            f"the query has more than {MOST_ALONE:,} possible groups, and OR joins a key to other attributes.",
            "narrow them by a condition on a key, or ask without the OR",
        )
    if groups > MOST_GROUPS:
        raise QueryError(
            f"the query has more than {MOST_GROUPS:,} possible groups.", "narrow them by a condition on a key"
        )
    rows = [
        _row(query, tuple(key.value for key in keys), both((condition, *(key.leaf for key in keys))))
        for keys in product(*(listed for listed, _ in choices))
    ]
    unlisted = [other for _, other in choices if other is not None]
    if unlisted:
        narrowed = both((condition, either(unlisted)))
        rows.append(_row(query, (None,) * len(query.keys), narrowed, is_other=True))
    return rows


def _row(query: Query, keys: tuple[Any, ...], condition: Node, *, is_other: bool = False) -> _Row:
    questions = _questions(query.aggregates, condition)
    counts_tuples = (q for each, q in zip(query.aggregates, questions, strict=True) if not each.counts_values)
    return _Row(keys, questions, next(counts_tuples, None) or counting(condition), is_other)


def _questions(aggregates: Sequence[Aggregate], condition: Node) -> tuple[Question, ...]:
    return tuple(_question(aggregate, condition) for aggregate in aggregates)


def _question(aggregate: Aggregate, condition: Node) -> Question:
    if aggregate.target is None:
        return counting(condition)
    if aggregate.kind == "count":
        return counting_values(condition, aggregate.target)
    return valuing(condition, aggregate.target)


# --- tables ---


def _table(query: Query, rows: Sequence[_Row], figures: dict[Question, Figures]) -> pa.Table:
    """One row per group that may exist; without keys exactly one row."""
    kept = [row for row in rows if not query.keys or figures[row.existing].n_may > 0]
    columns: dict[str, pa.Array] = {}
    for place, key in enumerate(query.keys):
        columns[key.name] = arrow_array([row.keys[place] for row in kept], key)
    names = iter(answer_columns(query.aggregates, query.keys))
    for place, aggregate in enumerate(query.aggregates):
        found = [figures[row.questions[place]] for row in kept]
        for at, figure in enumerate(FIGURES):
            columns[next(names)] = _column(aggregate, figure, at, found)
    if query.keys:
        columns[other_values_column(query.keys)] = pa.array([row.is_other for row in kept], pa.bool_())
    return _ordered(query, pa.table(columns))


def _column(aggregate: Aggregate, figure: str, place: int, found: Sequence[Figures]) -> pa.Array:
    if figure in ("n_must", "n_may"):
        return pa.array([getattr(each, figure) for each in found], pa.int64())
    values = [each.intervals[aggregate.kind][place] for each in found]
    if aggregate.kind == "count":
        return pa.array(values, pa.float64() if figure == "estimate" else pa.int64())
    assert aggregate.target is not None  # noqa: S101  all others have one
    if aggregate.kind in ("min", "max"):
        return arrow_array(values, aggregate.target)
    if figure == "estimate" or aggregate.kind == "avg":
        return pa.array([None if value is None else float(value) for value in values], pa.float64())
    return _sums(values)


def _sums(values: list[Any]) -> pa.Array:
    """Integers as they are, where they fit; decimals and floats by their own type."""
    if all(value is None or isinstance(value, int) for value in values):
        fits = all(value is None or abs(value) < 2**63 for value in values)
        return pa.array(values, pa.int64() if fits else pa.decimal128(38, 0))
    return pa.array(values)


def _ordered(query: Query, table: pa.Table) -> pa.Table:
    for order in reversed(query.order):
        places = _sorted(table[order.column].to_pylist(), order)
        table = table.take(pa.array(places, pa.int64()))
    return table.slice(query.offset, query.limit)


def _sorted(values: list[Any], order: Order) -> list[int]:
    """Places in order; stable, so that the first item of ORDER BY, sorted last, decides."""
    known = [place for place, value in enumerate(values) if value is not None]
    known.sort(key=values.__getitem__, reverse=order.descending)
    missing = [place for place, value in enumerate(values) if value is None]
    return missing + known if order.nulls_first else known + missing
