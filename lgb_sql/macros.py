"""Table macros of a release: questions with certain bounds for whoever has the file and DuckDB, but no Python.

An argument is a predicate over the attribute of its name (`age := age > 30`); a macro evaluates it on the values
themselves. Macros of the lower layers judge cells, tuples and units; the last ones answer.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from sqlglot.dialects.duckdb import DuckDB

from lgb_sql.binding import BoundAttribute, BoundPolicy
from lgb_sql.plan import Step
from lgb_sql.release_names import parquet_file
from lgb_sql.render import MAX_IDENTIFIER, Sql, identifier, lit
from lgb_sql.schema import Family

FREE = "any"
"""The default of every argument: nothing is asked of the attribute. A text, so that no predicate is taken for it."""
MOST_POINTS = 1_000_000
"""Up to this many integers, days or words between the least and the greatest shown, a predicate is put to each."""
FUNCTIONS = {"sum": "lgb_sums", "avg": "lgb_averages", "min": "lgb_least", "max": "lgb_greatest"}
"""What is asked of a number, and the macro that finds its bounds."""
KEYED = ("sum", "avg")
"""What is asked for each value of a key."""
MOST_ATTRIBUTES = 30
"""A macro joins all attributes: releases of more have none."""
MOST_PAIRS = 100
"""Up to this many pairs of a number and a key, sums and averages are made for each key."""
MEANINGS = {"sum": "the sum of", "avg": "the average of", "min": "the least", "max": "the greatest"}
MACRO_FILE = "macros.sql"
SCRIPT_HEAD = """\
-- Questions to this release, with certain bounds, for DuckDB: inside this directory run
--     duckdb -init macros.sql
-- (or .read macros.sql), then SELECT * FROM lgb_help();
"""
_NUMBERS = (Family.INTEGER.value, Family.DECIMAL.value, Family.FLOAT.value)
_WIDE_DECIMAL = re.compile(r"DECIMAL\((29|3\d),")
"""Decimals whose sums might not fit into 38 digits."""
_PLAIN_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


@dataclass(frozen=True)
class Macro:
    """A table macro; one that answers is for analysts, its arguments have a default."""

    step: Step
    parameters: tuple[str, ...]
    answers: str = ""
    columns: Mapping[str, str] | None = None
    """Names and types of its columns, where other macros call it: see `definitions`."""

    @property
    def name(self) -> str:
        """Its name."""
        return self.step.relation

    def definition(self) -> str:
        """The statement that makes it in the current schema."""
        return f"{self._head()}\n{self.step.statement().sql}"

    def outline(self) -> str:
        """A macro of the same columns without content."""
        columns = (f"CAST(NULL AS {kind}) AS {identifier(name)}" for name, kind in (self.columns or {}).items())
        return f"{self._head()}\nSELECT {', '.join(columns)}"

    def _head(self) -> str:
        default = f" := {lit(FREE)}" if self.answers else ""
        parameters = ", ".join(f"{identifier(name)}{default}" for name in self.parameters)
        return f"CREATE OR REPLACE MACRO {identifier(self.name)}({parameters}) AS TABLE"


@dataclass(frozen=True)
class HelpEntry:
    """A line of `lgb_help()`."""

    macro: str
    answers: str
    example: str


def definitions(macros: Sequence[Macro]) -> Iterator[str]:
    """The statements that make all macros in the current schema.

    The engine binds a macro's text when it is made, with all macros inside it. So those that others call are outlined
    first and get their text last, callers before called: each text is then bound once, not once per caller.
    """
    called = [macro for macro in macros if macro.columns]
    yield from (macro.outline() for macro in called)
    yield from (macro.definition() for macro in macros if not macro.columns)
    yield from (macro.definition() for macro in reversed(called))


def script(relations: Iterable[str], macros: Sequence[Macro]) -> str:
    """For a directory of Parquet files: views over them, and the macros. Relations come in any order."""
    views = (
        f"CREATE OR REPLACE VIEW {identifier(name)} AS SELECT * FROM read_parquet({lit(parquet_file(name))})"
        for name in sorted(relations)
    )
    statements = "".join(f"{statement};\n\n" for statement in (*views, *definitions(macros)))
    return f"{SCRIPT_HEAD}\n{statements}"


def macros_of(bound: BoundPolicy) -> list[Macro]:
    """All macros of a release, each after those that it calls."""
    if len(bound.released) > MOST_ATTRIBUTES:
        return []
    made = [macro for a in bound.released for macro in _of_cells(a)]
    made.append(_tuples(bound))
    made.extend(_keyed_tuples(bound, key) for key in bound.released)
    targets = tuple(a for a in bound.released if _can_be_summed(a))
    made.extend(_units(a) for a in targets)
    made.extend(_bounds(name) for name in FUNCTIONS.values())
    made.extend(_counts(bound))
    made.extend(_answers(bound, targets))
    return [*made, _help(made, bound)]


def _can_be_summed(a: BoundAttribute) -> bool:
    return a.role != "insensitive" and a.family in _NUMBERS and not _WIDE_DECIMAL.match(a.type)


# --- what the cells of one attribute say of a predicate ---


def _of_cells(a: BoundAttribute) -> Iterator[Macro]:
    one, numeric = {"attribute": a}, {"attribute": a, "numeric": _can_be_summed(a)}
    layers: list[tuple[str, Mapping[str, object]]] = []
    if a.role in ("quasi-identifier", "semi-sensitive"):
        layers.append(("lgb_points", {**one, "most_points": MOST_POINTS}))
        layers.append(("lgb_whole", {**numeric, "listed": _lists_all(a)}))
        layers.append(("lgb_ranges" if a.ordered else "lgb_sets", numeric))
        layers.extend([("lgb_cells", numeric), ("lgb_keys", one)])
    if a.role in ("semi-sensitive", "sensitive"):
        layers.extend([("lgb_buckets", numeric), ("lgb_bucket_keys", one)])
    if a.role == "insensitive":
        layers.append(("lgb_plain", one))
    for name, params in layers:
        yield Macro(Step(f"{name}_{a.name}", f"macros/{name}", params), (a.name,), columns=_cell_columns(name, a))


def _lists_all(a: BoundAttribute) -> bool:
    """Whether declared values are all that a withheld cell may hold: a flagged value need not be a leaf."""
    return not (a.shows_node and a.role == "semi-sensitive")


_SHARES = "may BOOLEAN, must BOOLEAN, share DOUBLE, uniform DOUBLE"
_ENDS = "low VALUE, high VALUE, mean DOUBLE"
_CELL_COLUMNS = {
    "lgb_points": "value VALUE, place PLACE, weight DOUBLE, known BOOLEAN, declared BOOLEAN, complete BOOLEAN, "
    "holds BOOLEAN",
    "lgb_whole": f"null_holds BOOLEAN, listed BOOLEAN, {_SHARES}, {_ENDS}, bounded BOOLEAN",
    "lgb_ranges": f"gid BIGINT, {_SHARES}, complete BOOLEAN, places BIGINT, weight DOUBLE, others BIGINT, {_ENDS}",
    "lgb_sets": f"gid BIGINT, {_SHARES}, places BIGINT, weight DOUBLE, {_ENDS}",
    "lgb_cells": f"gid BIGINT, form VARCHAR, free BOOLEAN, is_null BOOLEAN, {_SHARES}, {_ENDS}, bounded BOOLEAN",
    "lgb_keys": "gid BIGINT, key VALUE, other BOOLEAN, must BOOLEAN, share DOUBLE, uniform DOUBLE",
    "lgb_buckets": "bid BIGINT, free BOOLEAN, size BIGINT, holding BIGINT, may BOOLEAN, must BOOLEAN, share DOUBLE, "
    "entries VALUE[], below BIGINT, above BIGINT",
    "lgb_bucket_keys": "bid BIGINT, key VALUE, must BOOLEAN, share DOUBLE",
    "lgb_plain": "rid BIGINT",
}


def _cell_columns(name: str, a: BoundAttribute) -> dict[str, str]:
    pairs = (column.split(" ") for column in _CELL_COLUMNS[name].split(", "))
    types = {"VALUE": str(a.type), "VALUE[]": f"{a.type}[]", "PLACE": "INTEGER" if a.words else str(a.type)}
    return {column: types.get(kind, kind) for column, kind in pairs}


# --- tuples, units, bounds ---


def _tuples(bound: BoundPolicy) -> Macro:
    params = {
        "attributes": bound.released,
        "generalised": bound.generalised,
        "bucketed": bound.bucketed,
        "insensitive": bound.insensitive,
    }
    return Macro(Step("lgb_tuples", "macros/lgb_tuples", params), _names(bound), columns=_tuple_columns(bound))


def _keyed_tuples(bound: BoundPolicy, key: BoundAttribute) -> Macro:
    replaced = () if key.role == "insensitive" else (key.name,)
    params = {"attribute": key, "arguments": _handed_on(bound, replaced), "bucketed": bound.bucketed}
    step = Step(f"lgb_tuples_by_{key.name}", "macros/lgb_tuples_by", params)
    return Macro(step, _names(bound), columns=_tuple_columns(bound))


def _names(bound: BoundPolicy) -> tuple[str, ...]:
    return tuple(a.name for a in bound.released)


def _handed_on(bound: BoundPolicy, replaced: Collection[str] = ()) -> Sql:
    """The arguments of a macro as those of another; nothing is asked of `replaced`."""
    return Sql(", ".join(lit(FREE) if name in replaced else identifier(name) for name in _names(bound)))


def _tuple_columns(bound: BoundPolicy) -> dict[str, str]:
    bids = "".join(f"{identifier(f'{a.name}_bid')} BIGINT, " for a in bound.bucketed)
    row = f"key BIGINT, other BOOLEAN, gid BIGINT, {bids}must BOOLEAN, share DOUBLE, uniform DOUBLE"
    return {"rid": "BIGINT", "tuple": f"STRUCT({row})"}


def _units(a: BoundAttribute) -> Macro:
    step = Step(f"lgb_units_{a.name}", "macros/lgb_units", {"attribute": a})
    return Macro(step, (f"{a.name}_tuples", a.name), columns={"unit": "BIGINT"})


def _bounds(name: str) -> Macro:
    figures = ("lower", "estimate", "upper", "lower_expected", "upper_expected", "n_must", "n_may")
    columns = {"key": "BIGINT", **dict.fromkeys(figures, "BIGINT"), "other_values": "BOOLEAN"}
    return Macro(Step(name, f"macros/{name}"), ("units",), columns=columns)


# --- answers ---


def _counts(bound: BoundPolicy) -> Iterator[Macro]:
    for key in (None, *bound.released):
        name = f"lgb_count_by_{key.name}" if key else "lgb_count"
        step = Step(name, "macros/lgb_count", {"key": key, "arguments": _handed_on(bound)})
        yield Macro(step, _names(bound), _words("the number of tuples", key))


def _answers(bound: BoundPolicy, targets: Sequence[BoundAttribute]) -> Iterator[Macro]:
    """Sums and averages with every key, the least and the greatest value without one.

    Names that would be too long, or another's (`a_by_b` of `c` and `a` of `b_by_c`), are left out.
    """
    keys = bound.released if len(targets) * len(bound.released) <= MOST_PAIRS else ()
    taken: set[str] = set()
    for target in targets:
        arguments = _handed_on(bound, (target.name,))
        for key in (None, *(a for a in keys if a is not target)):
            for function in KEYED if key else FUNCTIONS:
                name = f"lgb_{function}_{target.name}{f'_by_{key.name}' if key else ''}"
                if name.casefold() not in taken and len(name) <= MAX_IDENTIFIER:
                    taken.add(name.casefold())
                    yield _answer(bound, name, function, {"target": target, "key": key, "arguments": arguments})


def _answer(bound: BoundPolicy, name: str, function: str, question: dict[str, object]) -> Macro:
    params = {**question, "function": FUNCTIONS[function], "empty": Sql("0" if function == "sum" else "NULL")}
    target, key = question["target"], question["key"]
    assert isinstance(target, BoundAttribute)  # noqa: S101
    assert key is None or isinstance(key, BoundAttribute)  # noqa: S101
    step = Step(name, "macros/lgb_answer", params)
    return Macro(step, _names(bound), _words(f"{MEANINGS[function]} {target.name}", key))


def _words(what: str, key: BoundAttribute | None) -> str:
    return f"{what} for each {key.name}" if key else what


def _help(made: Sequence[Macro], bound: BoundPolicy) -> Macro:
    asked = _shown(bound.released[0].name)
    entries = tuple(
        HelpEntry(m.name, m.answers, f"SELECT * FROM {_shown(m.name)}({asked} := {asked} IS NOT NULL)")
        for m in made
        if m.answers
    )
    params = {"entries": entries, "arguments": ", ".join(_shown(name) for name in _names(bound))}
    return Macro(Step("lgb_help", "macros/lgb_help", params), ())


def _shown(name: str) -> str:
    """A name as people write it: quoted only where it must be."""
    plain = _PLAIN_NAME.fullmatch(name) and name.upper() not in DuckDB.Tokenizer.KEYWORDS
    return name if plain else identifier(name)
