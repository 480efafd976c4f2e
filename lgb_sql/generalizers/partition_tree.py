"""Top-down partitioning, level by level: all open nodes of all patterns in the same few statements.

The widest attribute of every node is tried first; only for nodes where it allows no cut are all others tried, in
one go. Subclasses say which cuts are allowed, by their templates `ranked_values` and `cuts`.
"""

from __future__ import annotations

from typing import ClassVar

from lgb_sql.codes import CodedAttribute, coded_params, example_layout
from lgb_sql.generalizers.base import Generalizer, tree_levels
from lgb_sql.plan import Later, Loop, Step
from lgb_sql.render import identifier
from lgb_sql.run import Run

CLUSTER_BELOW = 16_384
"""Rows per node below which the rows are sorted by node, once: later levels then group about twice as fast."""


class PartitionTree(Generalizer):
    """The loop that Algorithm 3 and its variants share."""

    name: ClassVar[str]
    by_frequency: ClassVar[bool]
    """Whether unordered attributes are cut in the order of frequency within the node, subtree by subtree."""
    widths_as_charged: ClassVar[bool]
    """Whether an unordered attribute is as wide as what NCP charges for it; ties then go to smaller domains."""

    def loop(self) -> Loop:
        """One level; `other_...` steps run only where the widest attribute failed somewhere."""
        return Loop(
            name=f"levels of the partition tree ({self.name})",
            steps=tuple(self._steps().values()),
            stop="no node splits any more; other_... steps run only if some node's widest attribute allows no cut",
            drive=self.drive,
        )

    def _steps(self) -> dict[str, Step]:
        coded = coded_params(self.attributes)
        words = {"words": coded["words"]}
        attributes = {"attributes": Later("attributes_by_tie", coded["attributes"].example)}
        widths = {**attributes, "k": self.k, "widths_as_charged": self.widths_as_charged}
        cut_params: dict[str, object] = {"k": self.k}
        rank_params: dict[str, object] = {}
        if self.by_frequency:
            unordered = [place for place, a in enumerate(self.attributes) if not a.ordered] or [-1]
            cut_params["unordered"] = rank_params["unordered"] = unordered
            rank_params.update(self._trees())
        tree, own = "generalizers/partition_tree", f"generalizers/{self.name}"
        steps = [
            Step("node_widths", f"{tree}/node_widths", widths, is_view=True),
            Step("node_choice", f"{tree}/node_choice", attributes),
            Step("value_counts", f"{tree}/value_counts", words, is_view=True),
            Step("ranked_values", f"{own}/ranked_values", rank_params),
            Step("cuts", f"{own}/cuts", cut_params),
            Step("failed_rows", f"{tree}/failed_rows", words),
            Step("other_value_counts", f"{tree}/other_value_counts", attributes, is_view=True),
            Step(
                "other_ranked_values", f"{own}/ranked_values", rank_params,
                aliases={"value_counts": identifier("other_value_counts")},
            ),
            Step(
                "other_cuts", f"{own}/cuts", cut_params,
                aliases={"ranked_values": identifier("other_ranked_values")},
            ),
            Step("other_choice", f"{tree}/other_choice", attributes),
            Step("splits", f"{tree}/splits"),
            Step("left_values", f"{tree}/left_values", is_view=True),
            *self._closing_steps(),
            Step("next_rows", f"{tree}/next_rows", {**words, "clustered": Later("clustered", False)}),
            Step("next_nodes", f"{tree}/next_nodes"),
        ]  # fmt: skip
        return {step.relation: step for step in steps}

    def _trees(self) -> dict[str, object]:
        """Attributes with a hierarchy, and the levels at which their subtrees are ranked."""
        trees = [a for a in example_layout(self.attributes).attributes if a.hierarchy]
        return {"trees": trees, "levels": tree_levels(self.attributes)}

    def _closing_steps(self) -> tuple[Step, ...]:
        """Nodes that do not split are groups."""
        tree, words = "generalizers/partition_tree", {"words": coded_params(self.attributes)["words"]}
        return (
            Step("closed_nodes", f"{tree}/closed_nodes", {"groups_so_far": Later("groups", 0)}),
            Step("group_roots", f"{tree}/group_roots", appends=True),
            Step("grouped_rows", f"{tree}/closed_rows", words, appends=True),
        )

    def drive(self, run: Run) -> None:
        """Go down level by level until no node splits."""
        steps = self._steps()
        run.values["groups"] = 0
        run.values["attributes_by_tie"] = self._by_tie(run.values["coded_attributes"])
        open_nodes = run.count("open_nodes")
        clustered = False
        while open_nodes:
            splits = self._choose(run, steps) if self.attributes else self._choose_nothing(run)
            self._close(run, steps)
            if splits:
                rows = run.count("open_rows")
                run.values["clustered"] = not clustered and rows < CLUSTER_BELOW * 2 * splits
                clustered = clustered or bool(run.values["clustered"])
                self._descend(run, steps)
            open_nodes = 2 * splits
        run.engine.drop(
            "open_rows", "open_nodes", *(name for name, step in steps.items() if not (step.appends or step.is_view))
        )

    def _by_tie(self, attributes: object) -> tuple[CodedAttribute, ...]:
        """Attributes in the order in which equally wide ones are chosen."""
        assert isinstance(attributes, tuple)  # noqa: S101  laid out before
        if self.widths_as_charged:
            return tuple(sorted(attributes, key=lambda a: (a.domain_size, a.place)))
        return attributes

    def _choose(self, run: Run, steps: dict[str, Step]) -> int:
        """Find every node's cut; returns how many nodes split."""
        for name in ("node_widths", "node_choice", "value_counts", "ranked_values", "cuts"):
            run.step(steps[name])
        if run.count("cuts") < run.count("node_choice"):
            for name in ("failed_rows", "other_value_counts", "other_ranked_values", "other_cuts", "other_choice"):
                run.step(steps[name])
        else:
            run.engine.empty_like("other_choice", "cuts")
            run.engine.empty_like("other_ranked_values", "ranked_values")
        splits = run.step(steps["splits"])
        run.step(steps["left_values"])
        return splits

    def _close(self, run: Run, steps: dict[str, Step]) -> None:
        """Nodes that do not split are groups."""
        for name in ("closed_nodes", "group_roots", "grouped_rows"):
            run.step(steps[name])
        run.values["groups"] = run.count("groups") + run.count("closed_nodes")

    def _choose_nothing(self, run: Run) -> int:
        """Without any attribute to cut, every pattern is one group."""
        run.engine.empty_like("splits", "open_nodes")
        return 0

    def _descend(self, run: Run, steps: dict[str, Step]) -> None:
        run.values["open_rows"] = run.step(steps["next_rows"])
        run.engine.replace("open_rows", by="next_rows")
        run.step(steps["next_nodes"])
        run.engine.replace("open_nodes", by="next_nodes")
