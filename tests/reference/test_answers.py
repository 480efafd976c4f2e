"""Hand-worked answers: the oracle of queries is held against numbers that one can check on paper."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from math import inf
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import lgb_sql
from tests.reference.answer_worlds import OTHER, extremes, number_of_worlds
from tests.reference.answers import certain, expected
from tests.reference.queries import And, Leaf, Not, Or, Query, evaluate, holds_in, normal_form, text_of
from tests.reference.released_cells import Declared, Shown

QUASI = {"role": "quasi-identifier"}


def sensitive(l: int) -> dict[str, Any]:
    return {"role": "sensitive", "principle": {"l_diversity": l}}


def shown(directory: Path, table: Mapping[str, Any], declared: Any = None, **attributes: Any) -> Shown:
    """A release of one group: k is the number of rows."""
    policy = {"k": len(next(iter(table.values()))), "attributes": attributes}
    release = lgb_sql.anonymize(pa.table(table), policy, to=directory / "release.duckdb")
    return Shown(release, declared)


def at_least(attribute: str, bound: int) -> Leaf:
    return Leaf(attribute, f"{attribute} >= {bound}", lambda v: None if v is None else v >= bound, (bound,))


def below(attribute: str, bound: int) -> Leaf:
    return Leaf(attribute, f"{attribute} < {bound}", lambda v: None if v is None else v < bound, (bound,))


def is_null(attribute: str) -> Leaf:
    return Leaf(attribute, f"{attribute} IS NULL", lambda v: v is None, ())


def is_value(attribute: str, value: Any) -> Leaf:
    return Leaf(attribute, f"{attribute} = '{value}'", lambda v: None if v is None else v == value, (value,))


def is_odd(attribute: str) -> Leaf:
    return Leaf(attribute, f"{attribute} % 2 = 1", lambda v: None if v is None else v % 2 == 1, None)


def brute(released: Shown, query: Query) -> tuple[Any, Any]:
    found = extremes(released, query)[()]
    return found.lower, found.upper


@pytest.fixture
def four(tmp_path: Path) -> Shown:
    """Ages in [20, 29], one bucket of salaries 10, 20, 30, 40."""
    table = {"age": [20, 23, 26, 29], "salary": [10, 20, 30, 40]}
    return shown(tmp_path, table, age=QUASI, salary=sensitive(4))


def test_the_help_table(four: Shown) -> None:
    """Five of ten ages: two tuples are expected, so the two least and the two greatest salaries."""
    query = Query("sum", "salary", at_least("age", 25))
    assert query.sql == 'SELECT SUM("salary") FROM released WHERE age >= 25'
    assert expected(four, query) == (30, 70)
    assert certain(four, query) == (0, 100)
    assert brute(four, query) == (10, 90)  # somebody is 20, somebody 29


def test_floor_and_ceiling(four: Shown) -> None:
    """Three of ten ages: 1.2 tuples."""
    query = Query("sum", "salary", below("age", 23))
    assert expected(four, query) == (10, 70)
    assert expected(four, Query("count", None, below("age", 23))) == (1, 2)
    assert expected(four, Query("min", "salary", below("age", 23))) == (10, 40)
    assert expected(four, Query("max", "salary", below("age", 23))) == (10, 40)
    assert expected(four, Query("avg", "salary", below("age", 23))) == (10, 40)


def test_the_own_predicate_of_the_target(four: Shown) -> None:
    whole = Query("sum", "salary", And((at_least("age", 0), at_least("salary", 30))))
    assert certain(four, whole) == brute(four, whole) == (70, 70)
    assert expected(four, whole) == (70, 70)  # half of the salaries: two tuples, and two salaries
    half = Query("sum", "salary", And((at_least("age", 25), at_least("salary", 30))))
    assert certain(four, half) == (0, 70)
    either = Query("sum", "salary", Or((at_least("age", 25), at_least("salary", 30))))
    assert certain(four, either) == (0, 100)
    assert brute(four, either) == (70, 100)  # the two of 30 and 40, whoever they are
    assert certain(four, Query("avg", "salary", And((at_least("salary", 30),)))) == (35, 35)


def test_all_aggregates_where_all_tuples_count(four: Shown) -> None:
    for aggregate, number in (("sum", 100), ("avg", 25), ("min", 10), ("max", 40), ("count", 4)):
        query = Query(aggregate, "salary", at_least("age", 20))  # type: ignore[arg-type]
        assert certain(four, query) == brute(four, query) == (number, number)


def test_all_aggregates_where_tuples_may_count(four: Shown) -> None:
    for aggregate, bounds in (("avg", (10, 40)), ("min", (10, 40)), ("max", (10, 40)), ("count", (0, 4))):
        query = Query(aggregate, "salary", at_least("age", 25))  # type: ignore[arg-type]
        assert certain(four, query) == bounds
    assert certain(four, Query("sum", "age", at_least("age", 25))) == (0, 116)
    assert brute(four, Query("sum", "age", at_least("age", 26))) == (29, 87)
    assert expected(four, Query("sum", "age")) == (80, 116)


def test_predicates_that_cannot_be_listed_in_a_range(four: Shown) -> None:
    assert certain(four, Query("count", None, is_odd("age"))) == (0, 4)
    assert expected(four, Query("count", None, is_odd("age"))) is None
    assert brute(four, Query("count", None, is_odd("age"))) == (1, 3)


def test_a_constant_between_two_whole_numbers(four: Shown) -> None:
    never = And((Leaf("age", "age > 28.5", lambda v: v > 28.5, (28.5,)), below("age", 29)))
    assert brute(four, Query("count", None, never)) == (0, 0)
    assert expected(four, Query("count", None, never)) == (0, 0)
    assert expected(four, Query("count", None, Leaf("age", "", lambda v: v > 26.5, (26.5,)))) == (1, 2)


def test_two_sexes_in_a_group_of_two(tmp_path: Path) -> None:
    released = shown(tmp_path, {"sex": ["M", "F"]}, sex=QUASI)
    query = Query("count", None, is_value("sex", "M"))
    assert certain(released, query) == (0, 2)
    assert brute(released, query) == (1, 1)
    assert expected(released, query) == (1, 1)


def test_heaped_values(tmp_path: Path) -> None:
    """Three of four are 0: the paper's interval misses them, no certain bound does."""
    released = shown(tmp_path, {"age": [0, 0, 0, 10]}, age=QUASI)
    query = Query("count", None, below("age", 5))
    assert expected(released, query) == (1, 2)  # 4 * 5/11
    assert brute(released, query) == (1, 3)
    assert certain(released, query) == (0, 4)


@pytest.fixture
def signed(tmp_path: Path) -> Shown:
    table = {"age": [20, 23, 26, 29], "balance": [-5, -1, 2, 7]}
    return shown(tmp_path, table, age=QUASI, balance=sensitive(4))


def test_negative_numbers(signed: Shown) -> None:
    half = at_least("age", 25)
    assert certain(signed, Query("sum", "balance", half)) == (-6, 9)
    assert expected(signed, Query("sum", "balance", half)) == (-6, 9)
    assert brute(signed, Query("sum", "balance", half)) == (-6, 9)
    assert certain(signed, Query("sum", "balance")) == (3, 3)
    assert certain(signed, Query("sum", "balance", And((half, below("balance", 0))))) == (-6, 0)
    assert certain(signed, Query("sum", "balance", below("balance", 0))) == (-6, -6)
    assert certain(signed, Query("avg", "balance", half)) == (-5, 7)
    assert expected(signed, Query("avg", "balance", half)) == (-3, Fraction(9, 2))


def test_nulls_in_a_bucket(tmp_path: Path) -> None:
    table = {"age": [20, 23, 26, 29], "score": [None, 1, 2, 3]}
    released = shown(tmp_path, table, age=QUASI, score=sensitive(4))
    for aggregate, number in (("sum", 6), ("avg", 2), ("count", 3)):
        query = Query(aggregate, "score")  # type: ignore[arg-type]
        assert certain(released, query) == brute(released, query) == (number, number)
    assert certain(released, Query("count")) == (4, 4)
    assert certain(released, Query("count", None, is_null("score"))) == (0, 4)
    assert brute(released, Query("count", None, is_null("score"))) == (1, 1)
    assert expected(released, Query("count", None, is_null("score"))) == (1, 1)
    assert brute(released, Query("count", None, Not(at_least("score", 2)))) == (1, 1)
    assert expected(released, Query("sum", "score")) == (6, 6)  # four tuples, three entries
    assert certain(released, Query("sum", "score", at_least("age", 25))) == (0, 6)
    assert expected(released, Query("sum", "score", at_least("age", 25))) == (1, 5)  # 1.5 of the three entries


def test_a_generalised_null(tmp_path: Path) -> None:
    released = shown(tmp_path, {"age": pa.array([None, None], pa.int64()), "n": [1, 2]}, age=QUASI, n=sensitive(2))
    assert certain(released, Query("count", None, is_null("age"))) == (2, 2)
    assert certain(released, Query("count", "age")) == (0, 0)
    assert certain(released, Query("min", "age")) is None
    assert certain(released, Query("sum", "age")) == brute(released, Query("sum", "age")) == (0, 0)


def withheld(directory: Path, declared: Declared | None) -> Shown:
    """One has flagged the job and one has not: it is withheld of both."""
    table = {"job": [1, 4], "flag": [True, False], "age": [30, 40]}
    semi = {"role": "semi-sensitive", "flag": "flag", "principle": {"l_diversity": 2}}
    return shown(directory, table, {"job": declared} if declared else {}, job=semi, age=QUASI)


def test_a_withheld_cell_may_hold_anything(tmp_path: Path) -> None:
    released = withheld(tmp_path, None)
    assert certain(released, Query("count", None, is_value("job", 1))) == (0, 2)
    assert certain(released, Query("count", "job")) == (0, 2)
    assert certain(released, Query("count", None, Leaf("job", "job = NULL", lambda _: None, ()))) == (0, 0)
    assert certain(released, Query("sum", "job")) == (-inf, inf)
    assert certain(released, Query("max", "job")) == (-inf, inf)
    assert expected(released, Query("sum", "job")) is None
    assert brute(released, Query("count", None, Not(is_value("job", 1)))) == (0, 2)


def test_a_withheld_cell_stays_in_its_declared_domain(tmp_path: Path) -> None:
    released = withheld(tmp_path, Declared((1, 5), ends=True))
    assert certain(released, Query("sum", "job")) == (0, 10)
    assert certain(released, Query("count", None, at_least("job", 6))) == (0, 0)
    assert certain(released, Query("count", None, at_least("job", 1))) == (0, 2)  # NULL stays possible
    assert brute(released, Query("sum", "job")) == (0, 10)
    assert brute(released, Query("avg", "job")) == (1, 5)


def test_a_list_orders_text_not_sql(tmp_path: Path) -> None:
    """low < mid < high < top: the range of low and high holds mid, whatever the alphabet says."""
    words = ["low", "mid", "high", "top"]
    released = shown(tmp_path, {"level": ["low", "high", "high"]}, level={**QUASI, "ordered": words})
    assert certain(released, Query("count", None, is_value("level", "mid"))) == (0, 3)
    assert certain(released, Query("count", None, is_value("level", "top"))) == (0, 0)
    assert brute(released, Query("count", None, is_value("level", "mid"))) == (0, 1)


def test_keys_inside_a_range(tmp_path: Path) -> None:
    released = shown(tmp_path, {"age": [20, 22, 24], "pay": [1, 2, 3]}, age=QUASI, pay=sensitive(3))
    query = Query("sum", "pay", Leaf("age", "age <> 21", lambda v: v != 21, (21,)), ("age",))
    assert query.sql == 'SELECT "age", SUM("pay") FROM released WHERE age <> 21 GROUP BY "age"'
    found = extremes(released, query, {(20,), (24,)})
    assert set(found) == {(20,), (24,), (OTHER,)}
    assert [(group.lower, group.upper) for group in found.values()] == [(1, 5), (1, 5), (0, 3)]
    assert certain(released, query, (20,)) == (0, 6)
    assert certain(released, query, (19,)) == (0, 0)


def test_the_number_of_worlds(four: Shown) -> None:
    """24 ways to deal the salaries; ages: 20, 29, the constant and one in each gap, so that both ends occur."""
    by_hand = 5**4 - 2 * 4**4 + 3**4
    assert number_of_worlds(four, Query("sum", "salary", at_least("age", 25))) == 24 * by_hand


def test_three_valued_logic_survives_the_normal_form() -> None:
    leaves = [Leaf(name, name, lambda value: value, ()) for name in "ab"]
    tree = Not(Or((And((leaves[0], Not(leaves[1]))), Not(leaves[0]))))
    assert text_of(tree) == "NOT (((a) AND (NOT (b))) OR (NOT (a)))"
    for a in (True, False, None):
        for b in (True, False, None):
            row = {"a": a, "b": b}
            assert holds_in(tree, row) is holds_in(normal_form(tree), row)
            assert evaluate(tree, lambda leaf, row=row: row[leaf.attribute]) == (  # type: ignore[misc]
                evaluate(normal_form(tree), lambda leaf, row=row: leaf.holds(row[leaf.attribute]))  # type: ignore[misc]
            )
