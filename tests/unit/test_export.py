"""Exports: every form of a release into every form of a copy, which is a release of its own."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pyarrow as pa
import pytest

import lgb_sql
from tests.support import Observed, quoted, read_directory, read_duckdb

ROWS = 60
TABLE = pa.table(
    {
        "age": [row % 23 for row in range(ROWS)],
        "job": ["abc"[row % 3] for row in range(ROWS)],
        "private": [row % 4 == 0 for row in range(ROWS)],
        "pay": [row % 12 for row in range(ROWS)],
    }
)
POLICY = {
    "k": 3,
    "attributes": {
        "age": {"role": "semi-sensitive", "flag": "private", "principle": {"l_diversity": 2}},
        "job": {"role": "quasi-identifier"},
        "pay": {"role": "sensitive", "principle": {"l_diversity": 3}},
    },
}
COUNT = "SELECT * FROM lgb_count(age := age > 11, job := job = 'a')"


def released(directory: Path, form: str) -> lgb_sql.Release:
    if not form.startswith("schema:"):
        return lgb_sql.anonymize(TABLE, POLICY, to=f"{directory}/{form}")
    source = directory / "s.duckdb"
    with duckdb.connect(str(source)) as connection:
        connection.register("given", TABLE)
        connection.execute("CREATE TABLE people AS SELECT * FROM given")
    return lgb_sql.anonymize(source, POLICY, to=form, table="people")


def read(place: Path) -> Observed:
    return read_directory(place) if place.is_dir() else read_duckdb(place)


def counted(place: Path, schema: str = "main") -> list[tuple[object, ...]]:
    """What the release's own macros answer, without the program."""
    if place.is_dir():
        with duckdb.connect() as connection, pytest.MonkeyPatch.context() as patched:
            patched.chdir(place)
            connection.execute((place / "macros.sql").read_text())
            return connection.execute(COUNT).fetchall()
    with duckdb.connect(str(place), read_only=True) as connection:
        connection.execute(f"USE {quoted(place.stem)}.{quoted(schema)}")
        return connection.execute(COUNT).fetchall()


@pytest.mark.parametrize("to", ["copy.duckdb", "copy/"])
@pytest.mark.parametrize("form", ["r.duckdb", "r/", "schema:rel", 'schema:a"b', "schema:s"])
def test_every_form_becomes_every_form(form: str, to: str, tmp_path: Path) -> None:
    release = released(tmp_path, form)
    place, copy = release.place.path, tmp_path / to
    assert place is not None
    exported = lgb_sql.export(release.path, to=f"{tmp_path}/{to}")
    assert exported.manifest == release.manifest
    with release.connect() as given, exported.connect() as copied:
        query = "SELECT count(*) FROM tuples"
        assert given.execute(query).fetchall() == copied.execute(query).fetchall() == [(ROWS,)]
    expected = read_duckdb(place, release.place.schema) if place.is_file() else read(place)
    found = read(copy)
    assert set(found) == set(expected)
    for name, relation in found.items():
        assert sorted(map(str, relation.rows)) == sorted(map(str, expected[name].rows)), name
    assert counted(copy) == counted(place, release.place.schema)
    assert lgb_sql.audit(exported.path)


def test_the_copy_needs_nothing_of_what_it_was_made_of(tmp_path: Path) -> None:
    """Views and macros read the copy's own tables, under whatever name it is opened."""
    release = released(tmp_path, "schema:rel")
    lgb_sql.export(release.path, to=tmp_path / "copy.duckdb")
    (tmp_path / "s.duckdb").unlink()
    renamed = (tmp_path / "copy.duckdb").rename(tmp_path / "renamed.duckdb")
    with duckdb.connect(str(renamed), read_only=True) as connection:
        connection.execute("SET enable_external_access = false")
        for view in ("anonymized", "idt_age", "idt_pay"):
            assert connection.execute(f"SELECT count(*) > 0 FROM {view}").fetchall() == [(True,)]
        assert connection.execute("SELECT count(*) FROM lgb_help()").fetchall() != [(0,)]
    assert counted(renamed)


def test_types_that_parquet_does_not_know_come_back(tmp_path: Path) -> None:
    """A file holds seconds and milliseconds as microseconds; the manifest knows better."""
    seconds = pa.array(range(ROWS), pa.int64()).cast(pa.timestamp("s"))
    table = TABLE.append_column("seen", seconds).append_column("last", seconds.cast(pa.timestamp("ms")))
    attributes = {
        **POLICY["attributes"],  # type: ignore[dict-item]
        "seen": {"role": "sensitive", "principle": {"l_diversity": 2}},
        "last": {"role": "insensitive"},
    }
    lgb_sql.anonymize(table, {"k": 3, "attributes": attributes}, to=f"{tmp_path}/files/")
    lgb_sql.export(tmp_path / "files", to=tmp_path / "copy.duckdb")
    copied = read_duckdb(tmp_path / "copy.duckdb")
    assert dict(copied["sat_seen"].columns)["value"] == "TIMESTAMP_S"
    assert dict(copied["tuples"].columns)["last"] == "TIMESTAMP_MS"
    assert lgb_sql.audit(tmp_path / "copy.duckdb")


@pytest.mark.parametrize("length", [241, 255])
def test_a_long_name_is_a_name_like_any_other(length: int, tmp_path: Path) -> None:
    """But for files, whose names hold it."""
    name = "r" * length
    table = TABLE.rename_columns([name if each == "age" else each for each in TABLE.column_names])
    policy = {"k": 3, "attributes": {name: {"role": "quasi-identifier"}, "pay": POLICY["attributes"]["pay"]}}  # type: ignore[index]
    release = lgb_sql.anonymize(table, policy, to=tmp_path / "long.duckdb")
    assert lgb_sql.audit(release.path)
    with pytest.raises(lgb_sql.PolicyError, match="too long for a Parquet file"):
        lgb_sql.export(release.path, to=f"{tmp_path}/files/")
    assert sorted(each.name for each in tmp_path.iterdir()) == ["long.duckdb"]
