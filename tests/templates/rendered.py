"""Every template as the program really renders and runs it, recorded over a rich set of policies."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import date, timedelta
from functools import cache, partial
from pathlib import Path
from random import Random
from typing import Any
from unittest.mock import patch

import duckdb
import jinja2
import pyarrow as pa

import lgb_sql
from lgb_sql import api, codes, query_helpers
from lgb_sql.codes import PART
from lgb_sql.engines.duckdb import DuckDBEngine
from lgb_sql.macros import FUNCTIONS, Macro
from lgb_sql.publish import DuckDBFileWriter
from lgb_sql.render import render
from lgb_sql.templates import template_names
from tests.support import workplace


@dataclass(frozen=True)
class Rendered:
    """One rendering: what it was given, what it read, what came out."""

    template: str
    params: Mapping[str, Any]
    inputs: frozenset[str]
    sql: str


@dataclass
class Log:
    """Everything that was rendered, and what was run, with its columns."""

    rendered: list[Rendered] = field(default_factory=list)
    made: list[tuple[str, str]] = field(default_factory=list)
    """(relation, template)"""
    run: dict[str, list[tuple[str, tuple[str, ...]]]] = field(default_factory=lambda: defaultdict(list))
    """(text, columns) by template"""
    described: set[tuple[str, str]] = field(default_factory=set)
    """(template, text) whose columns are known, of the policy at hand: loops run the same text again and again."""

    def columns(self, template: str, text: str, describe: Callable[[], Sequence[tuple[str, str]]]) -> None:
        """Keep the columns of a text that is about to run, or just ran."""
        if (template, text) not in self.described:
            self.described.add((template, text))
            self.run[template].append((text, tuple(column for column, _ in describe())))

    def columns_of(self, rendered: Rendered) -> tuple[str, ...] | None:
        """The columns of a rendering as it was run, at times inside another SELECT; None where it was only shown."""
        text = _tidy(rendered.sql)
        return next((columns for ran, columns in self.run[rendered.template] if text in ran), None)


def _tidy(text: str) -> str:
    return " ".join(text.split())


TEMPLATES = frozenset(template_names())
PLACES = {
    "materialize": 1,
    "materialize_temporary": 1,
    "append": 1,
    "view": 1,
    "fetch": 0,
    "fetch_arrow": 0,
    "create_table_in": 2,
    "copy_to_parquet": 2,
}
"""Methods of the engine that run a statement, and which argument it is."""


@contextmanager
def recording(log: Log) -> Iterator[None]:
    """Listen at the template engine and at the database engine."""
    original = jinja2.Template.render

    def recorded(self: jinja2.Template, context: dict[str, Any]) -> str:
        text = original(self, context)
        name = str(self.name).removesuffix(".sql")
        params = {key: value for key, value in context.items() if key != "rel"}
        log.rendered.append(Rendered(name, params, frozenset(context["rel"].seen), text))
        return text

    with ExitStack() as stack:
        stack.enter_context(patch.object(jinja2.Template, "render", recorded))
        for name, place in PLACES.items():
            stack.enter_context(_described(log, name, place))
        stack.enter_context(_described_view(log))
        stack.enter_context(_described_macros(log))
        yield


def _described(log: Log, name: str, place: int) -> Any:
    original: Callable[..., Any] = getattr(DuckDBEngine, name)

    def described(self: DuckDBEngine, *given: Any) -> Any:
        statement = given[place]
        if statement.template in TEMPLATES:
            if place:
                log.made.append((given[1 if name == "create_table_in" else 0], statement.template))
            log.columns(statement.template, _tidy(statement.sql), lambda: self.describe(statement.sql))
        return original(self, *given)

    return patch.object(DuckDBEngine, name, described)


def _described_view(log: Log) -> Any:
    original = DuckDBEngine.create_view_in

    def described(self: DuckDBEngine, catalog: Any, relation: str, statement: Any) -> None:
        original(self, catalog, relation, statement)
        log.made.append((relation, statement.template))
        name = '"' + relation.replace('"', '""') + '"'
        log.columns(statement.template, _tidy(statement.sql), lambda: self.describe(f"SELECT * FROM {catalog}.{name}"))

    return patch.object(DuckDBEngine, "create_view_in", described)


def _described_macros(log: Log) -> Any:
    original = DuckDBFileWriter.macros

    def described(self: DuckDBFileWriter, macros: Sequence[Macro]) -> None:
        original(self, macros)
        told: Counter[str] = Counter()
        self.engine.run(f"USE {self.place}")
        for macro in macros:
            template = macro.step.template
            told[template] += 1
            if told[template] <= MACROS_OF_A_KIND:
                call = f"SELECT * FROM {_call(macro, macros)}"
                log.columns(template, _tidy(macro.step.statement().sql), partial(self.engine.describe, call))
        self.engine.run("USE memory.main")

    return patch.object(DuckDBFileWriter, "macros", described)


def _call(macro: Macro, macros: Sequence[Macro]) -> str:
    """A call that asks nothing; lists of tuples and of units come from the macros that make them."""
    name = '"' + macro.name.replace('"', '""') + '"'
    template = macro.step.template.removeprefix("macros/")
    if template == "lgb_units":
        tuples = next(each for each in macros if each.name == "lgb_tuples")
        return f"{name}((SELECT list(t.tuple) FROM {_call(tuples, macros)} AS t), 'any')"
    if template in FUNCTIONS.values():
        units = next(each for each in macros if each.step.template == "macros/lgb_units")
        return f"{name}((SELECT list(u.unit) FROM {_call(units, macros)} AS u))"
    nothing = ", ".join(["'any'"] * len(macro.parameters))
    return f"{name}({nothing})"


MACROS_OF_A_KIND = 9
"""So many macros of a template are asked for their columns in each release."""
WIDE = tuple(f"wide{place}" for place in range(2 * PART + 2))
"""More columns than one statement takes, ordered and unordered."""


def rich_table(rows: int = 90) -> pa.Table:
    random = Random(4)
    return pa.table(
        {
            "id": pa.array(range(rows)),
            "unit": pa.array([f"u{row}" for row in range(rows)]),
            "age": pa.array([random.randrange(20, 60) for _ in range(rows)]),
            "height": pa.array([random.random() for _ in range(rows)]),
            "day": pa.array([random.randrange(9000, 9300) for _ in range(rows)], pa.date32()),
            "job": pa.array([random.choice("abcdef") for _ in range(rows)]),
            "level": pa.array([random.choice(["low", "mid", "high", None]) for _ in range(rows)]),
            "town": pa.array([f"t{row % 80}" for row in range(rows)]),
            "sex": pa.array([random.choice("fm") for _ in range(rows)]),
            "pay": pa.array([random.randrange(40) for _ in range(rows)]),
            "note": pa.array([random.choice(["x", None]) for _ in range(rows)]),
            "age_private": pa.array([random.random() < 0.3 for _ in range(rows)]),
            "job_private": pa.array([row == 5 for row in range(rows)]),
            "sex_private": pa.array([random.random() < 0.5 for _ in range(rows)]),
            **{name: pa.array([random.randrange(5) for _ in range(rows)]) for name in WIDE},
        }
    )


def _day(number: int) -> str:
    return str(date(1970, 1, 1) + timedelta(number))


DAYS = {"ever": {f"month {first}": [_day(first + day) for day in range(30)] for first in range(9000, 9300, 30)}}
"""A hierarchy of dates, of two levels."""
QUASI = {"role": "quasi-identifier"}
L2 = {"l_diversity": 2}
AGE = {"role": "semi-sensitive", "flag": "age_private", "principle": {"l_diversity": 3}}
POLICIES: dict[str, dict[str, Any]] = {
    "everything": {
        "k": 4,
        "key": "id",
        "unit": "unit",
        "null_values": "error",
        "attributes": {
            "age": {
                "role": "semi-sensitive",
                "flag": "age_private",
                "principle": {"l_diversity": 3},
                "domain": [0, 99],
            },
            "height": QUASI,
            "job": {"role": "semi-sensitive", "flag": "job_private", "principle": L2, "domain": list("abcdefg")},
            "town": QUASI,
            "level": {**QUASI, "ordered": ["low", "mid", "high"]},
            "day": {**QUASI, "hierarchy": DAYS},
            "sex": {"role": "semi-sensitive", "flag": "sex_private", "principle": {"t_closeness": 0.4}},
            "pay": {"role": "sensitive", "principle": {"l_diversity": 4}},
            "note": {"role": "insensitive"},
        },
    },
    "literal": {
        "k": 3,
        "generalization": "mdp",
        "bucketization": "m_invariance",
        "flag_null": "sensitive",
        "attributes": {
            "day": QUASI,
            "job": {**QUASI, "ordered": True},
            "age": {**QUASI, "ordered": False},
            "note": {**QUASI, "hierarchy": {"any": ["x", "y"]}},
            "level": {"role": "sensitive", "ordered": ["low", "mid", "high"], "principle": {"t_closeness": 0.5}},
        },
    },
    "seeds": {
        "k": 4,
        "generalization": "ncp",
        "attributes": {
            "age": AGE,
            "height": QUASI,
            "job": QUASI,
            "town": QUASI,
            "day": {**QUASI, "hierarchy": DAYS},
            "pay": {"role": "sensitive", "principle": {"t_closeness": 0.5}},
        },
    },
    "wide": {
        "k": 20,
        "attributes": {
            **{name: {**QUASI, "ordered": place % 2 == 0} for place, name in enumerate(WIDE)},
            "pay": {"role": "sensitive", "principle": L2},
        },
    },
    "tight": {
        "k": 4,
        "generalization": "tight",
        "attributes": {
            "age": AGE,
            "height": QUASI,
            "job": QUASI,
            "town": QUASI,
            "day": {**QUASI, "hierarchy": DAYS},
        },
    },
    "large domains": {"k": 3, "generalization": "fast", "attributes": {"town": QUASI, "age": QUASI}},
    "large buckets": {
        "k": 3,
        "attributes": {"id": {"role": "sensitive", "principle": {"l_diversity": 90}}, "height": QUASI},
    },
    "suppressed": {
        "k": 3,
        "small_patterns": "suppress",
        "generalization": "tight",
        "bucketization": "stride",
        "suppression_limit": 0.2,
        "attributes": {
            "job": {"role": "semi-sensitive", "flag": "job_private", "principle": L2},
            "height": QUASI,
            "pay": {"role": "sensitive", "principle": L2},
        },
    },
}


@cache
def recorded() -> Log:
    """Run every policy into both kinds of place, explain it, and generate people: once for all tests."""
    log = Log()
    table = rich_table()
    with workplace() as directory, recording(log), patch.object(query_helpers, "LARGE_BUCKET", 50):
        lgb_sql.audit(table, quasi=["job", "level"], sensitive=["pay", "town"])
        for name, policy in POLICIES.items():
            log.described.clear()  # relations of the same name have other columns now
            with patch.object(codes, "MEDIUM_DOMAIN", 70 if name == "large domains" else codes.MEDIUM_DOMAIN):
                _released(table, policy, directory, name)
            _audited(table, policy, directory, name)
            _asked(directory / f"{name}.duckdb", policy)
            api.explain(table, policy, sql=True)
        log.described.clear()
        _remembered(table, directory)
        _people(log, directory)
    return log


def _released(table: pa.Table, policy: dict[str, Any], directory: Path, name: str) -> None:
    """As a file with a crosswalk, and as a directory."""
    for to, crosswalk in ((f"{name}.duckdb", directory / f"{name}.parquet"), (f"{name}/", None)):
        options = lgb_sql.RunOptions(seed=1, threads=1)
        lgb_sql.anonymize(table, policy, to=f"{directory}/{to}", crosswalk=crosswalk, options=options)


def _audited(table: pa.Table, policy: dict[str, Any], directory: Path, name: str) -> None:
    """Audit a release with its source."""
    release, crosswalk = directory / f"{name}.duckdb", directory / f"{name}.parquet"
    lgb_sql.audit(release, policy=policy, source=table, crosswalk=crosswalk, allow_seeded=True)


REMEMBERED = {"k": 3, "key": "id", "unit": "unit", "attributes": {"pay": QUASI}}
"""A ledger notes the people of a release, whatever is released of them."""


def _remembered(table: pa.Table, directory: Path) -> None:
    """Release twice beside a ledger, and beside an earlier release's crosswalk."""
    crosswalk = directory / "known.parquet"
    lgb_sql.anonymize(table, REMEMBERED, to=directory / "known.duckdb", crosswalk=crosswalk)
    for again in ("first", "second"):
        for ledger in (directory / "ledger.duckdb", crosswalk):
            to = directory / f"{again}-{ledger.stem}.duckdb"
            lgb_sql.anonymize(table, REMEMBERED, to=to, ledger=ledger, listener=lambda _event: None)


def _asked(release: Path, policy: dict[str, Any]) -> None:
    """Ask for every aggregate of every attribute, under conditions on shown, bucketed and withheld cells."""
    attributes = {name: a for name, a in policy["attributes"].items() if name not in WIDE}
    numbers = [name for name in attributes if name in ("age", "height", "pay")]
    conditions = [f"{name} IS NOT NULL" for name in attributes]
    conditions += [f"{name} > 30" for name in numbers] + [f"({name} % 2 = 0)" for name in numbers]
    queries = [f"SELECT COUNT(*) FROM released WHERE {each}" for each in conditions]
    queries.append(f"SELECT COUNT(*) FROM released WHERE {' AND '.join(conditions)}")
    queries.append(f"SELECT COUNT(*) FROM released WHERE {' OR '.join(conditions)}")
    queries += [f"SELECT {name}, COUNT(*) FROM released GROUP BY {name}" for name in attributes]
    queries += [f"SELECT MIN({name}) FROM released" for name in attributes]
    queries += [f"SELECT SUM({name}), AVG({name}), MAX({name}) FROM released" for name in numbers]
    queries += [f"SELECT SUM({name}) FROM released WHERE {name} BETWEEN 5 AND 50" for name in numbers]
    lgb_sql.open_release(release).query_many(queries)


def _people(log: Log, directory: Path) -> None:
    statement = render("demo/people", {"rows": 100})
    with duckdb.connect(str(directory / "people.duckdb")) as connection:
        described = connection.execute(f"DESCRIBE {statement.sql}").fetchall()
    log.run["demo/people"].append((_tidy(statement.sql), tuple(row[0] for row in described)))
    log.made.append(("people", "demo/people"))
