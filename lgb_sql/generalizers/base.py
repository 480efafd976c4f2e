"""What a generalizer provides: a loop that turns open rows into grouped rows."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from lgb_sql.binding import BoundAttribute
from lgb_sql.plan import Loop


def tree_levels(attributes: Sequence[BoundAttribute]) -> tuple[int, ...]:
    """The levels of hierarchies at which subtrees are ranked: all between root and leaves, of the highest."""
    height = max((a.hierarchy.height for a in attributes if a.hierarchy), default=1)
    return tuple(range(1, height))


class Generalizer(ABC):
    """Reads `open_rows`, `open_nodes` and the domains of unflagged values; never a flagged value.

    Its obligation is the relation `grouped_rows` (row_id, group_id, codes) with at least k rows a group, the relation
    `group_roots` (group_id, root_id), and the number of groups in the run's value `groups`.
    """

    def __init__(self, attributes: Sequence[BoundAttribute], k: int) -> None:
        self.attributes = tuple(attributes)
        self.k = k

    @abstractmethod
    def loop(self) -> Loop:
        """The steps of a level and the function that drives them."""
