"""The paper's queries on real census rows: no certain bound misses the truth."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import duckdb
import pyarrow as pa
import pytest

from tests.properties.query_checks import ask_many, close, count_coverage, inside, number, read_answer
from tests.properties.random_queries import COMPARISONS, literal, strict
from tests.real_data.test_census import DATA, ORDERED, QUASI, census, policy
from tests.reference.queries import And, Leaf, Query
from tests.support import anonymize, quoted

pytestmark = pytest.mark.skipif(not DATA.exists(), reason="LGB_DATA does not name the census data")

QUERIES = 200


def predicate(random: Random, name: str, values: list[Any]) -> Leaf:
    """A comparison on a number, otherwise A = v1 OR ... OR A = vm."""
    if name in ORDERED:
        word, constant = random.choice(list(COMPARISONS)), random.choice(values)
        sql = f"{quoted(name)} {word} {literal(constant)}"
        return Leaf(name, sql, strict(lambda value: COMPARISONS[word](value, constant)), (constant,))
    members = random.sample(values, random.randint(1, max(1, len(values) // 2)))
    sql = " OR ".join(f"{quoted(name)} = {literal(value)}" for value in members)
    return Leaf(name, sql, strict(lambda value: value in members), tuple(members))


def paper_queries(seed: int, domains: dict[str, list[Any]]) -> list[Query]:
    """Four random attributes; the sum of salaries, and other aggregates of it for every fifth."""
    random = Random(seed)
    aggregates = ("sum", "sum", "sum", "sum", random.choice(("avg", "min", "max", "count")))
    return [
        Query(
            aggregates[place % 5],  # type: ignore[arg-type]
            "salary",
            And(tuple(predicate(random, name, domains[name]) for name in random.sample(QUASI, 4))),
        )
        for place in range(QUERIES)
    ]


def kept_rows(rids: dict[int, int | None]) -> pa.Table:
    return census().filter(pa.array([rids[row] is not None for row in range(census().num_rows)]))


def test_the_papers_queries(tmp_path: Path, record_property: Any, capsys: pytest.CaptureFixture[str]) -> None:
    domains = {name: census().column(name).unique().drop_null().to_pylist() for name in QUASI}
    queries = paper_queries(2026, domains)
    outcome = anonymize(census(), policy(10, 10), tmp_path, seed=None, threads=2)
    tables = ask_many(outcome.release, queries)
    coverage: Counter[str] = Counter()
    with duckdb.connect() as connection:
        connection.register("released", kept_rows(outcome.rids))
        for query, table in zip(queries, tables, strict=True):
            (line,) = read_answer(query, table)
            true = number(connection.execute(query.sql).fetchall()[0][0], query)
            if true is not None:
                assert inside(true, line.lower, line.upper), f"the truth {true} is outside: {query.sql}\n{line}"
                count_coverage(coverage, line, true)
                coverage["exact"] += close(line.lower, line.upper)
    record_property("expected_interval", dict(coverage))
    with capsys.disabled():
        print(f"\nexpected interval on census: {dict(coverage)}")
