"""LGB_NCP: the paper's Algorithm 4 to the letter, sets divided around two seeds tuple by tuple.

All nodes of a level are divided in one recursive statement whose turn i deals tuple i of every node, so a level takes
as many turns as its largest node has tuples. A turn costs the same at any size of the table, about a seventh of a
millisecond and a little per node.
"""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

from lgb_sql.codes import coded_params
from lgb_sql.generalizers.partition_tree import PartitionTree
from lgb_sql.plan import Draw, Loop, Step
from lgb_sql.render import identifier
from lgb_sql.run import Run


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
        own = "generalizers/ncp"
        steps = [
            Step("placed_rows", f"{own}/placed_rows", {**attributes, "k": self.k}, draw=_order("of every level")),
            Step("start_tuples", f"{own}/start_tuples", is_view=True),
            Step("seeds", f"{own}/seeds", attributes),
            Step("other_seeds", f"{own}/seeds", attributes, aliases={"start_tuples": identifier("seeds")}),
            Step("seed_boxes", f"{own}/seed_boxes", attributes),
            Step("dealt_rows", f"{own}/dealt_rows", attributes),
            Step("tuple_sides", f"{own}/tuple_sides", attributes, one_thread=True),
            Step("splits", f"{own}/splits", {"k": self.k}),
            *self._closing_steps(),
            Step("next_rows", f"{own}/next_rows", words),
            Step("next_nodes", "generalizers/partition_tree/next_nodes"),
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
        for name in ("start_tuples", "seeds", "other_seeds", "seed_boxes", "dealt_rows", "tuple_sides"):
            run.step(steps[name])
        return run.step(steps["splits"])


def _order(of_level: str) -> Draw:
    return Draw(f"order of tuples {of_level}", "open_rows")
