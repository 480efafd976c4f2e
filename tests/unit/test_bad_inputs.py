"""Whatever is wrong with the input: a clear error that says what to do, exit code 2, and nothing left behind."""

# ruff: noqa: E501, PT017  tables of cases

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import lgb_sql
from lgb_sql import LgbError, RunOptions
from lgb_sql.events import Event, Note, StageStarted
from tests.support import Recorder, leftovers

QUASI = {"role": "quasi-identifier"}
AS_IT_IS = {"role": "insensitive"}


def sensitive(l: int = 2) -> dict[str, Any]:
    return {"role": "sensitive", "principle": {"l_diversity": l}}


def t_close(t: float) -> dict[str, Any]:
    return {"role": "sensitive", "principle": {"t_closeness": t}}


def semi(flag: str, l: int = 2) -> dict[str, Any]:
    return {"role": "semi-sensitive", "flag": flag, "principle": {"l_diversity": l}}


def policy(k: int = 2, /, **attributes: Any) -> dict[str, Any]:
    return {"k": k, "attributes": attributes}


N = 20
TABLE = pa.table(
    {
        "age": pa.array(range(N)),
        "zip": pa.array([f"z{i % 4}" for i in range(N)]),
        "pay": pa.array([i % 10 for i in range(N)]),
        "one": pa.array([1] * N),
        "most": pa.array([0] * 12 + list(range(1, 9))),
        "flag": pa.array([i % 2 == 0 for i in range(N)]),
        "flag_null": pa.array([None if i == 3 else i % 2 == 0 for i in range(N)]),
        "not_flag": pa.array([i % 2 for i in range(N)]),
        "null": pa.array([None] * N, pa.int64()),
        "holes": pa.array([None if i == 5 else i for i in range(N)]),
        "nan": pa.array([float("nan")] + [1.0] * (N - 1)),
        "inf": pa.array([float("-inf")] + [1.0] * (N - 1)),
        "double": pa.array([i / 3 for i in range(N)]),
        "double_id": pa.array([i // 2 for i in range(N)]),
    }
)


def refused(
    directory: Path, source: Any, given: dict[str, Any], *, exit_code: int = 2, to: str = "release.duckdb", **more: Any
) -> str:
    """Run, expect a refusal, and look for leftovers; returns the message."""
    before = leftovers(directory)
    with pytest.raises(LgbError) as caught:
        lgb_sql.anonymize(source, given, to=f"{directory}/{to}" if "schema:" not in to else to, **more)
    assert caught.value.exit_code == exit_code, str(caught.value)
    assert leftovers(directory) == before
    return str(caught.value)


BAD: dict[str, tuple[dict[str, Any], tuple[str, ...]]] = {
    "unknown column": (policy(agee=QUASI), ("attributes.agee", "did you mean age?")),
    "k beyond the table": (policy(21, age=QUASI), ("20 rows", "k = 21", "20 or less")),
    "far beyond the table": (policy(10**9, age=QUASI), ("20 rows", "20 or less")),
    "fewer than l distinct values": (policy(zip=sensitive(5)), ("zip", "4 distinct", "at least 5", "lower l to 4", "t-closeness")),
    "l beyond the table": (policy(age=sensitive(21)), ("20 sensitive values", "lower l to 20, the largest")),
    "one value only": (policy(one=sensitive()), ("one", "1 distinct", "no l of 2 or more works", "t-closeness", "coarser", "leave")),
    "not eligible": (policy(most=sensitive(3)), ("12 times among 20", "at most 6", "no l of 2 or more works", "t-closeness", "coarser", "leave")),
    "not eligible, a lower l is": (policy(pay=sensitive(11), age=QUASI), ("lower l to 10, the largest", "t-closeness", "leave")),
    "a cast to nothing": (policy(age={**QUASI, "type": ""}), ("attributes.age.type", "not a type")),
    "a misspelt distance": (policy(age={"role": "sensitive", "principle": {"t_closeness": 0.2, "distance": "equl"}}), ("attributes.age.principle", "did you mean equal?")),
    "t that one value could meet": (policy(most=t_close(0.4)), ("12 times among 20", "below 0.4")),
    "too few values for t": (policy(age=t_close(0.01)), ("20 sensitive values", "at least 100")),
    "flag missing": (policy(age=semi("flagg")), ("attributes.age.flag", "did you mean flag?")),
    "flag not boolean": (policy(age=semi("not_flag")), ("attributes.age.flag", "not BOOLEAN", "TRUE must mean")),
    "flag NULL": (policy(age=semi("flag_null")), ("flag of age is NULL in 1 rows", 'flag_null = "sensitive"')),
    "NaN": (policy(nan=QUASI), ("nan", "NaN", "in 1 rows")),
    "infinity": (policy(inf=sensitive()), ("inf", "infinity", "in 1 rows")),
    "NULL where the policy forbids it": ({**policy(holes=sensitive()), "null_values": "error"}, ("holes is NULL in 1 rows", 'null_values = "value"')),
    "flagged NULL where the policy forbids it": ({**policy(holes=semi("not_even")), "null_values": "error"}, ("not_even",)),
    "values outside the list": (policy(zip={**QUASI, "ordered": ["z0", "z1", "z2"]}), ("zip", "5 rows", "add them")),
    "key not unique": ({**policy(age=QUASI), "key": "double_id"}, ("double_id", "unique")),
    "key NULL": ({**policy(age=QUASI), "key": "holes"}, ("holes", "unique")),
    "unit with two rows": ({**policy(age=QUASI), "unit": "double_id"}, ("20 rows", "10 units", "one row per unit")),
    "a column called rid": (policy(rid=QUASI), ("attributes.rid",)),
    "small patterns": ({**policy(3, age=semi("flag"), holes=QUASI), "small_patterns": "error"}, ("fewer than k = 3", '"merge"')),
    "too much suppression": ({**policy(11, age=semi("flag"), holes=QUASI), "small_patterns": "suppress"}, ("all 20", "leaves nothing", "merge")),
    "two principles": (policy(age=QUASI, one=sensitive(3), most=sensitive(2)), ("one cannot be 3-diverse", "most cannot be 2-diverse", "most: ")),
    "no t for one value": (policy(age=QUASI, one=t_close(0.3)), ("no t works", "withhold one")),
    "an unknown column with other faults": (
        policy(agee={**semi("flagg"), "type": "NONE", "domain": []}),
        ("agee: the source", "agee.flag", "agee.type", "agee.domain"),
    ),
    "several at once": ({**policy(nan=QUASI, age=semi("flag_null"), inf=QUASI)}, ("nan holds", "flag of age", "inf holds")),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_refused(name: str, tmp_path: Path) -> None:
    given, words = BAD[name]
    message = refused(tmp_path, TABLE, given)
    for word in words:
        assert word in message


@pytest.mark.parametrize(
    ("names", "word"),
    [
        ({"rid": QUASI}, "rid"),
        ({"GID": AS_IT_IS}, "GID"),
        ({"age": sensitive(), "age_bid": AS_IT_IS}, "age_bid"),
        ({"age": QUASI, "Age": QUASI}, "case"),
        ({"a" * 256: QUASI}, "255"),
        ({"a\0b": QUASI}, "NUL"),
        ({"": QUASI}, "empty"),
    ],
)
def test_impossible_names(names: dict[str, Any], word: str, tmp_path: Path) -> None:
    table = pa.table({name: pa.array(range(N)) for name in names})
    message = refused(tmp_path, table, policy(**names))
    assert word in message


def test_two_equal_columns_of_an_arrow_table(tmp_path: Path) -> None:
    table = pa.table([pa.array(range(N)), pa.array(range(N))], names=["age", "age"])
    assert "rename" in refused(tmp_path, table, policy(age=QUASI))


@pytest.mark.parametrize("role", ["quasi-identifier", "semi-sensitive", "sensitive", "insensitive"])
@pytest.mark.parametrize(
    ("expression", "word"),
    [
        ("range::HUGEINT", "HUGEINT"),
        ("range::UHUGEINT", "UHUGEINT"),
        ("to_days(range::INTEGER)", "INTERVAL"),
        ("'ab'::BLOB", "BLOB"),
        ("[range]", "BIGINT[]"),
        ("array_value(range, range)", "BIGINT[]"),
        ("{'a': range}", "STRUCT"),
        ("MAP {'a': range}", "MAP"),
        ("'101'::BIT", "BIT"),
    ],
)
def test_types_that_no_release_holds(expression: str, word: str, role: str, tmp_path: Path) -> None:
    entries = {
        "quasi-identifier": QUASI,
        "semi-sensitive": semi("f"),
        "sensitive": sensitive(),
        "insensitive": AS_IT_IS,
    }
    with duckdb.connect() as connection:
        connection.execute(f"CREATE VIEW t AS SELECT {expression} AS x, true AS f FROM range(20)")
        message = refused(tmp_path, connection, policy(x=entries[role]), table="t")
    assert "attributes.x" in message
    assert word in message


def test_what_no_release_holds_may_be_an_identifier_or_unnamed(tmp_path: Path) -> None:
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE t AS SELECT range AS age, 'x'::BLOB AS photo, [1] AS list FROM range(20)")
        given = policy(age=QUASI, photo={"role": "identifier"}, age2=QUASI)
        del given["attributes"]["age2"]
        given["attributes"]["pay"] = sensitive()
        connection.execute("ALTER TABLE t ADD COLUMN pay INTEGER")
        connection.execute("UPDATE t SET pay = age")
        notes = Recorder()
        lgb_sql.anonymize(connection, given, to=tmp_path / "r.duckdb", table="t", listener=notes)
    assert any(isinstance(event, Note) and "list" in event.text for event in notes.events)


def test_a_cast_makes_a_type_releasable(tmp_path: Path) -> None:
    with duckdb.connect() as connection:
        connection.execute(
            "CREATE TABLE t AS SELECT (170141183460469231731687303715884105700 + range)::HUGEINT AS big, range AS pay FROM range(20)"
        )
        given = policy(big={**QUASI, "type": "VARCHAR"}, pay=sensitive())
        release = lgb_sql.anonymize(connection, given, to=tmp_path / "r.duckdb", table="t")
    with release.connect() as opened:
        shown = {member for (members,) in opened.execute("SELECT big_set FROM groups").fetchall() for member in members}
    assert shown == {str(170141183460469231731687303715884105700 + i) for i in range(20)}


@pytest.mark.parametrize("rows", [0, 1, 4])
def test_too_few_rows(rows: int, tmp_path: Path) -> None:
    message = refused(tmp_path, TABLE.slice(0, rows), policy(5, age=QUASI))
    assert {0: "no rows", 1: "1 row, fewer", 4: "4 rows"}[rows] in message
    assert {0: "empty", 1: "no k works", 4: "lower k to 4 or less"}[rows] in message


def test_a_policy_that_releases_nothing(tmp_path: Path) -> None:
    assert "releases nothing" in refused(tmp_path, TABLE, policy(age={"role": "identifier"}))


# --- outputs ---------------------------------------------------------------------------------------------

GOOD = policy(age=QUASI, pay=sensitive())


@pytest.mark.parametrize("to", ["release.duckdb", "release/"])
@pytest.mark.parametrize("obstacle", ["file", "directory", "link", "dangling"])
def test_an_output_that_exists(to: str, obstacle: str, tmp_path: Path) -> None:
    place = tmp_path / to.strip("/")
    (tmp_path / "target").touch()
    make: dict[str, Callable[[], Any]] = {
        "file": place.touch,
        "directory": place.mkdir,
        "link": lambda: place.symlink_to(tmp_path / "target"),
        "dangling": lambda: place.symlink_to(tmp_path / "nowhere"),
    }
    make[obstacle]()
    message = refused(tmp_path, TABLE, GOOD, to=to)
    assert ("symbolic link" if obstacle in ("link", "dangling") else "exists already") in message


def test_other_impossible_outputs(tmp_path: Path) -> None:
    assert "no parent" in refused(tmp_path, TABLE, GOOD, to="missing/release.duckdb")
    assert "no form of a release" in refused(tmp_path, TABLE, GOOD, to="release.csv")
    long = "x" * 300
    for to in (f"{long}.duckdb", f"{long}/", f"{long}/x.duckdb"):
        assert "File name too long" in refused(tmp_path, TABLE, GOOD, to=to)
    assert "File name too long" in refused(tmp_path, TABLE, GOOD, crosswalk=tmp_path / f"{long}.parquet")
    keyed = {**GOOD, "key": "age"}
    assert "File name too long" in refused(tmp_path, TABLE, keyed, ledger=tmp_path / f"{long}.duckdb")
    assert "schema:NAME needs" in refused(tmp_path, TABLE, GOOD, to="schema:released")


@pytest.mark.parametrize("given", ["file", "connection"])
@pytest.mark.parametrize(
    "name", ["main", "MAIN", "taken", "Taken", "information_schema", "pg_catalog", "temp", "TEMP", "system"]
)
def test_a_schema_that_exists_or_is_reserved(name: str, given: str, tmp_path: Path) -> None:
    """Known before any work: the run does not even start to read."""
    path = tmp_path / "s.duckdb"
    events = Recorder()
    with duckdb.connect(str(path)) as connection:
        connection.register("given", TABLE)
        connection.execute('CREATE TABLE t AS SELECT * FROM given; CREATE SCHEMA "taken"')
        if given == "connection":
            message = refused(tmp_path, connection, GOOD, to=f"schema:{name}", table="t", listener=events)
    if given == "file":
        message = refused(tmp_path, path, GOOD, to=f"schema:{name}", table="t", listener=events)
    assert f"schema {name} exists already" in message
    assert "--to schema:NAME" in message
    assert not any(isinstance(event, StageStarted) for event in events.events)


def test_a_schema_of_the_name_of_an_attached_database(tmp_path: Path) -> None:
    with duckdb.connect() as connection:
        connection.register("given", TABLE)
        connection.execute("CREATE TABLE t AS SELECT * FROM given; ATTACH ':memory:' AS other")
        assert "reserved" in refused(tmp_path, connection, GOOD, to="schema:Other", table="t")


def test_a_schema_of_a_temporary_database(tmp_path: Path) -> None:
    with duckdb.connect() as connection:
        connection.register("given", TABLE)
        connection.execute("CREATE TABLE t AS SELECT * FROM given; SET search_path = 'temp,main'")
        assert "temporary" in refused(tmp_path, connection, GOOD, to="schema:new", table="memory.main.t")


def test_a_schema_of_a_connection_that_only_reads(tmp_path: Path) -> None:
    path = tmp_path / "s.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.register("given", TABLE)
        connection.execute("CREATE TABLE t AS SELECT * FROM given")
    with duckdb.connect(str(path), read_only=True) as connection:
        message = refused(tmp_path, connection, GOOD, to="schema:new", table="t")
        lgb_sql.anonymize(connection, GOOD, to=tmp_path / "r.duckdb", table="t")
    assert "read-only" in message
    assert "x.duckdb" in message


@pytest.mark.parametrize("stage", ["ingest", "groups", "publish", "verify"])
@pytest.mark.parametrize("to", ["release.duckdb", "release/"])
def test_an_output_that_appears_meanwhile_is_not_replaced(stage: str, to: str, tmp_path: Path) -> None:
    place = tmp_path / to.strip("/")

    def make(event: Event) -> None:
        if event == StageStarted(stage):
            place.mkdir()

    with pytest.raises(lgb_sql.OutputError, match="appeared"):
        lgb_sql.anonymize(TABLE, GOOD, to=f"{tmp_path}/{to}", crosswalk=tmp_path / "c.parquet", listener=make)
    assert leftovers(tmp_path) == [place.name]
    assert leftovers(place) == []


def test_a_crosswalk_that_exists_or_appears(tmp_path: Path) -> None:
    crosswalk = tmp_path / "c.parquet"

    def make(event: Event) -> None:
        if event == StageStarted("verify"):
            crosswalk.write_text("mine")

    with pytest.raises(lgb_sql.OutputError, match="appeared"):
        lgb_sql.anonymize(TABLE, GOOD, to=tmp_path / "r.duckdb", crosswalk=crosswalk, listener=make)
    assert leftovers(tmp_path) == ["c.parquet"]
    assert crosswalk.read_text() == "mine"
    assert "exists already" in refused(tmp_path, TABLE, GOOD, crosswalk=crosswalk)
    assert "must be a .duckdb or .parquet" in refused(tmp_path, TABLE, GOOD, crosswalk=tmp_path / "c.csv")
    refused(tmp_path, TABLE, GOOD, crosswalk=tmp_path / "release.duckdb")


def test_a_crosswalk_of_a_view_or_a_stream_needs_a_key(tmp_path: Path) -> None:
    message = refused(tmp_path, TABLE.to_reader(), GOOD, crosswalk=tmp_path / "c.parquet")
    assert "`key`" in message
    with duckdb.connect() as connection:
        connection.register("given", TABLE)
        connection.execute("CREATE TABLE t AS SELECT * FROM given")
        connection.execute("CREATE VIEW v AS SELECT * FROM t")
        assert "`key`" in refused(tmp_path, connection, GOOD, table="v", crosswalk=tmp_path / "c.parquet")


@pytest.mark.parametrize("view", ["v", "main.v", "V", "w", "main.w", "s.dots.v", "shadow"])
def test_a_view_is_no_table_of_the_same_name_elsewhere(view: str, tmp_path: Path) -> None:
    """What a name means is the engine's to say: the first of the search path, temporary ones before."""
    with duckdb.connect() as connection:
        connection.register("given", TABLE)
        connection.execute("ATTACH ':memory:' AS other")
        connection.execute("CREATE SCHEMA s; CREATE SCHEMA dots; CREATE SCHEMA other.s")
        for table in ("t", "shadow", "s.v", "other.w", "other.s.v", "dots.v"):
            connection.execute(f"CREATE TABLE {table} AS SELECT * FROM given")
        for name in ("v", "w", "TEMP shadow", '"s.dots.v"'):
            kind, _, named = name.rpartition(" ")
            connection.execute(f"CREATE {kind} VIEW {named} AS SELECT * FROM t ORDER BY pay")
        message = refused(tmp_path, connection, GOOD, table=view, crosswalk=tmp_path / "c.parquet")
        assert "`key`" in message
        for table in ("t", "T", "main.t", "s.v", "other.w", "other.s.v", "dots.v"):
            lgb_sql.anonymize(connection, GOOD, to=tmp_path / "r.duckdb", table=table, crosswalk=tmp_path / "c.parquet")
            for made in ("r.duckdb", "c.parquet"):
                (tmp_path / made).unlink()


def test_a_temporary_directory_that_is_missing(tmp_path: Path) -> None:
    assert "cannot write" in refused(tmp_path, TABLE, GOOD, options=RunOptions(temp=tmp_path / "missing"))


@pytest.mark.parametrize("options", [RunOptions(memory="lots"), RunOptions(threads=0), RunOptions(threads=-1)])
def test_options_that_the_engine_refuses(options: RunOptions, tmp_path: Path) -> None:
    message = refused(tmp_path, TABLE, GOOD, options=options)
    assert "--memory or --threads" in message


# --- sources ---------------------------------------------------------------------------------------------


def test_sources_that_are_none(tmp_path: Path) -> None:
    (tmp_path / "text.txt").write_text("hello")
    (tmp_path / "fake.parquet").write_bytes(b"PAR1 not really")
    (tmp_path / "empty").mkdir()
    for source in ("missing.parquet", "*.parquet.gz", "text.txt", "fake.parquet", "empty", "empty/"):
        assert refused(tmp_path, f"{tmp_path}/{source}", GOOD)
    for odd in (5, None, [1, 2], {"age": [1]}):
        assert "no source" in refused(tmp_path, odd, GOOD)


def test_tables_that_are_missing(tmp_path: Path) -> None:
    path = tmp_path / "s.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute("CREATE TABLE people AS SELECT 1 AS x")
        assert "no table or view nobody" in refused(tmp_path, connection, GOOD, table="nobody")
        assert "table=" in refused(tmp_path, connection, GOOD)
    assert "which table" in refused(tmp_path, path, GOOD)
    assert "people" in refused(tmp_path, path, GOOD, table="nobody")


@pytest.mark.parametrize("kind", ["parquet", "csv", "directory", "glob", "arrow"])
def test_a_table_of_what_is_no_database(kind: str, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    pq.write_table(TABLE, tmp_path / "in" / "t.parquet")
    (tmp_path / "in" / "t.csv").write_text("age,pay\n1,2\n")
    sources = {"parquet": "in/t.parquet", "csv": "in/t.csv", "directory": "in", "glob": "in/*.parquet"}
    source = TABLE if kind == "arrow" else f"{tmp_path}/{sources[kind]}"
    message = refused(tmp_path, source, GOOD, table="people")
    assert "no database" in message
    assert "does not exist" in refused(tmp_path, f"{tmp_path}/missing", GOOD, table="people")
    assert "--table" in message
    with pytest.raises(lgb_sql.SourceError, match="no database"):
        lgb_sql.audit(source, table="people", quasi=["age"])


def test_a_cast_that_fails_names_what_is_cast(tmp_path: Path) -> None:
    table = TABLE.append_column("text", [["secret"] * N])
    cast = {**QUASI, "type": "INTEGER"}
    message = refused(tmp_path, table, policy(text=cast, zip={**QUASI, "type": "VARCHAR"}, pay=sensitive()))
    assert "could not be converted" in message
    assert "`type` of text, zip" in message
    assert "secret" not in message


FULL_DISK = """
import resource, sys
import pyarrow as pa
import lgb_sql
policy = {"k": 5, "attributes": {"a": {"role": "quasi-identifier"}}}
resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, resource.RLIM_INFINITY))
try:
    lgb_sql.anonymize(pa.table({"a": list(range(20_000))}), policy, to=sys.argv[1])
except lgb_sql.EngineError as error:
    print(error.exit_code, error)
"""


@pytest.mark.parametrize("to", ["release.duckdb", "release/"])
def test_a_disk_that_is_full(to: str, tmp_path: Path) -> None:
    """A limit to the size of files stands in for it."""
    command = [sys.executable, "-c", FULL_DISK, f"{tmp_path}/{to}"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.startswith("3 while making tuples: ")
    assert "free space" in done.stdout
    assert "Exception" not in done.stdout
    assert leftovers(tmp_path) == []


def test_an_open_transaction_is_refused(tmp_path: Path) -> None:
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE t AS SELECT range AS age FROM range(20)")
        connection.execute("BEGIN TRANSACTION")
        connection.execute("INSERT INTO t VALUES (99)")
        assert "open transaction" in refused(tmp_path, connection, policy(age=QUASI), table="t")
        connection.execute("COMMIT")
        assert connection.execute("SELECT count(*) FROM t").fetchall() == [(21,)]


def test_a_transaction_that_failed_and_a_connection_that_is_closed(tmp_path: Path) -> None:
    with duckdb.connect() as connection:
        connection.register("given", TABLE)
        connection.execute("CREATE TABLE t AS SELECT * FROM given")
        connection.execute("BEGIN TRANSACTION")
        with pytest.raises(duckdb.Error):
            connection.execute("SELECT CAST('secret' AS INTEGER)")
        with pytest.raises(duckdb.Error):
            connection.execute("SELECT error('secret')")
        for to in ("release.duckdb", "schema:new"):
            assert "open transaction" in refused(tmp_path, connection, GOOD, to=to, table="t")
        connection.execute("ROLLBACK")
    for to in ("release.duckdb", "schema:new"):
        assert "closed" in refused(tmp_path, connection, GOOD, to=to, table="t")
    with pytest.raises(lgb_sql.SourceError, match="closed"):
        lgb_sql.audit(connection, table="t", quasi=["age"])


def test_arguments_of_another_kind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    place = tmp_path / "release.duckdb"
    for policy_like in (None, 5, ["age"], b"policy.toml"):
        with pytest.raises(lgb_sql.PolicyError, match="is no policy"):
            lgb_sql.anonymize(TABLE, policy_like, to=place)  # type: ignore[arg-type]
        with pytest.raises(lgb_sql.PolicyError, match="is no policy"):
            lgb_sql.explain(TABLE, policy_like)  # type: ignore[arg-type]
    for to in (None, 5, b"x.duckdb"):
        with pytest.raises(lgb_sql.OutputError, match="is no place for a release"):
            lgb_sql.anonymize(TABLE, GOOD, to=to)  # type: ignore[arg-type]
    with pytest.raises(lgb_sql.PolicyError, match="cannot read the file"):
        lgb_sql.anonymize(TABLE, "a\0b", to=place)
    assert leftovers(tmp_path) == []
    release = lgb_sql.anonymize(TABLE, GOOD, to=place)
    with pytest.raises(lgb_sql.PolicyError, match="is no policy"):
        lgb_sql.audit(release.path, policy=5)  # type: ignore[arg-type]


def test_a_temporary_directory_given_as_text(tmp_path: Path) -> None:
    """Everything that spills takes it, and says so where it is missing."""
    spill = tmp_path / "spill"
    spill.mkdir()
    release = lgb_sql.anonymize(TABLE, GOOD, to=tmp_path / "r.duckdb", options=RunOptions(temp=str(spill)))
    question = "SELECT COUNT(*) FROM released"
    assert release.query(question, options=RunOptions(temp=str(spill))).num_rows == 1
    assert leftovers(spill) == []
    missing = RunOptions(temp=str(tmp_path / "missing"))
    runs: list[Callable[[], Any]] = [
        lambda: lgb_sql.anonymize(TABLE, GOOD, to=tmp_path / "s.duckdb", options=missing),
        lambda: lgb_sql.explain(TABLE, GOOD, options=missing),
        lambda: lgb_sql.export(release.path, to=tmp_path / "copy/", options=missing),
        lambda: lgb_sql.audit(release.path, options=missing),
        lambda: release.query(question, options=missing),
    ]
    for run in runs:
        with pytest.raises(lgb_sql.OutputError, match="cannot write into the directory"):
            run()
    assert leftovers(tmp_path) == ["r.duckdb", "spill"]


@pytest.mark.parametrize("kind", ["parquet", "csv"])
def test_a_source_that_disappears(kind: str, tmp_path: Path) -> None:
    source = tmp_path / f"source.{kind}"
    if kind == "parquet":
        pq.write_table(TABLE, source)
    else:
        source.write_text("age,pay\n" + "\n".join(f"{i},{i % 10}" for i in range(N)))

    def remove(event: Event) -> None:
        if event == StageStarted("ingest"):
            source.unlink()

    with pytest.raises(lgb_sql.SourceError) as caught:
        lgb_sql.anonymize(source, GOOD, to=tmp_path / "r.duckdb", listener=remove)
    assert caught.value.exit_code == 2
    assert leftovers(tmp_path) == []


def test_a_source_that_is_cut_short(tmp_path: Path) -> None:
    source = tmp_path / "source.parquet"
    pq.write_table(pa.table({"age": pa.array(range(5000)), "pay": pa.array(range(5000))}), source)
    data = source.read_bytes()
    footer = int.from_bytes(data[-8:-4], "little") + 8
    source.write_bytes(data[:4] + b"\0" * (len(data) - 4 - footer) + data[-footer:])
    refused(tmp_path, source, GOOD)


# --- interruptions ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("stage", ["ingest", "patterns", "buckets", "groups", "labels", "publish", "verify"])
@pytest.mark.parametrize("to", ["release.duckdb", "release/"])
def test_an_interrupted_run_leaves_nothing(stage: str, to: str, tmp_path: Path) -> None:
    spill = tmp_path / "spill"
    spill.mkdir()

    def interrupt(event: Event) -> None:
        if event == StageStarted(stage):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        lgb_sql.anonymize(
            TABLE,
            GOOD,
            to=f"{tmp_path}/{to}",
            crosswalk=tmp_path / "c.duckdb",
            options=RunOptions(temp=spill),
            listener=interrupt,
        )
    assert leftovers(tmp_path) == ["spill"]
    assert leftovers(spill) == []


def test_a_killed_run_is_cleaned_up_by_the_next(tmp_path: Path) -> None:
    """Same output, or same --temp: the unlocked directory goes."""
    spill = tmp_path / "spill"
    spill.mkdir()
    left: list[Path] = []

    def remember(event: Event) -> None:
        if event == StageStarted("verify"):
            left.extend([*tmp_path.glob(".lgb-*"), *spill.glob(".lgb-*")])

    options = RunOptions(temp=spill)
    lgb_sql.anonymize(TABLE, GOOD, to=tmp_path / "r.duckdb", options=options, listener=remember)
    (tmp_path / "r.duckdb").unlink()
    assert len(left) == 2
    for directory in left:
        directory.mkdir()
        (directory / "lock").touch()
        (directory / "raw").write_text("raw")
    lgb_sql.anonymize(TABLE, GOOD, to=tmp_path / "r.duckdb", options=options)
    assert leftovers(tmp_path) == ["r.duckdb", "spill"]
    assert leftovers(spill) == []


def test_an_unwritable_parent(tmp_path: Path) -> None:
    if os.geteuid() == 0:
        pytest.skip("root writes everywhere")
    parent = tmp_path / "locked"
    parent.mkdir(mode=0o500)
    with pytest.raises(lgb_sql.OutputError, match="cannot write"):
        lgb_sql.anonymize(TABLE, GOOD, to=parent / "r.duckdb")


@pytest.mark.parametrize("length", [200, 240, 255])
@pytest.mark.parametrize("to", ["release.duckdb", "release/"])
def test_long_names_work_or_are_refused_at_once(length: int, to: str, tmp_path: Path) -> None:
    """A file name has 255 bytes at most; that is known before anything runs."""
    for name in ("x" * length, "é" * length):
        table = pa.table({name: pa.array(range(N))})
        try:
            lgb_sql.anonymize(table, policy(2, **{name: sensitive()}), to=f"{tmp_path}/{to}")
        except LgbError as error:
            assert error.exit_code == 2, str(error)
            assert leftovers(tmp_path) == []
        else:
            assert leftovers(tmp_path) == [to.strip("/")]
            place = tmp_path / to.strip("/")
            for file in [*place.iterdir(), place] if place.is_dir() else [place]:
                file.rmdir() if file.is_dir() else file.unlink()
