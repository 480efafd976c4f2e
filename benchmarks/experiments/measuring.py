"""One point: a release of the table with this point's flags and policy, what it loses, and how it answers."""

from __future__ import annotations

import tempfile
from pathlib import Path

import lgb_sql
from benchmarks.apart import Figures, timed
from benchmarks.experiments import queries
from benchmarks.experiments.grid import BUCKETIZATION
from benchmarks.experiments.tables import flagged, policy
from benchmarks.results import Point

WIDTHS = ("age", "occupation", "salary")
LOSSES = ("groups", "c_dm", "ncp", "ncp_percent", "cells_withheld", *(f"width_{name}" for name in WIDTHS))


def measure(point: Point, source: str, hierarchies: str | None, asked: str | None) -> Figures:
    """In a process of its own. A policy that no release can keep is a result, too."""
    table = flagged(Path(source), point["density"], point["seed"])
    chosen = policy(point, Path(hierarchies) if hierarchies else None)
    figures: Figures = dict.fromkeys(("cpu", *LOSSES, *queries.FIGURES))
    releases: list[lgb_sql.Release] = []
    with tempfile.TemporaryDirectory() as directory:
        to = Path(directory) / "release.duckdb"
        options = lgb_sql.RunOptions(seed=point["seed"])
        try:
            time = timed(lambda: releases.append(lgb_sql.anonymize(table, chosen, to=to, options=options)))
        except lgb_sql.InfeasiblePolicyError:
            return {**figures, "status": "infeasible"}
        figures |= {"cpu": time["cpu"], **_losses(releases[0], point["method"] != BUCKETIZATION)}
        if asked:
            wanted = queries.load(Path(asked))
            figures |= queries.errors(wanted, list(queries.ask(releases[0], wanted)))
    return {**figures, "status": "done"}


def _losses(release: lgb_sql.Release, has_groups: bool) -> Figures:
    """Where nothing is generalized there are no groups to count."""
    metrics = release.metrics()
    widths = (metrics.bucket_widths.get(name) for name in WIDTHS)
    groups = (metrics.groups, metrics.c_dm) if has_groups else (None, None)
    values = (*groups, metrics.ncp, metrics.ncp_percent, metrics.cells_withheld, *widths)
    return dict(zip(LOSSES, values, strict=True))
