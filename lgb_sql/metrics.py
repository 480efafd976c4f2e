"""What a release costs, as its manifest says: a function of released tables, policy, shown values and flags."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Metrics:
    """Information loss of a release; docs/metrics.md defines each figure."""

    generalization_reason: str
    """Why this generalizer ran: named by the policy, or what `auto` decided on."""
    groups: int
    """Local equivalence groups."""
    average_group_size: float
    """Released tuples / groups."""
    c_dm: int
    """The discernibility metric: the sum of squared group sizes."""
    ncp: float
    """The normalised certainty penalty of all quasi-identifier cells; a withheld or suppressed one costs 1."""
    ncp_by_attribute: Mapping[str, float]
    """The same by attribute."""
    quasi_identifier_cells: int
    """Cells of the source that are quasi-identifiers: the largest possible `ncp`."""
    ncp_percent: float
    """100 * ncp / quasi_identifier_cells."""
    buckets: Mapping[str, int]
    """Buckets of each bucketed attribute."""
    bucket_widths: Mapping[str, float]
    """Mean width, from 0 to 1, of the bucket that a tuple is in, by attribute."""
    cells_withheld: int
    """Cells of released tuples that show neither value nor bucket."""
    rows_suppressed: int
    """Source rows that are not released."""

    @classmethod
    def of(cls, manifest: Mapping[str, Any]) -> Metrics:
        """Read them from a manifest."""
        beside = {key: manifest[key] for key in ("cells_withheld", "rows_suppressed")}
        return cls(**manifest["metrics"], **beside)
