"""Every template as the program really renders and runs it, recorded over a rich set of policies."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import date, timedelta
from functools import cache
from pathlib import Path
from random import Random
from typing import Any
from unittest.mock import patch

import duckdb
import jinja2
import pyarrow as pa

import lgb_sql
from lgb_sql import api
from lgb_sql.codes import PART
from lgb_sql.engines.duckdb import DuckDBEngine
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
    run: list[tuple[str, str, tuple[str, ...]]] = field(default_factory=list)
    """(template, text, columns)"""

    def columns_of(self, rendered: Rendered) -> tuple[str, ...] | None:
        """The columns of a rendering as it was run, at times inside another SELECT; None where it was only shown."""
        text = _tidy(rendered.sql)
        found = (columns for template, ran, columns in self.run if template == rendered.template and text in ran)
        return next(found, None)


def _tidy(text: str) -> str:
    return " ".join(text.split())


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
        yield


def _described(log: Log, name: str, place: int) -> Any:
    original: Callable[..., Any] = getattr(DuckDBEngine, name)

    def described(self: DuckDBEngine, *given: Any) -> Any:
        statement = given[place]
        if statement.template in template_names():
            if place:
                log.made.append((given[1 if name == "create_table_in" else 0], statement.template))
            columns = tuple(column for column, _ in self.describe(statement.sql))
            log.run.append((statement.template, _tidy(statement.sql), columns))
        return original(self, *given)

    return patch.object(DuckDBEngine, name, described)


def _described_view(log: Log) -> Any:
    original = DuckDBEngine.create_view_in

    def described(self: DuckDBEngine, catalog: Any, relation: str, statement: Any) -> None:
        original(self, catalog, relation, statement)
        log.made.append((relation, statement.template))
        name = '"' + relation.replace('"', '""') + '"'
        columns = tuple(column for column, _ in self.describe(f"SELECT * FROM {catalog}.{name}"))
        log.run.append((statement.template, _tidy(statement.sql), columns))

    return patch.object(DuckDBEngine, "create_view_in", described)


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
POLICIES: dict[str, dict[str, Any]] = {
    "everything": {
        "k": 4,
        "key": "id",
        "unit": "unit",
        "null_values": "error",
        "attributes": {
            "age": {"role": "semi-sensitive", "flag": "age_private", "principle": {"l_diversity": 3}},
            "height": QUASI,
            "job": {"role": "semi-sensitive", "flag": "job_private", "principle": L2},
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
            "age": {"role": "semi-sensitive", "flag": "age_private", "principle": {"l_diversity": 3}},
            "height": QUASI,
            "job": QUASI,
            "town": QUASI,
            "day": {**QUASI, "hierarchy": DAYS},
            "pay": {"role": "sensitive", "principle": L2},
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
            "age": {"role": "semi-sensitive", "flag": "age_private", "principle": {"l_diversity": 3}},
            "height": QUASI,
            "job": QUASI,
            "town": QUASI,
            "day": {**QUASI, "hierarchy": DAYS},
        },
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
    with workplace() as directory, recording(log):
        for name, policy in POLICIES.items():
            for to, crosswalk in ((f"{name}.duckdb", f"{name}.parquet"), (f"{name}/", None)):
                lgb_sql.anonymize(
                    table,
                    policy,
                    to=f"{directory}/{to}",
                    crosswalk=directory / crosswalk if crosswalk else None,
                    options=lgb_sql.RunOptions(seed=1, threads=1),
                )
            _audited(table, policy, directory, name)
            api.explain(table, policy, sql=True)
        _people(log, directory)
    return log


def _audited(table: pa.Table, policy: dict[str, Any], directory: Path, name: str) -> None:
    """Audit a release with its source, the table itself, and release it once more beside its ledger and crosswalk."""
    crosswalk = directory / f"{name}.parquet"
    release = directory / f"{name}.duckdb"
    lgb_sql.audit(release, policy=policy, source=table, crosswalk=crosswalk, allow_seeded=True)
    lgb_sql.audit(table, quasi=["job", "level"], sensitive=["pay", "town"])
    _with_helpers(policy, release)
    lgb_sql.audit(release, allow_seeded=True)
    if "key" in policy:
        for again in ("first", "second"):
            for ledger in (directory / "ledger.duckdb", crosswalk):
                to = directory / f"{again}-{ledger.stem}.duckdb"
                lgb_sql.anonymize(table, policy, to=to, ledger=ledger, listener=lambda _event: None)


def _with_helpers(policy: dict[str, Any], release: Path) -> None:
    """Add relations as answers to queries may need them."""
    shown = {"height": "height_lo", "day": "day_lo", "town": "unnest(town_set)", "age": "unnest(age_set)"}
    with duckdb.connect(str(release)) as connection:
        for name, attribute in policy["attributes"].items():
            domain, help_table = f"CREATE TABLE domain_{name} AS SELECT", f"CREATE TABLE help_{name} AS SELECT"
            if attribute["role"] in ("sensitive", "semi-sensitive"):
                connection.execute(f"{domain} DISTINCT value FROM sat_{name}")
                connection.execute(f"{help_table} list(value) AS entries FROM sat_{name}")
            elif attribute["role"] == "quasi-identifier" and name in shown and "hierarchy" not in attribute:
                connection.execute(f"{domain} {shown[name]} AS value, FALSE AS declared FROM groups")


def _people(log: Log, directory: Path) -> None:
    statement = render("demo/people", {"rows": 100})
    with duckdb.connect(str(directory / "people.duckdb")) as connection:
        described = connection.execute(f"DESCRIBE {statement.sql}").fetchall()
    log.run.append(("demo/people", _tidy(statement.sql), tuple(row[0] for row in described)))
    log.made.append(("people", "demo/people"))
