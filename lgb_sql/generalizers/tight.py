"""Lowest information loss: cuts that leave the least total NCP, then tuples moved to where they cost less.

Down the tree every node is cut where the two sides' boxes cost least, over all cuts of all orders: every attribute's
(unordered ones by frequency within the node) and those of a few axes, each from a tuple drawn at random to the tuple
farthest from it. Then single tuples move between groups that are neighbours in the tree, the best move of each group
first. All nodes of a level, and all moves of a round, run in the same few statements.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lgb_sql.codes import CodedAttribute, coded_params
from lgb_sql.generalizers.base import Generalizer, tree_levels
from lgb_sql.generalizers.boxes import Order, lay_out_boxes, orders_of, varying
from lgb_sql.generalizers.fast import Fast
from lgb_sql.plan import Draw, Later, Loop, Step
from lgb_sql.run import Run

AXES = 6
"""Axes tried in every node: eight lose 1 % less and take a third more time."""
LOST_GROUP_PERCENT = 30
"""What a cut pays that makes fewer groups of k possible: this share of its cost, times the share of groups lost."""
REACH = 24
"""Groups to either side in the tree that a tuple may move to."""
ROUNDS = 12
"""Rounds of moves at most; later ones gain less than 0.2 % each."""
TEMPLATES = "generalizers/tight"
LEFT_BEHIND = (
    "open_rows", "open_nodes", "boxed_rows", "tree_nodes", "node_seeds", "node_axes", "keyed_rows", "cut_boxes",
    "cut_costs", "splits", "closed_nodes", "settled_rows", "group_boxes", "loose_rows", "moves", "chosen_moves",
)  # fmt: skip
"""Tables of the search, dropped at its end."""


class Tight(Generalizer):
    """The loop down the tree, and the rounds of moves."""

    def loop(self) -> Loop:
        """All steps; those of a round after those of a level."""
        return Loop(
            name="levels of cuts that leave the least NCP, then rounds of moves (tight)",
            steps=tuple(self._steps().values()),
            stop=f"no node can be cut any more; moves until none gains or {ROUNDS} rounds are done",
            drive=self.drive,
        )

    def _steps(self) -> dict[str, Step]:
        coded = coded_params(self.attributes)
        example = coded["attributes"].example
        assert isinstance(example, tuple)  # noqa: S101  a layout's attributes
        boxes = {"boxes": Later("boxes", lay_out_boxes(example))}
        words = {"words": coded["words"]}
        orders = {"orders": Later("orders", orders_of(example, AXES)[0])}
        axes, k = {"axes": tuple(range(AXES))}, {"k": self.k}
        levels = {"levels": tree_levels(self.attributes)}
        lost = {"lost_group_percent": LOST_GROUP_PERCENT}
        level = {"level": Later("level", 0)}
        frequency = {"by_frequency": tuple(place for place, a in enumerate(example) if not a.ordered) or (-1,)}
        steps = [
            _step("boxed_rows", {**boxes, **words}, draw=Draw("seeds and equal tuples", "open_rows")),
            _step("tree_nodes"),
            _step("node_seeds", {**boxes, **words, **axes, **level, **k}),
            _step("node_axes", {**boxes, **words, **axes}),
            _step("keyed_rows", {**boxes, **words, **axes}),
            _step("cut_boxes", {**boxes, **orders}),
            _step("placed_boxes", {**boxes, **levels}),
            _step("cut_costs", {**boxes, **levels, **frequency, **lost, **k}, appends=True),
            _step("splits"),
            _step("left_keys", is_view=True),
            _step("closed_nodes"),
            _step("placed_rows", {**boxes, **words}, appends=True),
            _step("next_rows", {**boxes, **words, "orders": Later("all_orders", orders["orders"].example)}),
            _step("next_nodes"),
            _step("settled_rows", {**boxes, **words}),
            _step("group_boxes", boxes),
            _step("loose_rows", {**boxes, **k}),
            _step("moves", {**boxes, **k, "reach": REACH}),
            _step("chosen_moves"),
            _step("moved_rows", {**boxes, **words}),
            _step("grouped_rows", words),
            _step("group_roots"),
        ]
        without = () if levels["levels"] else ("placed_boxes",)
        return {step.relation: step for step in steps if step.relation not in without}

    def drive(self, run: Run) -> None:
        """Go down level by level until no node splits; then move tuples."""
        coded = run.values["coded_attributes"]
        assert isinstance(coded, tuple)  # noqa: S101  laid out before
        if not varying(coded):  # every pattern is one group, whatever the algorithm
            Fast(self.attributes, self.k).drive(run)
            return
        steps = self._steps()
        self._grow(run, steps, coded)
        run.step(steps["settled_rows"])
        run.engine.drop("placed_rows")
        for _ in range(ROUNDS):
            if not self._move(run, steps):
                break
        run.step(steps["grouped_rows"])
        run.values["groups"] = run.step(steps["group_roots"])
        run.engine.drop(*LEFT_BEHIND)

    def _grow(self, run: Run, steps: dict[str, Step], coded: Sequence[CodedAttribute]) -> None:
        run.values["boxes"] = lay_out_boxes(coded)
        parts = orders_of(coded, AXES)
        run.values["all_orders"] = tuple(order for part in parts for order in part)
        run.step(steps["boxed_rows"])
        run.step(steps["tree_nodes"])
        splits, level = 1, 0
        while splits:
            run.values["level"] = level
            splits = self._cut(run, steps, parts)
            for name in ("closed_nodes", "placed_rows", "left_keys", "next_rows", "next_nodes"):
                run.step(steps[name])
            run.engine.replace("boxed_rows", by="next_rows")
            run.engine.replace("tree_nodes", by="next_nodes")
            level += 1

    def _cut(self, run: Run, steps: dict[str, Step], parts: Sequence[Sequence[Order]]) -> int:
        """Find the cheapest cut of every node; returns how many nodes split."""
        for name in ("node_seeds", "node_axes", "keyed_rows"):
            run.step(steps[name])
        run.values.pop("cut_costs", None)
        for part in parts:
            run.values["orders"] = part
            run.step(steps["cut_boxes"])
            if "placed_boxes" in steps:
                run.step(steps["placed_boxes"])
            run.step(steps["cut_costs"])
        return run.step(steps["splits"])

    def _move(self, run: Run, steps: dict[str, Step]) -> int:
        """One round; returns how many tuples moved."""
        for name in ("group_boxes", "loose_rows", "moves"):
            run.step(steps[name])
        moved = run.step(steps["chosen_moves"])
        if moved:
            run.step(steps["moved_rows"])
            run.engine.replace("settled_rows", by="moved_rows")
        return moved


def _step(relation: str, params: Mapping[str, object] | None = None, **options: Any) -> Step:
    return Step(relation, f"{TEMPLATES}/{relation}", params or {}, **options)
