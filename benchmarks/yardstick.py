"""One yardstick for every anonymizer: what a partition of row numbers into classes loses.

A class is charged for the values that its rows really have, whatever it publishes: ordered attributes range / range of
the table, others distinct values / distinct values of the table, 0 for one value (docs/metrics.md). A row without a
class is suppressed: it costs 1 per cell in NCP, and the number of rows in C_DM.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path

import duckdb

from benchmarks.apart import Figures

FIGURES = ("rows", "groups", "smallest", "suppressed", "c_dm", "ncp", "ncp_percent")


def loss(table: Path, classes: Path, quasi: Sequence[str], ordered: Collection[str]) -> Figures:
    """`table` has a column `row` and the quasi-identifiers; `classes` has `row` and `class`, both are Parquet."""
    sizes = ", ".join(f"({_size(name, name in ordered)})::DOUBLE AS {name}" for name in quasi)
    widths = " + ".join(f"coalesce({_width(name, name in ordered)}, 0)" for name in quasi)
    with duckdb.connect() as connection:
        found = connection.execute(
            f"""
            WITH domain AS (SELECT {sizes} FROM read_parquet('{table}')),
            classes AS (
                SELECT count(*) AS size, {widths} AS width
                FROM read_parquet('{table}') AS cells JOIN read_parquet('{classes}') AS placed USING (row), domain
                GROUP BY class
            )
            SELECT count(*), min(size), sum(size), sum(size * size), sum(size * width),
                (SELECT count(*) FROM read_parquet('{table}'))
            FROM classes
            """
        ).fetchone()
    assert found is not None
    groups, smallest, placed, squares, ncp, rows = found
    suppressed = rows - placed
    lost = ncp + suppressed * len(quasi)
    values = (
        rows,
        groups,
        smallest,
        suppressed,
        int(squares) + suppressed * rows,
        lost,
        100 * lost / (rows * len(quasi)),
    )
    return dict(zip(FIGURES, values, strict=True))


def _size(name: str, is_ordered: bool) -> str:
    return f"max({name}) - min({name})" if is_ordered else f"count(DISTINCT {name})"


def _width(name: str, is_ordered: bool) -> str:
    values = f"({_size(f'cells.{name}', is_ordered)}) / any_value(domain.{name})"
    return values if is_ordered else f"CASE WHEN count(DISTINCT cells.{name}) > 1 THEN {values} END"
