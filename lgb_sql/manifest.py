"""The manifest: what the release says of itself. An allow-list; no secret, no source path, no value of the table."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from lgb_sql.binding import BoundPolicy
from lgb_sql.run import Run

FORMAT_VERSION = 1
SOFTWARE_VERSION = "0.1.0"
FIELDS = (
    "format_version", "software_version", "reproducible", "k", "roles", "types", "ordered", "principles",
    "generalization", "bucketization", "small_patterns", "rows_source", "rows_released", "rows_suppressed",
    "cells_withheld", "metrics",
)  # fmt: skip


def make_manifest(run: Run, bound: BoundPolicy, measured: Mapping[str, Any]) -> dict[str, Any]:
    """Every field is a function of released tables, policy, quasi-identifier values and flags."""
    released = [a for a in bound.attributes if a.role != "identifier"]
    rows_source, rows_released = run.count("rows_source"), run.count("rows_in_secret_order")
    return {
        "format_version": FORMAT_VERSION,
        "software_version": SOFTWARE_VERSION,
        "reproducible": run.randomness.reproducible,
        "k": bound.policy.k,
        "roles": {a.name: a.role for a in released},
        "types": {a.name: str(a.type) for a in released},
        "ordered": {a.name: list(a.words) or a.ordered for a in released if a.role != "insensitive"},
        "principles": {a.name: a.principle.as_policy() for a in released if a.principle},
        "generalization": run.values.get("generalization", bound.policy.generalization),
        "bucketization": bound.policy.bucketization,
        "small_patterns": bound.policy.small_patterns,
        "rows_source": rows_source,
        "rows_released": rows_released,
        "rows_suppressed": rows_source - rows_released,
        "cells_withheld": measured["cells_withheld"],
        "metrics": measured["metrics"],
    }


def as_table(manifest: Mapping[str, Any]) -> pa.Table:
    """The manifest as the release stores it: JSON text by key."""
    values = [json.dumps(manifest[key], ensure_ascii=False, allow_nan=False) for key in FIELDS]
    return pa.table({"key": pa.array(FIELDS, pa.string()), "value": pa.array(values, pa.string())})
