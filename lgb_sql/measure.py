"""Information loss of a release, computed in the engine: C_DM and NCP as the paper defines them, widths of buckets."""

from __future__ import annotations

from typing import Any

from lgb_sql.binding import BoundAttribute, BoundPolicy
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
    (cells,) = run.engine.fetch(render("measure/quasi_cells"))[0]
    rows, total = run.count("rows_in_secret_order"), sum(ncp.values())
    return {
        "cells_withheld": int(withheld),
        "metrics": {
            "generalization_reason": run.values.get("generalization_reason", "named by the policy"),
            "groups": groups,
            "average_group_size": round(rows / groups, 6),
            "c_dm": c_dm,
            "ncp": round(total, 6),
            "ncp_by_attribute": ncp,
            "quasi_identifier_cells": cells,
            "ncp_percent": round(100 * total / cells, 6) if cells else 0.0,
            "buckets": {a.name: run.count(f"buckets_{a.name}") for a in bound.bucketed},
            "bucket_widths": {a.name: _bucket_width(run, a) for a in bound.bucketed},
        },
    }


def _bucket_width(run: Run, attribute: BoundAttribute) -> float:
    assert attribute.principle is not None  # noqa: S101  bucketed attributes have one
    params = {"attribute": attribute, "values_may_repeat": attribute.principle.values_may_repeat}
    (width,) = run.engine.fetch(render("measure/bucket_widths", params))[0]
    return round(float(width), 6)
