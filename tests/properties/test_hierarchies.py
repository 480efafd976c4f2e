"""Hierarchies: random trees and tables against the reference, from the tree itself to the release."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lgb_sql import InfeasiblePolicyError
from lgb_sql.hierarchies import Hierarchy
from lgb_sql.hierarchy_files import read_tree
from tests.properties import plan
from tests.properties.cases import KINDS, Case, Column, Tree, cases, fill, grow, slow
from tests.properties.invariants import check_release
from tests.reference.generalization import Attribute, leaves_covered
from tests.support import anonymize, workplace


def check(case: Case, to: str = "release.duckdb") -> None:
    """One run; either everything holds, or the reference agrees that it cannot."""
    with workplace() as directory:
        try:
            outcome = anonymize(case.table(), case.policy(), directory, to=to)
        except InfeasiblePolicyError:
            assert plan.may_be_infeasible(case)
            return
        check_release(case, outcome)


def with_trees(case: Case, random: Random) -> Case:
    """The same case, every generalised column with a hierarchy."""
    columns = []
    for column in case.columns:
        if column.generalised:
            tree = grow(random, column.domain or [column.kind.value(0)])
            columns.append(replace(column, tree=tree, ordered=None))
        else:
            columns.append(column)
    return replace(case, columns=tuple(columns))


@slow(10)
@given(cases(max_quasi=4), st.integers(0, 2**32), st.sampled_from(("release.duckdb", "release/")))
def test_releases_with_hierarchies_everywhere(case: Case, seed: int, to: str) -> None:
    check(with_trees(case, Random(seed)), to)


@pytest.mark.parametrize("generalization", ["mdp", "fast", "tight"])
@pytest.mark.parametrize("first", range(0, len(KINDS), 4))
def test_every_type_may_have_a_hierarchy(generalization: str, first: int) -> None:
    """Four types to a table, their NULLs in the same rows."""
    columns = [Column("number", "quasi-identifier", KINDS["integer"], tuple(range(60)))]
    for kind in list(KINDS)[first : first + 4]:
        random = Random(kind)
        values = fill(random, 60, KINDS[kind], 9, "heavy")
        values[::11] = [None] * len(values[::11])
        tree = grow(random, sorted({value for value in values if value is not None}))
        columns.append(Column(kind, "quasi-identifier", KINDS[kind], tuple(values), tree=tree))
    check(Case(3, tuple(columns), generalization))


@pytest.mark.parametrize("leaves", [1, 2, 62, 63, 130])
def test_trees_of_any_size(leaves: int) -> None:
    random = Random(leaves)
    text = replace(KINDS["text"], value=lambda i: f"v{i:03}")
    values = tuple(random.choices([text.value(i) for i in range(leaves)], k=150))
    tree = grow(random, [text.value(i) for i in range(leaves)])
    check(Case(4, (Column("word", "quasi-identifier", text, values, tree=tree),)))


@settings(deadline=None, derandomize=True, database=None, max_examples=200)
@given(st.integers(1, 30), st.integers(0, 2**32))
def test_the_lowest_common_ancestor_of_a_set_is_that_of_its_ends(size: int, seed: int) -> None:
    """What the statements rely on: leaves depth first, a node's leaves side by side."""
    random = Random(seed)
    tree: Tree = grow(random, range(size))
    hierarchy, problems = read_tree(tree.written)
    assert not problems
    assert hierarchy is not None
    assert [hierarchy.names[leaf] for leaf in hierarchy.leaves] == [str(leaf) for leaf in tree.leaves]
    attribute = Attribute("x", ordered=False, paths=tree.paths)
    for _ in range(5):
        chosen = random.sample(range(size), random.randint(1, size))
        node = lowest(hierarchy, min(chosen), max(chosen))
        assert hierarchy.names[node] == tree.lowest({tree.leaves[place] for place in chosen})[0]
        assert hierarchy.leaves_under[node] == leaves_covered(attribute, chosen)


def lowest(hierarchy: Hierarchy, low: int, high: int) -> int:
    """The deepest level at which both leaves have the same ancestor; the root where there is none."""
    paths: list[Any] = [hierarchy.path(hierarchy.leaves[place]) for place in (low, high)]
    return next((one for one, other in reversed(list(zip(*paths, strict=True))) if one == other), 0)
