"""Every kind of source gives the same release; a user's connection stays as it was."""

# ruff: noqa: E501  SQL

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pacsv
import pyarrow.parquet as pq
import pytest

import lgb_sql
from lgb_sql import RunOptions
from lgb_sql.events import Event, StageStarted
from tests.support import leftovers, read_crosswalk, read_duckdb

N = 30
TABLE = pa.table(
    {
        "id": pa.array([f"p{i:02}" for i in range(N)]),
        "age": pa.array([i % 11 for i in range(N)]),
        "job": pa.array(["abc"[i % 3] for i in range(N)]),
        "pay": pa.array([i % 6 for i in range(N)]),
    }
)
POLICY: dict[str, Any] = {
    "k": 3,
    "key": "id",
    "generalization": "fast",
    "attributes": {
        "age": {"role": "quasi-identifier"},
        "job": {"role": "quasi-identifier"},
        "pay": {"role": "sensitive", "principle": {"l_diversity": 3}},
    },
}


def run(source: Any, directory: Path, **more: Any) -> tuple[Any, Any]:
    lgb_sql.anonymize(
        source, POLICY, to=directory / "r.duckdb", crosswalk=directory / "c.parquet", options=RunOptions(seed=2), **more
    )
    return read_duckdb(directory / "r.duckdb"), read_crosswalk(directory / "c.parquet")


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> tuple[Any, Any]:
    return run(TABLE, tmp_path_factory.mktemp("expected"))


def test_files(expected: tuple[Any, Any], tmp_path: Path) -> None:
    folder = tmp_path / "in[put] 'x'"
    folder.mkdir()
    pq.write_table(TABLE, folder / "t.parquet")
    pacsv.write_csv(TABLE, folder / "t.csv")
    parts = tmp_path / "parts"
    parts.mkdir()
    for place in range(3):
        pq.write_table(TABLE.slice(10 * place, 10), parts / f"part-{place}.parquet")
    for number, source in enumerate(
        (folder / "t.parquet", folder / "t.csv", parts, f"{parts}/", f"{parts}/*.parquet", f"{parts}/part-?.parquet")
    ):
        out = tmp_path / f"out{number}"
        out.mkdir()
        assert run(source, out) == expected, source


def test_a_hive_directory_gives_its_columns(tmp_path: Path) -> None:
    for job in "abc":
        (tmp_path / "hive" / f"job={job}").mkdir(parents=True)
        some = TABLE.filter(pc.equal(TABLE["job"], job)).drop_columns(["job"])
        pq.write_table(some, tmp_path / "hive" / f"job={job}" / "t.parquet")
    out = tmp_path / "out"
    out.mkdir()
    observed, crosswalk = run(tmp_path / "hive", out)
    assert sorted(crosswalk) == TABLE["id"].to_pylist()
    assert {tuple(members) for members in observed["groups"].column("job_set")} <= {
        ("a",), ("b",), ("c",), ("a", "b"), ("a", "c"), ("b", "c"), ("a", "b", "c"),
    }  # fmt: skip


def database(path: Path) -> Path:
    with duckdb.connect(str(path)) as connection:
        connection.register("given", TABLE)
        connection.execute("CREATE TABLE people AS SELECT * FROM given")
        connection.execute("CREATE VIEW everyone AS SELECT * FROM people")
        connection.execute('CREATE SCHEMA "other"')
        connection.execute('CREATE TABLE "other"."my table" AS SELECT * FROM given')
        connection.execute('CREATE TABLE "a.b" AS SELECT * FROM given')
    return path


@pytest.mark.parametrize("table", ["people", "PEOPLE", "everyone", "other.my table", "a.b"])
def test_databases_and_connections(table: str, expected: tuple[Any, Any], tmp_path: Path) -> None:
    path = database(tmp_path / "s.duckdb")
    (tmp_path / "file").mkdir()
    (tmp_path / "connection").mkdir()
    assert run(path, tmp_path / "file", table=table) == expected
    with duckdb.connect(str(path)) as connection:
        assert run(connection, tmp_path / "connection", table=table) == expected


def test_a_stream_is_read_once(expected: tuple[Any, Any], tmp_path: Path) -> None:
    assert run(TABLE.to_reader(max_chunksize=7), tmp_path) == expected


def test_a_connection_keeps_its_settings_and_objects(tmp_path: Path) -> None:
    with duckdb.connect() as connection:
        connection.register("given", TABLE)
        connection.execute("CREATE TABLE people AS SELECT * FROM given")
        connection.execute("SET threads = 1")
        connection.execute("SET preserve_insertion_order = false")
        settings = "SELECT name, value FROM duckdb_settings() ORDER BY name"
        objects = "SELECT database_name, schema_name, table_name FROM duckdb_tables() UNION ALL SELECT database_name, schema_name, view_name FROM duckdb_views() ORDER BY ALL"
        before = connection.execute(settings).fetchall(), connection.execute(objects).fetchall()
        run(connection, tmp_path, table="people")
        assert (connection.execute(settings).fetchall(), connection.execute(objects).fetchall()) == before


@pytest.mark.parametrize("fails", [False, True])
@pytest.mark.parametrize("path", ["", "main", "main,other", "other,main", "other", 'a"b,other', "memory.other,main"])
def test_the_search_path_of_the_connection_stays_as_it_is_written(path: str, fails: bool, tmp_path: Path) -> None:
    def interrupt(event: Event) -> None:
        if fails and event == StageStarted("verify"):
            raise KeyboardInterrupt

    with duckdb.connect() as connection:
        connection.register("given", TABLE)
        connection.execute('CREATE SCHEMA other; CREATE SCHEMA "a""b"; CREATE TABLE main.people AS SELECT * FROM given')
        connection.execute("SET search_path = '" + path.replace('a"b', '"a""b"') + "'")
        settings = "SELECT name, value FROM duckdb_settings() ORDER BY name"
        before = connection.execute(settings).fetchall()
        with pytest.raises(KeyboardInterrupt) if fails else nullcontext():
            lgb_sql.anonymize(connection, POLICY, to="schema:new", table="memory.main.people", listener=interrupt)
        assert connection.execute(settings).fetchall() == before


def test_a_schema_is_the_same_whatever_the_connection_s_settings(tmp_path: Path) -> None:
    """Texts of macros are parsed, and tables are stored, under the caller's settings."""
    path = tmp_path / "s.duckdb"
    policy = {
        "k": 50,
        "generalization": "fast",
        "attributes": {
            "q": {"role": "quasi-identifier"},
            "s": {"role": "sensitive", "principle": {"l_diversity": 3}},
        },
    }
    settings = "SELECT current_setting('integer_division'), current_setting('preserve_insertion_order')"
    with duckdb.connect(str(path), config={"threads": 2}) as connection:
        connection.execute(
            "CREATE TABLE people AS SELECT i % 50 AS q, hash(i) % 1000 AS s FROM range(300_000) AS r (i)"
        )
        connection.execute("SET integer_division = true; SET preserve_insertion_order = false")
        lgb_sql.anonymize(connection, policy, to="schema:new", table="people")
        assert connection.execute(settings).fetchall() == [(True, False)]
        connection.execute("SET lock_configuration = true")
        with pytest.raises(lgb_sql.OutputError, match="integer_division"):
            lgb_sql.anonymize(connection, policy, to="schema:newer", table="people")
    assert lgb_sql.audit(f"{path}::new")


def test_a_schema_of_the_connection(expected: tuple[Any, Any], tmp_path: Path) -> None:
    path = database(tmp_path / "s.duckdb")
    with duckdb.connect(str(path)) as connection:
        lgb_sql.anonymize(
            connection, POLICY, to='schema:re"leased', table="people", crosswalk=tmp_path / "c.parquet", options=RunOptions(seed=2)
        )  # fmt: skip
        assert connection.execute("SELECT count(*) FROM people").fetchall() == [(N,)]
    observed = read_duckdb(path, 're"leased')
    assert {name: relation.rows for name, relation in observed.items() if relation.kind == "BASE TABLE"} == {
        name: relation.rows for name, relation in expected[0].items() if relation.kind == "BASE TABLE"
    }
    assert observed["anonymized"].columns == expected[0]["anonymized"].columns
    assert sorted(observed["anonymized"].rows) == sorted(expected[0]["anonymized"].rows)
    assert read_crosswalk(tmp_path / "c.parquet") == expected[1]


def test_a_schema_of_the_file(expected: tuple[Any, Any], tmp_path: Path) -> None:
    path = database(tmp_path / "s.duckdb")
    release = lgb_sql.anonymize(path, POLICY, to="schema:released", table="people", options=RunOptions(seed=2))
    observed = read_duckdb(path, "released")
    assert observed["tuples"].rows == expected[0]["tuples"].rows
    assert lgb_sql.open_release(f"{path}::released").manifest == release.manifest
    with pytest.raises(lgb_sql.LgbError):
        lgb_sql.anonymize(path, POLICY, to="schema:released", table="people")
    exported = lgb_sql.export(f"{path}::released", to=tmp_path / "copy")
    assert exported.manifest == release.manifest
    assert leftovers(tmp_path) == ["copy", "s.duckdb"]


@pytest.mark.parametrize("name", ["x::y", ":x", "s", "a b.c"])
def test_a_schema_of_an_odd_name_is_found_again(name: str, tmp_path: Path) -> None:
    path = database(tmp_path / "s.duckdb")
    release = lgb_sql.anonymize(path, POLICY, to=f"schema:{name}", table="people")
    assert lgb_sql.open_release(release.path).manifest == release.manifest
    assert lgb_sql.audit(release.path)


def test_a_schema_of_an_older_file(expected: tuple[Any, Any], tmp_path: Path) -> None:
    path = tmp_path / "s.duckdb"
    with duckdb.connect() as connection:
        connection.register("given", TABLE)
        connection.execute(f"ATTACH '{path}' AS old (STORAGE_VERSION 'v1.0.0')")
        connection.execute("CREATE TABLE old.people AS SELECT * FROM given")
    lgb_sql.anonymize(path, POLICY, to="schema:released", table="people", options=RunOptions(seed=2))
    assert read_duckdb(path, "released")["groups"].rows == expected[0]["groups"].rows


def test_exports_are_the_same_release(expected: tuple[Any, Any], tmp_path: Path) -> None:
    lgb_sql.anonymize(TABLE, POLICY, to=tmp_path / "r.duckdb", options=RunOptions(seed=2))
    lgb_sql.export(tmp_path / "r.duckdb", to=f"{tmp_path}/files/")
    lgb_sql.export(f"{tmp_path}/files/", to=tmp_path / "again.duckdb")
    observed = read_duckdb(tmp_path / "again.duckdb")
    for name, relation in expected[0].items():
        assert relation.columns == observed[name].columns
        assert sorted(relation.rows) == sorted(observed[name].rows)
        assert relation.kind == "VIEW" or relation.rows == observed[name].rows


def test_a_release_is_opened_without_rights(tmp_path: Path) -> None:
    """Read-only, no files but its own, no settings."""
    for to in ("r.duckdb", "r/"):
        release = lgb_sql.anonymize(TABLE, POLICY, to=f"{tmp_path}/{to}")
        secret = tmp_path / "secret.csv"
        secret.write_text("a\n1\n")
        with lgb_sql.open_release(release.place).connect() as connection:
            assert connection.execute("SELECT count(*) FROM tuples").fetchall() == [(N,)]
            for forbidden in (
                f"SELECT * FROM read_csv('{secret}')",
                f"COPY tuples TO '{tmp_path}/stolen.csv'",
                f"ATTACH '{tmp_path}/x.duckdb'",
                "SET enable_external_access = true",
                "INSTALL httpfs",
            ):
                with pytest.raises(duckdb.Error):
                    connection.execute(forbidden)
    assert leftovers(tmp_path) == ["r", "r.duckdb", "secret.csv"]


@pytest.mark.parametrize("suffix", ["duckdb", "parquet"])
def test_crosswalks(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"c.{suffix}"
    lgb_sql.anonymize(TABLE, POLICY, to=tmp_path / "r.duckdb", crosswalk=path)
    assert path.stat().st_mode & 0o777 == 0o600
    with duckdb.connect() as connection:
        if suffix == "duckdb":
            connection.execute(f"ATTACH '{path}' AS c (READ_ONLY)")
        relation = "c.crosswalk" if suffix == "duckdb" else f"read_parquet('{path}')"
        described = [(row[0], row[1]) for row in connection.execute(f"DESCRIBE SELECT * FROM {relation}").fetchall()]
        assert described == [("row", "VARCHAR"), ("rid", "BIGINT")]
        rows = connection.execute(f"SELECT row, rid FROM {relation}").fetchall()
    assert [row for row, _ in rows] == TABLE["id"].to_pylist()
    assert sorted(rid for _, rid in rows) == list(range(1, N + 1))
