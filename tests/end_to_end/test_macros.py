"""The macros of a release from the DuckDB command line, read-only: what docs/macros.md shows, and odd places."""

from __future__ import annotations

import csv
import io
import re
import shutil
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest

import lgb_sql
from tests.support import PEOPLE_POLICY, people

DOCS = Path(__file__).parents[2] / "docs" / "macros.md"
POLICY = {**PEOPLE_POLICY, "generalization": "fast"}
"""What is asked does not depend on how groups are made, and this takes a third of the time."""
FIGURES = ["lower", "estimate", "upper", "lower_expected", "upper_expected", "n_must", "n_may"]
Rows = list[dict[str, str]]


def command_line() -> str:
    found = shutil.which("duckdb", path=str(Path(sys.executable).parent)) or shutil.which("duckdb")
    assert found, "the development dependency duckdb-cli is not installed"
    return found


def run(*arguments: str | Path, cwd: Path | None = None) -> str:
    return subprocess.run(
        [command_line(), *map(str, arguments)], cwd=cwd, check=True, capture_output=True, text=True
    ).stdout


def ask(release: Path, sql: str) -> Rows:
    return list(csv.DictReader(io.StringIO(run("-readonly", "-csv", release, sql))))


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("macros") / "release.duckdb"
    lgb_sql.anonymize(people(600), POLICY, to=path)
    return path


def examples() -> list[str]:
    blocks = re.findall(r"```sql\n(.*?)```", DOCS.read_text(encoding="utf-8"), re.DOTALL)
    return [line for block in blocks for line in block.splitlines() if line]


@pytest.mark.parametrize("sql", examples())
def test_an_example_of_the_document(sql: str, release: Path) -> None:
    rows = ask(release, sql)
    assert rows
    for row in rows:
        if row.get("lower") and row.get("upper"):
            assert float(row["lower"]) <= float(row["upper"])


def test_there_is_an_example_of_every_kind() -> None:
    text = "\n".join(examples())
    for kind in ("count", "sum", "avg", "min", "max", "count_by", "sum_.*_by", "avg_.*_by", "help"):
        assert re.search(f"lgb_{kind}", text), kind


def test_help_lists_every_macro_and_its_example_runs(release: Path) -> None:
    listed = ask(release, "SELECT * FROM lgb_help()")
    assert {"lgb_count", "lgb_sum_salary", "lgb_avg_age_by_sex", "lgb_count_by_race"} <= {
        row["macro"] for row in listed
    }
    script = ";".join(f"SELECT count(*) FROM ({row['example']})" for row in listed)
    assert len(run("-readonly", "-csv", "-noheader", release, script).split()) == len(listed)
    assert all("hours_per_week" in row["arguments"] for row in listed)


def test_columns_of_an_answer(release: Path) -> None:
    (row,) = ask(release, "SELECT * FROM lgb_sum_salary(age := age > 30)")
    assert list(row) == FIGURES
    rows = ask(release, "SELECT * FROM lgb_sum_salary_by_sex(age := age > 30)")
    assert list(rows[0]) == ["sex", *FIGURES, "other_values"]


def test_the_same_answers_from_files_and_in_both_directions(release: Path, tmp_path: Path) -> None:
    question = "SELECT * EXCLUDE (estimate) FROM lgb_sum_salary_by_education(age := age > 30, sex := sex = 'Male')"
    expected = ask(release, question)
    lgb_sql.export(release, to=tmp_path / "files")
    told = run("-csv", "-init", "macros.sql", "-c", question, cwd=tmp_path / "files")
    assert list(csv.DictReader(io.StringIO(told))) == expected
    lgb_sql.export(tmp_path / "files", to=tmp_path / "again.duckdb")
    assert ask(tmp_path / "again.duckdb", question) == expected


def test_a_schema_of_a_database(tmp_path: Path) -> None:
    database = tmp_path / "people.duckdb"
    with duckdb.connect() as connection:
        connection.execute(f"ATTACH '{database}' AS source (STORAGE_VERSION 'v1.4.0')")
        connection.register("given", people(300))
        connection.execute("CREATE TABLE source.people AS SELECT * FROM given")
    lgb_sql.anonymize(database, POLICY, table="people", to="schema:released")
    (row,) = ask(database, "USE released; SELECT * FROM lgb_count()")
    assert row["lower"] == row["upper"] == "300"
    assert lgb_sql.audit(f"{database}::released")


def test_a_callers_connection_keeps_its_search_path() -> None:
    with duckdb.connect() as connection:
        connection.register("given", people(300))
        connection.execute("CREATE TABLE people AS SELECT * FROM given")
        before = connection.execute("SELECT current_setting('search_path'), current_schema()").fetchall()
        lgb_sql.anonymize(connection, POLICY, table="people", to="schema:released")
        assert connection.execute("SELECT current_setting('search_path'), current_schema()").fetchall() == before
        connection.execute("USE released")
        assert connection.execute("SELECT lower, upper FROM lgb_count()").fetchall() == [(300, 300)]


@pytest.mark.parametrize("wrong", ["age := 'old'", "age := age + 1", "age := salary > 3", "age := hours > 3"])
def test_what_is_no_predicate_of_the_attribute_is_refused(wrong: str, release: Path) -> None:
    with pytest.raises(subprocess.CalledProcessError):
        ask(release, f"SELECT * FROM lgb_count({wrong})")


def test_a_predicate_that_is_unknown_holds_for_nobody(release: Path) -> None:
    (row,) = ask(release, "SELECT * FROM lgb_count(age := NULL)")
    assert row["upper"] == "0"
