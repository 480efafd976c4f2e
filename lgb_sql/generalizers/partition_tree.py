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

CLUSTER_BELOW = 4_096
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
        words, bit_words = {"words": coded["words"]}, {"bit_words": coded["bit_words"]}
        attributes = {"attributes": Later("attributes_by_tie", coded["attributes"].example)}
        widths = {**attributes, **bit_words, "k": self.k, "widths_as_charged": self.widths_as_charged}
        cut_params: dict[str, object] = {"k": self.k}
        rank_params: dict[str, object] = {}
        if self.by_frequency:
            unordered = [place for place, a in enumerate(self.attributes) if not a.ordered] or [-1]
            cut_params["unordered"] = rank_params["unordered"] = unordered
            rank_params.update(self._trees())
        sets = self._sets(coded["attributes"].example)
        few, some, many = ({kind: Later(f"sets_{kind}", sets[kind])} for kind in ("few", "some", "many"))
        most_bits = {"most_bits": Later("sets_most_bits", sets["most_bits"])}
        clustered = {"clustered": Later("clustered", False)}
        tree, own = "generalizers/partition_tree", f"generalizers/{self.name}"
        steps = [
            Step("rows_with_bits", f"{tree}/rows_with_bits", {**attributes, **words, **bit_words}),
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
                aliases={"ranked_values": identifier("other_ranked_values")}, is_view=True,
            ),
            Step("other_choice", f"{tree}/other_choice", attributes),
            Step("all_cuts", f"{tree}/all_cuts", is_view=True),
            Step("left_values", f"{tree}/left_values", is_view=True),
            Step("left_sets", f"{tree}/left_sets", {**few, **some, **most_bits}, is_view=True),
            Step("splits", f"{tree}/splits", {"by_frequency": self.by_frequency}),
            *self._closing_steps(),
            Step("open_rows", f"{tree}/next_rows", {**words, **bit_words, **few, **some, **many, **clustered}),
            Step("open_nodes", f"{tree}/next_nodes"),
        ]  # fmt: skip
        without = () if self.by_frequency else ("left_values", "left_sets")
        return {step.relation: step for step in steps if step.relation not in without}

    def _sets(self, attributes: object) -> dict[str, object]:
        """Attributes that are cut by frequency: few values, as bits of an integer; some, of a bit string; many."""
        assert isinstance(attributes, tuple)  # noqa: S101  a layout's attributes
        by_set: list[CodedAttribute] = [a for a in attributes if self.by_frequency and not a.ordered]
        some = [a for a in by_set if a.medium_domain and not a.has_bits]
        return {
            "few": [a.place for a in by_set if a.has_bits],
            "some": [a.place for a in some],
            "most_bits": max((a.domain_size for a in some), default=0),
            "many": [a.place for a in by_set if not a.medium_domain],
        }

    def _trees(self) -> dict[str, object]:
        """Attributes with a hierarchy, and the levels at which their subtrees are ranked."""
        trees = [a for a in example_layout(self.attributes).attributes if a.hierarchy]
        return {"trees": trees, "levels": tree_levels(self.attributes)}

    def _closing_steps(self) -> tuple[Step, ...]:
        """Nodes that do not split are groups."""
        tree, words = "generalizers/partition_tree", {"words": coded_params(self.attributes)["words"]}
        so_far = {"groups_so_far": Later("groups", 0)}
        return (
            Step("closed_nodes", f"{tree}/closed_nodes", so_far, appends=True),
            Step("grouped_rows", f"{tree}/closed_rows", {**words, **so_far}, appends=True),
            Step("group_roots", f"{tree}/group_roots"),
        )

    def drive(self, run: Run) -> None:
        """Go down level by level until no node splits."""
        steps = self._steps()
        self._prepare(run, steps)
        open_nodes = run.count("open_nodes")
        clustered = False
        while open_nodes:
            splits = self._choose(run, steps) if self.attributes else self._choose_nothing(run)
            if splits < open_nodes:
                self._close(run, steps)
            if splits:
                rows = run.count("open_rows")
                run.values["clustered"] = not clustered and rows < CLUSTER_BELOW * 2 * splits
                clustered = clustered or bool(run.values["clustered"])
                run.step(steps["open_rows"])
                run.step(steps["open_nodes"])
            open_nodes = 2 * splits
        run.step(steps["group_roots"])
        kept = ("grouped_rows", "group_roots")
        run.engine.drop(*(name for name, step in steps.items() if name not in kept and not step.is_view))

    def _prepare(self, run: Run, steps: dict[str, Step]) -> None:
        """What is decided once, from the sizes of domains, and the bits of values."""
        attributes = run.values["coded_attributes"]
        run.values["groups"] = 0
        run.values["attributes_by_tie"] = self._by_tie(attributes)
        run.values.update({f"sets_{name}": value for name, value in self._sets(attributes).items()})
        if run.values["bit_words"] and "rows_with_bits" in steps:
            run.step(steps["rows_with_bits"])
            run.engine.replace("open_rows", by="rows_with_bits")

    def _by_tie(self, attributes: object) -> tuple[CodedAttribute, ...]:
        """Attributes in the order in which equally wide ones are chosen."""
        assert isinstance(attributes, tuple)  # noqa: S101  laid out before
        if self.widths_as_charged:
            return tuple(sorted(attributes, key=lambda a: (a.domain_size, a.place)))
        return attributes

    def _choose(self, run: Run, steps: dict[str, Step]) -> int:
        """Find every node's cut; returns how many nodes split."""
        for name in ("node_widths", "node_choice"):
            self._make(run, steps[name])
        if not run.count("node_choice"):
            return self._choose_nothing(run)
        for name in ("value_counts", "ranked_values", "cuts"):
            self._make(run, steps[name])
        if run.count("cuts") < run.count("node_choice"):
            for name in ("failed_rows", "other_value_counts", "other_ranked_values", "other_cuts", "other_choice"):
                self._make(run, steps[name])
        else:
            run.engine.empty_like("other_choice", "cuts")
            run.engine.empty_like("other_ranked_values", "ranked_values")
        for name in ("all_cuts", "left_values", "left_sets", "splits"):
            if name in steps:
                self._make(run, steps[name])
        return run.count("splits")

    def _make(self, run: Run, step: Step) -> None:
        """Views are made once: they read whatever table has the name."""
        if step.is_view and step.relation in run.values:
            return
        run.values[step.relation] = run.step(step)

    def _close(self, run: Run, steps: dict[str, Step]) -> None:
        """Nodes that do not split are groups."""
        closed = run.step(steps["closed_nodes"])
        run.step(steps["grouped_rows"])
        run.values["groups"] = run.count("groups") + closed

    def _choose_nothing(self, run: Run) -> int:
        """Where no node has an attribute to cut, all nodes are groups."""
        run.engine.empty_like("splits", "open_nodes")
        return 0
