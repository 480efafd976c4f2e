"""`lgb query`: answers in every format, queries of a file, errors in words, and what docs/queries.md shows."""

from __future__ import annotations

import csv
import io
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pytest
from typer.testing import CliRunner, Result

import lgb_sql
from lgb_sql import cli
from lgb_sql.query.language import split_queries
from tests.support import PEOPLE_POLICY, people

ROOT = Path(lgb_sql.__file__).resolve().parent.parent
DOCS = (ROOT / "docs" / "queries.md").read_text(encoding="utf-8")
POLICY = {**PEOPLE_POLICY, "generalization": "fast"}
"""What is asked does not depend on how groups are made, and this takes a third of the time."""
FIGURES = ["lower", "estimate", "upper", "lower_expected", "upper_expected", "n_must", "n_may"]
COUNT = "SELECT COUNT(*) FROM released WHERE age > 30 AND sex = 'Male'"
GROUPED = "SELECT education, SUM(salary) AS pay FROM released WHERE age > 30 GROUP BY education ORDER BY pay DESC"
BY_AGE = "SELECT age, COUNT(*) FROM released GROUP BY age"
EXTREMES = "SELECT MIN(age), MAX(occupation) FROM released WHERE hours_per_week >= 40"
CANARY = "canary-7391"


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> lgb_sql.Release:
    """A release at the place where the document has it."""
    directory = tmp_path_factory.mktemp("asked") / "lgb-demo"
    directory.mkdir()
    seeded = lgb_sql.RunOptions(seed=1)
    return lgb_sql.anonymize(people(600), POLICY, to=directory / "release.duckdb", options=seeded)


@pytest.fixture(scope="module")
def files(release: lgb_sql.Release) -> lgb_sql.Release:
    """The same release as a directory of Parquet files."""
    return lgb_sql.export(release.path, to=Path(release.path).parent / "files")


def lgb(*arguments: object) -> Result:
    return CliRunner().invoke(cli.app, [str(argument) for argument in arguments])


def answered(*arguments: object) -> str:
    result = lgb("query", *arguments)
    assert result.exit_code == 0, result.stderr
    assert result.stderr == ""
    return result.stdout


def as_rows(table: pa.Table) -> list[dict[str, Any]]:
    return list(table.to_pylist())


def same(found: list[dict[str, Any]], expected: list[dict[str, Any]]) -> bool:
    """Estimates are sums of floats, whose last digits may differ from run to run."""
    return len(found) == len(expected) and all(
        list(one) == list(other) and all(one[name] == _near(other[name]) for name in one)
        for one, other in zip(found, expected, strict=True)
    )


def _near(value: Any) -> Any:
    return pytest.approx(value, rel=1e-9) if isinstance(value, float) else value


# --- answers ---


@pytest.mark.parametrize("sql", [COUNT, GROUPED, BY_AGE, EXTREMES])
def test_json_holds_what_python_gets(sql: str, release: lgb_sql.Release) -> None:
    printed = json.loads(answered(release.path, sql, "--format", "json"))
    assert same(printed, as_rows(release.query(sql)))


@pytest.mark.parametrize("sql", [COUNT, GROUPED, BY_AGE, EXTREMES])
def test_csv_holds_what_python_gets(sql: str, release: lgb_sql.Release) -> None:
    header, *lines = csv.reader(io.StringIO(answered(release.path, sql, "--format", "csv")))
    expected = release.query(sql)
    assert header == expected.column_names
    assert len(lines) == expected.num_rows
    for line, row in zip(lines, as_rows(expected), strict=True):
        for text, value in zip(line, row.values(), strict=True):
            if isinstance(value, float):
                assert float(text) == pytest.approx(value, rel=1e-9)
            else:
                assert text == ("" if value is None else str(value))


def test_a_table_is_for_people(release: lgb_sql.Release) -> None:
    header, rule, line = answered(release.path, COUNT).splitlines()
    assert header.split() == FIGURES
    assert set(rule.strip()) == {"─"}
    (row,) = as_rows(release.query(COUNT))
    shown = [float(word.replace(",", "")) for word in line.split()]
    assert shown == [pytest.approx(value, rel=1e-3, abs=0.1) for value in row.values()]


def test_a_table_of_groups(release: lgb_sql.Release) -> None:
    header, _, *lines = answered(release.path, GROUPED).splitlines()
    rows = as_rows(release.query(GROUPED))
    assert header.split() == ["education", *FIGURES, "other_values"]
    assert [line.split("  ")[0].strip() for line in lines] == [row["education"] for row in rows]
    assert f"{rows[0]['lower']:,}" in lines[0].split()
    assert all(line.split()[-1] == "false" for line in lines)


def test_keys_that_no_table_lists_have_a_row_of_their_own(release: lgb_sql.Release) -> None:
    rows = json.loads(answered(release.path, BY_AGE, "--format", "json"))
    others = [row for row in rows if row["other_values"]]
    assert [row["age"] for row in others] == [None]
    assert others == rows[-1:]
    line = answered(release.path, BY_AGE).splitlines()[-1].split()
    assert (line[0], line[-1]) == ("NULL", "true")


def test_no_group_at_all(release: lgb_sql.Release) -> None:
    sql = "SELECT sex, COUNT(*) FROM released WHERE age > 200 GROUP BY sex"
    assert json.loads(answered(release.path, sql, "--format", "json")) == []
    assert answered(release.path, sql, "--format", "csv") == ",".join(["sex", *FIGURES, "other_values"]) + "\n"
    assert answered(release.path, sql).split()[:2] == ["sex", "lower"]


def test_nothing_to_add_up(release: lgb_sql.Release) -> None:
    sql = "SELECT SUM(salary) AS s, AVG(salary) AS a, MIN(age) AS m FROM released WHERE age > 200"
    (row,) = json.loads(answered(release.path, sql, "--format", "json"))
    for figure in ("lower", "estimate", "upper"):
        assert (row[f"s_{figure}"], row[f"a_{figure}"], row[f"m_{figure}"]) == (0, None, None)
    header, line = csv.reader(io.StringIO(answered(release.path, sql, "--format", "csv")))
    assert line[header.index("a_lower")] == ""


def test_decimals_and_dates_lose_no_digit(tmp_path: Path) -> None:
    with duckdb.connect() as connection:
        table = connection.sql(
            "SELECT CAST(10000000000000 + i + 0.25 AS DECIMAL(18,2)) AS pay,"
            " DATE '2020-02-29' + CAST(i AS INTEGER) AS born FROM range(24) AS r(i)"
        ).to_arrow_table()
    sensitive = {"role": "sensitive", "principle": {"l_diversity": 3}}
    policy = {"k": 3, "attributes": {"pay": sensitive, "born": sensitive}}
    made = lgb_sql.anonymize(table, policy, to=tmp_path / "release.duckdb")
    sql = "SELECT SUM(pay) AS total, MIN(born) AS first FROM released"
    (row,) = json.loads(answered(made.path, sql, "--format", "json"))
    assert row["total_lower"] == row["total_upper"] == "240000000000282.00"
    assert row["first_lower"] == row["first_upper"] == "2020-02-29"


# --- files of queries ---


@pytest.fixture
def queries(tmp_path: Path) -> Path:
    text = f"-- first; not yet\n{COUNT};\n\n{GROUPED} /* ; */;\nSELECT COUNT(*) FROM released WHERE sex = 'a;b'"
    path = tmp_path / "queries.sql"
    path.write_text(text, encoding="utf-8")
    return path


def test_queries_of_a_file_are_answered_in_order(queries: Path, release: lgb_sql.Release) -> None:
    printed = json.loads(answered(release.path, "--file", queries, "--format", "json"))
    expected = release.query_many([COUNT, GROUPED, "SELECT COUNT(*) FROM released WHERE sex = 'a;b'"])
    assert len(printed) == 3
    assert all(same(one, as_rows(other)) for one, other in zip(printed, expected, strict=True))


@pytest.mark.parametrize("form", ["csv", "table"])
def test_an_empty_line_parts_two_answers(form: str, queries: Path, release: lgb_sql.Release) -> None:
    parts = answered(release.path, "--file", queries, "--format", form).split("\n\n")
    first_lines = [re.split(r"[,\s]+", part.strip().splitlines()[0]) for part in parts]
    assert first_lines == [FIGURES, ["education", *FIGURES, "other_values"], FIGURES]


def test_one_query_in_a_file_is_answered_like_an_argument(tmp_path: Path, release: lgb_sql.Release) -> None:
    path = tmp_path / "one.sql"
    path.write_text(f"{GROUPED};\n", encoding="utf-8")
    assert answered(release.path, "--file", path) == answered(release.path, GROUPED)


def test_one_wrong_query_of_a_file_and_nothing_is_answered(tmp_path: Path, release: lgb_sql.Release) -> None:
    path = tmp_path / "queries.sql"
    path.write_text(f"{COUNT};\nSELECT COUNT(*) FROM released WHERE agee > 3;\n", encoding="utf-8")
    message = refused(release.path, "--file", path)
    assert "agee" in message
    assert "did you mean age?" in message


# --- other releases ---


def test_parquet_files_answer_the_same(release: lgb_sql.Release, files: lgb_sql.Release) -> None:
    for sql in (COUNT, GROUPED, BY_AGE):
        printed = json.loads(answered(f"{files.path}/", sql, "--format", "json", "--threads", 1, "--memory", "1GB"))
        assert same(printed, as_rows(release.query(sql)))


def test_a_schema_of_a_database(tmp_path: Path) -> None:
    database = tmp_path / "people.duckdb"
    with duckdb.connect() as connection:
        connection.execute(f"ATTACH '{database}' AS source (STORAGE_VERSION 'v1.4.0')")
        connection.register("given", people(300))
        connection.execute("CREATE TABLE source.people AS SELECT * FROM given")
    lgb_sql.anonymize(database, POLICY, table="people", to="schema:made")
    (row,) = json.loads(answered(f"{database}::made", "SELECT COUNT(*) FROM released", "--format", "json"))
    assert row["lower"] == row["upper"] == 300


def test_asking_changes_and_leaves_nothing(release: lgb_sql.Release, tmp_path: Path) -> None:
    place = Path(release.path)
    before = (place.read_bytes(), sorted(place.parent.iterdir()))
    answered(release.path, GROUPED, "--temp", tmp_path)
    assert (place.read_bytes(), sorted(place.parent.iterdir())) == before
    assert list(tmp_path.iterdir()) == []


# --- errors ---


def refused(*arguments: object) -> str:
    """The message: exit code 2, nothing on stdout, no traceback, an error and a hint."""
    result = lgb("query", *arguments)
    assert result.exit_code == 2, result.stdout
    assert result.stdout == ""
    assert isinstance(result.exception, SystemExit)
    first, second = result.stderr.rstrip("\n").split("\n", maxsplit=1)
    assert first.startswith("error: ")
    assert second.startswith("hint: ")
    assert "Traceback" not in result.stderr
    return str(result.stderr)


WITH_A_PLACE = {
    "no sql": ("hello", "exactly one SELECT", "line 1, column 1"),
    "two statements": (f"{COUNT}; DROP TABLE tuples", "exactly one SELECT", "line 1, column 1"),
    "half a query": ("SELECT COUNT(*)\nFROM released\nWHERE age >", "cannot be read", "line 3, column 11"),
    "two attributes": ("SELECT COUNT(*) FROM released WHERE\n age > hours_per_week", "compares", "line 2, column 2"),
    "a function": ("SELECT COUNT(*) FROM released WHERE\n getenv('HOME') = sex", "that function", "line 2, column 2"),
    "a sub-query": ("SELECT COUNT(*) FROM released WHERE age IN\n(SELECT 30)", "a sub-query", "line 2"),
    "distinct": ("SELECT COUNT(DISTINCT age) FROM released", "DISTINCT", "line 1"),
    "having": ("SELECT sex, COUNT(*) FROM released GROUP BY sex\nHAVING COUNT(*) > 3", "HAVING", "line 2"),
    "a sum of texts": ("SELECT\n SUM(sex) FROM released", "SUM needs a number", "line 2, column 2"),
    "no key": ("SELECT\nsex, COUNT(*) FROM released", "GROUP BY", "line 2, column 1"),
    "an order": ("SELECT COUNT(*) FROM released\nORDER BY salary", "ORDER BY", "line 2, column 10"),
    "a limit": ("SELECT COUNT(*) FROM released\nLIMIT -1", "LIMIT", "line 2"),
    "a constant": ("SELECT COUNT(*) FROM released WHERE\nage > 'old'", "does not fit", "line 2, column 7"),
}  # fmt: skip


@pytest.mark.parametrize(("sql", "what", "place"), WITH_A_PLACE.values(), ids=list(WITH_A_PLACE))
def test_an_error_says_what_is_wrong_where_and_what_is_supported(
    sql: str, what: str, place: str, release: lgb_sql.Release
) -> None:
    message = refused(release.path, sql)
    assert what in message
    assert place in message
    assert "hint: supported: SELECT SUM | COUNT | AVG | MIN | MAX" in message


WITH_A_HINT = {
    "an attribute": ("SELECT COUNT(*) FROM released WHERE\nagee > 3", "line 2, column 1", "did you mean age?"),
    "a table": ("SELECT COUNT(*)\nFROM tuples", "line 2, column 6", "write FROM released"),
    "another table's": ("SELECT COUNT(*) FROM released WHERE tuples.age > 3", "line 1", "there is only released"),
    "an alias of a key": ("SELECT sex AS s, COUNT(*) FROM released GROUP BY sex", "line 1", "leave the alias out"),
    "all keys": ("SELECT age, occupation, salary, COUNT(*) FROM released GROUP BY ALL", "line 1", "supported"),
    "depth": (f"SELECT COUNT(*) FROM released WHERE {'(' * 300}age > 3{')' * 300}", "200", "write it flatter"),
}  # fmt: skip


@pytest.mark.parametrize(("sql", "place", "hint"), WITH_A_HINT.values(), ids=list(WITH_A_HINT))
def test_an_error_says_what_to_do(sql: str, place: str, hint: str, release: lgb_sql.Release) -> None:
    message = refused(release.path, sql)
    assert place in message
    assert f"hint: {hint}" in message


def test_too_many_groups(release: lgb_sql.Release) -> None:
    message = refused(release.path, "SELECT age, occupation, salary, COUNT(*) FROM released GROUP BY 1, 2, 3")
    assert "5,000 possible groups" in message


def test_what_to_ask_is_said_once(release: lgb_sql.Release, queries: Path) -> None:
    assert "--file" in refused(release.path)
    assert "--file" in refused(release.path, COUNT, "--file", queries)


def test_files_that_hold_no_queries(release: lgb_sql.Release, tmp_path: Path) -> None:
    path = tmp_path / "queries.sql"
    assert "cannot be read" in refused(release.path, "--file", path)
    assert "cannot be read" in refused(release.path, "--file", tmp_path)
    path.write_bytes(b"SELECT \xff\xfe")
    assert "UTF-8" in refused(release.path, "--file", path)
    path.write_text("-- nothing\n;;\n", encoding="utf-8")
    assert "holds no query" in refused(release.path, "--file", path)
    path.write_text("SELECT COUNT(*) FROM released WHERE sex = 'M", encoding="utf-8")
    assert "supported: SELECT" in refused(release.path, "--file", path)


def test_an_unknown_format(release: lgb_sql.Release) -> None:
    result = lgb("query", release.path, COUNT, "--format", "xml")
    assert result.exit_code == 2
    assert all(word in result.stderr for word in ("table", "json", "csv"))


def test_what_is_no_release(release: lgb_sql.Release, tmp_path: Path) -> None:
    assert "there is no release" in refused(tmp_path / "none.duckdb", COUNT)
    text = tmp_path / "text.duckdb"
    text.write_text(f"{CANARY}\n" * 1_000, encoding="utf-8")
    assert CANARY not in refused(text, COUNT)
    plain = tmp_path / "plain.duckdb"
    with duckdb.connect(str(plain)) as connection:
        connection.execute(f"CREATE TABLE released AS SELECT '{CANARY}' AS sex, 40 AS age")
    message = refused(plain, COUNT)
    assert "is not a release" in message
    assert CANARY not in message
    (tmp_path / "empty").mkdir()
    assert "is not a release" in refused(tmp_path / "empty", COUNT)
    assert "is not a release" in refused(f"{release.path}::other", COUNT)


def test_no_message_holds_a_cell(tmp_path: Path) -> None:
    """The engine's own words of a failed cast would."""
    table = pa.table(
        {"name": [f"{CANARY}-{i % 6}" for i in range(24)], "job": [f"{CANARY}-{i % 8}" for i in range(24)]}
    )
    sensitive = {"role": "sensitive", "principle": {"l_diversity": 3}}
    policy = {"k": 3, "attributes": {"name": {"role": "quasi-identifier"}, "job": sensitive}}
    made = lgb_sql.anonymize(table, policy, to=tmp_path / "release.duckdb")
    for name in ("name", "job"):
        for condition in (
            f"CAST({name} AS INTEGER) > 3",
            f"{name} > 3",
            f"{name} = DATE '2020-01-01'",
            name,
            f"year({name}) = 3",
        ):
            message = refused(made.path, f"SELECT COUNT(*) FROM released WHERE {condition}")
            assert f"the condition on {name}" in message
            assert CANARY not in message


# --- the document ---


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", DOCS, re.MULTILINE | re.DOTALL)


def examples() -> list[str]:
    return [sql for block in blocks("sql") for sql in split_queries(block)]


@pytest.mark.parametrize("sql", examples())
def test_an_example_of_the_document(sql: str, release: lgb_sql.Release) -> None:
    rows = as_rows(release.query(sql))
    assert rows
    for row in rows:
        for name in row:
            if name.endswith("lower"):
                upper = name.removesuffix("lower") + "upper"
                assert row[name] is None or row[upper] is None or row[name] <= row[upper]


def test_there_is_an_example_of_every_kind() -> None:
    text = "\n".join(examples())
    for word in (
        "COUNT(*)",
        "COUNT(a",
        "SUM",
        "AVG",
        "MIN",
        "MAX",
        "OR",
        "NOT",
        "GROUP BY",
        "ORDER BY",
        "LIMIT",
        " AS ",
    ):
        assert word in text, word


def test_the_commands_and_errors_of_the_document(
    release: lgb_sql.Release, queries: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    directory = Path(release.path).parents[1]
    monkeypatch.chdir(directory)
    (directory / "queries.sql").write_bytes(queries.read_bytes())
    commands = [line for block in blocks("sh") for line in block.splitlines()]
    assert len(commands) == 3
    for command in commands:
        answered(*words(command))
    (shown,) = (block for block in blocks("text") if block.startswith("$ lgb"))
    for command, *lines in re.findall(r"^\$ (.*)\n(error: .*)\n(hint: .*)\n", shown, re.MULTILINE):
        assert refused(*words(command)).splitlines() == lines
    assert shown.count("error: ") == shown.count("$ ") == 2


def words(command: str) -> list[str]:
    found = [one or other for one, other in re.findall(r'"([^"]*)"|(\S+)', command)]
    assert found[:2] == ["lgb", "query"]
    return found[2:]


def test_the_python_of_the_document(release: lgb_sql.Release) -> None:
    directory = Path(release.path).parents[1]
    first, second = blocks("python")
    (shown,) = (block for block in blocks("text") if block.startswith("SELECT COUNT"))
    for example, expected in ((first, None), (second, shown)):
        done = subprocess.run(
            [sys.executable, "-c", example],
            check=False,
            cwd=directory,
            env={"PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
        assert done.stdout if expected is None else done.stdout == expected
