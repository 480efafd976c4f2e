"""Releases of random tables and policies, held against the contract by an independent check."""

# ruff: noqa: E501  tables of columns

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any

import duckdb
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lgb_sql
from lgb_sql import InfeasiblePolicyError
from lgb_sql.release_names import parquet_file
from tests.properties import plan
from tests.properties.cases import HOSTILE_NAMES, KINDS, QUASI_KINDS, Case, Column, cases, eligible_fill, fill, slow
from tests.properties.invariants import Released, check_release
from tests.support import Observed, anonymize, quoted, read_directory, read_duckdb, workplace


def same_content(one: Observed, other: Observed) -> None:
    """The same relations, columns, types and rows; stored in the same order where both are stored."""
    assert set(one) == set(other)
    for name, relation in one.items():
        assert relation.columns == other[name].columns, name
        if {relation.kind, other[name].kind} == {"VIEW", "FILE"}:
            assert sorted(relation.rows, key=lambda row: row[0]) == other[name].rows, name
        else:
            assert relation.rows == other[name].rows, name


@slow(9)
@given(cases(), st.booleans())
def test_a_release_keeps_the_contract(case: Case, two_threads: bool) -> None:
    with workplace() as directory:
        try:
            outcome = anonymize(case.table(), case.policy(), directory)
        except InfeasiblePolicyError:
            assert plan.may_be_infeasible(case)
            return
        check_release(case, outcome)
        files = anonymize(case.table(), case.policy(), directory, to="release/", threads=1 + two_threads)
        check_release(case, files)
        same_content(outcome.observed, files.observed)
        assert outcome.rids == files.rids


def every_kind(rows: int, role: str, names: tuple[str, ...]) -> Case:
    """One attribute of every type in one role."""
    random = Random(role)
    columns = []
    for place, name in enumerate(QUASI_KINDS):
        kind = KINDS[name]
        if role == "quasi-identifier" or kind.name == "boolean":
            cells = fill(random, rows, kind, 5, "even")
            other = "insensitive" if role == "insensitive" else "quasi-identifier"
            columns.append(Column(names[place], other, kind, tuple(cells)))
        else:
            cells = eligible_fill(random, rows, kind, 6)
            principle = None if role == "insensitive" else ("l_diversity", 2)
            flags = (
                tuple(random.random() < 0.5 for _ in range(rows)) if role == "semi-sensitive" and place < 3 else None
            )
            role_here = "sensitive" if role == "semi-sensitive" and flags is None else role
            columns.append(Column(names[place], role_here, kind, tuple(cells), flags, None, principle))
    return Case(3, tuple(columns))


@pytest.mark.parametrize("role", ["quasi-identifier", "semi-sensitive", "sensitive", "insensitive"])
def test_every_type_in_every_role(role: str) -> None:
    names = tuple(f"{name}_column" for name in QUASI_KINDS)
    case = every_kind(60, role, names)
    if role == "insensitive":
        numbers = Column("quasi", "quasi-identifier", KINDS["integer"], tuple(range(60)))
        case = replace(case, columns=(*case.columns, numbers))
    with workplace() as directory:
        outcome = anonymize(case.table(), case.policy(), directory)
        check_release(case, outcome)
        files = anonymize(case.table(), case.policy(), directory, to="release/")
        check_release(case, files)
        same_content(outcome.observed, files.observed)


@pytest.mark.parametrize("to", ["release.duckdb", "release/"])
@pytest.mark.parametrize("kind", ["TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS", "TIMESTAMPTZ", "UBIGINT", "UTINYINT"])
def test_types_that_a_file_may_store_as_a_relative(kind: str, to: str) -> None:
    """Parquet has no seconds: the type may change there, the values and the verdict may not."""
    value = f"range::{kind}" if kind.startswith("U") else f"make_timestamp(1600000000000000 + 1000000 * range)::{kind}"
    attributes = {
        "q": {"role": "quasi-identifier"},
        "u": {"role": "quasi-identifier", "ordered": False},
        "s": {"role": "sensitive", "principle": {"l_diversity": 2}},
        "i": {"role": "insensitive"},
    }
    with workplace() as directory, duckdb.connect() as connection:
        connection.execute(
            f"CREATE TABLE t AS SELECT {', '.join(f'{value} AS {name}' for name in 'qusi')} FROM range(12)"
        )
        release = lgb_sql.anonymize(connection, {"k": 3, "attributes": attributes}, to=f"{directory}/{to}", table="t")
        released = read_directory(directory / "release") if to == "release/" else read_duckdb(directory / to)
        expected = connection.execute("SELECT CAST(i AS VARCHAR) FROM t ORDER BY i").fetchall()
        with release.connect() as opened:
            for name, column in (("sat_s", "value"), ("tuples", "i")):
                shown = opened.execute(f"SELECT CAST({column} AS VARCHAR) FROM {name} ORDER BY {column}").fetchall()
                assert shown == expected
    assert set(released) == set(release.relations)


ODD_NAMES = (
    *HOSTILE_NAMES, "a\u2028b", "a\rb", "a \nb", "a\n\nb", "tab\tbed", "trailing ", "x" * 200, "é" * 25, "🙂", "NULL", "Q",
    "'", '"', '""', "`", ";", "gid ", "Ä", "sat_x", "idt_x", "manifest2", "left", "lambda", "CON", "%", "~", "-", "_", "lo",
)  # fmt: skip


@pytest.mark.parametrize("name", ODD_NAMES)
def test_odd_names_work(name: str) -> None:
    """As a quasi-identifier's, a semi-sensitive attribute's or a sensitive one's name; file names stay inside."""
    rows = 12
    flags = tuple(row % 3 == 0 for row in range(rows))
    values = tuple(range(rows))
    case = Case(
        2,
        (
            Column(name, "semi-sensitive", KINDS["integer"], values, flags, None, ("l_diversity", 2)),
            Column(f"{name} 2", "quasi-identifier", KINDS["text"], tuple(f"v{row % 4}" for row in range(rows))),
            Column(f"{name} 3", "sensitive", KINDS["date"], tuple(map(KINDS["date"].value, values)), None, None, ("l_diversity", 3)),
            Column(f"{name} 4", "insensitive", KINDS["text"], tuple("xyz"[row % 3] for row in range(rows))),
        ),
        bucketization=("sweep", "stride", "m_invariance")[len(name) % 3],
    )  # fmt: skip
    with workplace() as directory:
        to = ("release.duckdb", "release/")[sum(map(ord, name)) % 2]
        check_release(case, anonymize(case.table(), case.policy(), directory, to=to))
        assert sorted(path.name for path in directory.iterdir()) == sorted(
            [to.strip("/"), f"crosswalk-{to.strip('/')}.parquet"]
        )


@pytest.mark.parametrize("role", ["quasi-identifier", "insensitive", "sensitive", "semi-sensitive"])
@pytest.mark.parametrize("name", ["member", "tuples", "groups", "rowid", "shown", "value"])
def test_names_that_statements_use_themselves(name: str, role: str) -> None:
    """A column may be called like an alias, a lambda's variable or a relation of the release."""
    rows = 8
    flags = tuple(row % 2 == 0 for row in range(rows)) if role == "semi-sensitive" else None
    principle = ("l_diversity", 2) if role in ("sensitive", "semi-sensitive") else None
    values = tuple(f"v{row}" for row in range(rows))
    other = Column("other", "quasi-identifier", KINDS["text"], tuple("ab"[row % 2] for row in range(rows)))
    case = Case(2, (other, Column(name, role, KINDS["text"], values, flags, None, principle)))
    with workplace() as directory:
        check_release(case, anonymize(case.table(), case.policy(), directory))


def sample_case(generalization: str = "fast") -> Case:
    random = Random(5)
    rows = 50
    flags = tuple(random.random() < 0.3 for _ in range(rows))
    return Case(
        3,
        (
            Column("age", "semi-sensitive", KINDS["integer"], tuple(eligible_fill(random, rows, KINDS["tinyint"], 9)), flags, None, ("l_diversity", 2)),
            Column("job", "quasi-identifier", KINDS["dictionary"], tuple(fill(random, rows, KINDS["dictionary"], 6, "even"))),
            Column("pay", "sensitive", KINDS["decimal"], tuple(eligible_fill(random, rows, KINDS["decimal"], 20)), None, None, ("l_diversity", 4)),
        ),
        generalization,
    )  # fmt: skip


def test_nothing_else_is_in_the_file() -> None:
    """No type, macro, sequence, index, other schema or leftover; views read released tables only."""
    case = sample_case()
    with workplace() as directory:
        anonymize(case.table(), case.policy(), directory)
        with duckdb.connect(str(directory / "release.duckdb"), read_only=True) as connection:
            for catalog, own in (
                ("duckdb_types()", "NOT internal AND database_name = 'release'"),
                ("duckdb_functions()", "NOT internal AND function_name NOT LIKE 'lgb_%'"),
                ("duckdb_sequences()", "TRUE"),
                ("duckdb_indexes()", "TRUE"),
                ("duckdb_constraints()", "TRUE"),
                ("duckdb_schemas()", "database_name = 'release' AND schema_name NOT IN ('main', 'information_schema', 'pg_catalog')"),
                ("duckdb_tables()", "temporary OR comment IS NOT NULL"),
            ):  # fmt: skip
                found = connection.execute(f"SELECT * FROM {catalog} WHERE {own}").fetchall()
                assert not found, catalog
            for (text,) in connection.execute("SELECT sql FROM duckdb_views() WHERE NOT internal").fetchall():
                select = text[text.index(" AS SELECT") + 4 :]
                tables = connection.get_table_names(select, qualified=True)
                assert {table.split(" AS ")[0].strip('"') for table in tables} <= {"tuples", "groups"}


def test_older_engines_can_open_the_file() -> None:
    case = sample_case()
    with workplace() as directory:
        anonymize(case.table(), case.policy(), directory)
        header = (directory / "release.duckdb").read_bytes()[:64]
        assert header[8:12] == b"DUCK"
        assert int.from_bytes(header[12:20], "little") <= 67  # DuckDB 1.4's storage version


def test_without_a_seed_two_runs_differ_and_say_so() -> None:
    case = sample_case()
    with workplace() as directory:
        first = anonymize(case.table(), case.policy(), directory, seed=None)
        second = anonymize(case.table(), case.policy(), directory, seed=None, to="second.duckdb")
        assert first.manifest["reproducible"] is second.manifest["reproducible"] is False
        assert first.rids != second.rids
        assert first.observed["sat_pay"].rows != second.observed["sat_pay"].rows


def test_a_seed_gives_the_same_release_with_more_threads_and_another_form() -> None:
    case = sample_case()
    with workplace() as directory:
        one = anonymize(case.table(), case.policy(), directory)
        two = anonymize(case.table(), case.policy(), directory, threads=2, to="two.duckdb")
        same_content(one.observed, two.observed)
        other = anonymize(case.table(), case.policy(), directory, seed=8, to="other.duckdb")
        assert other.rids != one.rids


def test_a_seed_gives_the_same_release_of_a_large_table_on_two_threads() -> None:
    """More rows than one thread takes at a time: nothing may depend on which thread is faster."""
    rows = 300_000
    numbers = range(rows)
    table = pa.table(
        {
            "q": pa.array([number * 7919 % 97 for number in numbers]),
            "s": pa.array([number * 31 % 1009 for number in numbers]),
            "f": pa.array([number % 5 == 0 for number in numbers]),
        }
    )
    policy = {
        "k": 1000,
        "attributes": {
            "q": {"role": "semi-sensitive", "flag": "f", "principle": {"l_diversity": 3}},
            "s": {"role": "sensitive", "principle": {"l_diversity": 3}},
        },
    }
    prints = []
    for _ in range(3):
        with workplace() as directory:
            options = lgb_sql.RunOptions(seed=1, threads=2)
            lgb_sql.anonymize(table, policy, to=directory / "release.duckdb", options=options)
            with duckdb.connect(str(directory / "release.duckdb"), read_only=True) as connection:
                prints.append(
                    [
                        connection.execute(f"SELECT sum(hash(row)) FROM {name} AS row").fetchall()
                        for name in ("tuples", "groups", "sat_q", "sat_s")
                    ]
                )
    assert prints[0] == prints[1] == prints[2]


@pytest.mark.parametrize("generalization", ["fast", "tight"])
def test_sensitive_values_do_not_move_groups_or_labels(generalization: str) -> None:
    """With the same seed and flags, other flagged values give the same groups, row by row, and the same gids."""
    case = sample_case(generalization)
    age, job, pay = case.columns
    assert age.flags is not None
    flagged = [value for value, flag in zip(age.values, age.flags, strict=True) if flag]
    turned = iter(flagged[::-1])
    values = tuple(next(turned) if flag else value for value, flag in zip(age.values, age.flags, strict=True))
    other = replace(case, columns=(replace(age, values=values), job, replace(pay, values=pay.values[::-1])))
    with workplace() as directory:
        one = anonymize(case.table(), case.policy(), directory)
        two = anonymize(other.table(), other.policy(), directory, to="two.duckdb")
    assert one.observed["groups"] == two.observed["groups"]
    for row in range(case.rows):
        first, second = (Released(each, outcome).tuple_of(row) for each, outcome in ((case, one), (other, two)))
        assert first["gid"] == second["gid"]
    assert one.observed["sat_pay"] == two.observed["sat_pay"]
    assert one.observed["sat_age"] == two.observed["sat_age"]


@pytest.mark.parametrize("generalization", ["fast", "tight"])
def test_quasi_identifiers_do_not_move_buckets(generalization: str) -> None:
    """With the same seed and flags, other quasi-identifier values give the same IDT by source row and the same SAT."""
    case = sample_case(generalization)
    age, job, pay = case.columns
    other = replace(case, columns=(age, replace(job, values=job.values[::-1]), pay))
    with workplace() as directory:
        one = anonymize(case.table(), case.policy(), directory)
        two = anonymize(other.table(), other.policy(), directory, to="two.duckdb")
    for name in ("age", "pay"):
        assert one.observed[f"sat_{name}"] == two.observed[f"sat_{name}"]
        first, second = (dict[int, int](outcome.observed[f"idt_{name}"].rows) for outcome in (one, two))
        assert [first.get(one.rids[row] or 0) for row in range(case.rows)] == [
            second.get(two.rids[row] or 0) for row in range(case.rows)
        ]


@pytest.mark.parametrize("generalization", ["fast", "tight"])
@pytest.mark.parametrize("small_patterns", ["merge", "suppress"])
def test_a_withheld_or_suppressed_flagged_value_changes_nothing(small_patterns: str, generalization: str) -> None:
    """The one flagged job is withheld with its pattern: whatever it is, the whole release is the same."""
    rows = 40
    ages = Column("age", "quasi-identifier", KINDS["integer"], tuple(row % 9 for row in range(rows)))
    flags = tuple(row == 17 for row in range(rows))
    observed = []
    for value in (3, 10**12, None):
        values = tuple(value if flag else row % 7 for row, flag in enumerate(flags))
        job = Column("job", "semi-sensitive", KINDS["integer"], values, flags, None, ("l_diversity", 2))
        case = Case(4, (ages, job), generalization, small_patterns=small_patterns)
        with workplace() as directory:
            outcome = anonymize(case.table(), case.policy(), directory)
        check_release(case, outcome)
        observed.append({name: sorted(map(repr, relation.rows)) for name, relation in outcome.observed.items()})
    assert observed[0] == observed[1] == observed[2]


def test_two_attributes_share_no_secret() -> None:
    """Equal columns get other buckets and other labels: a shared key would link them."""
    values = tuple(row % 12 for row in range(96))
    one, other = (Column(name, "sensitive", KINDS["integer"], values, None, None, ("l_diversity", 3)) for name in "ab")
    case = Case(2, (one, other), bucketization="stride")
    with workplace() as directory:
        outcome = anonymize(case.table(), case.policy(), directory)
    pairs = set(zip(*(outcome.observed["tuples"].column(f"{name}_bid") for name in "ab"), strict=True))
    assert len(pairs) > 1.5 * len(set(outcome.observed["tuples"].column("a_bid")))
    assert outcome.observed["sat_a"].rows != outcome.observed["sat_b"].rows


def rank_correlation(pairs: list[tuple[Any, Any]]) -> float:
    def ranks(values: list[Any]) -> dict[Any, float]:
        ordered = sorted(values)
        return {value: (ordered.index(value) + len(ordered) - 1 - ordered[::-1].index(value)) / 2 for value in values}

    first, second = (ranks(list(column)) for column in zip(*pairs, strict=True))
    mean = (len(pairs) - 1) / 2
    xs, ys = [first[x] - mean for x, _ in pairs], [second[y] - mean for _, y in pairs]
    norm = (sum(x * x for x in xs) * sum(y * y for y in ys)) ** 0.5
    return float(sum(x * y for x, y in zip(xs, ys, strict=True)) / norm)


def test_ids_tell_nothing_about_order() -> None:
    """A table sorted by everything: rids, gids and bids follow neither position nor value."""
    rows = 300
    age = Column("age", "quasi-identifier", KINDS["integer"], tuple(range(rows)))
    pay = Column("pay", "sensitive", KINDS["integer"], tuple(range(rows)), None, None, ("l_diversity", 2))
    case = Case(3, (age, pay))
    with workplace() as directory:
        outcome = anonymize(case.table(), case.policy(), directory, seed=11)
    rids = [(row, rid) for row, rid in outcome.rids.items() if rid is not None]
    groups = [(record["gid"], record["age_lo"]) for record in outcome.observed["groups"].records()]
    buckets = [(bid, value) for bid, value, _ in outcome.observed["sat_pay"].rows]
    for pairs in (rids, groups, buckets):
        assert len(pairs) > 60
        assert abs(rank_correlation(pairs)) < 0.3


def test_enums_and_dictionaries_leave_no_list_of_values() -> None:
    """A dictionary's unused word never reaches the file."""
    words = pa.DictionaryArray.from_arrays(pa.array([0, 1] * 6, pa.int8()), pa.array(["a", "b", "UNUSED-WORD"]))
    table = pa.table({"q": words, "s": pa.array(range(12))})
    policy = {
        "k": 2,
        "attributes": {
            "q": {"role": "quasi-identifier"},
            "s": {"role": "sensitive", "principle": {"l_diversity": 2}},
        },
    }
    with workplace() as directory:
        for to in ("release.duckdb", "release/"):
            outcome = anonymize(table, policy, directory, to=to)
            assert dict(outcome.observed["groups"].columns)["q_set"] == "VARCHAR[]"
        for path in directory.rglob("*"):
            assert path.is_dir() or b"UNUSED-WORD" not in path.read_bytes()


@pytest.mark.parametrize(("relation", "file"), [
    ("tuples", "tuples.parquet"), ("sat_a/b", "sat_a%2Fb.parquet"), ("sat_..", "sat_%2E%2E.parquet"),
    ("idt_é", "idt_%C3%A9.parquet"), ("sat_a~b c", "sat_a%7Eb%20c.parquet"), ("sat_%2F", "sat_%252F.parquet"),
])  # fmt: skip
def test_file_names(relation: str, file: str) -> None:
    assert parquet_file(relation) == file
    assert quoted(relation)
