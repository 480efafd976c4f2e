"""Verification must name what broke: releases corrupted between writing and verifying, one promise at a time."""

# ruff: noqa: E501  SQL reads better in one line

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from random import Random
from typing import Any

import duckdb
import pyarrow as pa
import pytest

import lgb_sql
from lgb_sql import VerificationError, api
from lgb_sql.engines.duckdb import DuckDBEngine
from lgb_sql.render import Sql, Statement
from tests.support import leftovers

Released = Mapping[str, Sql]
Corrupt = Callable[["Saboteur"], None]

ROWS = 80
AREAS = {"land": {"north": ["n1", "n2", {"far north": ["f1", "f2"]}], "south": ["s1", "s2", "s3"], "sea": ["w"]}}
WEEKS = {"year": {f"month {month}": list(range(5 * month, 5 * month + 5)) for month in range(6)}}
POLICY: dict[str, Any] = {
    "k": 3,
    "bucketization": "stride",
    "attributes": {
        "age": {"role": "semi-sensitive", "flag": "age_private", "principle": {"l_diversity": 3}},
        "town": {"role": "quasi-identifier"},
        "job": {"role": "semi-sensitive", "flag": "job_private", "principle": {"l_diversity": 2}},
        "sex": {"role": "sensitive", "principle": {"t_closeness": 0.4}},
        "pay": {"role": "sensitive", "principle": {"l_diversity": 4}},
        "note": {"role": "insensitive"},
        "area": {"role": "quasi-identifier", "hierarchy": AREAS},
        "week": {"role": "semi-sensitive", "flag": "job_private", "principle": {"l_diversity": 2}, "hierarchy": WEEKS},
    },
}


def source() -> pa.Table:
    random = Random(12)
    return pa.table(
        {
            "age": pa.array([random.randrange(20, 80) for _ in range(ROWS)]),
            "town": pa.array([random.choice("ABCDEFGH") for _ in range(ROWS)]),
            "job": pa.array([f"job{random.randrange(12)}" for _ in range(ROWS)]),
            "sex": pa.array(["f", "m", "f", "m", "x"] * (ROWS // 5)),
            "pay": pa.array([random.randrange(60) for _ in range(ROWS)]),
            "note": pa.array([random.choice("xyz") for _ in range(ROWS)]),
            "area": pa.array([random.choice(["n1", "n2", "f1", "f2", "s1", "s2", "w"]) for _ in range(ROWS)]),
            "week": pa.array([random.randrange(30) for _ in range(ROWS)]),
            "age_private": pa.array([random.random() < 0.4 for _ in range(ROWS)]),
            "job_private": pa.array([random.random() < 0.4 for _ in range(ROWS)]),
        }
    )


class Saboteur:
    """Changes a written release, which is open in the run's own engine."""

    def __init__(self, engine: DuckDBEngine, released: Released) -> None:
        self.engine = engine
        self.released = released

    def __getattr__(self, relation: str) -> Sql:
        return self.released[relation]

    def run(self, sql: str) -> None:
        """A statement with {relation} for the place of each relation."""
        self.engine.run(sql.format_map(self.released))

    def number(self, sql: str) -> int:
        rows = self.engine.fetch(Statement("sabotage", sql.format_map(self.released), frozenset()))
        assert rows, "nothing to corrupt"
        return int(rows[0][0])

    def rewrite(self, relation: str, sql: str) -> None:
        """Put the result of a SELECT in a relation's place, in its order; an UPDATE might move rows."""
        self.engine.keep_order(True)
        self.engine.run("CREATE OR REPLACE TEMP TABLE forged AS " + sql.format_map(self.released))
        self.run(f"DELETE FROM {{{relation}}}")
        self.run(f"INSERT INTO {{{relation}}} SELECT * FROM forged")

    def truth(self, attribute: str) -> str:
        """A SELECT of rid and the true value of a cell."""
        return (
            f'SELECT known.rowid + 1 AS rid, source_rows."{attribute}_value" AS value FROM rows_in_secret_order AS known '
            "JOIN source_rows ON source_rows.rowid = known.row_id"
        )

    def rebucket(self, attribute: str, bid: str) -> None:
        """Give tuples other buckets by an expression of `value` and `bid`, and write a SAT that fits them."""
        column = f'"{attribute}_bid"'
        self.engine.run(
            f"CREATE OR REPLACE TEMP TABLE moved AS SELECT rid, value, CAST({bid} AS BIGINT) AS bid FROM "
            f"(SELECT rid, value, {column} AS bid FROM ({self.truth(attribute)}) AS truth "
            f"JOIN {self.released['tuples']} AS tuples USING (rid) WHERE {column} IS NOT NULL) AS cells"
        )
        self.rewrite("tuples", f"SELECT * REPLACE (moved.bid AS {column}) FROM {{tuples}} AS tuples "
                     "LEFT JOIN (SELECT rid AS moved_rid, bid FROM moved) AS moved ON moved_rid = rid ORDER BY rid"
                     .replace("SELECT * REPLACE", "SELECT tuples.* REPLACE"))  # fmt: skip
        self.rewrite(
            f"sat_{attribute}",
            "SELECT bid, value, count(*) AS n FROM moved GROUP BY bid, value ORDER BY bid, value NULLS LAST",
        )


# --- corruptions, by the check that must name them ------------------------------------------------------

CORRUPTIONS: dict[str, tuple[str, Corrupt]] = {}


def breaks(check: str) -> Callable[[Corrupt], Corrupt]:
    def register(corrupt: Corrupt) -> Corrupt:
        CORRUPTIONS[corrupt.__name__] = (check, corrupt)
        return corrupt

    return register


@breaks("group sizes")
def a_group_says_another_size(s: Saboteur) -> None:
    s.rewrite("groups", "SELECT * REPLACE (size + (gid = 2)::BIGINT AS size) FROM {groups} ORDER BY gid")


@breaks("group sizes")
def a_tuple_is_moved_to_another_group(s: Saboteur) -> None:
    s.run("UPDATE {tuples} SET gid = gid % (SELECT max(gid) FROM {groups}) + 1 WHERE rid = 3")


@breaks("group sizes")
def a_group_is_split_below_k(s: Saboteur) -> None:
    """Consistent in itself: a new group of two tuples with the same box."""
    gid = s.number("SELECT gid FROM {groups} ORDER BY size DESC, gid LIMIT 1")
    new = s.number("SELECT max(gid) + 1 FROM {groups}")
    s.run(
        f"UPDATE {{tuples}} SET gid = {new} WHERE rid IN (SELECT rid FROM {{tuples}} WHERE gid = {gid} ORDER BY rid LIMIT 2)"
    )
    s.rewrite(
        "groups",
        f"SELECT * REPLACE (size - 2 * (gid = {gid})::BIGINT AS size) FROM {{groups}} UNION ALL "
        f"SELECT * REPLACE ({new} AS gid, 2 AS size) FROM {{groups}} WHERE gid = {gid} ORDER BY gid",
    )


@breaks("group sizes")
def a_tuple_has_no_group(s: Saboteur) -> None:
    s.run("UPDATE {tuples} SET gid = NULL WHERE rid = 1")


@breaks("group sizes")
def a_group_is_gone(s: Saboteur) -> None:
    s.run("DELETE FROM {groups} WHERE gid = (SELECT max(gid) FROM {groups})")


@breaks("tuples")
def a_tuple_is_dropped(s: Saboteur) -> None:
    s.run("DELETE FROM {tuples} WHERE rid = (SELECT max(rid) FROM {tuples})")


@breaks("tuples")
def a_tuple_stands_twice(s: Saboteur) -> None:
    s.run("INSERT INTO {tuples} SELECT * FROM {tuples} WHERE rid = 1")


@breaks("truth of nodes of area")
def a_node_is_another_leaf(s: Saboteur) -> None:
    """Consistent in itself: node and set agree, but not with the tuples."""
    gid = s.number("SELECT gid FROM {groups} WHERE area_node = 'w' LIMIT 1")
    s.rewrite(
        "groups",
        f"SELECT * REPLACE (CASE WHEN gid = {gid} THEN 's3' ELSE area_node END AS area_node, "
        f"CASE WHEN gid = {gid} THEN ['s3'] ELSE area_set END AS area_set) FROM {{groups}} ORDER BY gid",
    )


@breaks("truth of nodes of area")
def a_node_is_too_high(s: Saboteur) -> None:
    """It covers every tuple, and its set is right, but a lower node would do."""
    gid = s.number("SELECT gid FROM {groups} WHERE len(area_set) = 1 LIMIT 1")
    leaves = "['f1', 'f2', 'n1', 'n2', 's1', 's2', 's3', 'w']"
    s.rewrite(
        "groups",
        f"SELECT * REPLACE (CASE WHEN gid = {gid} THEN 'land' ELSE area_node END AS area_node, "
        f"CASE WHEN gid = {gid} THEN {leaves} ELSE area_set END AS area_set) FROM {{groups}} ORDER BY gid",
    )


@breaks("truth of nodes of area")
def a_single_child_is_shown_as_its_parent(s: Saboteur) -> None:
    """Both cover the same leaf."""
    s.run("UPDATE {groups} SET area_node = 'sea' WHERE gid = (SELECT min(gid) FROM {groups} WHERE area_node = 'w')")


@breaks("truth of nodes of week")
def a_node_does_not_cover_a_tuple(s: Saboteur) -> None:
    gid = s.number("SELECT gid FROM {groups} WHERE len(week_set) > 1 LIMIT 1")
    s.rewrite(
        "groups",
        f"SELECT * REPLACE (CASE WHEN gid = {gid} THEN '0' ELSE week_node END AS week_node, "
        f"CASE WHEN gid = {gid} THEN [0] ELSE week_set END AS week_set) FROM {{groups}} ORDER BY gid",
    )


def change_weeks(s: Saboteur, gid: int, changed: str) -> None:
    shown = f"CASE WHEN gid = {gid} THEN {changed} ELSE week_set END"
    s.rewrite("groups", f"SELECT * REPLACE ({shown} AS week_set) FROM {{groups}} ORDER BY gid")


@breaks("truth of nodes of week")
def a_set_misses_a_leaf_of_its_node(s: Saboteur) -> None:
    """The leaf 0, if any: DuckDB's hash of a list does not see it at the front."""
    gid = s.number("SELECT gid FROM {groups} WHERE len(week_set) > 1 ORDER BY week_set[1], gid LIMIT 1")
    change_weeks(s, gid, "week_set[2:]")


@breaks("truth of nodes of week")
def a_set_has_a_leaf_too_many(s: Saboteur) -> None:
    gid = s.number("SELECT gid FROM {groups} WHERE len(week_set) >= 1 LIMIT 1")
    change_weeks(s, gid, "list_sort(list_append(week_set, 99))")


@breaks("truth of nodes of week")
def the_leaves_of_a_node_are_out_of_order(s: Saboteur) -> None:
    gid = s.number("SELECT gid FROM {groups} WHERE len(week_set) > 1 LIMIT 1")
    change_weeks(s, gid, "list_reverse(week_set)")


@breaks("group forms")
def a_node_is_missing(s: Saboteur) -> None:
    s.run("UPDATE {groups} SET area_node = NULL WHERE gid = 1")


@breaks("group forms")
def a_bucketed_cell_shows_a_node(s: Saboteur) -> None:
    gid = s.number("SELECT gid FROM {groups} WHERE week_form = 'S' LIMIT 1")
    s.run(f"UPDATE {{groups}} SET week_node = 'year' WHERE gid = {gid}")


@breaks("truth of groups")
def a_range_is_cut_at_its_lower_end(s: Saboteur) -> None:
    gid = s.number("SELECT gid FROM {groups} WHERE age_lo < age_hi LIMIT 1")
    s.rewrite("groups", f"SELECT * REPLACE (age_lo + (gid = {gid})::BIGINT AS age_lo) FROM {{groups}} ORDER BY gid")


@breaks("truth of groups")
def a_range_is_cut_at_its_upper_end(s: Saboteur) -> None:
    gid = s.number("SELECT gid FROM {groups} WHERE age_lo < age_hi LIMIT 1")
    s.rewrite("groups", f"SELECT * REPLACE (age_hi - (gid = {gid})::BIGINT AS age_hi) FROM {{groups}} ORDER BY gid")


@breaks("truth of groups")
def a_set_loses_a_value(s: Saboteur) -> None:
    gid = s.number("SELECT gid FROM {groups} WHERE len(town_set) > 1 LIMIT 1")
    shrunk = f"CASE WHEN gid = {gid} THEN town_set[2:] ELSE town_set END"
    s.rewrite("groups", f"SELECT * REPLACE ({shrunk} AS town_set) FROM {{groups}} ORDER BY gid")


@breaks("truth of groups")
def a_set_gains_a_value(s: Saboteur) -> None:
    """Somebody's flagged one, say: nobody in the group shows it."""
    gid = s.number("SELECT gid FROM {groups} WHERE job_form = 'Q' LIMIT 1")
    grown = f"CASE WHEN gid = {gid} THEN list_append(job_set, 'job99') ELSE job_set END"
    s.rewrite("groups", f"SELECT * REPLACE ({grown} AS job_set) FROM {{groups}} ORDER BY gid")


@breaks("truth of groups")
def a_set_shows_a_value_twice(s: Saboteur) -> None:
    gid = s.number("SELECT gid FROM {groups} WHERE len(town_set) > 1 LIMIT 1")
    doubled = f"CASE WHEN gid = {gid} THEN list_append(town_set, town_set[1]) ELSE town_set END"
    s.rewrite("groups", f"SELECT * REPLACE ({doubled} AS town_set) FROM {{groups}} ORDER BY gid")


@breaks("truth of groups")
def a_value_of_another_group_is_shown(s: Saboteur) -> None:
    """One that the dictionary of shown values has; the set keeps its size."""
    gid = s.number("SELECT gid FROM {groups} WHERE len(town_set) = 1 LIMIT 1")
    other = f"(SELECT min(town_set[1]) FROM {{groups}} WHERE town_set[1] NOT IN (SELECT town_set[1] FROM {{groups}} WHERE gid = {gid}))"
    changed = f"CASE WHEN gid = {gid} THEN [{other}] ELSE town_set END"
    s.rewrite("groups", f"SELECT * REPLACE ({changed} AS town_set) FROM {{groups}} ORDER BY gid")


@breaks("links to the source")
def two_tuples_stand_for_one_source_row(s: Saboteur) -> None:
    """The publisher's own table, not the release: a row would go unverified."""
    s.run("UPDATE rows_in_secret_order SET row_id = 0 WHERE row_id = 1")


@breaks("truth of groups")
def two_tuples_of_different_boxes_change_groups(s: Saboteur) -> None:
    """Sizes stay right."""
    sql = (
        "SELECT {what} FROM {{tuples}} AS a JOIN {{groups}} AS ga ON ga.gid = a.gid JOIN {{tuples}} AS b ON a.rid < b.rid "
        "JOIN {{groups}} AS gb ON gb.gid = b.gid WHERE ga.age_hi < gb.age_lo AND (a.job_bid IS NULL) = (b.job_bid IS NULL) "
        "ORDER BY a.rid, b.rid LIMIT 1"
    )
    one, other = s.number(sql.format(what="a.rid")), s.number(sql.format(what="b.rid"))
    one_gid, other_gid = s.number(sql.format(what="a.gid")), s.number(sql.format(what="b.gid"))
    s.run(
        f"UPDATE {{tuples}} SET gid = CASE rid WHEN {one} THEN {other_gid} ELSE {one_gid} END WHERE rid IN ({one}, {other})"
    )


@breaks("truth of groups")
def a_flagged_value_is_shown(s: Saboteur) -> None:
    """A group of flagged ages gets form Q, the true range, and no buckets."""
    gid = s.number("SELECT gid FROM {groups} WHERE age_form = 'S' LIMIT 1")
    values = f"SELECT value FROM ({s.truth('age')}) AS truth JOIN {{tuples}} AS tuples USING (rid) WHERE gid = {gid}"
    low = s.number(f"SELECT min(value) FROM ({values})")
    high = s.number(f"SELECT max(value) FROM ({values})")
    parts = {"age_form": "'Q'", "age_lo": low, "age_hi": high}
    replaced = ", ".join(f"CASE WHEN gid = {gid} THEN {new} ELSE {name} END AS {name}" for name, new in parts.items())
    s.rewrite("groups", f"SELECT * REPLACE ({replaced}) FROM {{groups}} ORDER BY gid")
    s.run(f"UPDATE {{tuples}} SET age_bid = NULL WHERE gid = {gid}")


@breaks("shared forms")
def a_form_says_shown_where_tuples_have_buckets(s: Saboteur) -> None:
    gid = s.number("SELECT gid FROM {groups} WHERE age_form = 'S' LIMIT 1")
    parts = {"age_form": "'Q'", "age_lo": "0", "age_hi": "100"}
    replaced = ", ".join(f"CASE WHEN gid = {gid} THEN {new} ELSE {name} END AS {name}" for name, new in parts.items())
    s.rewrite("groups", f"SELECT * REPLACE ({replaced}) FROM {{groups}} ORDER BY gid")


@breaks("shared forms")
def a_bucketed_cell_loses_its_bucket(s: Saboteur) -> None:
    s.run("UPDATE {tuples} SET job_bid = NULL WHERE rid = (SELECT min(rid) FROM {tuples} WHERE job_bid IS NOT NULL)")


@breaks("shared forms")
def a_sensitive_cell_loses_its_bucket(s: Saboteur) -> None:
    s.run("UPDATE {tuples} SET pay_bid = NULL WHERE rid = 7")


@breaks("group forms")
def a_withheld_cell_shows_a_range(s: Saboteur) -> None:
    gid = s.number("SELECT gid FROM {groups} WHERE age_form <> 'Q' LIMIT 1")
    s.rewrite("groups", f"SELECT * REPLACE (CASE WHEN gid = {gid} THEN 30 ELSE age_lo END AS age_lo, "
              f"CASE WHEN gid = {gid} THEN 31 ELSE age_hi END AS age_hi) FROM {{groups}} ORDER BY gid")  # fmt: skip


@breaks("group forms")
def a_form_is_none_of_the_three(s: Saboteur) -> None:
    s.rewrite(
        "groups",
        "SELECT * REPLACE (CASE WHEN gid = 1 THEN 'X' ELSE town_form END AS town_form) FROM {groups} ORDER BY gid",
    )


@breaks("group forms")
def a_quasi_identifier_claims_to_be_bucketed(s: Saboteur) -> None:
    s.rewrite("groups", "SELECT * REPLACE (CASE WHEN gid = 1 THEN 'S' ELSE town_form END AS town_form, "
              "CASE WHEN gid = 1 THEN NULL ELSE town_set END AS town_set) FROM {groups} ORDER BY gid")  # fmt: skip


@breaks("group forms")
def a_set_is_empty(s: Saboteur) -> None:
    s.rewrite(
        "groups",
        "SELECT * REPLACE (CASE WHEN gid = 1 THEN [] ELSE town_set END AS town_set) FROM {groups} ORDER BY gid",
    )


@breaks("truth of sat_pay")
def two_tuples_change_buckets(s: Saboteur) -> None:
    s.engine.run(
        "CREATE OR REPLACE TEMP TABLE pair AS SELECT a.rid AS one, b.rid AS other, a.pay_bid AS one_bid, b.pay_bid AS other_bid "
        f"FROM {s.tuples} AS a JOIN ({s.truth('pay')}) AS va ON va.rid = a.rid JOIN {s.tuples} AS b ON b.rid > a.rid "
        f"JOIN ({s.truth('pay')}) AS vb ON vb.rid = b.rid WHERE va.value <> vb.value AND a.pay_bid <> b.pay_bid "
        "ORDER BY a.rid, b.rid LIMIT 1"
    )
    s.run(
        "UPDATE {tuples} SET pay_bid = CASE WHEN rid = (SELECT one FROM pair) THEN (SELECT other_bid FROM pair) "
        "ELSE (SELECT one_bid FROM pair) END WHERE rid IN (SELECT unnest([one, other]) FROM pair)"
    )


@breaks("truth of sat_pay")
def a_sat_value_is_changed(s: Saboteur) -> None:
    s.rewrite("sat_pay", "SELECT bid, value + 1000 * (bid = 1 AND value = (SELECT max(value) FROM {sat_pay} WHERE bid = 1))::BIGINT, n "
              "FROM {sat_pay} ORDER BY 1, 2")  # fmt: skip


@breaks("truth of sat_age")
def a_sat_loses_a_row_of_a_large_bucket(s: Saboteur) -> None:
    bid = s.number("SELECT bid FROM {sat_age} GROUP BY bid HAVING sum(n) > 3 LIMIT 1")
    s.rewrite("sat_age", f"SELECT * FROM {{sat_age}} WHERE bid <> {bid} OR value > (SELECT min(value) FROM {{sat_age}} WHERE bid = {bid}) "
              "ORDER BY bid, value")  # fmt: skip


@breaks("truth of sat_sex")
def a_sat_counts_a_value_too_often(s: Saboteur) -> None:
    """Still t-close: one tuple more in the largest bucket."""
    s.rewrite("sat_sex", "SELECT bid, value, n + 1 AS n FROM {sat_sex} ORDER BY bid, value")


@breaks("l_diversity of pay")
def a_sat_count_is_doubled(s: Saboteur) -> None:
    s.rewrite("sat_pay", "SELECT bid, value, n * 2 FROM {sat_pay} ORDER BY bid, value")


@breaks("l_diversity of pay")
def a_bucket_is_too_small(s: Saboteur) -> None:
    """Consistent in itself: one tuple of a bucket of l goes to a bucket that lacks its value."""
    bid = s.number("SELECT bid FROM {sat_pay} GROUP BY bid HAVING sum(n) = 4 ORDER BY bid LIMIT 1")
    value = s.number(f"SELECT min(value) FROM {{sat_pay}} WHERE bid = {bid}")
    other = s.number(
        f"SELECT min(bid) FROM {{sat_pay}} WHERE bid NOT IN (SELECT bid FROM {{sat_pay}} WHERE value = {value})"
    )
    s.rebucket("pay", f"CASE WHEN bid = {bid} AND value = {value} THEN {other} ELSE bid END")


@breaks("l_diversity of pay")
def a_bucket_holds_a_value_twice(s: Saboteur) -> None:
    """Consistent in itself: all tuples of one value come into one bucket."""
    value = s.number("SELECT value FROM {sat_pay} GROUP BY value HAVING count(*) > 1 ORDER BY value LIMIT 1")
    bid = s.number(f"SELECT min(bid) FROM {{sat_pay}} WHERE value = {value}")
    s.rebucket("pay", f"CASE WHEN value = {value} THEN {bid} ELSE bid END")


@breaks("order of sat_pay")
def a_value_stands_in_two_rows_of_a_bucket(s: Saboteur) -> None:
    s.rewrite("sat_pay", "SELECT * FROM {sat_pay} UNION ALL SELECT * FROM {sat_pay} WHERE bid = 2 ORDER BY bid, value")


@breaks("order of sat_job")
def buckets_are_not_numbered_from_one(s: Saboteur) -> None:
    s.rewrite("sat_job", "SELECT * REPLACE (bid + 1 AS bid) FROM {sat_job} ORDER BY bid, value")
    s.run("UPDATE {tuples} SET job_bid = job_bid + 1")


@breaks("order of sat_job")
def a_sat_is_stored_in_another_order(s: Saboteur) -> None:
    s.rewrite("sat_job", "SELECT * FROM {sat_job} ORDER BY hash(value), bid")


@breaks("t_closeness of sex")
def a_bucket_is_skewed(s: Saboteur) -> None:
    """Consistent in itself: all of one sex in a bucket of their own."""
    s.rebucket("sex", "CASE WHEN value = 'f' THEN 1 ELSE 2 END")


@breaks("order of tuples")
def tuples_are_stored_in_another_order(s: Saboteur) -> None:
    s.rewrite("tuples", "SELECT * FROM {tuples} ORDER BY hash(rid)")


@breaks("order of tuples")
def rids_are_not_numbered_from_one(s: Saboteur) -> None:
    s.rewrite("tuples", "SELECT * REPLACE (rid + 1 AS rid) FROM {tuples} ORDER BY rid")


@breaks("order of groups")
def groups_are_stored_in_another_order(s: Saboteur) -> None:
    s.rewrite("groups", "SELECT * FROM {groups} ORDER BY hash(gid)")


@breaks("manifest")
def the_manifest_has_a_field_more(s: Saboteur) -> None:
    s.run("INSERT INTO {manifest} VALUES ('source', '\"/home/me/census.parquet\"')")


@breaks("manifest")
def the_manifest_has_a_field_twice(s: Saboteur) -> None:
    s.run("INSERT INTO {manifest} VALUES ('k', '99')")


@breaks("manifest")
def the_manifest_lacks_a_field(s: Saboteur) -> None:
    s.run("DELETE FROM {manifest} WHERE key = 'rows_suppressed'")


@breaks("manifest")
def the_manifest_promises_another_k(s: Saboteur) -> None:
    s.run("UPDATE {manifest} SET value = '99' WHERE key = 'k'")


@breaks("note")
def an_insensitive_value_is_changed(s: Saboteur) -> None:
    """Released as it is: so it must be as it is."""
    s.run("UPDATE {tuples} SET note = 'other' WHERE rid = 5")


@breaks("columns")
def a_relation_has_a_column_more(s: Saboteur) -> None:
    """Of raw values, say."""
    s.run("ALTER TABLE {tuples} ADD COLUMN age BIGINT")


@breaks("relations")
def a_table_is_left_behind(s: Saboteur) -> None:
    place = str(s.tuples).removesuffix('"tuples"')
    s.run(f"CREATE TABLE {place}leftover AS SELECT 1 AS x")


@breaks("idt_job")
def a_view_shows_something_else(s: Saboteur) -> None:
    s.run("CREATE OR REPLACE VIEW {idt_job} AS SELECT rid, 1::BIGINT AS bid FROM {tuples}")


@breaks("truth of groups")
def a_range_is_stretched_to_a_flagged_value(s: Saboteur) -> None:
    """True of its tuples, but its end is nobody's quasi-identifier."""
    high = s.number("SELECT max(age_hi) + 7 FROM {groups}")
    s.rewrite(
        "groups", f"SELECT * REPLACE (CASE WHEN age_form = 'Q' THEN {high} END AS age_hi) FROM {{groups}} ORDER BY gid"
    )


@breaks("values of domain_age")
def a_domain_lists_what_was_withheld(s: Saboteur) -> None:
    s.rewrite("domain_age", "SELECT * FROM {domain_age} UNION ALL SELECT 99, 1, FALSE ORDER BY declared, value")


@breaks("rows of domain_town")
def a_domain_is_stored_in_another_order(s: Saboteur) -> None:
    s.rewrite("domain_town", "SELECT * FROM {domain_town} ORDER BY hash(value)")


@breaks("weights of domain_age")
def weights_count_the_source(s: Saboteur) -> None:
    """Flagged values that were withheld, too."""
    s.rewrite("domain_age", "SELECT value, weight + 1 AS weight, declared FROM {domain_age} ORDER BY declared, value")


@breaks("entries of help_pay")
def a_help_table_lists_another_value(s: Saboteur) -> None:
    s.rewrite(
        "help_pay",
        "SELECT * REPLACE (CASE WHEN bid = 2 THEN list_transform(entries, lambda x, i: x + (i = 1)::BIGINT) "
        "ELSE entries END AS entries) FROM {help_pay} ORDER BY bid",
    )


@breaks("sums of help_age")
def a_help_table_sums_wrongly(s: Saboteur) -> None:
    s.rewrite(
        "help_age",
        "SELECT * REPLACE (list_transform(low_sums, lambda x, i: x + (i = 2)::BIGINT) AS low_sums) "
        "FROM {help_age} ORDER BY bid",
    )


@breaks("lists of help_pay")
def a_help_table_says_another_size(s: Saboteur) -> None:
    s.rewrite("help_pay", "SELECT * REPLACE (size + 1 AS size) FROM {help_pay} ORDER BY bid")


# --- running them ----------------------------------------------------------------------------------------

Verify = Callable[[], None]
"""The run's own verification of what it wrote."""


def run_with(monkeypatch: pytest.MonkeyPatch, meanwhile: Callable[[Saboteur, Verify], None]) -> None:
    """Let something happen between writing and verifying."""
    verify = vars(api)["verify"]

    def interrupted(engine: DuckDBEngine, bound: Any, released: Released, *rest: Any) -> None:
        meanwhile(Saboteur(engine, released), lambda: verify(engine, bound, released, *rest))
        verify(engine, bound, released, *rest)

    monkeypatch.setattr(api, "verify", interrupted)


def sabotaged(monkeypatch: pytest.MonkeyPatch, corrupt: Corrupt) -> None:
    run_with(monkeypatch, lambda saboteur, _: corrupt(saboteur))


def anonymize(directory: Path, to: str = "release.duckdb") -> None:
    lgb_sql.anonymize(
        source(),
        POLICY,
        to=f"{directory}/{to}",
        crosswalk=directory / "crosswalk.parquet",
        options=lgb_sql.RunOptions(seed=3, threads=1),
    )


Refusals = dict[str, VerificationError | None]
"""What verification said of each corruption; None where it saw nothing."""


def refusal(verify: Verify) -> VerificationError | None:
    try:
        verify()
    except VerificationError as error:
        return error
    return None


def each_in_turn(corruptions: Mapping[str, Corrupt], refusals: Refusals) -> Callable[[Saboteur, Verify], None]:
    """Corrupt one written release in all ways, each in a transaction that is rolled back after the verdict."""

    def meanwhile(saboteur: Saboteur, verify: Verify) -> None:
        for name, corrupt in corruptions.items():
            saboteur.engine.run("BEGIN TRANSACTION")
            corrupt(saboteur)
            refusals[name] = refusal(verify)
            saboteur.engine.run("ROLLBACK")

    return meanwhile


@pytest.fixture(scope="module")
def refusals(tmp_path_factory: pytest.TempPathFactory) -> Refusals:
    """Of all corruptions. Nothing of them stays: untouched again, the release verifies."""
    directory = tmp_path_factory.mktemp("sabotage")
    found: Refusals = {}
    with pytest.MonkeyPatch.context() as patch:
        run_with(patch, each_in_turn({name: corrupt for name, (_, corrupt) in CORRUPTIONS.items()}, found))
        anonymize(directory)
    return found


def test_untouched_it_verifies(tmp_path: Path) -> None:
    anonymize(tmp_path)
    assert leftovers(tmp_path) == ["crosswalk.parquet", "release.duckdb"]


@pytest.mark.parametrize("name", CORRUPTIONS)
def test_a_corrupted_release_is_refused_by_name(name: str, refusals: Refusals) -> None:
    error = refusals[name]
    assert error
    assert re.search(f"verification failed: .*{re.escape(CORRUPTIONS[name][0])}", str(error)), error
    assert error.exit_code == 3


@pytest.mark.parametrize("name", ["a_group_says_another_size", "the_manifest_promises_another_k"])
def test_a_refused_run_leaves_nothing(name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Whichever check it is that refuses."""
    check, corrupt = CORRUPTIONS[name]
    sabotaged(monkeypatch, corrupt)
    with pytest.raises(VerificationError, match=f"verification failed: .*{re.escape(check)}") as caught:
        anonymize(tmp_path)
    assert caught.value.exit_code == 3
    assert leftovers(tmp_path) == []


FORGED_SETS = (
    "list_slice(town_set, 2, 100)",
    "list_append(town_set, 'zzz')",
    "list_append(list_slice(town_set, 2, 100), 'zzz')",
    "list_append(town_set, town_set[1])",
    "list_append(list_slice(town_set, 2, 100), town_set[2])",
)


def forged_set(forged: str) -> Corrupt:
    return lambda s: s.rewrite("groups", f"SELECT * REPLACE ({forged} AS town_set) FROM {{groups}} ORDER BY gid")


def test_a_large_set_is_checked_too(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """More values than an integer has bits."""
    table = pa.table({"town": pa.array([f"t{row % 80:02}" for row in range(160)])})
    found: Refusals = {}
    run_with(monkeypatch, each_in_turn({forged: forged_set(forged) for forged in FORGED_SETS}, found))
    lgb_sql.anonymize(table, {"k": 100, "attributes": {"town": {"role": "quasi-identifier"}}}, to=tmp_path / "r.duckdb")
    for forged in FORGED_SETS:
        message = str(found[forged])
        assert re.search(r"verification failed: truth of .*town|verification failed: truth of groups", message), forged


FORGED_FILES = {
    "a group says another size": ("groups", "group sizes", "SELECT * REPLACE (size + 1 AS size) FROM {groups} ORDER BY gid"),
    "tuples in another order": ("tuples", "order of tuples", "SELECT * FROM {tuples} ORDER BY hash(rid)"),
    "a changed value": ("sat_pay", "truth of sat_pay", "SELECT bid, value + 1 AS value, n FROM {sat_pay} ORDER BY bid, value"),
    "a lost row": ("sat_pay", "l_diversity of pay", "SELECT * FROM {sat_pay} WHERE bid > 1 OR value = (SELECT min(value) FROM {sat_pay} WHERE bid = 1) ORDER BY bid, value"),
    "a file that is no view of its tables": ("idt_pay", "idt_pay", "SELECT rid, bid % 2 + 1 AS bid FROM {idt_pay} ORDER BY rid"),
    "text that is no view of its tables": ("anonymized", "anonymized", "SELECT * REPLACE ('*' AS town) FROM {anonymized} ORDER BY rid"),
}  # fmt: skip


@pytest.mark.parametrize("name", FORGED_FILES)
def test_a_corrupted_parquet_release_is_refused_too(name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    relation, check, sql = FORGED_FILES[name]

    def corrupt(s: Saboteur) -> None:
        found = re.search(r"'(.*)'", str(s.released[relation]))
        assert found
        s.engine.run("CREATE TABLE forged AS " + sql.format_map(s.released))
        s.engine.run(f"COPY forged TO '{found[1]}' (FORMAT parquet)")

    sabotaged(monkeypatch, corrupt)
    with pytest.raises(VerificationError, match=f"verification failed: .*{re.escape(check)}"):
        anonymize(tmp_path, "release/")
    assert leftovers(tmp_path) == []


@pytest.fixture
def database(tmp_path: Path) -> Path:
    path = tmp_path / "source.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.register("given", source())
        connection.execute("CREATE TABLE people AS SELECT * FROM given")
    return path


def check_untouched(connection: duckdb.DuckDBPyConnection) -> None:
    schemas = connection.execute("SELECT schema_name FROM duckdb_schemas() WHERE schema_name = 'released'").fetchall()
    assert schemas == []
    assert connection.execute("SELECT count(*) FROM people").fetchall() == [(ROWS,)]
    assert connection.execute("SELECT count(*) FROM duckdb_tables() WHERE NOT internal").fetchall() == [(1,)]


def test_a_refused_schema_leaves_the_file_as_it_was(monkeypatch: pytest.MonkeyPatch, database: Path) -> None:
    """schema:NAME is one transaction."""
    sabotaged(monkeypatch, CORRUPTIONS["the_manifest_has_a_field_more"][1])
    with pytest.raises(VerificationError, match="manifest"):
        lgb_sql.anonymize(database, POLICY, to="schema:released", table="people")
    with duckdb.connect(str(database)) as connection:
        check_untouched(connection)
    assert leftovers(database.parent) == ["source.duckdb"]


def test_a_refused_schema_leaves_the_connection_as_it_was(monkeypatch: pytest.MonkeyPatch, database: Path) -> None:
    sabotaged(monkeypatch, CORRUPTIONS["the_manifest_has_a_field_more"][1])
    with duckdb.connect(str(database)) as connection:
        with pytest.raises(VerificationError, match="manifest"):
            lgb_sql.anonymize(connection, POLICY, to="schema:released", table="people")
        check_untouched(connection)
    assert leftovers(database.parent) == ["source.duckdb"]
