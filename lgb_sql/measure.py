"""Information loss of a release, computed in the engine: C_DM and NCP as the paper defines them."""

from __future__ import annotations

from typing import Any

from lgb_sql.binding import BoundPolicy
from lgb_sql.codes import unordered_parts
from lgb_sql.render import render
from lgb_sql.run import Run


def measure(run: Run, bound: BoundPolicy) -> dict[str, Any]:
    """Metrics of the groups, and the counts of what was withheld or suppressed."""
    attributes = bound.generalised
    parts = tuple(range(len(unordered_parts(bound))))
    groups, c_dm, *shown = run.engine.fetch(render("measure/metrics", {"attributes": attributes, "parts": parts}))[0]
    _, withheld, *lost = run.engine.fetch(render("measure/changed_cells", {"attributes": attributes}))[0]
    ncp = {a.name: round(s + n, 6) for a, s, n in zip(attributes, shown, lost, strict=True)}
    rows = run.count("rows_in_secret_order")
    return {
        "cells_withheld": int(withheld),
        "metrics": {
            "groups": groups,
            "average_group_size": round(rows / groups, 6),
            "c_dm": c_dm,
            "ncp": round(sum(ncp.values()), 6),
            "ncp_by_attribute": ncp,
            "buckets": {a.name: run.count(f"buckets_{a.name}") for a in bound.bucketed},
        },
    }
