"""A release, its source and crosswalk to corrupt; and a way to corrupt it that leaves a clean file."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any
from unittest.mock import patch

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

import lgb_sql
from lgb_sql.randomness import Randomness

ROWS = 400
POLICY: dict[str, Any] = {
    "k": 3,
    "key": "id",
    "generalization": "fast",
    "bucketization": "stride",
    "attributes": {
        "age": {"role": "semi-sensitive", "flag": "age_private", "principle": {"l_diversity": 3}, "domain": [0, 120]},
        "town": {"role": "quasi-identifier"},
        "job": {"role": "semi-sensitive", "flag": "job_private", "principle": {"l_diversity": 2}},
        "level": {"role": "quasi-identifier", "ordered": ["low", "mid", "high"]},
        "sex": {"role": "sensitive", "principle": {"t_closeness": 0.4}},
        "pay": {"role": "sensitive", "principle": {"l_diversity": 4}},
        "grade": {"role": "sensitive", "ordered": ["a", "b", "c", "d"], "principle": {"l_diversity": 2}},
        "note": {"role": "insensitive"},
    },
}


def source(rows: int = ROWS) -> pa.Table:
    random = Random(12)
    return pa.table(
        {
            "id": pa.array(range(1000, 1000 + rows)),
            "age": pa.array([random.randrange(20, 80) for _ in range(rows)]),
            "town": pa.array([random.choice("ABCDEFGH") for _ in range(rows)]),
            "job": pa.array([f"job{random.randrange(12)}" for _ in range(rows)]),
            "level": pa.array([random.choice(["low", "mid", "high"]) for _ in range(rows)]),
            "sex": pa.array([random.choice("fm") for _ in range(rows)]),
            "pay": pa.array([random.randrange(60) for _ in range(rows)]),
            "grade": pa.array([random.choice("abcd") for _ in range(rows)]),
            "note": pa.array([random.choice("xyz") for _ in range(rows)]),
            "age_private": pa.array([random.random() < 0.4 for _ in range(rows)]),
            "job_private": pa.array([random.random() < 0.4 for _ in range(rows)]),
        }
    )


@dataclass(frozen=True)
class Material:
    """Where everything is."""

    directory: Path

    @property
    def release(self) -> Path:
        return self.directory / "release.duckdb"

    @property
    def files(self) -> Path:
        return self.directory / "files"

    @property
    def source(self) -> Path:
        return self.directory / "source.parquet"

    @property
    def crosswalk(self) -> Path:
        return self.directory / "crosswalk.parquet"

    def audit(self, release: Path, *, truth: bool = True, **more: Any) -> lgb_sql.Verdict:
        known = {"source": self.source, "crosswalk": self.crosswalk} if truth else {}
        return lgb_sql.audit(release, policy=POLICY, **{**known, **more})


def keys_of_a_test(_randomness: Randomness, label: str, size: int) -> bytes:
    """Keys that are the same in every run, of a run that does not know it."""
    return hashlib.shake_256(f"material/{label}".encode()).digest(size)


def make_material(directory: Path) -> Material:
    """The same release every time, so that what a corruption meets is no matter of luck; it claims no seed."""
    material = Material(directory)
    pq.write_table(source(), material.source)
    options = lgb_sql.RunOptions(threads=1)
    with patch.object(Randomness, "_bytes", keys_of_a_test):
        lgb_sql.anonymize(material.source, POLICY, to=material.release, crosswalk=material.crosswalk, options=options)
    lgb_sql.export(material.release, to=material.files)
    return material


Change = Callable[[duckdb.DuckDBPyConnection], None]


def corrupted(material: Material, directory: Path, change: Change) -> Path:
    """A copy with a change, written into a new file as if it had been made so."""
    copy, result = directory / "copy.duckdb", directory / "corrupted.duckdb"
    shutil.copy(material.release, copy)
    with duckdb.connect(str(copy)) as connection:
        change(connection)
    with duckdb.connect() as connection:
        connection.execute(f"ATTACH '{copy}' AS changed (READ_ONLY)")
        connection.execute(f"ATTACH '{result}' AS written (STORAGE_VERSION 'v1.4.0')")
        connection.execute("COPY FROM DATABASE changed TO written")
    return result


def rewrite(connection: duckdb.DuckDBPyConnection, relation: str, select: str) -> None:
    """Put the result of a SELECT in a table's place, in its order."""
    connection.execute(f"CREATE TEMP TABLE forged AS {select}")
    connection.execute(f"DELETE FROM {relation}; INSERT INTO {relation} SELECT * FROM forged; DROP TABLE forged")


def number(connection: duckdb.DuckDBPyConnection, sql: str) -> int:
    rows = connection.execute(sql).fetchall()
    assert rows, "nothing to corrupt"
    return int(rows[0][0])


def drop_helpers(connection: duckdb.DuckDBPyConnection) -> None:
    """Leave the relations of the contract alone, so that what is corrupted is not caught by a helper that is not."""
    names = "SELECT table_name FROM duckdb_tables() WHERE regexp_matches(table_name, '^(domain|help)_')"
    for (name,) in connection.execute(names).fetchall():
        connection.execute(f"DROP TABLE {name}")
