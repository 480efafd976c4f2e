"""Random queries on random tables: every leaf is SQL text and the same predicate in Python."""

from __future__ import annotations

import datetime as dt
import math
import operator
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from random import Random
from typing import Any

from tests.properties.cases import Case, Column, Kind
from tests.reference.queries import TRUE, Aggregate, And, Leaf, Not, Or, Predicate, Query, Truth
from tests.support import quoted

NUMERIC = ("integer", "tinyint", "unsigned", "double", "float", "decimal", "digits")
WHOLE = ("integer", "tinyint", "unsigned", "digits")
TEMPORAL = ("date", "timestamp", "timestamptz", "time")
TEXT = ("text", "dictionary", "zip")

COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    "=": operator.eq, "<>": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip
MIRRORED = {"=": "=", "<>": "<>", "<": ">", "<=": ">=", ">": "<", ">=": "<="}


@dataclass(frozen=True)
class Asked:
    """An attribute of a table as an analyst sees it."""

    name: str
    kind: Kind
    values: tuple[Any, ...]
    """Some values that are in the table, ascending, and some that are not."""

    @property
    def sql(self) -> str:
        return quoted(self.name)

    @property
    def numeric(self) -> bool:
        return self.kind.name in NUMERIC

    @property
    def measurable(self) -> bool:
        return self.numeric or self.kind.name in TEMPORAL


def asked(column: Column) -> Asked:
    values = {value for value in column.values if value is not None} or {column.kind.value(1)}
    values |= {column.kind.value(i) for i in ((0, 1) if column.kind.name == "boolean" else (0, 3, 13))}
    if column.kind.name in WHOLE:
        values |= {value + 1 for value in values if value + 1 < 100}
    return Asked(column.name, column.kind, tuple(sorted(values)))


def literal(value: Any) -> str:
    """A value as an analyst writes it."""
    if value is None or isinstance(value, bool):
        return "NULL" if value is None else str(value).upper()
    if isinstance(value, float):
        return repr(value) if "e" in repr(value) else f"{value!r}e0"
    if isinstance(value, int | Decimal):
        return str(value)
    text = str(value).replace("'", "''")
    if isinstance(value, dt.datetime):
        return f"TIMESTAMPTZ '{text}'" if value.tzinfo else f"TIMESTAMP '{text}'"
    if isinstance(value, dt.date):
        return f"DATE '{text}'"
    return f"TIME '{text}'" if isinstance(value, dt.time) else f"'{text}'"


def strict(holds: Callable[[Any], Truth]) -> Callable[[Any], Truth]:
    """NULL in, NULL out."""
    return lambda value: None if value is None else holds(value)


# --- leaves ----------------------------------------------------------------------------------------------


def comparison(random: Random, on: Asked) -> Leaf:
    word, constant = random.choice(list(COMPARISONS)), random.choice(on.values)
    if on.kind.name in WHOLE and random.random() < 0.2:
        constant += Decimal("0.5")
    sql = f"{on.sql} {word} {literal(constant)}"
    if random.random() < 0.2:
        sql = f"{literal(constant)} {MIRRORED[word]} {on.sql}"
    return Leaf(on.name, sql, strict(lambda value: COMPARISONS[word](value, constant)), (constant,))


def between(random: Random, on: Asked) -> Leaf:
    low, high = sorted(random.choices(on.values, k=2))
    sql = f"{on.sql} BETWEEN {literal(low)} AND {literal(high)}"
    if random.random() < 0.3:
        outside = f"{on.sql} NOT BETWEEN {literal(low)} AND {literal(high)}"
        return Leaf(on.name, outside, strict(lambda value: not low <= value <= high), (low, high))
    return Leaf(on.name, sql, strict(lambda value: low <= value <= high), (low, high))


def membership(random: Random, on: Asked) -> Leaf:
    """IN and NOT IN; with NULL in the list nothing is ever outside."""
    members = random.choices(on.values, k=random.randint(1, 5))
    with_null, negated = random.random() < 0.15, random.random() < 0.3
    words = ", ".join(literal(value) for value in [*members, *([None] if with_null else [])])

    def holds(value: Any) -> Truth:
        found = True if value in members else None if with_null else False
        return found if found is None else found is not negated

    sql = f"{on.sql} {'NOT ' * negated}IN ({words})"
    return Leaf(on.name, sql, strict(holds), tuple(members))


def null_test(random: Random, on: Asked) -> Leaf:
    if random.random() < 0.5:
        return Leaf(on.name, f"{on.sql} IS NULL", lambda value: value is None, ())
    return Leaf(on.name, f"{on.sql} IS NOT NULL", lambda value: value is not None, ())


def like(random: Random, on: Asked) -> Leaf:
    """% and _ at random places of a value; capitals count."""
    value = random.choice(on.values)
    place = random.randrange(len(value) + 1)
    pattern = random.choice((value[:place] + "%", "%" + value[place:], value[:place] + "_" + value[place + 1 :], value))
    pieces = ("." if c == "_" else ".*" if c == "%" else re.escape(c) for c in pattern)
    compiled = re.compile("".join(pieces), re.DOTALL)
    sql = f"{on.sql} LIKE {literal(pattern)}"
    return Leaf(on.name, sql, strict(lambda value: compiled.fullmatch(value) is not None), None)


def arithmetic(random: Random, on: Asked) -> Leaf:
    constant, word = random.choice(on.values), random.choice(list(COMPARISONS))
    compare, number = COMPARISONS[word], random.randint(1, 4)
    sql, value_of = random.choice(
        (
            (f"{on.sql} + {number}", lambda value: value + number),
            (f"2 * {on.sql} - {number}", lambda value: 2 * value - number),
            (f"{on.sql} % {number + 1}", lambda value: int(math.fmod(value, number + 1))),
            (f"abs({on.sql})", abs),
            (f"-{on.sql}", operator.neg),
        )
    )
    if on.kind.name == "unsigned":  # no negative numbers there
        sql, value_of = f"{on.sql} + {number}", lambda value: value + number
    return Leaf(on.name, f"{sql} {word} {constant}", strict(lambda value: compare(value_of(value), constant)), None)


def case_when(random: Random, on: Asked) -> Leaf:
    parts = [comparison(random, on) for _ in range(3)]
    sql = f"CASE WHEN {parts[0].sql} THEN {parts[1].sql} ELSE NOT {parts[2].sql} END"

    def holds(value: Any) -> Truth:
        if parts[0].holds(value):
            return parts[1].holds(value)
        other = parts[2].holds(value)
        return None if other is None else not other

    return Leaf(on.name, sql, holds, None)


def leaf(random: Random, on: Asked) -> Leaf:
    if on.kind.name == "boolean" and random.random() < 0.3:
        return Leaf(on.name, on.sql, lambda value: value, (True, False))
    makers = [comparison] * 5 + [between, membership, membership, null_test]
    if on.kind.name in TEXT:
        makers += [like, like]
    if on.kind.name in WHOLE:
        makers += [arithmetic, arithmetic]
    if on.kind.name != "boolean":
        makers.append(case_when)
    return random.choice(makers)(random, on)


# --- trees and queries -----------------------------------------------------------------------------------


def tree(random: Random, of: Sequence[Asked], depth: int) -> Predicate:
    """AND, OR and NOT over leaves; an attribute may come again."""
    if depth == 0 or random.random() < 0.15:
        made: Predicate = leaf(random, random.choice(of))
    else:
        parts = tuple(tree(random, of, depth - 1) for _ in range(random.randint(2, 3)))
        made = And(parts) if random.random() < 0.6 else Or(parts)
    return Not(made) if random.random() < 0.15 else made


def conjunction(random: Random, of: Sequence[Asked]) -> Predicate:
    """The paper's form: one predicate each on some attributes."""
    chosen = random.sample(of, random.randint(1, min(4, len(of))))
    return And(tuple(leaf(random, on) for on in chosen))


def random_query(random: Random, attributes: Sequence[Asked]) -> Query:
    choices: list[tuple[Aggregate, str | None]] = [("count", None), ("count", random.choice(attributes).name)]
    choices += [(word, on.name) for on in attributes if on.measurable for word in ("min", "max")]
    choices += [(word, on.name) for on in attributes if on.numeric for word in ("sum", "sum", "avg")]
    aggregate, target = random.choice(choices)
    where = random.choice(
        (
            TRUE,
            conjunction(random, attributes),
            conjunction(random, attributes),
            conjunction(random, attributes),
            tree(random, attributes, 1),
            tree(random, attributes, 2),
        )
    )
    keys: tuple[str, ...] = ()
    if random.random() < 0.3:
        number = 1 if random.random() < 0.7 else 2
        keys = tuple(on.name for on in random.sample(attributes, min(number, len(attributes))))
    return Query(aggregate, target, where, keys)


def random_queries(seed: int, case: Case, number: int) -> list[Query]:
    random = Random(seed)
    attributes = [asked(column) for column in case.columns]
    return [random_query(random, attributes) for _ in range(number)]
