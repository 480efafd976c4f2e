"""Ways to corrupt a release, its manifest, its file or its source: the audit says no, and names the check."""

# ruff: noqa: E501  SQL reads better in one line

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import lgb_sql
from tests.audit.material import POLICY, Change, Material, corrupted, drop_helpers, number, rewrite

Connection = duckdb.DuckDBPyConnection

# --- rows, columns, views and catalog of a database -------------------------------------------------------

ROWS: dict[str, tuple[str, Change]] = {}


def breaks(check: str) -> Callable[[Change], Change]:
    def register(change: Change) -> Change:
        ROWS[change.__name__] = (check, change)
        return change

    return register


def group_update(**changes: str) -> str:
    parts = ", ".join(f"{new} AS {name}" for name, new in changes.items())
    return f"SELECT * REPLACE ({parts}) FROM groups ORDER BY gid"


@breaks("group sizes")
def a_group_is_split_below_k(c: Connection) -> None:
    """Consistent in itself: a new group of two tuples with the same box."""
    gid = number(c, "SELECT gid FROM groups ORDER BY size DESC, gid LIMIT 1")
    new = number(c, "SELECT max(gid) + 1 FROM groups")
    moved = f"(SELECT list(rid) FROM (SELECT rid FROM tuples WHERE gid = {gid} ORDER BY rid LIMIT 2))"
    rewrite(
        c,
        "tuples",
        f"SELECT * REPLACE (CASE WHEN list_contains({moved}, rid) THEN {new} ELSE gid END AS gid) FROM tuples ORDER BY rid",
    )
    rewrite(
        c,
        "groups",
        f"SELECT * REPLACE (size - 2 * (gid = {gid})::BIGINT AS size) FROM groups UNION ALL SELECT * REPLACE ({new} AS gid, 2 AS size) FROM groups WHERE gid = {gid} ORDER BY gid",
    )


@breaks("group sizes")
def a_group_says_another_size(c: Connection) -> None:
    rewrite(c, "groups", group_update(size="size + (gid = 2)::BIGINT"))


@breaks("group sizes")
def a_tuple_has_no_group(c: Connection) -> None:
    rewrite(c, "tuples", "SELECT * REPLACE (nullif(gid, 1) AS gid) FROM tuples ORDER BY rid")


@breaks("group forms")
def a_form_is_none_of_the_three(c: Connection) -> None:
    rewrite(c, "groups", group_update(town_form="CASE WHEN gid = 1 THEN 'X' ELSE town_form END"))


@breaks("group forms")
def a_bucketed_cell_shows_a_range(c: Connection) -> None:
    lo, hi = (f"CASE WHEN age_form <> 'Q' THEN {n} ELSE age_{s} END" for n, s in ((30, "lo"), (31, "hi")))
    rewrite(c, "groups", group_update(age_lo=lo, age_hi=hi))


@breaks("group forms")
def a_set_is_empty(c: Connection) -> None:
    rewrite(c, "groups", group_update(town_set="CASE WHEN gid = 3 THEN [] ELSE town_set END"))


@breaks("order of ranges")
def a_range_is_reversed(c: Connection) -> None:
    rewrite(c, "groups", group_update(age_lo="age_hi", age_hi="age_lo"))


@breaks("order of ranges")
def a_range_of_words_is_reversed(c: Connection) -> None:
    rewrite(c, "groups", group_update(level_lo="level_hi", level_hi="level_lo"))


@breaks("order of ranges")
def a_range_ends_in_an_unknown_word(c: Connection) -> None:
    rewrite(c, "groups", group_update(level_hi="CASE WHEN gid = 1 THEN 'top' ELSE level_hi END"))


@breaks("order of ranges")
def a_set_is_in_the_order_of_the_rows(c: Connection) -> None:
    rewrite(c, "groups", group_update(town_set="list_reverse(town_set)"))


@breaks("order of ranges")
def a_set_holds_a_value_twice(c: Connection) -> None:
    rewrite(c, "groups", group_update(town_set="list_append(town_set, town_set[len(town_set)])"))


@breaks("shared forms")
def a_bucketed_cell_loses_its_bucket(c: Connection) -> None:
    rewrite(
        c,
        "tuples",
        "SELECT * REPLACE (CASE WHEN rid > (SELECT min(rid) FROM tuples WHERE job_bid IS NOT NULL) THEN job_bid END AS job_bid) FROM tuples ORDER BY rid",
    )


@breaks("shared forms")
def a_sensitive_cell_loses_its_bucket(c: Connection) -> None:
    rewrite(c, "tuples", "SELECT * REPLACE (CASE WHEN rid <> 7 THEN pay_bid END AS pay_bid) FROM tuples ORDER BY rid")


@breaks("l_diversity of pay")
def buckets_are_split_below_l(c: Connection) -> None:
    """Consistent in itself: every bucket's first value and one of its tuples get a bucket of their own."""
    most = number(c, "SELECT max(bid) FROM sat_pay")
    rewrite(
        c,
        "sat_pay",
        f"SELECT bid + {most} * (row_number() OVER (PARTITION BY bid ORDER BY value) = 1)::BIGINT AS bid, value, n FROM sat_pay ORDER BY 1, 2",
    )
    rewrite(
        c,
        "tuples",
        f"SELECT * REPLACE (pay_bid + {most} * (row_number() OVER (PARTITION BY pay_bid ORDER BY rid) = 1)::BIGINT AS pay_bid) FROM tuples ORDER BY rid",
    )


@breaks("l_diversity of pay")
def a_bucket_holds_a_value_twice(c: Connection) -> None:
    rewrite(c, "sat_pay", "SELECT bid, value, n + (bid = 1)::BIGINT FROM sat_pay ORDER BY bid, value")


@breaks("t_closeness of sex")
def a_bucket_is_skewed(c: Connection) -> None:
    """Counts stay right: one bucket gets only one of the values."""
    rewrite(
        c,
        "sat_sex",
        "SELECT bid, min(value) AS value, sum(n)::BIGINT AS n FROM sat_sex WHERE bid = 1 GROUP BY bid UNION ALL SELECT * FROM sat_sex WHERE bid > 1 ORDER BY 1, 2",
    )


@breaks("bucket sizes of job")
def a_tuple_points_to_another_bucket(c: Connection) -> None:
    rewrite(
        c,
        "tuples",
        "SELECT * REPLACE (job_bid % (SELECT max(bid) FROM sat_job) + 1 - (job_bid % 2) AS job_bid) FROM tuples ORDER BY rid",
    )


@breaks("bucket sizes of pay")
def a_bucket_lists_a_value_more(c: Connection) -> None:
    rewrite(c, "sat_pay", "SELECT * FROM sat_pay UNION ALL SELECT 2, 999, 1 ORDER BY 1, 2")


@breaks("values of grade")
def a_bucket_holds_an_unknown_word(c: Connection) -> None:
    rewrite(
        c,
        "sat_grade",
        "SELECT bid, CASE WHEN bid = 1 AND value = (SELECT max(value) FROM sat_grade WHERE bid = 1) THEN 'z' ELSE value END AS value, n FROM sat_grade ORDER BY bid, 2",
    )


@breaks("order of sat_job")
def a_sat_is_in_the_order_of_its_tuples(c: Connection) -> None:
    rewrite(c, "sat_job", "SELECT * FROM sat_job ORDER BY bid, hash(value)")


@breaks("order of tuples")
def tuples_are_stored_by_group(c: Connection) -> None:
    rewrite(c, "tuples", "SELECT * FROM tuples ORDER BY gid, rid")


@breaks("order of tuples")
def rids_have_a_gap(c: Connection) -> None:
    rewrite(c, "tuples", "SELECT * REPLACE (rid + (rid > 9)::BIGINT AS rid) FROM tuples ORDER BY rid")


@breaks("order of groups")
def groups_are_stored_in_another_order(c: Connection) -> None:
    rewrite(c, "groups", "SELECT * FROM groups ORDER BY hash(gid)")


@breaks("secrecy of rid")
def rids_follow_groups(c: Connection) -> None:
    rewrite(
        c, "tuples", "SELECT * REPLACE (row_number() OVER (ORDER BY gid, hash(rid)) AS rid) FROM tuples ORDER BY rid"
    )


@breaks("secrecy of rid")
def rids_keep_groups_together(c: Connection) -> None:
    rewrite(
        c,
        "tuples",
        "SELECT * REPLACE (row_number() OVER (ORDER BY hash(gid), hash(rid)) AS rid) FROM tuples ORDER BY rid",
    )


@breaks("secrecy of rid")
def rids_follow_buckets(c: Connection) -> None:
    rewrite(
        c,
        "tuples",
        "SELECT * REPLACE (row_number() OVER (ORDER BY pay_bid, hash(rid)) AS rid) FROM tuples ORDER BY rid",
    )


@breaks("secrecy of gid")
def gids_follow_ages(c: Connection) -> None:
    c.execute(
        "CREATE TEMP TABLE named AS SELECT gid, row_number() OVER (ORDER BY age_lo, hash(gid)) AS new FROM groups"
    )
    rewrite(c, "tuples", "SELECT t.* REPLACE (new AS gid) FROM tuples t JOIN named USING (gid) ORDER BY rid")
    rewrite(c, "groups", "SELECT g.* REPLACE (new AS gid) FROM groups g JOIN named USING (gid) ORDER BY gid")


@breaks("secrecy of bid of pay")
def bids_follow_values(c: Connection) -> None:
    drop_helpers(c)
    c.execute(
        "CREATE TEMP TABLE named AS SELECT bid, row_number() OVER (ORDER BY min(value), bid) AS new FROM sat_pay GROUP BY bid"
    )
    rewrite(c, "tuples", "SELECT t.* REPLACE (new AS pay_bid) FROM tuples t JOIN named ON bid = pay_bid ORDER BY rid")
    rewrite(c, "sat_pay", "SELECT new AS bid, value, n FROM sat_pay JOIN named USING (bid) ORDER BY 1, 2")


@breaks("links of idt_job")
def a_view_shows_other_buckets(c: Connection) -> None:
    c.execute("CREATE OR REPLACE VIEW idt_job AS SELECT rid, gid AS bid FROM tuples WHERE job_bid IS NOT NULL")


@breaks("views")
def a_view_reads_a_file(c: Connection) -> None:
    c.execute(
        "CREATE OR REPLACE VIEW idt_job AS SELECT rid, job_bid AS bid FROM tuples WHERE (SELECT count(*) FROM duckdb_settings()) > (SELECT count(*) FROM tuples WHERE rid IS NULL) AND job_bid IS NOT NULL"
    )


@breaks("views")
def a_view_holds_a_constant(c: Connection) -> None:
    c.execute(
        "CREATE OR REPLACE VIEW idt_job AS SELECT rid, job_bid AS bid FROM tuples WHERE job_bid IS NOT NULL AND 'Mr Miller' IS NOT NULL"
    )


@breaks("relations")
def a_table_is_left_behind(c: Connection) -> None:
    c.execute("CREATE TABLE leftover AS SELECT 1 AS x")


@breaks("relations")
def a_view_is_a_table(c: Connection) -> None:
    c.execute("CREATE TABLE t AS FROM idt_job; DROP VIEW idt_job; ALTER TABLE t RENAME TO idt_job")


@breaks("columns")
def a_column_of_raw_values_is_left(c: Connection) -> None:
    c.execute("CREATE OR REPLACE TABLE tuples AS SELECT *, 1 AS age FROM tuples ORDER BY rid")


@breaks("columns")
def a_column_is_an_enum(c: Connection) -> None:
    """An ENUM lists all its words, shown or not."""
    c.execute(
        "CREATE OR REPLACE TABLE sat_job AS SELECT bid, value::ENUM('job0','job1','job2','job3','job4','job5','job6','job7','job8','job9','job10','job11','secret') AS value, n FROM sat_job ORDER BY bid, value"
    )


@breaks("macros")
def a_macro_of_another_name(c: Connection) -> None:
    c.execute("CREATE MACRO real_age(x) AS x + 40")


@breaks("macros")
def a_macro_reads_a_file(c: Connection) -> None:
    c.execute("CREATE MACRO lgb_all(path) AS TABLE SELECT * FROM read_text(path)")


@breaks("catalog")
def a_schema_more(c: Connection) -> None:
    c.execute("CREATE SCHEMA raw; CREATE TABLE raw.people AS SELECT 1 AS x")


@breaks("catalog")
def a_comment_says_too_much(c: Connection) -> None:
    c.execute("COMMENT ON COLUMN tuples.gid IS 'as in /home/me/people.csv'")


@breaks("catalog")
def a_sequence_counts_the_source(c: Connection) -> None:
    c.execute("CREATE SEQUENCE ids START 31055")


@breaks("catalog")
def a_type_lists_words(c: Connection) -> None:
    c.execute("CREATE TYPE illness AS ENUM ('flu', 'HIV')")


@breaks("truth of groups")
def a_range_is_too_narrow(c: Connection) -> None:
    gid = number(c, "SELECT gid FROM groups WHERE age_lo < age_hi LIMIT 1")
    rewrite(c, "groups", group_update(age_lo=f"age_lo + (gid = {gid})::BIGINT"))


@breaks("truth of groups")
def a_range_is_stretched(c: Connection) -> None:
    drop_helpers(c)
    rewrite(c, "groups", group_update(age_hi="age_hi + 7"))


@breaks("truth of groups")
def a_set_gains_a_value(c: Connection) -> None:
    drop_helpers(c)
    rewrite(c, "groups", group_update(town_set="CASE WHEN gid = 1 THEN list_append(town_set, 'Z') ELSE town_set END"))


@breaks("truth of sat_pay")
def two_values_change_buckets(c: Connection) -> None:
    drop_helpers(c)
    rewrite(
        c,
        "sat_pay",
        "SELECT bid, value + 1000 * (value = (SELECT max(value) FROM sat_pay))::BIGINT AS value, n FROM sat_pay ORDER BY bid, 2",
    )


@breaks("truth of sat_age")
def tuples_change_buckets(c: Connection) -> None:
    """Sizes stay right: bids go round among the tuples."""
    rewrite(
        c,
        "tuples",
        "SELECT t.* REPLACE (moved.bid AS age_bid) FROM tuples t LEFT JOIN (SELECT rid, coalesce(lead(age_bid) OVER (ORDER BY rid), first(age_bid) OVER (ORDER BY rid)) AS bid FROM tuples WHERE age_bid IS NOT NULL) AS moved USING (rid) ORDER BY rid",
    )


@breaks("truth of note")
def an_insensitive_value_is_changed(c: Connection) -> None:
    rewrite(
        c, "tuples", "SELECT * REPLACE (CASE WHEN rid = 5 THEN 'other' ELSE note END AS note) FROM tuples ORDER BY rid"
    )


def broken_names(verdict: lgb_sql.Verdict) -> list[str]:
    return [result.name for result in verdict.broken]


def test_a_rewritten_release_is_still_sound(material: Material, tmp_path: Path) -> None:
    """Else the mutants below would be caught for the wrong reason."""
    assert broken_names(material.audit(corrupted(material, tmp_path, lambda _: None))) == []


@pytest.mark.parametrize("name", ROWS)
def test_a_corrupted_database_is_caught(name: str, material: Material, tmp_path: Path) -> None:
    check, change = ROWS[name]
    verdict = material.audit(corrupted(material, tmp_path, change))
    assert not verdict
    assert check in broken_names(verdict)
    assert verdict.line.startswith("NO")


# --- the manifest ----------------------------------------------------------------------------------------

MANIFEST: dict[str, tuple[str, str, Callable[[Any], Any]]] = {
    "a larger k": ("group sizes", "k", lambda _: 50),
    "k of one": ("manifest", "k", lambda _: 1),
    "k below the policy's": ("policy: k", "k", lambda _: 2),
    "a larger l": ("l_diversity of pay", "principles", lambda old: {**old, "pay": {"l_diversity": 9}}),
    "a smaller l": ("policy: attributes", "principles", lambda old: {**old, "pay": {"l_diversity": 2}}),
    "another role": ("policy: attributes", "roles", lambda old: {**old, "note": "insensitive", "town": "insensitive"}),
    "a seed": ("randomness", "reproducible", lambda _: True),
    "fewer rows": ("manifest", "rows_released", lambda old: old - 1),
    "hidden suppression": ("manifest", "rows_suppressed", lambda _: 4),
    "withheld cells": ("manifest", "cells_withheld", lambda old: old + 1),
    "a path as method": ("manifest", "generalization", lambda _: "/home/me/people.csv"),
    "a path as version": ("manifest", "software_version", lambda _: "/home/me/people.csv"),
    "a metric more": ("manifest", "metrics", lambda old: {**old, "max_pay": 59}),
    "another metric": ("manifest", "metrics", lambda old: {**old, "c_dm": 1}),
    "a metric as text": ("manifest", "metrics", lambda old: {**old, "ncp": "Miller"}),
    "a field more": ("manifest", "salt", lambda _: "c0ffee"),
    "other methods": ("policy: methods", "bucketization", lambda _: "sweep"),
}


def with_field(field: str, change: Callable[[Any], Any]) -> Change:
    def apply(c: Connection) -> None:
        rows = c.execute("SELECT key, value FROM manifest").fetchall()
        fields = {key: json.loads(value) for key, value in rows}
        fields[field] = change(fields.get(field))
        c.execute("DELETE FROM manifest")
        c.executemany("INSERT INTO manifest VALUES (?, ?)", [(key, json.dumps(value)) for key, value in fields.items()])

    return apply


@pytest.mark.parametrize("name", MANIFEST)
def test_a_corrupted_manifest_is_caught(name: str, material: Material, tmp_path: Path) -> None:
    check, field, change = MANIFEST[name]
    release = corrupted(material, tmp_path, with_field(field, change))
    if name == "another role":  # its columns are not there: no release at all
        with pytest.raises(lgb_sql.ReleaseError):
            material.audit(release)
        return
    assert check in broken_names(material.audit(release))


def test_a_field_that_stands_twice_is_caught(material: Material, tmp_path: Path) -> None:
    def twice(c: Connection) -> None:
        c.execute("INSERT INTO manifest SELECT * FROM manifest WHERE key = 'k'")

    assert broken_names(material.audit(corrupted(material, tmp_path, twice))) == ["manifest"]


# --- bytes of the files ----------------------------------------------------------------------------------


def append(path: Path) -> None:
    with path.open("ab") as file:
        file.write(b"Mr Miller, 42, HIV")


def drop_a_table(path: Path) -> None:
    """The raw table was in the file, and is gone for SQL only."""
    with duckdb.connect(str(path)) as connection:
        connection.execute(
            "CREATE TABLE raw AS SELECT hash(range)::VARCHAR AS x FROM range(200000); CHECKPOINT; DROP TABLE raw; CHECKPOINT"
        )


def delete_rows(path: Path) -> None:
    with duckdb.connect(str(path)) as connection:
        connection.execute(
            "INSERT INTO sat_job SELECT 0, 'secret', 1 FROM range(10); DELETE FROM sat_job WHERE bid = 0; CHECKPOINT"
        )


def leave_a_log(path: Path) -> None:
    with duckdb.connect(str(path)) as connection:
        connection.execute("SET checkpoint_threshold = '1TB'; PRAGMA disable_checkpoint_on_shutdown")
        connection.execute("CREATE TABLE raw AS SELECT 'HIV' AS x; DROP TABLE raw")
    assert Path(f"{path}.wal").exists()


@pytest.mark.parametrize("change", [append, drop_a_table, delete_rows, leave_a_log])
def test_leftovers_in_a_database_file_are_caught(
    change: Callable[[Path], None], material: Material, tmp_path: Path
) -> None:
    release = tmp_path / "release.duckdb"
    shutil.copy(material.release, release)
    change(release)
    assert "leftovers" in broken_names(material.audit(release, truth=False))


def rewritten(path: Path, **options: Any) -> None:
    table = pq.read_table(path)
    pq.write_table(table, path, **options)


def hidden_bytes(files: Path) -> None:
    """Between the last column and the footer, where no reader looks."""
    path = files / "sat_pay.parquet"
    data = path.read_bytes()
    length = int.from_bytes(data[-8:-4], "little") + 8
    path.write_bytes(data[:-length] + b"Mr Miller, 42, HIV" + data[-length:])


def a_note_in_the_footer(files: Path) -> None:
    path = files / "sat_pay.parquet"
    with duckdb.connect() as connection:
        connection.execute(
            f"COPY (FROM '{path}') TO '{path}.new' (FORMAT parquet, KV_METADATA {{source: '/home/me/people.csv'}})"
        )
    Path(f"{path}.new").rename(path)


def written_by_another_program(files: Path) -> None:
    """Its dictionaries and statistics may hold what the rows do not."""
    rewritten(files / "sat_job.parquet")


def replaced_by_a_link(files: Path) -> None:
    path = files / "sat_pay.parquet"
    path.rename(files.parent / "away")
    path.symlink_to(files.parent / "away")


FILES: dict[str, tuple[str, Callable[[Path], Any]]] = {
    "hidden bytes": ("leftovers", hidden_bytes),
    "a note in the footer": ("leftovers", a_note_in_the_footer),
    "written by another program": ("leftovers", written_by_another_program),
    "a file more": ("files", lambda files: (files / "people.csv").write_text("Miller")),
    "a hidden file": ("files", lambda files: (files / ".people").write_text("Miller")),
    "a partition": ("files", lambda files: (files / "disease=HIV").mkdir()),
    "a relation more": ("relations", lambda files: shutil.copy(files / "sat_pay.parquet", files / "raw.parquet")),
}


@pytest.mark.parametrize("name", FILES)
def test_a_corrupted_directory_is_caught(name: str, material: Material, tmp_path: Path) -> None:
    check, change = FILES[name]
    files = tmp_path / "files"
    shutil.copytree(material.files, files)
    change(files)
    assert check in broken_names(material.audit(files, truth=False))


def test_a_directory_of_links_is_not_read(material: Material, tmp_path: Path) -> None:
    files = tmp_path / "files"
    shutil.copytree(material.files, files)
    replaced_by_a_link(files)
    with pytest.raises(lgb_sql.ReleaseError, match="no regular file") as caught:
        material.audit(files, truth=False)
    assert caught.value.exit_code == 2


def test_a_directory_s_texts_are_compared_row_by_row(material: Material, tmp_path: Path) -> None:
    files = tmp_path / "files"
    shutil.copytree(material.files, files)
    path = files / "anonymized.parquet"
    with duckdb.connect() as connection:
        connection.execute(
            f"COPY (SELECT * REPLACE (CASE WHEN rid = {390} THEN '[33, 33]' ELSE age END AS age) FROM '{path}' ORDER BY rid) TO '{path}.new' (FORMAT parquet)"
        )
    Path(f"{path}.new").rename(path)
    assert broken_names(material.audit(files)) == ["texts"]


# --- the source, the crosswalk and the policy ---------------------------------------------------------------


def changed_source(material: Material, tmp_path: Path, select: str) -> Path:
    path = tmp_path / "source.parquet"
    with duckdb.connect() as connection:
        connection.execute(f"COPY ({select.format(source=material.source)}) TO '{path}' (FORMAT parquet)")
    return path


SOURCES = {
    "an age is another": (
        "SELECT * REPLACE (age + (id = 1003)::BIGINT * 99 AS age) FROM '{source}'",
        ("truth of groups", "truth of sat_age"),
    ),
    "a flag is another": (
        "SELECT * REPLACE (age_private <> (id = 1003) AS age_private) FROM '{source}'",
        ("truth of groups",),
    ),
    "a pay is another": (
        "SELECT * REPLACE (pay + (id = 1003)::BIGINT * 99 AS pay) FROM '{source}'",
        ("truth of sat_pay",),
    ),
    "a row more": (
        "FROM '{source}' UNION ALL SELECT * REPLACE (9999 AS id) FROM '{source}' WHERE id = 1003",
        ("crosswalk",),
    ),
    "a row fewer": ("FROM '{source}' WHERE id <> 1003", ("crosswalk",)),
    "a key twice": ("SELECT * REPLACE (CASE id WHEN 1003 THEN 1004 ELSE id END AS id) FROM '{source}'", ("crosswalk",)),
    "a flag is NULL": (
        "SELECT * REPLACE (CASE WHEN id <> 1003 THEN job_private END AS job_private) FROM '{source}'",
        ("flags of job",),
    ),
}


@pytest.mark.parametrize("name", SOURCES)
def test_another_source_is_noticed(name: str, material: Material, tmp_path: Path) -> None:
    select, checks = SOURCES[name]
    verdict = material.audit(material.release, source=changed_source(material, tmp_path, select))
    assert set(broken_names(verdict)) & set(checks)


def test_several_rows_of_a_unit_are_noticed(material: Material, tmp_path: Path) -> None:
    units = changed_source(material, tmp_path, "SELECT *, id // 2 AS person FROM '{source}'")
    verdict = lgb_sql.audit(
        material.release, policy={**POLICY, "unit": "person"}, source=units, crosswalk=material.crosswalk
    )
    assert broken_names(verdict) == ["units"]


def test_an_exchanged_crosswalk_is_noticed(material: Material, tmp_path: Path) -> None:
    table = pq.read_table(material.crosswalk)
    rids = table["rid"].to_pylist()
    path = tmp_path / "crosswalk.parquet"
    pq.write_table(table.set_column(1, "rid", pa.array([*rids[1:], rids[0]])), path)
    assert "truth of groups" in broken_names(material.audit(material.release, crosswalk=path))
    pq.write_table(table.set_column(1, "rid", pa.array([rids[1], *rids[1:]])), path)
    assert broken_names(material.audit(material.release, crosswalk=path)) == ["crosswalk"]


def test_there_are_enough_mutants() -> None:
    assert len(ROWS) + len(MANIFEST) + len(FILES) + len(SOURCES) + 4 >= 25
