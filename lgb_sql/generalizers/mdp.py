"""LGB_MDP: the paper's Algorithm 3 to the letter, median cuts in value order."""

from __future__ import annotations

from typing import ClassVar

from lgb_sql.generalizers.partition_tree import PartitionTree


class Mdp(PartitionTree):
    """The literal cut: `<= median` and `> median`."""

    name: ClassVar[str] = "mdp"
    by_frequency: ClassVar[bool] = False
    widths_as_charged: ClassVar[bool] = False
