"""`lgb demo`: one command from nothing to a verified release, and commands that really work next."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import duckdb
import pytest
from typer.testing import CliRunner, Result

import lgb_sql
from lgb_sql import cli, demo


@pytest.fixture(autouse=True)
def no_signal_yet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cli, "_stop", cli._Stop())


def lgb(*arguments: str) -> Result:
    return CliRunner().invoke(cli.app, list(arguments))


def test_demo_end_to_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    result = lgb("demo")
    assert result.exit_code == 0, result.stderr
    made = tmp_path / "lgb-demo"
    assert [path.name for path in tmp_path.iterdir()] == ["lgb-demo"]
    assert sorted(path.name for path in made.iterdir()) == ["people.parquet", "policy.toml", "release.duckdb"]
    manifest = lgb_sql.open_release(made / "release.duckdb").manifest
    assert (manifest["k"], manifest["rows_released"], manifest["reproducible"]) == (10, 31_055, False)
    _check_story(result.stdout, manifest["metrics"], made / "release.duckdb")
    _check_next_commands(result.stdout, made)


def _check_story(text: str, metrics: dict[str, object], release: Path) -> None:
    with duckdb.connect(str(release), read_only=True) as connection:
        ((smallest,),) = connection.execute("SELECT min(size) FROM groups").fetchall()
        first = connection.execute("SELECT gid, hours_per_week FROM anonymized ORDER BY rid LIMIT 5").fetchall()
    assert smallest >= 10
    assert "31,055 invented people were generated and 31,055 released" in text
    assert f"{metrics['groups']:,} groups; the smallest has {smallest} people" in text
    buckets = metrics["buckets"]
    assert isinstance(buckets, dict)
    assert list(buckets) == ["sex", "age", "occupation", "salary"]
    for name, count in buckets.items():
        assert f"{name}: {count:,} buckets" in text
    assert re.search(
        r"Verified: \d{2} queries looked for a broken promise in the release; all returned nothing\.", text
    )
    for line, place in (("gid", 0), ("hours_per_week", 1)):
        cells = re.search(rf"^│ {line} +│(.*)│$", text, re.MULTILINE)
        assert cells is not None
        assert [cell.strip() for cell in cells[1].split("│")] == [str(row[place]) for row in first]


def _check_next_commands(text: str, made: Path) -> None:
    commands = [shlex.split(line) for line in text.splitlines() if re.match("  (lgb|duckdb) ", line)]
    assert [command[0] for command in commands] == ["duckdb", "lgb", "lgb"]
    (_, _, database, query), *others = commands
    with duckdb.connect(database, read_only=True) as connection:
        assert len(connection.execute(query).fetchall()) == 20
    for command in others:
        done = lgb(*command[1:])
        assert done.exit_code == 0, done.stderr
    assert (made / "parquet" / "anonymized.parquet").exists()


def test_demo_refuses_what_exists(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    for place, fix in (("mine", "remove it, or name another directory with --to"), ("no/where", "create ")):
        result = lgb("demo", "--to", str(tmp_path / place))
        assert result.exit_code == 2
        assert fix in result.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]
    assert not list((tmp_path / "mine").iterdir())


@pytest.mark.parametrize("step", ["_generate", "anonymize", "_look", "publish"])
def test_an_interrupted_demo_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str) -> None:
    def interrupt(*_args: object, **_options: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(demo, "ROWS", 2_000)
    monkeypatch.setattr(demo, step, interrupt)
    result = lgb("demo", "--to", str(tmp_path / "a b"), "--threads", "1")
    assert (result.exit_code, result.stdout) == (130, "")
    assert "interrupted; nothing was written" in result.stderr
    assert not list(tmp_path.iterdir())


def test_paths_are_quoted_for_the_shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(demo, "ROWS", 3_000)
    to = tmp_path / "a [b] 'c'"
    result = lgb("demo", "--to", str(to))
    assert result.exit_code == 0, result.stderr
    (line,) = (line for line in result.stdout.splitlines() if line.startswith("  lgb explain"))
    assert shlex.split(line)[2] == str(to / "policy.toml")
