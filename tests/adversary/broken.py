"""Deliberately broken writers: each makes, of a sound release and the truth, one that an attack undoes."""

# ruff: noqa: E501  SQL reads better in one line

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq


def _truth(connection: duckdb.DuckDBPyConnection, truth: dict[int, Any]) -> None:
    connection.register("known", pa.table({"rid": list(truth), "truth": list(truth.values())}))


def _copy(release: Path, to: Path) -> duckdb.DuckDBPyConnection:
    shutil.copy(release, to)
    return duckdb.connect(str(to))


def written_from_one_relation(release: Path, to: Path, attribute: str, truth: dict[int, Any]) -> dict[int, int]:
    """Rids are given in the order in which SAT is written. Returns old rid -> new rid."""
    with _copy(release, to) as connection:
        _truth(connection, truth)
        connection.execute(
            f"CREATE TEMP TABLE renamed AS SELECT rid, row_number() OVER (ORDER BY {attribute}_bid, truth) AS new "
            "FROM tuples LEFT JOIN known USING (rid)"
        )
        connection.execute(
            "CREATE OR REPLACE TABLE tuples AS SELECT tuples.* REPLACE (new AS rid) FROM tuples JOIN renamed USING (rid) "
            "ORDER BY rid"
        )
        return dict(connection.execute("SELECT rid, new FROM renamed").fetchall())


def ties_by_rid(release: Path, to: Path, attribute: str, truth: dict[int, Any]) -> None:
    """Which of several equal values takes which bucket follows the rid, as `ORDER BY value, rid` has it."""
    bid = f"{attribute}_bid"
    with _copy(release, to) as connection:
        _truth(connection, truth)
        connection.execute(
            f"CREATE TEMP TABLE dealt AS SELECT rows.rid, slots.bid FROM (SELECT rid, truth, row_number() OVER "
            f"(PARTITION BY truth ORDER BY rid) AS place FROM tuples JOIN known USING (rid) WHERE {bid} IS NOT NULL) AS rows "
            f"JOIN (SELECT value, bid, row_number() OVER (PARTITION BY value ORDER BY bid) AS place FROM sat_{attribute}) "
            "AS slots ON slots.value = rows.truth AND slots.place = rows.place"
        )
        connection.execute(
            f"CREATE OR REPLACE TABLE tuples AS SELECT tuples.* REPLACE (dealt.bid AS {bid}) FROM tuples "
            "LEFT JOIN dealt USING (rid) ORDER BY rid"
        )


def labels_in_order(release: Path, to: Path, attribute: str) -> None:
    """Bids by value, gids by age: the order in which an algorithm finds them."""
    with _copy(release, to) as connection:
        connection.execute(
            f"CREATE TEMP TABLE bids AS SELECT bid, row_number() OVER (ORDER BY min(value), bid) AS new "
            f"FROM sat_{attribute} GROUP BY bid; "
            "CREATE TEMP TABLE gids AS SELECT gid, row_number() OVER (ORDER BY age_lo, gid) AS new FROM groups"
        )
        connection.execute(
            f"CREATE OR REPLACE TABLE tuples AS SELECT tuples.* REPLACE (bids.new AS {attribute}_bid, gids.new AS gid) "
            f"FROM tuples JOIN gids USING (gid) LEFT JOIN bids ON bids.bid = {attribute}_bid ORDER BY rid; "
            f"CREATE OR REPLACE TABLE sat_{attribute} AS SELECT new AS bid, value, n FROM sat_{attribute} "
            "JOIN bids USING (bid) ORDER BY 1, 2; "
            "CREATE OR REPLACE TABLE groups AS SELECT groups.* REPLACE (new AS gid) FROM groups JOIN gids USING (gid) ORDER BY 1"
        )


def dropped_raw_table(release: Path, to: Path, texts: list[str]) -> None:
    """The working database, shipped after DROP and CHECKPOINT."""
    with _copy(release, to) as connection:
        connection.register("raw_rows", pa.table({"name": texts}))
        connection.execute("CREATE TABLE raw AS FROM raw_rows; CHECKPOINT; DROP TABLE raw; CHECKPOINT")


def shipped_with_its_log(release: Path, to: Path, texts: list[str]) -> None:
    """Copied while the write-ahead log was still beside it."""
    with _copy(release, to) as connection:
        connection.execute("SET checkpoint_threshold = '1TB'; PRAGMA disable_checkpoint_on_shutdown")
        connection.register("raw_rows", pa.table({"name": texts}))
        connection.execute("CREATE TABLE raw AS FROM raw_rows; DROP TABLE raw")


def stale_statistics(release: Path, to: Path, text: str) -> None:
    """A row was deleted; that it was the greatest is still noted."""
    with _copy(release, to) as connection:
        connection.execute("INSERT INTO sat_occupation VALUES (0, $1, 1)", [text])
        connection.execute("DELETE FROM sat_occupation WHERE bid = 0; CHECKPOINT")


def kept_dictionary(files: Path, to: Path, texts: list[str]) -> None:
    """An Arrow dictionary goes to the file with all its words, used or not."""
    shutil.copytree(files, to)
    path = to / "sat_occupation.parquet"
    table = pq.read_table(path)
    words = sorted({*table["value"].to_pylist(), *texts})
    places = pa.array([words.index(value) for value in table["value"].to_pylist()], pa.int32())
    column = pa.DictionaryArray.from_arrays(places, words)
    pq.write_table(table.set_column(1, "value", column), path)


def note_in_a_footer(files: Path, to: Path, text: str) -> None:
    """As data frames write their index and origin."""
    shutil.copytree(files, to)
    path = to / "sat_salary.parquet"
    table = pq.read_table(path)
    pq.write_table(table.replace_schema_metadata({"source": text}), path)


def view_on_the_source(release: Path, to: Path, text: str) -> None:
    """A view that names where it came from and whom it leaves out."""
    with _copy(release, to) as connection:
        connection.execute(
            f"CREATE OR REPLACE VIEW idt_salary AS SELECT rid, salary_bid AS bid FROM tuples WHERE '{text}' IS NOT NULL"
        )


def rids_by_hash(release: Path, to: Path, keys: dict[int, Any]) -> dict[int, int]:
    """Rids are the order of the identifiers' hashes. Returns old rid -> new rid."""
    with _copy(release, to) as connection:
        connection.register("keyed", pa.table({"rid": list(keys), "key": list(keys.values())}))
        connection.execute(
            "CREATE TEMP TABLE renamed AS SELECT rid, row_number() OVER (ORDER BY md5(key::VARCHAR)) AS new FROM keyed"
        )
        connection.execute(
            "CREATE OR REPLACE TABLE tuples AS SELECT tuples.* REPLACE (new AS rid) FROM tuples JOIN renamed USING (rid) ORDER BY 1"
        )
        return dict(connection.execute("SELECT rid, new FROM renamed").fetchall())
