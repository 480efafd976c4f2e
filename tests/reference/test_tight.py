"""The reference of `tight` on examples worked out by hand."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from tests.reference.generalization import Attribute, Value
from tests.reference.tight import Luck, Tight

ORDERED, UNORDERED = Attribute("x", ordered=True), Attribute("x", ordered=False)
TREE = Attribute("x", ordered=False, paths=(("A", "a"), ("A", "b"), ("B", "c"), ("B", "d"), ("e",)))


def search(values: Sequence[Value], attribute: Attribute, k: int = 2, keys: Sequence[int] | None = None) -> Tight:
    """One attribute; keys are their own hashes, 0 is drawn first."""
    rows = [{"x": value} for value in values]
    drawn = dict(enumerate(keys if keys is not None else range(0, 1000 * len(rows), 1000)))
    return Tight(rows, [attribute], k, Luck(drawn, dict.fromkeys(drawn, 0), list), rows)


def test_a_box_costs_what_ncp_charges() -> None:
    ordered = search([0, 1, 4], ORDERED)
    assert ordered.cost(ordered.box([0, 1])) == 0.25
    unordered = search([0, 0, 1, 2], UNORDERED)
    assert unordered.cost(unordered.box([0, 1])) == 0
    assert unordered.cost(unordered.box([0, 1, 2])) == 2 / 3
    tree = search([0, 1, 2, 4], TREE)
    assert tree.cost(tree.box([0, 1])) == 2 / 5
    assert tree.cost(tree.box([1, 3])) == 1


def test_values_that_share_a_bit_count_as_one() -> None:
    large = search(range(400), UNORDERED)
    assert large.cost(large.box([0, 310])) == 0
    assert large.cost(large.box([0, 1])) == large.cost(large.box([0, 1, 310])) == 2 / 400
    assert large.distance(0, 310) == 2 / 400  # ends of axes are told apart


def test_the_cut_that_leaves_least() -> None:
    assert search([0, 1, 2, 9, 10], ORDERED).tree(range(5)) == [[0, 1, 2], [3, 4]]
    # most frequent first: behind "0" both sides have k, behind "1" only one would
    assert search([2, 1, 1, 0, 0, 0], UNORDERED).tree(range(6)) == [[3, 4, 5], [1, 2, 0]]


def test_a_cut_pays_for_the_groups_it_makes_impossible() -> None:
    """Without it, 3 and 3 is cheapest: 3 * 0.4 + 3 * 0.1 = 1.5; it leaves two groups of 2 where three were possible."""
    values = [0, 3, 4, 9, 9, 10]
    found = {len(left): cost for cost, left, _ in search(values, ORDERED).cuts([[row] for row in range(6)])}
    assert found == pytest.approx({2: 2 * 0.3 + 4 * 0.6, 3: 1.5 * (1 + 0.3 / 3), 4: 4 * 0.9 + 2 * 0.1})


def test_equally_cheap_cuts() -> None:
    """Behind 0 and behind 1 both sides cost 4 * 0.5: the smaller left side wins."""
    assert search([0, 0, 1, 1, 2, 2], ORDERED).cheapest_cut(range(6), 0) == ([0, 1], [2, 3, 4, 5])


def test_an_axis_runs_from_its_seed_to_the_farthest_tuple() -> None:
    values = [0, 1, 2, 10]
    assert search(values, ORDERED, keys=[0, 100, 200, 300]).by_axis(range(4), 0, 0) == [[0], [1], [2], [3]]
    assert search(values, ORDERED, keys=[300, 100, 200, 0]).by_axis(range(4), 0, 0) == [[3], [2], [1], [0]]
    # 64 * (2 * 0.501 - 1) = 0.128 and 64 * (2 * 0.5 - 1) = 0 are one step; halves go away from zero
    assert search([0, 500, 501, 1000], ORDERED).by_axis(range(4), 0, 0) == [[0], [1, 2], [3]]
    halves = search([0, 127, 128, 129, 256], ORDERED)
    assert halves.by_axis(range(5), 0, 0) == [[0], [1], [2], [3], [4]]


def test_levels_and_axes_draw_seeds_of_their_own() -> None:
    """Key 64 is the smallest at level 1, where it is hashed with 64; key 1 on axis 1 of level 0."""
    drawn = search([0, 4, 10], ORDERED, keys=[0, 64, 1])
    assert drawn.by_axis(range(3), 0, 0) == [[0], [1], [2]]
    assert drawn.by_axis(range(3), 1, 0) == [[0, 1], [2]]  # both are 0.6 nearer to the seed than to the far end
    assert drawn.by_axis(range(3), 0, 1) == [[2], [1], [0]]


def test_moves() -> None:
    """9 costs its group 3 * 0.9 - 2 * 0.1; with 8 and 10 it costs 3 * 0.2 - 2 * 0.2."""
    moving = search([0, 1, 9, 8, 10], ORDERED)
    (move,) = moving.chosen_moves([[0, 1, 2], [3, 4]])
    assert (move.row, move.source, move.target) == (2, 0, 1)
    assert move.gain == pytest.approx(2.5 - 0.2)
    assert list(moving.rounds([[0, 1, 2], [3, 4]])) == [[[0, 1], [3, 4, 2]]]
    assert list(moving.moves([[0, 1], [2, 3, 4]])) == []  # groups of k spare nobody, 8 and 10 are best where they are


def test_a_full_group_takes_nobody() -> None:
    moving = search([0, 1, 9, 8, 10, 9], ORDERED)
    assert list(moving.moves([[0, 1, 2], [3, 4, 5]])) == []


def test_a_move_waits_for_a_better_one_of_the_same_group() -> None:
    """Both 5 and 9 would leave the first group: the one that gains more does."""
    moving = search([0, 1, 5, 9, 5, 6, 9, 10], ORDERED, 2)
    groups = [[0, 1, 2, 3], [4, 5], [6, 7]]
    assert {(move.row, move.target) for move in moving.moves(groups)} == {(2, 1), (3, 2)}
    assert [(move.row, move.target) for move in moving.chosen_moves(groups)] == [(3, 2)]
