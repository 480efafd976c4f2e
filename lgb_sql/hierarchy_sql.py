"""What the engine sees of a hierarchy. Names travel as Arrow data, never as SQL text."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pyarrow as pa

from lgb_sql.engines.duckdb import DuckDBEngine
from lgb_sql.hierarchies import Hierarchy
from lgb_sql.render import Sql, render

ValueRanks = Callable[[Sequence[str], Sql], list[int | None]]
"""(texts, type) -> the rank of each text as a value of the type, among them; None where it is none."""


def value_ranks(engine: DuckDBEngine) -> ValueRanks:
    """Let the engine say which texts are values of a type, which are the same value, and which is lower."""

    def ask(texts: Sequence[str], kind: Sql) -> list[int | None]:
        table = pa.table({"place": pa.array(range(len(texts)), pa.int32()), "text": pa.array(texts, pa.string())})
        with engine.stream("value_texts", table):
            found = engine.fetch_arrow(render("ingest/value_ranks", {"type": kind}))
        ranks: list[int | None] = found["rank"].to_pylist()
        return ranks

    return ask


def texts_table(texts: Sequence[str]) -> pa.Table:
    """Texts of a policy, to be cast by the engine."""
    return pa.table({"text": pa.array(texts, pa.string())})


def paths_table(hierarchy: Hierarchy) -> pa.Table:
    """One row per leaf, depth first: its text, its ancestor at every level, and the leaves that one covers."""
    leaves = hierarchy.leaves
    paths = [hierarchy.path(leaf) for leaf in leaves]
    columns = {
        "leaf": pa.array(range(len(leaves)), pa.int32()),
        "text": pa.array([hierarchy.names[leaf] for leaf in leaves], pa.string()),
    }
    for level in hierarchy.levels:
        nodes = [path[level - 1] for path in paths]
        columns[f"level_{level}"] = pa.array(nodes, pa.int32())
        columns[f"leaves_{level}"] = pa.array([hierarchy.leaves_under[node] for node in nodes], pa.int32())
    return pa.table(columns)


def nodes_table(hierarchy: Hierarchy) -> pa.Table:
    """One row per node: its name, its first leaf and how many it covers, which follow one another."""
    first_leaf: dict[int, int] = {}
    for place, leaf in enumerate(hierarchy.leaves):
        for node in hierarchy.ancestors(leaf):
            first_leaf.setdefault(node, place)
    nodes = range(len(hierarchy.names))
    return pa.table(
        {
            "node": pa.array(nodes, pa.int32()),
            "name": pa.array(hierarchy.names, pa.string()),
            "first_leaf": pa.array([first_leaf[node] for node in nodes], pa.int32()),
            "leaves": pa.array(hierarchy.leaves_under, pa.int32()),
        }
    )


def cover_table(hierarchy: Hierarchy) -> pa.Table:
    """For verification: one row per leaf and node above it, by the parents alone, with the node's depth."""
    pairs = [(node, leaf) for leaf in hierarchy.leaves for node in hierarchy.ancestors(leaf)]
    return pa.table(
        {
            "node": pa.array([hierarchy.names[node] for node, _ in pairs], pa.string()),
            "depth": pa.array([hierarchy.depths[node] for node, _ in pairs], pa.int32()),
            "leaf": pa.array([hierarchy.names[leaf] for _, leaf in pairs], pa.string()),
        }
    )
