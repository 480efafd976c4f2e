"""The table of a point: the source with flags drawn anew; and the policy that the point asks for."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.experiments.grid import BUCKETIZATION, GENERALIZATION, PAPER_METHODS
from benchmarks.people import FLAGGED, ORDERED, QUASI
from benchmarks.results import Point

SENSITIVE = "salary"
LEAST_K = 2
"""What a policy must say where nothing is generalized."""


def flagged(source: Path, density: float, seed: int) -> pa.Table:
    """So many percent of each semi-sensitive attribute; who hides a value at one density does at all higher ones."""
    table = pq.read_table(source, columns=[*QUASI, SENSITIVE])
    for name in FLAGGED:
        draw = random.Random(f"{seed}/{name}")
        flags = [100 * draw.random() < density for _ in range(table.num_rows)]
        table = table.append_column(f"{name}_private", pa.array(flags))
    return table


def policy(point: Point, hierarchies: Path | None) -> dict[str, Any]:
    """The paper's methods with its own bucketization, ours with ours."""
    method, k, l = point["method"], point["k"], point["l"]
    if method == BUCKETIZATION:
        return _policy(LEAST_K, "mdp", "m_invariance", _roles("insensitive"), _sensitive(l))
    if method == GENERALIZATION:
        return _policy(k, "mdp", "m_invariance", _roles("quasi-identifier"), {"role": "insensitive"})
    attributes = _roles("quasi-identifier")
    for name, principle in FLAGGED.items():
        asked = {"l_diversity": l} if "l_diversity" in principle else principle
        attributes[name] = {"role": "semi-sensitive", "flag": f"{name}_private", "principle": asked}
    if point["hierarchies"] and hierarchies:
        for name in set(QUASI) - ORDERED:  # the paper gives ranges to numbers
            file = hierarchies / f"{name}.csv"
            if file.exists():
                attributes[name]["hierarchy"] = str(file)
    return _policy(k, method, "m_invariance" if method in PAPER_METHODS else "sweep", attributes, _sensitive(l))


def _roles(role: str) -> dict[str, dict[str, Any]]:
    return {name: {"role": role} for name in QUASI}


def _sensitive(l: int) -> dict[str, Any]:
    return {"role": "sensitive", "principle": {"l_diversity": l}}


def _policy(
    k: int, generalization: str, bucketization: str, attributes: dict[str, Any], target: dict[str, Any]
) -> dict[str, Any]:
    return {
        "k": k,
        "generalization": generalization,
        "bucketization": bucketization,
        "attributes": {**attributes, SENSITIVE: target},
    }
