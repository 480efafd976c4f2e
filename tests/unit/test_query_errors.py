"""Queries that no release answers: a clear error that says what is supported and where, and nothing is executed."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import lgb_sql
from tests.support import leftovers, same_answer

errors: Any = lgb_sql.errors
SECRET = "xyzzy-the-secret-of-another-file"
N = 24
TABLE = pa.table(
    {
        "ssn": [f"s{i}" for i in range(N)],
        "age": [20 + i for i in range(N)],
        "hours": [i % 7 for i in range(N)],
        "sex": ["MF"[i % 2] for i in range(N)],
        "job title": [f"job {i % 4}" for i in range(N)],
        "salary": [100 * (i % 12) for i in range(N)],
        "note": [f"n{i % 3}" for i in range(N)],
    }
)
POLICY = {
    "k": 3,
    "attributes": {
        "ssn": {"role": "identifier"},
        "age": {"role": "quasi-identifier"},
        "hours": {"role": "quasi-identifier"},
        "sex": {"role": "quasi-identifier"},
        "job title": {"role": "quasi-identifier"},
        "salary": {"role": "sensitive", "principle": {"l_diversity": 3}},
        "note": {"role": "insensitive"},
    },
}


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("asked")


@pytest.fixture(scope="module")
def release(directory: Path) -> Any:
    (directory / "other.csv").write_text(f"age\n{SECRET}\n")
    return lgb_sql.anonymize(TABLE, POLICY, to=directory / "release.duckdb")


@pytest.fixture(autouse=True)
def _nothing_is_executed(release: Any, directory: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No file appears, none changes."""
    monkeypatch.chdir(directory)
    before = state(directory)
    yield
    assert state(directory) == before


def state(directory: Path) -> dict[str, str]:
    files = (directory / name for name in leftovers(directory))
    return {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in files}


def refused(release: Any, sql: str) -> str:
    """The message; whatever it is, it comes from us and holds nothing of other files."""
    with pytest.raises(errors.QueryError) as caught:
        release.query(sql)
    assert caught.value.exit_code == 2
    message = str(caught.value)
    assert SECRET not in message
    assert "Traceback" not in message
    return message


PLACE = re.compile(r"line \d+|column \d+|position \d+|character \d+", re.IGNORECASE)

# (query, a fragment of it that the message must show unless it names the place by line and column)
UNSUPPORTED = {
    "two attributes": ("SELECT COUNT(*) FROM released WHERE age > hours", "age > hours"),
    "two attributes added": ("SELECT COUNT(*) FROM released WHERE age + hours > 30", "hours"),
    "two attributes in a case": ("SELECT COUNT(*) FROM released WHERE CASE WHEN age > 3 THEN hours > 2 END", "hours"),
    "two attributes between": ("SELECT COUNT(*) FROM released WHERE age BETWEEN hours AND 50", "hours"),
    "two attributes in a list": ("SELECT COUNT(*) FROM released WHERE age IN (1, hours)", "hours"),
    "a join": ("SELECT COUNT(*) FROM released JOIN tuples ON TRUE", "join"),
    "a comma join": ("SELECT COUNT(*) FROM released, groups", "groups"),
    "a self join": ("SELECT COUNT(*) FROM released a CROSS JOIN released b", "join"),
    "unnest": ("SELECT COUNT(*) FROM released, unnest([1, 2])", "unnest"),
    "a sub-query in a list": ("SELECT COUNT(*) FROM released WHERE age IN (SELECT age FROM released)", "select"),
    "a scalar sub-query": ("SELECT COUNT(*) FROM released WHERE age > (SELECT 30)", "select"),
    "exists": ("SELECT COUNT(*) FROM released WHERE EXISTS (SELECT 1)", "exists"),
    "a sub-query as source": ("SELECT COUNT(*) FROM (SELECT * FROM released)", "select"),
    "with": ("WITH released AS (SELECT 1 AS age) SELECT COUNT(*) FROM released", "with"),
    "distinct": ("SELECT DISTINCT COUNT(*) FROM released", "distinct"),
    "count distinct": ("SELECT COUNT(DISTINCT age) FROM released", "distinct"),
    "having": ("SELECT sex, COUNT(*) FROM released GROUP BY sex HAVING COUNT(*) > 3", "having"),
    "a window": ("SELECT SUM(salary) OVER () FROM released", "over"),
    "qualify": ("SELECT COUNT(*) FROM released QUALIFY row_number() OVER () = 1", "qualify"),
    "union": ("SELECT COUNT(*) FROM released UNION ALL SELECT COUNT(*) FROM released", "union"),
    "except": ("SELECT COUNT(*) FROM released EXCEPT SELECT 1", "except"),
    "a sample": ("SELECT COUNT(*) FROM released TABLESAMPLE 10%", "sample"),
    "rollup": ("SELECT sex, COUNT(*) FROM released GROUP BY ROLLUP (sex)", "rollup"),
    "grouping sets": ("SELECT sex, COUNT(*) FROM released GROUP BY GROUPING SETS ((sex), ())", "grouping sets"),
    "a key that is computed": ("SELECT age + 1, COUNT(*) FROM released GROUP BY age + 1", "age + 1"),
    "another relation": ("SELECT COUNT(*) FROM tuples", "tuples"),
    "a sat": ("SELECT COUNT(*) FROM sat_salary", "sat_salary"),
    "a catalog": ("SELECT COUNT(*) FROM information_schema.tables", "tables"),
    "another schema": ("SELECT COUNT(*) FROM other.released", "other"),
    "a file": ("SELECT COUNT(*) FROM 'other.csv'", "other.csv"),
    "a function as source": ("SELECT COUNT(*) FROM read_csv('other.csv')", "read_csv"),
    "no source": ("SELECT COUNT(*)", "from"),
    "a reading function": ("SELECT COUNT(*) FROM released WHERE sex = read_text('other.csv')", "read_text"),
    "the environment": ("SELECT COUNT(*) FROM released WHERE sex = getenv('HOME')", "getenv"),
    "a setting": ("SELECT COUNT(*) FROM released WHERE sex = current_setting('home_directory')", "current_setting"),
    "a random number": ("SELECT COUNT(*) FROM released WHERE age > random() * 50", "random"),
    "an unknown function": ("SELECT COUNT(*) FROM released WHERE no_such_function(age) > 3", "no_such_function"),
    "a parameter": ("SELECT COUNT(*) FROM released WHERE age > ?", "?"),
    "no aggregate": ("SELECT age FROM released", "age"),
    "a star": ("SELECT * FROM released", "*"),
    "a constant": ("SELECT 1 FROM released", "1"),
    "a column that is no key": ("SELECT sex, COUNT(*) FROM released", "sex"),
    "another column than the key": ("SELECT sex, COUNT(*) FROM released GROUP BY age", "sex"),
    "nested aggregates": ("SELECT SUM(COUNT(*)) FROM released", "count"),
    "an aggregate in the predicate": ("SELECT COUNT(*) FROM released WHERE SUM(salary) > 3", "sum"),
    "another aggregate": ("SELECT MEDIAN(salary) FROM released", "median"),
    "a list": ("SELECT LIST(salary) FROM released", "list"),
    "a sum of text": ("SELECT SUM(sex) FROM released", "sex"),
    "an average of text": ("SELECT AVG(note) FROM released", "note"),
    "a sum of everything": ("SELECT SUM(*) FROM released", "sum"),
    "a text for a number": ("SELECT COUNT(*) FROM released WHERE age > 'abc'", "abc"),
    "no predicate": ("SELECT COUNT(*) FROM released WHERE", "where"),
    "half a query": ("SELECT COUNT(", "count("),
    "a text that never ends": ("SELECT COUNT(*) FROM released WHERE sex = 'M", "'M"),
    "no query": ("hello", "hello"),
    "between symmetric": ("SELECT COUNT(*) FROM released WHERE age BETWEEN SYMMETRIC 40 AND 30", "symmetric"),
    "a limit in percent": ("SELECT sex, COUNT(*) FROM released GROUP BY sex LIMIT 50 PERCENT", "limit"),
    "a limit in percent, as a sign": ("SELECT sex, COUNT(*) FROM released GROUP BY sex LIMIT 50%", "limit"),
    "the least three": ("SELECT MIN(age, 3) FROM released", "min"),
    "the greatest three": ("SELECT MAX(salary, 3) FROM released", "max"),
    "a struct": ("SELECT AS STRUCT COUNT(*) FROM released", "struct"),
    "a text that is no number": ("SELECT COUNT(*) FROM released WHERE CAST(note AS INTEGER) > 1", "note"),
    "a number for a text": ("SELECT COUNT(*) FROM released WHERE note > 1 OR age > 3", "note"),
    "columns renamed": ("SELECT COUNT(*) FROM released AS r(age, ssn) WHERE age > 30", "released"),
}  # fmt: skip


@pytest.mark.parametrize(("sql", "fragment"), UNSUPPORTED.values(), ids=list(UNSUPPORTED))
def test_the_message_names_the_place_and_what_is_supported(release: Any, sql: str, fragment: str) -> None:
    message = refused(release, sql)
    assert PLACE.search(message) or fragment.casefold() in message.casefold(), message
    assert re.search(r"support|write|use |ask|Hint", message), message


STATEMENTS = (
    "PRAGMA database_list",
    "ATTACH 'other.duckdb' AS o",
    "DETACH release",
    "COPY (SELECT 1) TO 'written.csv'",
    "COPY released TO 'written.parquet'",
    "EXPORT DATABASE 'written'",
    "INSTALL httpfs",
    "LOAD httpfs",
    "SET enable_external_access = true",
    "RESET threads",
    "CREATE TABLE t AS SELECT 1",
    "CREATE MACRO m() AS 1",
    "INSERT INTO tuples SELECT * FROM tuples",
    "UPDATE tuples SET gid = 1",
    "DELETE FROM tuples",
    "DROP TABLE tuples",
    "ALTER TABLE tuples RENAME TO t",
    "TRUNCATE tuples",
    "CALL pragma_version()",
    "EXPLAIN SELECT COUNT(*) FROM released",
    "EXPLAIN ANALYZE SELECT COUNT(*) FROM released",
    "DESCRIBE tuples",
    "SHOW TABLES",
    "VACUUM",
    "CHECKPOINT",
    "BEGIN",
    "PREPARE p AS SELECT 1",
    "EXECUTE p",
    "VALUES (1)",
    "FROM released",
    "SUMMARIZE tuples",
    "PIVOT released ON sex",
)


@pytest.mark.parametrize("sql", STATEMENTS)
def test_other_statements(release: Any, sql: str) -> None:
    message = refused(release, sql)
    assert "SELECT" in message, message


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT COUNT(*) FROM released; DROP TABLE tuples",
        "SELECT COUNT(*) FROM released; SELECT COUNT(*) FROM released",
        "SELECT COUNT(*) FROM released /* ; */ ; COPY (SELECT 1) TO 'written.csv' --",
        "SELECT COUNT(*) FROM released WHERE sex = 'M'; ATTACH 'written.duckdb' AS o; --'",
        "SELECT COUNT(*) FROM released WHERE sex = '' OR 1 = (SELECT 1) --'",
        "SELECT COUNT(*) FROM released -- a comment\n; DROP TABLE tuples",
        "SELECT COUNT(*) FROM released WHERE age > 3 /* /* */ */ UNION SELECT 1",
        "SELECT COUNT(*) FROM released WHERE sex = E'\\'; DROP TABLE tuples; --'; DROP TABLE tuples",
    ],
)
def test_more_than_one_statement(release: Any, sql: str) -> None:
    refused(release, sql)


@pytest.mark.parametrize("sql", ["", " ", "\n\t", ";", "-- nothing", "/* nothing */", "\x00", "SELECT"])
def test_nothing_to_ask(release: Any, sql: str) -> None:
    refused(release, sql)


@pytest.mark.parametrize(
    ("sql", "meant"),
    [
        ("SELECT COUNT(*) FROM released WHERE agee > 3", "age"),
        ("SELECT COUNT(*) FROM released WHERE job_title = 'x'", "job title"),
        ("SELECT SUM(salry) FROM released", "salary"),
        ("SELECT sexe, COUNT(*) FROM released GROUP BY sexe", "sex"),
        ("SELECT COUNT(*) FROM relesed", "released"),
        ("SELECT COUNT(*) FROM released WHERE \"Hour\" = 1", "hours"),
    ],
)  # fmt: skip
def test_unknown_names_get_a_suggestion(release: Any, sql: str, meant: str) -> None:
    assert meant in refused(release, sql).replace(sql, "")


@pytest.mark.parametrize("name", ["ssn", "rid", "gid", "salary_bid", "age_lo", "sex_set", "zzz"])
def test_columns_that_are_no_attributes(release: Any, name: str) -> None:
    assert name in refused(release, f"SELECT COUNT(*) FROM released WHERE {name} IS NULL")
    assert name in refused(release, f"SELECT {name}, COUNT(*) FROM released GROUP BY {name}")


@pytest.mark.parametrize(
    "condition",
    [
        "(" * 10_000 + "age > 1" + ")" * 10_000,
        "NOT " * 10_000 + "age > 1",
        "-" * 1 + "(-" * 5_000 + "age" + ")" * 5_000 + " > 1",
        "CASE WHEN age > 1 THEN " * 3_000 + "TRUE" + " END" * 3_000,
    ],
    ids=["parentheses", "not", "minus", "case"],
)
def test_depth(release: Any, condition: str) -> None:
    """No crash, no stack of Python's."""
    message = refused(release, f"SELECT COUNT(*) FROM released WHERE {condition}")
    assert len(message) < 5_000


def answered(release: Any, sql: str) -> pa.Table:
    table = release.query(sql)
    assert isinstance(table, pa.Table)
    return table


def test_a_cast_of_a_cast_of_a_cast(release: Any) -> None:
    message = refused(release, f"SELECT COUNT(*) FROM released WHERE age{'::INTEGER' * 3_000} > 30")
    assert "flatter" in message


def test_a_comment_behind_the_semicolon_is_no_query(release: Any) -> None:
    plain = release.query("SELECT COUNT(*) FROM released")
    assert same_answer(release.query("SELECT COUNT(*) FROM released; -- all of them"), plain)


@pytest.mark.parametrize(("number", "true"), [("1e999999999", 0), ("1e-999999999", N), ("-1e999999999", N)])
def test_numbers_beyond_all_others(release: Any, number: str, true: int) -> None:
    """Read by the engine, not written out digit by digit."""
    (line,) = release.query(f"SELECT COUNT(*) FROM released WHERE age > {number}").to_pylist()
    assert line["lower"] <= true <= line["upper"]


def test_keys_named_like_columns_of_an_answer(tmp_path: Path) -> None:
    """The key keeps its name; the aggregate's columns say whose they are."""
    table = pa.table({name: ["ab"[i % 2] for i in range(N)] for name in ("lower", "count_upper", "other_values")})
    policy = {"k": 3, "attributes": {name: {"role": "quasi-identifier"} for name in table.column_names}}
    asked = lgb_sql.anonymize(table, policy, to=tmp_path / "release.duckdb")
    answer = asked.query('SELECT "lower", COUNT(*) FROM released GROUP BY "lower" ORDER BY count_estimate, "lower"')
    assert answer.column_names[:4] == ["lower", "count_lower", "count_estimate", "count_upper"]
    assert answer["lower"].to_pylist() == ["a", "b"]
    assert answer["count_lower"].to_pylist() == [12, 12]
    answer = asked.query("SELECT lower, count_upper, COUNT(*) FROM released GROUP BY 1, 2")
    assert {"lower", "count_upper", "count_2_lower", "count_2_upper"} < set(answer.column_names)
    answer = asked.query("SELECT other_values, COUNT(*) FROM released GROUP BY other_values")
    assert answer["other_values"].to_pylist() == ["a", "b"]
    assert answer["other_values_"].to_pylist() == [False, False]


def test_a_long_list_works(release: Any) -> None:
    members = ", ".join(map(str, range(20_000)))
    table = answered(release, f"SELECT COUNT(*) FROM released WHERE age IN ({members})")
    assert table.column("lower").to_pylist() == table.column("upper").to_pylist() == [N]


def test_many_conditions_work_or_are_refused(release: Any) -> None:
    condition = " AND ".join(f"age <> {number}" for number in range(100, 2_100))
    try:
        table = answered(release, f"SELECT COUNT(*) FROM released WHERE {condition}")
    except errors.QueryError:
        return
    assert table.column("lower").to_pylist() == [N]


def test_alternatives_that_differ_in_one_attribute_are_one_condition(release: Any) -> None:
    """However many: a join for each would keep the engine busy for hours."""
    ages = range(20, 3_020)
    alternatives = " OR ".join(f"(age = {age} AND sex = 'M')" for age in ages)
    listed = f"age IN ({', '.join(map(str, ages))}) AND sex = 'M'"
    one, other = (answered(release, f"SELECT COUNT(*) FROM released WHERE {each}") for each in (alternatives, listed))
    assert same_answer(one, other)


def test_some_alternatives_work_and_too_many_are_refused(release: Any) -> None:
    """Each about another value of both attributes."""
    alternatives = [f"(age = {number} AND salary = {number})" for number in range(60)]
    assert answered(release, f"SELECT COUNT(*) FROM released WHERE {' OR '.join(alternatives[:40])}").num_rows == 1
    with pytest.raises(errors.QueryError, match="more than 100 predicates on different attributes at line 1"):
        answered(release, f"SELECT COUNT(*) FROM released WHERE {' OR '.join(alternatives)}")


@pytest.mark.parametrize(
    "sql",
    [
        "select count(*) from released where age > 30",
        "SELECT COUNT(*) FROM Released WHERE AGE > 30",
        'SELECT COUNT(*) FROM "released" WHERE "age" > 30',
        "SELECT COUNT(*)\nFROM released\nWHERE\tage > 30",
        "SELECT COUNT(*) FROM released WHERE (age > 30)",
        "SELECT COUNT(*) FROM released WHERE 30 < age",
        "SELECT COUNT(*) FROM released WHERE NOT age <= 30",
    ],
)
def test_ways_to_write_the_same(release: Any, sql: str) -> None:
    assert same_answer(answered(release, sql), answered(release, "SELECT COUNT(*) FROM released WHERE age > 30"))


def test_a_text_that_looks_like_sql_is_a_text(release: Any) -> None:
    for text in ("''; DROP TABLE tuples; --", "\\", "%", "{{ 7 * 7 }}", "{% raw %}", "$1", "日本"):
        table = answered(release, f"SELECT COUNT(*) FROM released WHERE sex = '{text}'")
        assert table.column("upper").to_pylist() == [0]


def test_a_batch_is_refused_as_a_whole(release: Any) -> None:
    good = "SELECT COUNT(*) FROM released"
    with pytest.raises(errors.QueryError, match=r"query 2 of 3: .*hours"):
        release.query_many([good, "SELECT COUNT(*) FROM released WHERE age > hours", good])
    assert release.query_many([]) == []
    assert len(release.query_many([good, good])) == 2


def test_several_aggregates_have_prefixes(release: Any) -> None:
    sql = "SELECT sex, COUNT(*), SUM(salary), AVG(age) AS mean FROM released GROUP BY sex"
    names = answered(release, sql).column_names
    suffixes = ["lower", "estimate", "upper", "lower_expected", "upper_expected", "n_must", "n_may"]
    expected = [f"{prefix}_{suffix}" for prefix in ("count", "sum_salary", "mean") for suffix in suffixes]
    assert names == ["sex", *expected, "other_values"]
