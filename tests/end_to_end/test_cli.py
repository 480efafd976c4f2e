"""The command line: exit codes, messages, files, signals."""

from __future__ import annotations

import io
import json
import os
import shutil
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import duckdb
import pytest
from rich.console import Console
from typer.testing import CliRunner, Result

import lgb_sql
from lgb_sql import api, cli, events, progress, workspace
from lgb_sql.engines.duckdb import DuckDBEngine
from lgb_sql.render import render

ROOT = Path(lgb_sql.__file__).resolve().parent.parent
CANARY = "canary-7391"
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
PATIENCE = 300
"""Seconds after which another process counts as stuck: many, since machines may be busy."""
OPTIONS = ("--source", "--table", "--to", "--crosswalk", "--seed", "--threads", "--memory", "--temp", "--trace")
POLICY = """
k = 5
[attributes.sex]
role = "semi-sensitive"
flag = "sex_private"
principle = { t_closeness = 0.3 }
[attributes.race]
role = "quasi-identifier"
[attributes.hours_per_week]
role = "quasi-identifier"
[attributes.salary]
role = "sensitive"
principle = { l_diversity = 4 }
"""


def make_people(path: Path, rows: int) -> Path:
    spill = path.parent / "spill"
    spill.mkdir(exist_ok=True)
    engine = DuckDBEngine(lgb_sql.RunOptions(), spill, events.ignore)
    try:
        engine.copy_to_parquet("people", path, render("demo/people", {"rows": rows}))
    finally:
        engine.close()
    return path


@pytest.fixture(scope="session")
def people(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_people(tmp_path_factory.mktemp("people") / "people.parquet", 1_000)


@pytest.fixture(scope="session")
def many_people(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_people(tmp_path_factory.mktemp("many") / "people.parquet", 200_000)


@pytest.fixture
def policy(tmp_path: Path) -> Path:
    path = tmp_path / "policy.toml"
    path.write_text(POLICY, encoding="utf-8")
    return path


@pytest.fixture(autouse=True)
def no_signal_yet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cli, "_stop", cli._Stop())


@pytest.fixture
def out(tmp_path: Path) -> Path:
    directory = tmp_path / "here"
    directory.mkdir()
    return directory / "release.duckdb"


def lgb(*arguments: object) -> Result:
    return CliRunner().invoke(cli.app, [str(argument) for argument in arguments])


def start(*arguments: object) -> subprocess.Popen[str]:
    before = {each: signal.signal(each, signal.default_int_handler) for each in SIGNALS}  # not inherited as ignored
    try:
        return subprocess.Popen(
            [sys.executable, "-m", "lgb_sql.cli", *(str(argument) for argument in arguments)],
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)


def run(*arguments: object) -> tuple[int, str, str]:
    with start(*arguments) as process:
        stdout, stderr = process.communicate(timeout=PATIENCE)
    return process.returncode, stdout, stderr


# --- doing ---


def test_version_and_help() -> None:
    result = lgb("--version")
    assert (result.exit_code, result.stdout) == (0, f"lgb {lgb_sql.__version__}\n")
    text = lgb("anonymize", "--help").stdout
    assert [option for option in OPTIONS if option not in text] == []
    assert lgb().exit_code == 2


def test_anonymize_writes_a_release_and_a_summary(people: Path, policy: Path, out: Path) -> None:
    temp = out.parent / "temp"
    temp.mkdir()
    code, stdout, stderr = run(
        "anonymize", policy, "--source", people, "--to", out, "--threads", 1, "--memory", "1GB", "--temp", temp
    )
    assert code == 0, stderr
    metrics = lgb_sql.open_release(out).manifest["metrics"]
    assert stdout.splitlines() == [
        f"released 1,000 of 1,000 rows in {metrics['groups']:,} groups of at least 5 (k)",
        f"buckets: sex {metrics['buckets']['sex']:,}, salary {metrics['buckets']['salary']:,}",
        "suppressed rows: 0; withheld cells: 0",
        f"verified and written to {out}",
    ]
    assert stderr.count("note: not released, as the policy does not name them: id, age") == 1
    assert "\x1b" not in stderr
    assert sorted(entry.name for entry in out.parent.iterdir()) == ["release.duckdb", "temp"]
    assert not list(temp.iterdir())


def test_a_seeded_release_comes_with_a_warning(people: Path, policy: Path, out: Path) -> None:
    result = lgb("anonymize", policy, "--source", people, "--to", out, "--seed", 0)
    assert result.exit_code == 0
    assert "warning: with --seed the release is reproducible" in result.stderr
    assert "not for publishing" in result.stderr
    assert lgb_sql.open_release(out).manifest["reproducible"] is True


def test_a_schema_of_a_database_and_its_export(people: Path, policy: Path, out: Path) -> None:
    database = out.parent / "all.duckdb"
    with duckdb.connect(str(database)) as connection:
        connection.execute(f"CREATE TABLE people AS FROM '{people}'")
    done = lgb("anonymize", policy, "--source", database, "--table", "people", "--to", "schema:shared")
    assert done.exit_code == 0, done.stderr
    assert f"written to {database}::shared" in done.stdout
    assert "note: whoever opens this database also sees the raw table" in done.stderr
    copied = lgb("export", f"{database}::shared", "--to", f"{out.parent}/copy/", "--threads", 1)
    assert copied.exit_code == 0, copied.stderr
    assert copied.stdout == f"copied 1,000 rows, each compared, to {out.parent}/copy\n"
    assert lgb_sql.open_release(out.parent / "copy").manifest["rows_released"] == 1_000


def test_a_crosswalk_is_written_beside(people: Path, policy: Path, out: Path) -> None:
    link = out.parent / "link.parquet"
    assert lgb("anonymize", policy, "--source", people, "--to", out, "--crosswalk", link).exit_code == 0
    assert stat.S_IMODE(link.stat().st_mode) == 0o600


def test_explain_prints_the_plan(people: Path, policy: Path) -> None:
    words = lgb("explain", policy, "--source", people)
    assert words.exit_code == 0
    assert words.stdout == lgb_sql.explain(people, policy)
    assert lgb("explain", policy, "--source", people, "--sql").stdout == lgb_sql.explain(people, policy, sql=True)


def test_a_reader_that_has_seen_enough_is_no_failure(people: Path, policy: Path) -> None:
    with start("explain", policy, "--source", people, "--sql") as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert (process.stderr.read(), process.wait(60)) == ("", 0)


# --- the trace ---


def test_trace_holds_every_statement(people: Path, policy: Path, out: Path) -> None:
    trace = out.parent / "trace.jsonl"
    before = os.umask(0)
    try:
        result = lgb("anonymize", policy, "--source", people, "--to", out, "--trace", trace)
    finally:
        os.umask(before)
    assert result.exit_code == 0, result.stderr
    assert stat.S_IMODE(trace.stat().st_mode) == 0o600
    lines = [json.loads(line) for line in trace.read_text(encoding="utf-8").splitlines()]
    assert {tuple(line) for line in lines} == {("relation", "seconds", "rows", "sql")}
    assert {"source_rows", "tuples", "groups", "sat_salary", "verify/groups_below_k"} <= {x["relation"] for x in lines}
    assert all(line["seconds"] >= 0 and line["rows"] >= 0 and line["sql"] for line in lines)
    assert next(line["rows"] for line in lines if line["relation"] == "source_rows") == 1_000


def test_trace_holds_no_value(policy: Path, out: Path) -> None:
    source, trace = out.parent / "people.csv", out.parent / "trace.jsonl"
    rows = "".join(f"{CANARY}-{i % 2},{i % 3 == 0},{CANARY}-{i % 4},{i % 9},{48_151_623 + i}\n" for i in range(60))
    source.write_text(f"sex,sex_private,race,hours_per_week,salary\n{rows}", encoding="utf-8")
    result = lgb("anonymize", policy, "--source", source, "--to", out, "--trace", trace)
    assert result.exit_code == 0, result.stderr
    for text in (trace.read_text(encoding="utf-8"), result.output):
        assert CANARY not in text
        assert "48151623" not in text


@pytest.mark.parametrize("other", ["there", "out"])
def test_trace_must_be_a_file_of_its_own(people: Path, policy: Path, out: Path, other: str) -> None:
    trace = policy if other == "there" else out
    before = policy.read_text(encoding="utf-8")
    result = lgb("anonymize", policy, "--source", people, "--to", out, "--trace", trace)
    assert result.exit_code == 2
    assert "hint: " in result.stderr
    assert policy.read_text(encoding="utf-8") == before
    assert not out.exists()


def test_trace_of_a_refused_run_is_removed(people: Path, policy: Path, out: Path) -> None:
    policy.write_text(POLICY.replace("l_diversity = 4", "l_diversity = 900"), encoding="utf-8")
    result = lgb("anonymize", policy, "--source", people, "--to", out, "--trace", out.parent / "trace.jsonl")
    assert result.exit_code == 2
    assert "error: salary cannot be 900-diverse" in result.stderr
    assert "hint: " in result.stderr
    assert not list(out.parent.iterdir())


# --- wrong use ---


@pytest.mark.parametrize(
    ("option", "value", "fix"),
    [
        ("--threads", "0", "--threads 4"),
        ("--threads", "9" * 30, "--threads 4"),
        ("--threads", "many", "integer"),
        ("--seed", "-1", "--seed 1"),
        ("--memory", "lots", "--memory 4GB"),
        ("--memory", "-1", "--memory 4GB"),
        ("--memory", "0GB", "--memory 4GB"),
        ("--temp", "/no/such/place", "does not exist"),
        ("--to", "x.csv", "use x.duckdb"),
        ("--trace", "/no/such/place/t", "create /no/such/place first"),
        ("--crosswalk", "x.csv", ".parquet"),
        ("--source", "/no/such/table", "check the path"),
        ("--nonsense", "1", "--nonsense"),
    ],
)
def test_bad_options_say_what_to_do(people: Path, policy: Path, out: Path, option: str, value: str, fix: str) -> None:
    given = {"--source": str(people), "--to": str(out), option: value}
    result = lgb("anonymize", policy, *(word for pair in given.items() for word in pair))
    assert result.exit_code == 2
    assert fix in result.stderr
    assert not result.stdout
    assert not list(out.parent.iterdir())


def test_an_output_that_exists_stays_as_it_is(people: Path, policy: Path, out: Path) -> None:
    out.write_text("mine", encoding="utf-8")
    result = lgb("anonymize", policy, "--source", people, "--to", out)
    assert result.exit_code == 2
    assert "exists already" in result.stderr
    assert out.read_text(encoding="utf-8") == "mine"


def test_all_problems_of_a_policy_are_told_as_text(people: Path, policy: Path, out: Path) -> None:
    names = ("[bold]x[/bold]", ":smile:", "a\\u001b[31mred")
    extra = "".join(f'[attributes."{name}"]\nrole = "quasi-identifier"\n' for name in names)
    policy.write_text(POLICY.replace("k = 5", "k = 1") + extra, encoding="utf-8")
    code, stdout, stderr = run("anonymize", policy, "--source", people, "--to", out)
    assert (code, stdout) == (2, "")
    assert "error: the policy has 4 problems:" in stderr
    for text in (
        "k: must be at least 2",
        "attributes.[bold]x[/bold]:",
        "attributes.:smile::",
        "attributes.a\\x1b[31mred:",
    ):
        assert text in stderr
    assert "\x1b" not in stderr


def test_not_a_release() -> None:
    result = lgb("export", "/no/such/release.duckdb", "--to", "x/")
    assert result.exit_code == 2
    assert "error: there is no release at /no/such/release.duckdb" in result.stderr


# --- failing ---


class Failure:
    """Stands in for the verb: reads a cell value and fails with it."""

    def __init__(self, error: BaseException) -> None:
        self.error = error

    def __call__(self, *_args: Any, **_options: Any) -> Any:
        raise self.error


@pytest.mark.parametrize("debug", ["", "1"])
@pytest.mark.parametrize("error", [ValueError(CANARY), duckdb.ConversionException(CANARY), RecursionError(CANARY)])
def test_an_unknown_error_is_told_without_its_text(
    people: Path, policy: Path, out: Path, monkeypatch: pytest.MonkeyPatch, error: Exception, debug: str
) -> None:
    monkeypatch.setenv("LGB_DEBUG", debug)
    monkeypatch.setattr(api, "anonymize", Failure(error))
    result = lgb("anonymize", policy, "--source", people, "--to", out)
    assert result.exit_code == 3
    assert f"internal error: {type(error).__name__}\nplease report it" in result.stderr
    assert CANARY not in result.output
    assert ("in __call__" in result.stderr) == bool(debug)


@pytest.mark.parametrize("error", [lgb_sql.EngineError("memory ran out", "raise --memory"), OSError(28, CANARY)])
def test_a_failed_run_is_told(
    people: Path, policy: Path, out: Path, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    monkeypatch.setattr(api, "anonymize", Failure(error))
    result = lgb("anonymize", policy, "--source", people, "--to", out)
    assert result.exit_code == 3
    assert result.stderr.startswith("error: ")
    assert "\nhint: " in result.stderr
    assert CANARY not in result.output


# --- stopping ---


def start_and_wait(source: Path, policy: Path, out: Path, statements: int = 40) -> subprocess.Popen[str]:
    """A larger run that has got as far as its groups."""
    trace = policy.parent / "progress.jsonl"
    process = start("anonymize", policy, "--source", source, "--to", out, "--trace", trace)
    deadline = time.monotonic() + PATIENCE
    while not trace.exists() or trace.read_bytes().count(b"\n") < statements:
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.02)
    assert [entry.name[:5] for entry in out.parent.iterdir()] == [".lgb-"]
    return process


@pytest.mark.parametrize("number", SIGNALS)
def test_a_signal_leaves_nothing(many_people: Path, policy: Path, out: Path, number: signal.Signals) -> None:
    with start_and_wait(many_people, policy, out) as process:
        process.send_signal(number)
        process.send_signal(number)
        stdout, stderr = process.communicate(timeout=PATIENCE)
    assert (process.returncode, stdout) == (130, "")
    assert stderr.splitlines()[-1] == "interrupted; nothing was written"
    assert "Traceback" not in stderr
    assert not list(out.parent.iterdir())


def test_a_killed_run_leaves_no_release_and_the_next_cleans_up(
    many_people: Path, people: Path, policy: Path, out: Path
) -> None:
    with start_and_wait(many_people, policy, out) as process:
        process.kill()
        process.communicate(timeout=PATIENCE)
    assert process.returncode == -signal.SIGKILL
    (leftover,) = out.parent.iterdir()
    assert stat.S_IMODE(leftover.stat().st_mode) == 0o700
    assert lgb("anonymize", policy, "--source", people, "--to", out).exit_code == 0
    assert list(out.parent.iterdir()) == [out]


def test_an_engine_that_reports_an_interrupt_as_an_error(
    people: Path, policy: Path, out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_args: Any, **_options: Any) -> None:
        with pytest.raises(KeyboardInterrupt):
            cli._stop(signal.SIGINT, None)
        raise RuntimeError("Query interrupted")

    monkeypatch.setattr(api, "anonymize", interrupted)
    result = lgb("anonymize", policy, "--source", people, "--to", out)
    assert (result.exit_code, result.stderr) == (130, "interrupted; nothing was written\n")


def test_a_signal_after_the_release_got_its_name_comes_too_late(
    people: Path, policy: Path, out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make = api.anonymize

    def make_and_stop(*args: Any, **options: Any) -> None:
        make(*args, **options)
        cli._stop(signal.SIGINT, None)

    monkeypatch.setattr(api, "anonymize", make_and_stop)
    result = lgb("anonymize", policy, "--source", people, "--to", out)
    assert result.exit_code == 0, result.stderr
    assert f"verified and written to {out}" in result.stdout


def test_a_signal_does_not_cut_cleaning_up_short(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stop = cli._Stop()
    unlink = os.unlink
    before = signal.signal(signal.SIGTERM, stop)

    def unlink_with_signal(*args: Any, **options: Any) -> None:
        os.kill(os.getpid(), signal.SIGTERM)
        unlink(*args, **options)

    try:
        with monkeypatch.context() as patched, workspace.private_directory(tmp_path, "x") as directory:
            (directory / "a").touch()
            patched.setattr(os, "unlink", unlink_with_signal)
            shutil.rmtree(directory)
    finally:
        signal.signal(signal.SIGTERM, before)
    assert not list(tmp_path.iterdir())
    with pytest.raises(KeyboardInterrupt):
        stop.listen(events.StageStarted("ingest"))


def test_python_alone_interrupted(people: Path, policy: Path, out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(api, "anonymize", Failure(KeyboardInterrupt()))
    assert lgb("anonymize", policy, "--source", people, "--to", out).exit_code == 130


# --- progress ---


@pytest.mark.parametrize("terminal", [True, False])
def test_the_progress_line_is_for_terminals(terminal: bool) -> None:
    shown = io.StringIO()
    console = Console(file=shown, force_terminal=terminal, width=100, _environ={"TERM": "xterm"})
    with progress.progress_line(console) as tell:
        tell(events.StageStarted("groups"))
        tell(events.StatementFinished("nodes", "SELECT 1", 0.1, 1))
    assert ("forming groups (1 statements)" in shown.getvalue()) == terminal
    assert terminal or not shown.getvalue()


def test_notes_are_told_once(capsys: pytest.CaptureFixture[str]) -> None:
    tell = progress.Notes(progress.PlainConsole(stderr=True))
    for text in ("[b]one[/b]", "[b]one[/b]", "two"):
        tell(events.Note(text))
    assert capsys.readouterr().err == "note: [b]one[/b]\nnote: two\n"
