"""Macros of random releases: certain bounds hold the truth, and no possible key is lost."""

from __future__ import annotations

from random import Random

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lgb_sql import InfeasiblePolicyError
from lgb_sql.macros import FUNCTIONS, KEYED
from tests.properties.cases import KINDS, Case, Column, cases, eligible_fill, fill, slow
from tests.properties.questions import Question, ask, contains, load_truth, predicate, question, true_answers
from tests.support import Outcome, Rows, anonymize, quoted, workplace

Connection = duckdb.DuckDBPyConnection
NUMBERS = ("integer", "tinyint", "unsigned", "double", "float", "decimal", "digits")


def check(connection: Connection, macro: str, aggregate: str, asked: Question) -> None:
    rows = ask(connection, macro, asked)
    truth = true_answers(connection, aggregate, asked)
    where = (macro, asked, rows, truth)
    if asked.key is None:
        assert len(rows) == 1, where
        assert contains(rows[0], truth[0][0]), where
        return
    listed = {row[0]: row for row in rows if not row[-1]}
    others = [row for row in rows if row[-1]]
    assert len(listed) + len(others) == len(rows), where
    assert len(others) <= 1, where
    for key, value in truth:
        row = listed.get(key) or (others[0] if others and key is not None else None)
        assert row is not None, ("a true key is lost", *where)
        assert contains(row[1:-1], value), where
    present = {key for key, _ in truth}
    assert all(key in present for key, row in listed.items() if row[6] > 0), where


def questions(connection: Connection, case: Case, asked: Question) -> None:
    """Everything that can be asked under the same predicates."""
    by = f"_by_{asked.key.name}" if asked.key else ""
    check(connection, f"lgb_count{by}", "count(*)", asked)
    for column in case.columns:
        if column.kind.name in NUMBERS and column.role != "insensitive" and column is not asked.key:
            for function in KEYED if asked.key else FUNCTIONS:
                total = f"{function}({quoted(column.name)})"
                aggregate = f"coalesce({total}, 0)" if function == "sum" else total
                check(connection, f"lgb_{function}_{column.name}{by}", aggregate, asked)


def examine(case: Case, outcome: Outcome, path: str, random: Random, rounds: int) -> None:
    with duckdb.connect(path, read_only=True) as connection:
        load_truth(connection, case, [row for row, rid in outcome.rids.items() if rid is not None])
        for turn in range(rounds):
            questions(connection, case, question(random, case, keyed=turn % 2 == 1))


@slow(5)
@given(cases(), st.integers(0, 2**31))
def test_certain_bounds_hold_the_truth(case: Case, seed: int) -> None:
    with workplace() as directory:
        try:
            outcome = anonymize(case.table(), case.policy(), directory)
        except InfeasiblePolicyError:
            return
        examine(case, outcome, str(directory / "release.duckdb"), Random(seed), 4)


def with_withheld_cells(domain: bool) -> tuple[Case, dict[str, object]]:
    """Small patterns of a number with a flag: some cells are withheld, negative values and NULLs among them."""
    random = Random(3)
    rows, kind = 60, KINDS["integer"]
    flags = tuple(row % 9 == 0 for row in range(rows))
    hidden = iter(eligible_fill(random, sum(flags), kind, 6))
    cells = tuple(
        next(hidden) if flag else value for flag, value in zip(flags, fill(random, rows, kind, 8, "even"), strict=True)
    )
    other = tuple(row % 7 == 0 for row in range(rows))
    words = tuple(eligible_fill(random, rows, KINDS["text"], 5))
    pay = tuple(eligible_fill(random, rows, kind, 9))
    case = Case(
        8,
        (
            Column("size", "semi-sensitive", kind, cells, flags, None, ("l_diversity", 2)),
            Column("town", "semi-sensitive", KINDS["text"], words, other, None, ("l_diversity", 2)),
            Column("pay", "sensitive", kind, pay, None, None, ("l_diversity", 2)),
        ),
    )  # fmt: skip
    policy = case.policy()
    if domain:
        policy["attributes"]["size"]["domain"] = [-30, 1000]
    return case, policy


@pytest.mark.parametrize("domain", [False, True])
def test_withheld_values_are_bounded_by_a_declared_domain_only(domain: bool) -> None:
    case, policy = with_withheld_cells(domain)
    with workplace() as directory:
        outcome = anonymize(case.table(), policy, directory)
        assert outcome.manifest["cells_withheld"]
        examine(case, outcome, str(directory / "release.duckdb"), Random(5), 8)
        with duckdb.connect(str(directory / "release.duckdb"), read_only=True) as connection:
            ((lower, upper),) = connection.execute("SELECT lower, upper FROM lgb_sum_size()").fetchall()
        assert (lower is not None, upper is not None) == (domain, domain)


def test_predicates_see_values_between_those_released() -> None:
    """A range shows its ends only; an integer between them may be there, or not."""
    rows = 40
    kind = KINDS["digits"]
    ages = Column("age", "quasi-identifier", kind, tuple((row * 7) % 30 for row in range(rows)))
    case = Case(10, (ages,))
    with workplace() as directory:
        outcome = anonymize(case.table(), case.policy(), directory)
        with duckdb.connect(str(directory / "release.duckdb"), read_only=True) as connection:
            load_truth(connection, case, [row for row, rid in outcome.rids.items() if rid is not None])
            for value in range(-2, 33, 3):
                for text in (f"age = {value}", f"age <> {value}", f"age % 7 = {value % 7}", f"age > {value}"):
                    questions(connection, case, Question({"age": text}, None))
            found: Rows = connection.execute("SELECT upper FROM lgb_count(age := age = 1000)").fetchall()
            assert found == [(0,)]
            questions(connection, case, Question({}, ages))


def test_random_predicates_are_of_many_kinds() -> None:
    random = Random(1)
    column = Column("a", "quasi-identifier", KINDS["integer"], (1, 2))
    assert len({predicate(random, column) for _ in range(300)}) > 60
