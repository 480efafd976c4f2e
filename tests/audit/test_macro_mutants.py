"""Ways to hide something in the macros of a release, or in their script: the audit says no."""

# ruff: noqa: E501  SQL reads better in one line

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest

import lgb_sql
from lgb_sql.macros import MACRO_FILE
from tests.audit.material import Material, corrupted

Connection = duckdb.DuckDBPyConnection


def broken_names(verdict: lgb_sql.Verdict) -> list[str]:
    return [result.name for result in verdict.broken]


CATALOG = {
    "a macro more, over released tables": "CREATE MACRO lgb_rows(least) AS TABLE SELECT * FROM tuples WHERE rid >= least",
    "a scalar macro": "CREATE MACRO lgb_age(x) AS x + 40",
    "another text": "CREATE OR REPLACE MACRO lgb_help() AS TABLE SELECT 'Ann is 41' AS macro",
    "another default": "CREATE OR REPLACE MACRO lgb_sums(units := 'Ann is 41') AS TABLE SELECT 1 AS x",
    "a second text for other arguments": "CREATE MACRO lgb_notes(x) AS TABLE (SELECT 1 AS a), (x, y) AS TABLE (SELECT 'Ann' AS a)",
    "a file is read": "CREATE MACRO lgb_file(path) AS TABLE SELECT * FROM read_text(path)",
}


@pytest.mark.parametrize("name", CATALOG)
def test_other_macros_are_caught(name: str, material: Material, tmp_path: Path) -> None:
    def change(c: Connection) -> None:
        c.execute(CATALOG[name])

    verdict = material.audit(corrupted(material, tmp_path, change), truth=False)
    assert broken_names(verdict) == ["macros"]


def changed_default(c: Connection) -> None:
    """Text and arguments stay as they are; the catalog does not show defaults."""
    text, names = c.execute(
        "SELECT macro_definition, parameters FROM duckdb_functions() WHERE function_name = 'lgb_count'"
    ).fetchall()[0]
    arguments = ", ".join(f"{name} := {index * 'A' + 'nn'!r}" for index, name in enumerate(names))
    c.execute(f"CREATE OR REPLACE MACRO lgb_count({arguments}) AS TABLE {text}")


def test_a_default_that_says_something_is_caught(material: Material, tmp_path: Path) -> None:
    assert broken_names(material.audit(corrupted(material, tmp_path, changed_default), truth=False)) == ["macros"]


def commented(c: Connection) -> None:
    c.execute("COMMENT ON MACRO TABLE lgb_count IS 'Ann is 41'")


def test_a_comment_on_a_macro_is_caught(material: Material, tmp_path: Path) -> None:
    assert not material.audit(corrupted(material, tmp_path, commented), truth=False)


@pytest.mark.parametrize(
    "types",
    [
        ("TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS", "TIMESTAMPTZ", "DATE", "TIME"),
        ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "DECIMAL(10,2)", "FLOAT", "DOUBLE"),
        ("UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT", "VARCHAR", "UUID", "BOOLEAN"),
    ],
)
def test_macros_of_every_type_are_known_again(types: tuple[str, ...], tmp_path: Path) -> None:
    """The engine spells some types one way in memory and another way in a file."""
    to_type = {
        kind: "to_timestamp(i)" if kind.startswith("TIMESTAMP") else "DATE '2020-01-01' + CAST(i AS INTEGER)"
        for kind in types
        if kind.startswith(("TIMESTAMP", "DATE"))
    }
    to_type |= {"TIME": "TIME '10:00:00' + to_seconds(i)", "UUID": "md5(CAST(i AS VARCHAR))", "BOOLEAN": "i > 5"}
    columns = ", ".join(f"CAST({to_type.get(kind, 'i')} AS {kind}) AS c{place}" for place, kind in enumerate(types))
    flags = "i % 2 = 0 AS flag"
    source = tmp_path / "source.duckdb"
    with duckdb.connect(str(source)) as c:
        c.execute(f"CREATE TABLE t AS SELECT {columns}, {flags} FROM (SELECT r % 10 AS i FROM range(60) AS _(r))")
    semi = {"role": "semi-sensitive", "flag": "flag", "principle": {"l_diversity": 2}}
    attributes = {f"c{place}": {"role": "quasi-identifier"} if place % 2 else semi for place in range(len(types))}
    if "BOOLEAN" in types:
        attributes[f"c{types.index('BOOLEAN')}"] = {"role": "insensitive"}
    lgb_sql.anonymize(source, {"k": 3, "attributes": attributes}, to=tmp_path / "r.duckdb", table="t")
    assert broken_names(lgb_sql.audit(tmp_path / "r.duckdb")) == []


def test_a_release_without_macros_is_sound(material: Material, tmp_path: Path) -> None:
    def without(c: Connection) -> None:
        names = c.execute(
            "SELECT DISTINCT function_name FROM duckdb_functions() WHERE database_name = current_database()"
        ).fetchall()
        for (name,) in names:
            c.execute(f'DROP MACRO TABLE "{name}"')

    assert broken_names(material.audit(corrupted(material, tmp_path, without), truth=False)) == []


def appended(file: Path) -> None:
    file.write_text(file.read_text() + "-- Ann is 41\n")


def shortened(file: Path) -> None:
    file.write_text(file.read_text()[:-40])


def elsewhere(file: Path) -> None:
    file.write_text(file.read_text().replace("read_parquet('tuples.parquet')", "read_parquet('/srv/people.parq')"))


def renamed(file: Path) -> None:
    file.rename(file.with_name("more.sql"))


def linked(file: Path) -> None:
    real = file.with_name("..") / ".." / "real.sql"
    shutil.move(file, real)
    file.symlink_to(real)


@pytest.mark.parametrize("change", [appended, shortened, elsewhere, renamed, linked])
def test_another_script_is_caught(change: Callable[[Path], None], material: Material, tmp_path: Path) -> None:
    copy = tmp_path / "in" / "copy"
    shutil.copytree(material.files, copy)
    assert material.audit(copy, truth=False)
    change(copy / MACRO_FILE)
    assert broken_names(material.audit(copy, truth=False)) == ["files"]
