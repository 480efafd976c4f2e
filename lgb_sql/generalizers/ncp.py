"""LGB_NCP: the paper's Algorithm 4 to the letter, sets divided around two seeds tuple by tuple.

Where a tuple goes depends on all tuples before it. So all nodes of a level are divided at once by a recursive statement
whose turn i deals tuple i of every node, and a level takes as many turns as its largest node has tuples.
"""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

from lgb_sql.codes import coded_params
from lgb_sql.generalizers.partition_tree import PartitionTree
from lgb_sql.plan import Draw, Later, Loop, Step
from lgb_sql.render import identifier
from lgb_sql.run import Run

BLOCK = 4096
"""Turns that one statement takes."""


class Ncp(PartitionTree):
    """Loses less than `mdp`, in groups of less even sizes; slow on large tables."""

    name: ClassVar[str] = "ncp"
    by_frequency: ClassVar[bool] = False
    widths_as_charged: ClassVar[bool] = False

    def loop(self) -> Loop:
        """One level: order, seeds, sides, children."""
        return replace(super().loop(), stop="no node has 2k tuples and two sides of at least k")

    def _steps(self) -> dict[str, Step]:
        coded = coded_params(self.attributes)
        attributes, words = {"attributes": coded["attributes"]}, {"words": coded["words"]}
        first, last = {"first_turn": Later("first_turn", 0)}, {"last_turn": Later("last_turn", BLOCK)}
        own = "generalizers/ncp"
        steps = [
            Step("placed_rows", f"{own}/placed_rows", {**attributes, "k": self.k}, draw=_order("of every level")),
            Step("start_tuples", f"{own}/start_tuples", is_view=True),
            Step("seeds", f"{own}/seeds", attributes),
            Step("other_seeds", f"{own}/seeds", attributes, aliases={"start_tuples": identifier("seeds")}),
            Step("seed_boxes", f"{own}/seed_boxes", attributes),
            Step("dealt_rows", f"{own}/dealt_rows", attributes),
            Step("sides", f"{own}/sides", attributes),
            Step("dealt_sides", f"{own}/dealt_sides", {**attributes, **first, **last}, one_thread=True),
            Step("tuple_sides", f"{own}/tuple_sides", first, appends=True),
            Step("next_sides", f"{own}/next_sides", {**attributes, **last}),
            Step("splits", f"{own}/splits", {"k": self.k}),
            *self._closing_steps(),
            Step("open_rows", f"{own}/next_rows", words),
            Step("open_nodes", "generalizers/partition_tree/next_nodes"),
        ]
        return {step.relation: step for step in steps}

    def drive(self, run: Run) -> None:
        """Go down level by level; every level draws an order of its own."""
        run.values["level"] = 0
        super().drive(run)

    def _choose(self, run: Run, steps: dict[str, Step]) -> int:
        """Divide every node of at least 2k tuples; returns how many nodes split."""
        run.values["level"] = level = run.count("level") + 1
        if not run.step(replace(steps["placed_rows"], draw=_order(f"of level {level}"))):
            return self._choose_nothing(run)
        for name in ("start_tuples", "seeds", "other_seeds", "seed_boxes", "dealt_rows", "sides"):
            run.step(steps[name])
        self._deal(run, steps)
        return run.step(steps["splits"])

    def _deal(self, run: Run, steps: dict[str, Step]) -> None:
        """Block after block of turns, until every tuple is on a side."""
        run.values.pop("tuple_sides", None)  # every level begins anew
        turn, open_sides = 0, run.count("sides")
        while open_sides:
            run.values["first_turn"], run.values["last_turn"] = turn, turn + BLOCK
            run.step(steps["dealt_sides"])
            run.step(steps["tuple_sides"])
            open_sides = run.step(steps["next_sides"])
            run.engine.replace("sides", by="next_sides")
            turn += BLOCK


def _order(of_level: str) -> Draw:
    return Draw(f"order of tuples {of_level}", "open_rows")
