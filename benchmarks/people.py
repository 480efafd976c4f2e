"""The table that all benchmarks can generate, and the paper's policy for it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb

from lgb_sql.render import render

QUASI = ["sex", "age", "relationship", "marital_status", "race", "education", "hours_per_week", "occupation"]
ORDERED = {"age", "hours_per_week"}
FLAGGED: dict[str, dict[str, float]] = {
    "sex": {"t_closeness": 0.2},
    "age": {"l_diversity": 10},
    "occupation": {"l_diversity": 10},
}
ROWS = 31_055
"""The paper's number of tuples."""
THREADS = 2
PIECE = 10_000_000
"""Rows of one file of a large table."""
GENERATION_MEMORY = "2GB"


def policy(generalization: str = "fast", k: int = 10) -> dict[str, Any]:
    """The paper's experiment."""
    attributes: dict[str, Any] = {
        name: {"role": "semi-sensitive", "flag": f"{name}_private", "principle": FLAGGED[name]}
        if name in FLAGGED
        else {"role": "quasi-identifier"}
        for name in QUASI
    }
    attributes["salary"] = {"role": "sensitive", "principle": {"l_diversity": 10}}
    return {"k": k, "generalization": generalization, "attributes": attributes}


def people_sql(rows: int, after: int = 0) -> str:
    """People `after` + 1 to `rows`: a person depends on the id alone, so pieces make up the whole."""
    return f"SELECT * FROM ({render('demo/people', {'rows': rows}).sql}) WHERE id > {after}"


def make_people(directory: Path, rows: int) -> Path:
    return _copy(people_sql(rows), directory / f"people_{rows}.parquet")


def make_pieces(directory: str, rows: int, piece: int = PIECE) -> dict[str, int]:
    """A directory of Parquet files, whatever its size; complete files of an earlier attempt stay."""
    people = Path(directory)
    people.mkdir(parents=True, exist_ok=True)
    pieces = range(0, rows, piece)
    for number, after in enumerate(pieces):
        path = people / f"part_{number:03}.parquet"
        if not path.exists():
            _copy(people_sql(min(after + piece, rows), after), path.with_suffix(".unfinished")).rename(path)
    return {"pieces": len(pieces)}


def _copy(select: str, path: Path) -> Path:
    with duckdb.connect(config={"threads": THREADS, "memory_limit": GENERATION_MEMORY}) as connection:
        connection.execute(f"COPY ({select}) TO '{path}' (FORMAT parquet)")
    return path
