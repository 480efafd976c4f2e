"""Ways to corrupt the tables that help to answer queries: the audit says no, and names the check."""

# ruff: noqa: E501  SQL reads better in one line

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest

import lgb_sql
from tests.audit.material import Change, Material, corrupted, drop_helpers, rewrite

Connection = duckdb.DuckDBPyConnection
ROWS: dict[str, tuple[str, Change]] = {}


def breaks(check: str) -> Callable[[Change], Change]:
    def register(change: Change) -> Change:
        ROWS[change.__name__] = (check, change)
        return change

    return register


def broken_names(verdict: lgb_sql.Verdict) -> list[str]:
    return [result.name for result in verdict.broken]


@breaks("values of domain_town")
def a_domain_knows_more_than_the_release(c: Connection) -> None:
    rewrite(
        c, "domain_town", "SELECT * FROM domain_town UNION ALL SELECT 'Zwiesel', 1.5, FALSE ORDER BY declared, value"
    )


@breaks("values of domain_age")
def a_domain_knows_a_flagged_value_that_was_withheld(c: Connection) -> None:
    rewrite(c, "domain_age", "SELECT * FROM domain_age UNION ALL SELECT 99, 1, FALSE ORDER BY declared, value")


@breaks("values of domain_age")
def a_domain_lacks_a_value(c: Connection) -> None:
    rewrite(
        c,
        "domain_age",
        "SELECT * FROM domain_age WHERE value <> (SELECT max(age_hi) FROM groups) ORDER BY declared, value",
    )


@breaks("policy: domains")
def a_domain_declares_what_the_policy_does_not(c: Connection) -> None:
    rewrite(
        c, "domain_town", "SELECT * FROM domain_town UNION ALL SELECT 'Zwiesel', NULL, TRUE ORDER BY declared, value"
    )


@breaks("policy: domains")
def a_domain_lacks_what_the_policy_declares(c: Connection) -> None:
    rewrite(c, "domain_age", "SELECT * FROM domain_age WHERE NOT declared OR value = 0 ORDER BY declared, value")


@breaks("policy: domains")
def a_domain_declares_another_end(c: Connection) -> None:
    rewrite(
        c,
        "domain_age",
        "SELECT * REPLACE (CASE WHEN declared AND value = 120 THEN 117 ELSE value END AS value) FROM domain_age ORDER BY declared, value",
    )


@breaks("rows of domain_age")
def a_domain_is_in_another_order(c: Connection) -> None:
    rewrite(c, "domain_age", "SELECT * FROM domain_age ORDER BY declared, hash(value)")


@breaks("rows of domain_town")
def a_domain_lists_a_value_twice(c: Connection) -> None:
    rewrite(
        c,
        "domain_town",
        "SELECT * FROM domain_town UNION ALL SELECT * FROM domain_town WHERE value = 'A' ORDER BY declared, value",
    )


@breaks("rows of domain_town")
def a_domain_lists_null(c: Connection) -> None:
    rewrite(
        c,
        "domain_town",
        "SELECT * FROM domain_town UNION ALL SELECT NULL, 1, FALSE ORDER BY declared, value NULLS LAST",
    )


def weighed(weight: str) -> Change:
    return lambda c: rewrite(
        c,
        "domain_town",
        f"SELECT value, CASE value WHEN 'A' THEN {weight} ELSE weight END, declared FROM domain_town ORDER BY declared, value",
    )


for number_of, written in {
    "negative": "-1",
    "zero": "0",
    "endless": "'inf'",
    "no_number": "'nan'",
    "no": "NULL",
}.items():
    ROWS[f"a_weight_is_{number_of}"] = ("rows of domain_town", weighed(written))


ROWS["a_weight_adds_tuples"] = ("weights of domain_town", weighed("weight + 3"))


@breaks("weights of domain_town")
def weights_say_more_than_groups_show(c: Connection) -> None:
    """In total as many tuples: half of one value's, which surely has them, are said to be another's."""
    rewrite(
        c,
        "domain_town",
        "WITH lent AS (SELECT 0.9 * weight AS tuples FROM domain_town WHERE value = 'A') SELECT value, "
        "CASE value WHEN 'A' THEN weight - lent.tuples WHEN 'B' THEN weight + lent.tuples ELSE weight END, declared "
        "FROM domain_town, lent ORDER BY declared, value",
    )


@breaks("rows of domain_age")
def a_declared_value_has_a_weight(c: Connection) -> None:
    rewrite(c, "domain_age", "SELECT value, coalesce(weight, 3), declared FROM domain_age ORDER BY declared, value")


@breaks("columns")
def a_domain_has_a_column_more(c: Connection) -> None:
    c.execute("CREATE OR REPLACE TABLE domain_town AS SELECT *, 7 AS truth FROM domain_town ORDER BY declared, value")


@breaks("columns")
def a_domain_is_of_another_type(c: Connection) -> None:
    c.execute(
        "CREATE OR REPLACE TABLE domain_age AS SELECT CAST(value AS INTEGER) AS value, weight, declared FROM domain_age ORDER BY declared, value"
    )


@breaks("columns")
def a_help_table_sums_in_another_type(c: Connection) -> None:
    c.execute(
        "CREATE OR REPLACE TABLE help_pay AS SELECT * REPLACE (CAST(low_sums AS BIGINT[]) AS low_sums) FROM help_pay ORDER BY bid"
    )


@breaks("relations")
def a_domain_of_what_is_sensitive(c: Connection) -> None:
    c.execute(
        "CREATE TABLE domain_pay AS SELECT DISTINCT value, 1.0::DOUBLE AS weight, FALSE AS declared FROM sat_pay ORDER BY value"
    )


@breaks("relations")
def a_help_table_of_text(c: Connection) -> None:
    c.execute("CREATE TABLE help_job AS SELECT bid, list(value) AS entries FROM sat_job GROUP BY bid ORDER BY bid")


def helped(changed: str) -> str:
    return f"SELECT * REPLACE ({changed}) FROM help_pay ORDER BY bid"


@breaks("entries of help_pay")
def a_help_table_knows_another_value(c: Connection) -> None:
    rewrite(
        c,
        "help_pay",
        helped(
            "CASE WHEN bid = 3 THEN list_transform(entries, lambda x, i: x + (i = 2)::BIGINT) ELSE entries END AS entries"
        ),
    )


@breaks("sums of help_pay")
def a_low_sum_is_another(c: Connection) -> None:
    rewrite(
        c,
        "help_pay",
        helped(
            "CASE WHEN bid = 3 THEN list_transform(low_sums, lambda x, i: x + (i = 2)::BIGINT) ELSE low_sums END AS low_sums"
        ),
    )


@breaks("sums of help_age")
def a_high_sum_is_another(c: Connection) -> None:
    rewrite(
        c,
        "help_age",
        "SELECT * REPLACE (list_transform(high_sums, lambda x, i: x + (i = len(high_sums))::BIGINT) AS high_sums) FROM help_age ORDER BY bid",
    )


@breaks("lists of help_pay")
def sums_of_nothing_are_something(c: Connection) -> None:
    rewrite(c, "help_pay", helped("list_transform(low_sums, lambda x, i: x + (i = 1)::BIGINT) AS low_sums"))


@breaks("lists of help_pay")
def a_help_table_says_another_size(c: Connection) -> None:
    rewrite(c, "help_pay", helped("size + (bid = 2)::BIGINT AS size"))


@breaks("lists of help_pay")
def a_list_of_sums_is_longer(c: Connection) -> None:
    rewrite(c, "help_pay", helped("CASE bid WHEN 1 THEN list_append(high_sums, 42) ELSE high_sums END AS high_sums"))


@breaks("lists of help_age")
def a_help_table_lacks_a_bucket(c: Connection) -> None:
    rewrite(c, "help_age", "SELECT * FROM help_age WHERE bid > 1 ORDER BY bid")


@breaks("order of help_age")
def a_help_table_is_in_another_order(c: Connection) -> None:
    rewrite(c, "help_age", "SELECT * FROM help_age ORDER BY hash(bid)")


@pytest.mark.parametrize("name", ROWS)
def test_a_corrupted_helper_is_caught(name: str, material: Material, tmp_path: Path) -> None:
    check, change = ROWS[name]
    verdict = material.audit(corrupted(material, tmp_path, change), truth=False)
    assert check in broken_names(verdict)


def test_a_release_without_tables_for_queries_is_sound(material: Material, tmp_path: Path) -> None:
    older = corrupted(material, tmp_path, drop_helpers)
    assert broken_names(material.audit(older)) == []
    exported = lgb_sql.export(older, to=tmp_path / "files/")
    assert "domain_age" not in exported.relations
    assert broken_names(material.audit(tmp_path / "files")) == []


def test_a_directory_s_help_is_recomputed(material: Material, tmp_path: Path) -> None:
    files = tmp_path / "files"
    shutil.copytree(material.files, files)
    path = files / "help_pay.parquet"
    with duckdb.connect() as connection:
        connection.execute(
            f"COPY (SELECT * REPLACE (list_transform(entries, lambda x, i: x + (bid = 9)::BIGINT) AS entries) FROM '{path}' ORDER BY bid) TO '{path}.new' (FORMAT parquet)"
        )
    Path(f"{path}.new").rename(path)
    assert broken_names(material.audit(files)) == ["entries of help_pay", "sums of help_pay"]
