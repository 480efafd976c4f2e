"""No cell value in an error, an event, a log or the manifest: a canary in every column, failures at every stage."""

# ruff: noqa: E501, PT017  tables of cases; a run may succeed or fail

from __future__ import annotations

import json
import logging
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import lgb_sql
from lgb_sql import LgbError, RunOptions, api
from lgb_sql.engines.duckdb import DuckDBEngine
from tests.support import Recorder, leftovers, people

CANARY = "CANARY4711"
N = 30
SENSITIVE = {"role": "sensitive", "principle": {"l_diversity": 2}}
QUASI = {"role": "quasi-identifier"}


def planted() -> pa.Table:
    """Text columns with one canary each; every other value is harmless."""
    names = ("id", "name", "quasi", "semi", "secret", "note", "extra", "digits", "day", "uuid", "flagtext")
    columns = {
        column: pa.array([f"{CANARY}{column}" if row == 11 else f"{row % 7}" for row in range(N)]) for column in names
    }
    columns["flag"] = pa.array([row % 2 == 1 for row in range(N)])
    columns["bad_flag"] = pa.array([None if row == 11 else row % 2 == 1 for row in range(N)])
    return pa.table(columns)


def policy(**changes: Any) -> dict[str, Any]:
    attributes: dict[str, Any] = {
        "name": {"role": "identifier"},
        "quasi": QUASI,
        "semi": {"role": "semi-sensitive", "flag": "flag", "principle": {"l_diversity": 2}},
        "secret": SENSITIVE,
        "note": {"role": "insensitive"},
    }
    given: dict[str, Any] = {"k": 2, "attributes": attributes}
    for key, value in changes.items():
        (attributes if isinstance(value, dict) else given)[key] = value
    return given


def texts_of(error: BaseException) -> Iterator[str]:
    """Everything that an error and what led to it can say."""
    seen: set[int] = set()
    pending: list[BaseException | None] = [error]
    while pending:
        each = pending.pop()
        if each is None or id(each) in seen:
            continue
        seen.add(id(each))
        yield f"{type(each).__name__}: {each!s} {each!r} {each.args!r} {getattr(each, '__notes__', '')}"
        yield repr({key: value for key, value in vars(each).items() if not key.startswith("__")})
        pending += [each.__cause__, each.__context__]


def corrupt(statement: str) -> Callable[[pytest.MonkeyPatch], None]:
    """Sabotage the written release, so that verification fails."""

    def patch(monkeypatch: pytest.MonkeyPatch) -> None:
        verify = vars(api)["verify"]

        def sabotaged(engine: DuckDBEngine, bound: Any, released: Any, *rest: Any) -> None:
            engine.run(statement.format_map(released))
            verify(engine, bound, released, *rest)

        monkeypatch.setattr(api, "verify", sabotaged)

    return patch


def nothing(_: pytest.MonkeyPatch) -> None:
    """No sabotage."""


def break_statement(relation: str, sql: str) -> Callable[[pytest.MonkeyPatch], None]:
    """Let one step of the run fail with an engine's message that shows a cell."""

    def patch(monkeypatch: pytest.MonkeyPatch) -> None:
        for method in ("materialize", "append"):
            original = getattr(DuckDBEngine, method)

            def broken(self: DuckDBEngine, name: str, statement: Any, original: Any = original) -> int:
                if name == relation:
                    self._timed(relation, sql)
                return int(original(self, name, statement))

            monkeypatch.setattr(DuckDBEngine, method, broken)

    return patch


SHOWS_A_CELL = 'SELECT CAST("secret_value" AS INTEGER) FROM source_rows ORDER BY 1'
Sabotage = Callable[[pytest.MonkeyPatch], None]
FAILURES: dict[str, tuple[dict[str, Any], Sabotage]] = {
    "cast to a number": (policy(digits={**QUASI, "type": "INTEGER"}), nothing),
    "cast to a date": (policy(day={**SENSITIVE, "type": "DATE"}), nothing),
    "cast to a UUID": (policy(uuid={"role": "insensitive", "type": "UUID"}), nothing),
    "cast to a short decimal": (policy(digits={**QUASI, "type": "DECIMAL(2,1)"}), nothing),
    "values outside the list": (policy(quasi={**QUASI, "ordered": [str(i) for i in range(7)]}), nothing),
    "flag NULL": (policy(semi={"role": "semi-sensitive", "flag": "bad_flag", "principle": {"l_diversity": 2}}), nothing),
    "flag not boolean": (policy(semi={"role": "semi-sensitive", "flag": "flagtext", "principle": {"l_diversity": 2}}), nothing),
    "infeasible l": (policy(secret={"role": "sensitive", "principle": {"l_diversity": 29}}), nothing),
    "infeasible t": (policy(secret={"role": "sensitive", "principle": {"t_closeness": 0.95}}), nothing),
    "k beyond the table": (policy(k=31), nothing),
    "key not unique": (policy(key="id"), nothing),
    "unit not unique": (policy(unit="id"), nothing),
    "small patterns": (policy(k=20, small_patterns="error"), nothing),
    "too much suppression": (policy(k=20, small_patterns="suppress"), nothing),
    "verification of groups": (policy(), corrupt("UPDATE {groups} SET size = size + 1")),
    "verification of values": (policy(), corrupt("DELETE FROM {sat_secret} WHERE value LIKE 'CANARY%'")),
    "verification of cells": (policy(), corrupt("UPDATE {tuples} SET gid = 1 + gid % 2")),
    "verification of the manifest": (policy(), corrupt("INSERT INTO {manifest} VALUES ('x', '1')")),
    "a step of ingest": (policy(), break_statement("quasi_domain_quasi", SHOWS_A_CELL)),
    "a step of patterns": (policy(), break_statement("pattern_counts", SHOWS_A_CELL)),
    "a step of bucketization": (policy(), break_statement("sensitive_domain_secret", SHOWS_A_CELL)),
    "a step of tight": (policy(generalization="tight"), break_statement("node_seeds", SHOWS_A_CELL)),
    "a step of fast": (policy(generalization="fast"), break_statement("node_choice", SHOWS_A_CELL)),
    "a step of publishing": (policy(), break_statement("rows_in_secret_order", SHOWS_A_CELL)),
}  # fmt: skip


def check_silent(recorder: Recorder, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]) -> None:
    assert CANARY not in repr(recorder.events)
    assert CANARY not in caplog.text
    printed = capfd.readouterr()
    assert CANARY not in printed.out + printed.err


@pytest.mark.parametrize("name", FAILURES)
def test_failures_show_no_cell(
    name: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    caplog.set_level(logging.DEBUG)
    given, sabotage = FAILURES[name]
    sabotage(monkeypatch)
    recorder = Recorder()
    with pytest.raises(LgbError) as caught:
        lgb_sql.anonymize(
            planted(), given, to=tmp_path / "r.duckdb", crosswalk=tmp_path / "c.parquet", listener=recorder
        )
    check_silent(recorder, caplog, capfd)
    assert leftovers(tmp_path) == []
    assert CANARY not in str(caught.value)
    for text in texts_of(caught.value):
        assert CANARY not in text, "in the chain of exceptions"


@pytest.mark.parametrize("content", [
    f'id,secret\n1,2\n3,"{CANARY}\n4,5\n',
    f"id,secret\n1,2\n3,4,{CANARY},5\n6,7\n" + "8,9\n" * 20,
    "id,secret\n" + "1,2\n" * 30_000 + f"3,{CANARY}\n",
])  # fmt: skip
def test_a_broken_csv_shows_no_cell(content: str, tmp_path: Path) -> None:
    source = tmp_path / "source.csv"
    source.write_text(content)
    given = {"k": 2, "attributes": {"id": QUASI, "secret": SENSITIVE}}
    try:
        lgb_sql.anonymize(source, given, to=tmp_path / "r.duckdb")
    except LgbError as error:
        assert error.exit_code == 2
        assert CANARY not in str(error)
        for text in texts_of(error):
            assert CANARY not in text, "in the chain of exceptions"
        assert leftovers(tmp_path) == ["source.csv"]


@pytest.mark.parametrize("memory", ["1MB", "5MB", "12MB"])
def test_too_little_memory_is_an_engine_error_that_shows_nothing(memory: str, tmp_path: Path) -> None:
    table = people(20_000)
    at = table.column_names.index("occupation")
    cells = table["occupation"].to_pylist()
    cells[5] = CANARY
    table = table.set_column(at, "occupation", pa.array(cells))
    given = {"k": 5, "attributes": {"age": QUASI, "race": QUASI, "occupation": SENSITIVE, "salary": SENSITIVE}}
    recorder = Recorder()
    source = tmp_path / "people.parquet"
    pq.write_table(table, source)
    try:
        lgb_sql.anonymize(source, given, to=tmp_path / "r.duckdb", options=RunOptions(memory=memory), listener=recorder)
    except LgbError as error:
        assert error.exit_code in (2, 3)
        assert error.hint
        assert not any(CANARY in text for text in texts_of(error))
        assert leftovers(tmp_path) == ["people.parquet"]
    assert CANARY not in repr(recorder.events)


def test_a_finished_run_tells_nothing_but_the_release(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    """SAT and groups hold values; nothing else holds a cell, and no identifier leaves."""
    caplog.set_level(logging.DEBUG)
    recorder = Recorder()
    release = lgb_sql.anonymize(planted(), policy(), to=tmp_path / "r", listener=recorder)
    check_silent(recorder, caplog, capfd)
    assert CANARY not in repr(release) + json.dumps(release.manifest)
    assert CANARY not in api.explain(planted(), policy(), sql=True)
    with release.connect() as connection:
        text = "".join(str(connection.execute(f'SELECT * FROM "{name}"').fetchall()) for name in release.relations)
    found = set(re.findall(rf"{CANARY}(\w+)", text))
    assert found == {"quasi", "secret", "note", "semi"}
    whole = b"".join(path.read_bytes() for path in (tmp_path / "r").iterdir())
    for column in ("name", "id", "extra"):
        assert f"{CANARY}{column}".encode() not in whole


@pytest.mark.parametrize("to", ["r.duckdb", "r/"])
def test_withheld_and_suppressed_values_are_nowhere_in_the_files(to: str, tmp_path: Path) -> None:
    """The raw bytes of a release hold no value that was withheld, suppressed or is an identifier's."""
    rows = 40
    table = pa.table(
        {
            "name": pa.array([f"{CANARY}-name-{row}" for row in range(rows)]),
            "semi": pa.array([f"{CANARY}-withheld" if row == 3 else f"v{row % 5}" for row in range(rows)]),
            "flag": pa.array([row == 3 for row in range(rows)]),
            "pay": pa.array([f"p{row % 9}" for row in range(rows)]),
        }
    )
    attributes = {
        "name": {"role": "identifier"},
        "semi": {"role": "semi-sensitive", "flag": "flag", "principle": {"l_diversity": 2}},
        "pay": SENSITIVE,
    }
    for number, small in enumerate(("merge", "suppress")):
        place = tmp_path / f"{number}{to}"
        given = {"k": 4, "small_patterns": small, "suppression_limit": 0.1, "attributes": attributes}
        release = lgb_sql.anonymize(table, given, to=f"{tmp_path}/{number}{to}")
        assert release.manifest["cells_withheld"] + release.manifest["rows_suppressed"] > 0
        for path in place.rglob("*") if place.is_dir() else [place]:
            assert CANARY.encode() not in path.read_bytes()


def test_the_program_prints_and_asks_the_environment_nothing() -> None:
    """No debugging switch: only the command line writes to a terminal or reads the environment."""
    package = Path(lgb_sql.__file__).parent
    for module in package.rglob("*.py"):
        if module.name in ("cli.py", "progress.py", "demo.py"):
            continue
        text = module.read_text(encoding="utf-8")
        assert not re.search(r"^\s*print\(", text, re.MULTILINE), module
        assert "os.environ" not in text, module
