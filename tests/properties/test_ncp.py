"""`ncp` is the reference of Algorithm 4, group by group, when both take the tuples in the same order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from random import Random
from typing import Any
from unittest.mock import patch

import pyarrow as pa
import pytest
from hypothesis import given

from lgb_sql import InfeasiblePolicyError
from lgb_sql.generalizers import ncp as generalizer
from lgb_sql.plan import Step
from lgb_sql.render import Statement
from lgb_sql.run import Run
from tests.properties import plan
from tests.properties.cases import KINDS, Case, Column, Kind, cases, slow
from tests.properties.invariants import Released, check_release, roots_of, shown_rows
from tests.reference import ncp as reference
from tests.reference.generalization import HIDDEN, Attribute
from tests.support import PEOPLE_POLICY, anonymize, people, workplace

Orders = list[dict[int, int]]
"""Of every level: row -> its place in the order that the run drew."""


@contextmanager
def recorded_orders() -> Iterator[Orders]:
    """Write down the order of tuples of every level."""
    orders: Orders = []
    original = Run.step

    def step(self: Run, step: Step) -> int:
        rows = original(self, step)
        if step.relation == "placed_rows":
            places = self.engine.fetch(Statement("places", "SELECT row_id, place FROM placed_rows", frozenset()))
            orders.append(dict(places))
        return rows

    with patch.object(Run, "step", step):
        yield orders


def as_drawn(orders: Orders) -> reference.Shuffle:
    def shuffle(oper_set: Sequence[int], depth: int) -> Sequence[int]:
        places = [orders[depth][row] for row in oper_set]
        assert sorted(places) == list(range(1, len(oper_set) + 1))
        return sorted(oper_set, key=orders[depth].__getitem__)

    return shuffle


def run_and_compare(case: Case) -> Released | None:
    with workplace() as directory, recorded_orders() as orders:
        try:
            outcome = anonymize(case.table(), case.policy(), directory)
        except InfeasiblePolicyError:
            assert plan.may_be_infeasible(case)
            return None
    check_release(case, outcome)
    released = Released(case, outcome)
    roots = roots_of(released)
    if roots is None:
        return None
    whole = [plan.reference_row(case, row, case.pattern(row)) for row in range(case.rows)]
    boxes = reference.boxes_of(shown_rows(released), plan.attributes(case), whole)
    expected = reference.generalize_subsets(roots, boxes, case.k, as_drawn(orders))
    assert {frozenset(members) for members in released.members.values()} == expected
    return released


@slow(10)
@given(cases(generalization=("ncp",), sensitive=False, hostile_names=False))
def test_groups_are_the_references(case: Case) -> None:
    run_and_compare(case)


@pytest.mark.parametrize("block", [1, 2, 7])
def test_blocks_of_turns_do_not_show(block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(generalizer, "BLOCK", block)
    random = Random(block)
    columns = [
        Column(name, "quasi-identifier", KINDS[kind], tuple(KINDS[kind].value(random.randrange(9)) for _ in range(60)))
        for name, kind in (("a", "integer"), ("b", "text"), ("c", "double"))
    ]
    released = run_and_compare(Case(3, tuple(columns), "ncp"))
    assert released
    assert len(released.groups) > 5


@pytest.mark.parametrize("distinct", [1, 2, 61, 62, 63, 64, 65, 130])
def test_sets_at_the_borders_of_a_word(distinct: int) -> None:
    random = Random(distinct)
    text = Kind("text", pa.string(), "VARCHAR", False, lambda i: f"v{i:03}")
    rows = 2 * distinct + 40
    words = [text.value(random.randrange(distinct)) for _ in range(rows)]
    numbers = [random.randrange(10) for _ in range(rows)]
    columns = (
        Column("word", "quasi-identifier", text, tuple(words)),
        Column("number", "quasi-identifier", KINDS["integer"], tuple(numbers)),
    )
    run_and_compare(Case(3, columns, "ncp"))


def test_equal_tuples_are_divided_evenly() -> None:
    case = Case(3, (Column("x", "quasi-identifier", KINDS["text"], ("a",) * 24),), "ncp")
    released = run_and_compare(case)
    assert released
    assert len(released.groups) == 8


def test_domains_larger_than_a_bit_string() -> None:
    """Above 2,048 values neighbours share a bit: other groups, the same promises."""
    random = Random(5)
    text = Kind("text", pa.string(), "VARCHAR", False, lambda i: f"v{i:05}")
    words = [text.value(i) for i in range(2500)]
    random.shuffle(words)
    columns = (
        Column("word", "quasi-identifier", text, tuple(words)),
        Column("number", "quasi-identifier", KINDS["integer"], tuple(random.randrange(9) for _ in words)),
    )
    case = Case(50, columns, "ncp")
    with workplace() as directory:
        outcome = anonymize(case.table(), case.policy(), directory)
        check_release(case, outcome)
        assert len(Released(case, outcome).groups) > 5


def grouped(values: Sequence[str], sizes: Sequence[int]) -> dict[str, Any]:
    """A hierarchy of uneven subtrees over these values."""
    tree: dict[str, Any] = {}
    left = list(values)
    number = 0
    while left:
        size = sizes[number % len(sizes)]
        tree[f"part {number}"], left = left[:size], left[size:]
        number += 1
    halves = list(tree.items())
    return {"any": {"one": dict(halves[: len(halves) // 2 + 1]), "other": dict(halves[len(halves) // 2 + 1 :])}}


def paths(tree: Any, above: tuple[str, ...] = ()) -> Iterator[tuple[str, tuple[str, ...]]]:
    if isinstance(tree, list):
        yield from ((leaf, (*above, leaf)) for leaf in tree)
    else:
        for name, below in tree.items():
            yield from paths(below, (*above, name))


@pytest.mark.parametrize("k", [4, 9])
def test_groups_with_hierarchies_are_the_references(k: int) -> None:
    table = people(900)
    policy = {**PEOPLE_POLICY, "k": k, "generalization": "ncp"}
    trees = {
        name: grouped(sorted(set(table[name].to_pylist())), (2, 3, 1, 4))
        for name in ("relationship", "marital_status", "education", "occupation")
    }
    policy["attributes"] = {
        name: {**entry, "hierarchy": trees[name]} if name in trees else entry
        for name, entry in PEOPLE_POLICY["attributes"].items()
    }
    with workplace() as directory, recorded_orders() as orders:
        outcome = anonymize(table, policy, directory)
    names = [name for name in PEOPLE_POLICY["attributes"] if name != "salary"]
    leaves = {name: dict(paths(tree["any"])) for name, tree in trees.items()}
    attributes = [
        Attribute(name, name in ("hours_per_week", "age"), tuple(leaves[name].values()) if name in leaves else ())
        for name in names
    ]
    places = {name: {leaf: place for place, leaf in enumerate(of)} for name, of in leaves.items()}
    rows = [
        {
            name: HIDDEN if row.get(f"{name}_private") else places[name][row[name]] if name in places else row[name]
            for name in names
        }
        for row in table.to_pylist()
    ]
    members: dict[int, set[int]] = {}
    group_of = {record["rid"]: record["gid"] for record in outcome.observed["tuples"].records()}
    for row, rid in outcome.rids.items():
        assert rid is not None
        members.setdefault(group_of[rid], set()).add(row)
    expected = reference.lgb_ncp(rows, attributes, k, as_drawn(orders))
    assert {frozenset(group) for group in members.values()} == expected
    assert len(expected) > 20


def test_a_seed_repeats_the_groups_and_no_seed_draws_anew() -> None:
    policy = {**PEOPLE_POLICY, "generalization": "ncp"}
    table = people(200)
    with workplace() as directory:
        metrics = [
            anonymize(table, policy, directory, seed=seed, to=f"{place}.duckdb").manifest["metrics"]["ncp"]
            for place, seed in enumerate((3, 3, 4, None, None))
        ]
    assert metrics[0] == metrics[1]
    assert len(set(metrics)) > 2
