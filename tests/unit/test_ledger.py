"""The ledger: who was released, and the warning that a second release of the same people needs."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pytest
from typer.testing import CliRunner

import lgb_sql
from lgb_sql import LgbError, OutputError, PolicyError, api
from lgb_sql.api import CompositionWarning
from lgb_sql.cli import app
from lgb_sql.ledger import Ledger
from tests.support import leftovers

POLICY: dict[str, Any] = {
    "k": 2,
    "key": "id",
    "generalization": "fast",
    "attributes": {
        "age": {"role": "quasi-identifier"},
        "pay": {"role": "sensitive", "principle": {"l_diversity": 2}},
    },
}


def table(first: int, rows: int = 40) -> pa.Table:
    ids = list(range(first, first + rows))
    return pa.table({"id": ids, "person": [f"p{each}" for each in ids], "age": [i % 9 for i in ids], "pay": ids})


def released(ledger: Path) -> list[tuple[Any, ...]]:
    with duckdb.connect(str(ledger), read_only=True) as connection:
        return connection.execute(
            "SELECT release, state, count(unit) FROM ledger_releases LEFT JOIN ledger_units USING (release) "
            "GROUP BY ALL ORDER BY ALL"
        ).fetchall()


def test_a_second_release_of_the_same_people_is_warned_of(tmp_path: Path) -> None:
    ledger = tmp_path / "ledger.duckdb"
    lgb_sql.anonymize(table(0), POLICY, to=tmp_path / "a.duckdb", ledger=ledger)
    lgb_sql.anonymize(table(100), POLICY, to=tmp_path / "b", ledger=ledger)  # other people: no warning
    with pytest.warns(CompositionWarning, match="10 of 40 people are already in an earlier release"):
        lgb_sql.anonymize(table(30), POLICY, to=tmp_path / "c.duckdb", ledger=ledger)
    with pytest.warns(CompositionWarning, match="40 of 40 people are already in 2 earlier releases"):
        lgb_sql.anonymize(table(0), POLICY, to=tmp_path / "d.duckdb", ledger=ledger)
    assert released(ledger) == [(release, "released", 40) for release in (1, 2, 3, 4)]
    assert stat.S_IMODE(ledger.stat().st_mode) == 0o600
    assert leftovers(tmp_path) == ["a.duckdb", "b", "c.duckdb", "d.duckdb", "ledger.duckdb"]


def test_the_ledger_holds_no_key(tmp_path: Path) -> None:
    ledger = tmp_path / "ledger.duckdb"
    lgb_sql.anonymize(table(0), {**POLICY, "unit": "person"}, to=tmp_path / "a.duckdb", ledger=ledger)
    with duckdb.connect(str(ledger), read_only=True) as connection:
        units = [unit for (unit,) in connection.execute("SELECT unit FROM ledger_units").fetchall()]
    assert len(set(units)) == 40
    assert all(isinstance(unit, bytes) and len(unit) == 16 for unit in units)
    assert b"p17" not in ledger.read_bytes()


def test_two_ledgers_have_different_digests(tmp_path: Path) -> None:
    found = []
    for name in ("one", "two"):
        lgb_sql.anonymize(table(0), POLICY, to=tmp_path / f"{name}-r.duckdb", ledger=tmp_path / f"{name}.duckdb")
        with duckdb.connect(str(tmp_path / f"{name}.duckdb"), read_only=True) as connection:
            found.append(set(connection.execute("SELECT unit FROM ledger_units").fetchall()))
    assert not found[0] & found[1]


def test_people_are_found_again_by_unit_whatever_the_key_s_type(tmp_path: Path) -> None:
    ledger = tmp_path / "ledger.duckdb"
    lgb_sql.anonymize(table(0), POLICY, to=tmp_path / "a.duckdb", ledger=ledger)
    again = table(0)
    again = again.set_column(0, "id", again["id"].cast(pa.string()))
    with pytest.warns(CompositionWarning, match="40 of 40"):
        lgb_sql.anonymize(again, POLICY, to=tmp_path / "b.duckdb", ledger=ledger)


@pytest.mark.parametrize("suffix", ["parquet", "duckdb"])
def test_an_earlier_crosswalk_will_do(suffix: str, tmp_path: Path) -> None:
    crosswalk = tmp_path / f"c.{suffix}"
    lgb_sql.anonymize(table(0), POLICY, to=tmp_path / "a.duckdb", crosswalk=crosswalk)
    before = crosswalk.read_bytes()
    with pytest.warns(CompositionWarning, match="10 of 40 people are already in an earlier release"):
        lgb_sql.anonymize(table(30), POLICY, to=tmp_path / "b.duckdb", ledger=crosswalk)
    lgb_sql.anonymize(table(300), POLICY, to=tmp_path / "c2.duckdb", ledger=crosswalk)
    assert crosswalk.read_bytes() == before


def test_a_crosswalk_that_exists_points_to_the_ledger(tmp_path: Path) -> None:
    lgb_sql.anonymize(table(0), POLICY, to=tmp_path / "a.duckdb", crosswalk=tmp_path / "c.parquet")
    with pytest.raises(OutputError, match="exists already") as caught:
        lgb_sql.anonymize(table(0), POLICY, to=tmp_path / "b.duckdb", crosswalk=tmp_path / "c.parquet")
    assert "--ledger" in caught.value.hint


def test_a_run_that_fails_is_not_remembered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ledger = tmp_path / "ledger.duckdb"
    lgb_sql.anonymize(table(0), POLICY, to=tmp_path / "a.duckdb", ledger=ledger)

    def fail(*_: Any) -> None:
        assert [state for _, state, _ in released_through(ledger)] == ["released", "pending"]
        raise LgbError("no")

    def released_through(path: Path) -> list[tuple[Any, ...]]:
        return released(path)

    monkeypatch.setattr(api, "verify", fail)
    with pytest.raises(LgbError, match="no"):
        lgb_sql.anonymize(table(100), POLICY, to=tmp_path / "b.duckdb", ledger=ledger)
    assert released(ledger) == [(1, "released", 40)]
    assert leftovers(tmp_path) == ["a.duckdb", "ledger.duckdb"]


def test_a_run_that_is_interrupted_while_noting_is_not_remembered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger = tmp_path / "ledger.duckdb"
    note = Ledger._compare_and_note

    def interrupted(*given: Any) -> None:
        note(*given)
        raise KeyboardInterrupt

    monkeypatch.setattr(Ledger, "_compare_and_note", interrupted)
    with pytest.raises(KeyboardInterrupt):
        lgb_sql.anonymize(table(0), POLICY, to=tmp_path / "a.duckdb", ledger=ledger)
    assert released(ledger) == []
    assert leftovers(tmp_path) == ["ledger.duckdb"]


def test_a_schema_release_is_remembered(tmp_path: Path) -> None:
    path, ledger = tmp_path / "work.duckdb", tmp_path / "ledger.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.register("given", table(0))
        connection.execute("CREATE TABLE people AS FROM given")
    lgb_sql.anonymize(path, POLICY, to="schema:one", table="people", ledger=ledger)
    with pytest.warns(CompositionWarning, match="40 of 40"):
        lgb_sql.anonymize(path, POLICY, to="schema:two", table="people", ledger=ledger)
    assert [state for _, state, _ in released(ledger)] == ["released", "released"]


def test_wrong_use(tmp_path: Path) -> None:
    to = tmp_path / "r.duckdb"
    without = {key: value for key, value in POLICY.items() if key != "key"}
    with pytest.raises(PolicyError, match="key"):
        lgb_sql.anonymize(table(0), without, to=to, ledger=tmp_path / "l.duckdb")
    with pytest.raises(OutputError, match="same path"):
        lgb_sql.anonymize(table(0), POLICY, to=to, ledger=to)
    with pytest.raises(OutputError, match=r"must be a \.duckdb"):
        lgb_sql.anonymize(table(0), POLICY, to=to, ledger=tmp_path / "l.txt")
    (tmp_path / "rubbish.duckdb").write_bytes(b"rubbish")
    with pytest.raises(OutputError, match="cannot be opened"):
        lgb_sql.anonymize(table(0), POLICY, to=to, ledger=tmp_path / "rubbish.duckdb")
    duckdb.connect(str(tmp_path / "other.duckdb")).close()
    with pytest.raises(OutputError, match="neither a ledger nor a crosswalk"):
        lgb_sql.anonymize(table(0), POLICY, to=to, ledger=tmp_path / "other.duckdb")
    os.symlink(tmp_path / "other.duckdb", tmp_path / "link.duckdb")
    with pytest.raises(OutputError, match="symbolic link"):
        lgb_sql.anonymize(table(0), POLICY, to=to, ledger=tmp_path / "link.duckdb")
    assert not to.exists()


def test_the_command_warns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with duckdb.connect() as connection:
        connection.register("given", table(0))
        connection.execute("COPY given TO 'people.parquet' (FORMAT parquet)")
    Path("policy.toml").write_text(
        'k = 2\nkey = "id"\n[attributes.age]\nrole = "quasi-identifier"\n'
        '[attributes.pay]\nrole = "sensitive"\nprinciple = { l_diversity = 2 }\n'
    )
    command = ["anonymize", "policy.toml", "--source", "people.parquet", "--ledger", "ledger.duckdb", "--to"]
    first = CliRunner().invoke(app, [*command, "a.duckdb"])
    assert first.exit_code == 0
    assert "earlier release" not in first.output
    second = CliRunner().invoke(app, [*command, "b.duckdb"])
    assert second.exit_code == 0
    assert "warning: 40 of 40 people are already in an earlier release" in second.output
