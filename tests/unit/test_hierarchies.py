"""Hierarchies as people write them: the tree that is read, and every way to get it wrong, by position."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import lgb_sql
from lgb_sql import Policy, PolicyError, SourceError
from lgb_sql.binding import SHOWN_PROBLEMS
from lgb_sql.hierarchies import MAX_HEIGHT, ROOT, Hierarchy, unfit_leaves
from lgb_sql.hierarchy_files import read_csv, read_hierarchy, read_tree
from tests.support import leftovers

RACE = {"Any": ["White", {"Other": ["Black", {"Asian": ["Chinese", "Thai"]}]}]}


def written(directory: Path, text: str | bytes) -> Path:
    path = directory / "tree.csv"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def tree(given: Path | dict[str, Any]) -> Hierarchy:
    hierarchy, problems = read_csv(given) if isinstance(given, Path) else read_tree(given)
    assert not problems
    assert hierarchy is not None
    return hierarchy


def problems_of(path: Path) -> list[str]:
    hierarchy, problems = read_csv(path)
    assert hierarchy is None
    return problems


def leaf_names(hierarchy: Hierarchy) -> list[str]:
    return [hierarchy.names[leaf] for leaf in hierarchy.leaves]


# --- what is read ----------------------------------------------------------------------------------------


def test_a_ragged_tree() -> None:
    race = tree(RACE)
    assert leaf_names(race) == ["White", "Black", "Chinese", "Thai"]
    assert race.names[ROOT] == "Any"
    assert (race.height, race.levels) == (3, (1, 2, 3))
    paths = [[race.names[node] for node in race.path(leaf)] for leaf in race.leaves]
    assert paths == [
        ["White", "White", "White"],
        ["Other", "Black", "Black"],
        ["Other", "Asian", "Chinese"],
        ["Other", "Asian", "Thai"],
    ]
    covered = dict(zip(race.names, race.leaves_under, strict=True))
    assert covered == {"Any": 4, "White": 1, "Other": 3, "Black": 1, "Asian": 2, "Chinese": 1, "Thai": 1}


@pytest.mark.parametrize("text", [
    "White;Any\nBlack;Other;Any\nChinese;Asian;Other;Any\nThai;Asian;Other;Any\n",
    "White,Any\nBlack,Other,Any\nChinese,Asian,Other,Any\nThai,Asian,Other,Any",
    "White;Any\r\nBlack;Other;Any\r\nChinese;Asian;Other;Any\r\nThai;Asian;Other;Any\r\n",
    "White;White;White;Any\nBlack;Black;Other;Any\nChinese;Asian;Other;Any\nThai;Asian;Other;Any\n",
    '\ufeff"White";"Any"\n"Black";Other;Any\nChinese;Asian;Other;Any\nThai;Asian;Other;Any\n',
])  # fmt: skip
def test_the_same_tree_in_every_spelling(tmp_path: Path, text: str) -> None:
    assert tree(written(tmp_path, text)) == tree(RACE)


@pytest.mark.parametrize("same", [
    {"Any": {"White": [], "Other": ["Black", {"Asian": ["Chinese", "Thai"]}]}},
    {"Any": {"White": {}, "Other": {"Black": [], "Asian": ["Chinese", "Thai"]}}},
])  # fmt: skip
def test_tables_and_lists_say_the_same(same: dict[str, Any]) -> None:
    assert tree(same) == tree(RACE)


def test_leaves_are_depth_first_even_where_rows_are_not(tmp_path: Path) -> None:
    rows = "a;X;*\nb;Y;*\nc;X;*\nd;Y;*\n"
    assert leaf_names(tree(written(tmp_path, rows))) == ["a", "c", "b", "d"]


def test_values_may_hold_separators_quotes_and_line_breaks(tmp_path: Path) -> None:
    rows = '"a;b";*\n"say ""x""";*\n"two\nlines";*\nMarried, absent;*\n;*\n'
    assert leaf_names(tree(written(tmp_path, rows))) == ["a;b", 'say "x"', "two\nlines", "Married, absent", ""]


def test_inline_leaves_of_other_types() -> None:
    days = tree({"ever": [dt.date(2020, 1, 2), dt.datetime(2020, 1, 2, 3), dt.time(4, 5), True, False, 7, 1.5]})
    assert leaf_names(days) == [
        "2020-01-02", "2020-01-02 03:00:00", "04:05:00", "true", "false", "7", "1.5",
    ]  # fmt: skip


# --- what is refused -------------------------------------------------------------------------------------


@pytest.mark.parametrize(("text", "problem"), [
    ("a;*\nb;*\na;*\n", "line 3, column 1: the value stands there twice (first at line 1, column 1)"),
    ("a;X;*\na;Y;*\n", "line 2, column 1: the value stands there twice (first at line 1, column 1)"),
    ("a;*\nb;all\n", "line 2, column 2: a second root (the first is at line 1, column 2)"),
    ("a;X;*\nb;X;Y;*\n", "line 2, column 2: the node has another parent than at line 1, column 2"),
    ("a;X;Y;*\nb;Y;X;*\n", "line 2, column 2: the node has another parent than at line 1, column 3"),
    ("a;X;Y;X;*\n", "line 1, column 4: the node stands above itself, a cycle"),
    ("a;b;a;*\n", "line 1, column 3: the node stands above itself, a cycle"),
    ("a;X;*\nX;*\n", "line 2, column 1: the leaf is an inner node at line 1, column 2"),
    ("a;*\n\nb;*\n", "line 2: the line is empty"),
    ("a;*\n;;\n", "line 2: the line is empty"),
    ("a;;*\n", "line 1, column 2: the cell is empty"),
    ("a;X;*\nb;X;*;\n", "line 2, column 4: the cell is empty"),
    ("a;*;;\n", "line 1, column 3: the cell is empty"),
    ("a;\n", "line 1, column 2: the cell is empty"),
    ("a;*\nb\n", "line 2, column 1: a leaf without a root"),
    ("a;*\n*;*\n", "line 2, column 1: a leaf without a root"),
    ('a;*\n"b;*\n', "line 2: not readable as CSV, check the quotes"),
    ("", "it holds no leaf"),
])  # fmt: skip
def test_what_is_wrong_is_named_by_its_place(tmp_path: Path, text: str, problem: str) -> None:
    assert problems_of(written(tmp_path, text)) == [problem]


def test_a_second_root_is_told_once() -> None:
    hierarchy, problems = read_tree({"Any": ["a", "b"], "All": ["c", "d", {"e": ["f"]}]})
    assert hierarchy is None
    assert problems == ["position 2: a second root (the first is at position 1)"]


def test_all_that_is_wrong_is_named_at_once(tmp_path: Path) -> None:
    rows = "a;X;*\nb;all\na;X;*\nX;*\nc;X;Y;*\n"
    assert len(problems_of(written(tmp_path, rows))) == 4


def test_a_tree_may_not_be_too_high(tmp_path: Path) -> None:
    assert tree(written(tmp_path, ";".join(map(str, range(MAX_HEIGHT + 1))))).height == MAX_HEIGHT
    (problem,) = problems_of(written(tmp_path, ";".join(map(str, range(MAX_HEIGHT + 2)))))
    assert str(MAX_HEIGHT) in problem


@pytest.mark.parametrize(("given", "problem"), [
    ({"Any": ["a", ["b"]]}, "position 1.2: must be a value, or a table of nodes"),
    ({"Any": {"a": "b"}}, "position 1.1: a node's children must be a list or a table"),
    ({"Any": ["a"], "All": ["b"]}, "position 2: a second root (the first is at position 1)"),
    ({"Any": {"X": ["a"], "Y": ["b", "a"]}}, "position 1.2.2: the value stands there twice (first at position 1.1.1)"),
    ({"Any": []}, "position 1: a leaf without a root"),
    ({}, "it holds no leaf"),
])  # fmt: skip
def test_what_is_wrong_inline_is_named_by_child_numbers(given: dict[str, Any], problem: str) -> None:
    assert read_tree(given) == (None, [problem])


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    assert "no file absent.csv" in problems_of(tmp_path / "absent.csv")[0]
    assert "is a directory" in problems_of(tmp_path)[0]
    assert "not UTF-8" in problems_of(written(tmp_path, b"caf\xe9;*\n"))[0]
    assert "cannot be read" in problems_of(tmp_path / "nul\0.csv")[0]
    assert read_hierarchy(str(tmp_path))[0] is None


def test_leaves_that_the_type_does_not_hold() -> None:
    numbers = tree({"any": ["1", "x", "01", "2.5", "3.0", "1e2", "0x1F"]})
    found = unfit_leaves(numbers, [0, None, 0, 3, 4, 5, 6], "INTEGER")
    assert found == [
        "position 1.2: the leaf is no INTEGER",
        "position 1.3: as INTEGER the same value as at position 1.1",
        "position 1.4: the leaf is no INTEGER",
    ]
    prices = tree({"any": ["1.25", "1.255", "1.2500"]})
    assert len(unfit_leaves(prices, [0, 1, 2], "DECIMAL(9,2)")) == 1
    assert not unfit_leaves(prices, [0, 1, 2], "DOUBLE")


# --- in a policy -----------------------------------------------------------------------------------------

TABLE = pa.table({"race": ["White", "Black", "White", "Thai"], "age": [1, 2, 3, 4], "mine": [False, True, True, False]})


def policy(hierarchy: Any, **keys: Any) -> dict[str, Any]:
    return {"k": 2, "attributes": {"race": {"role": "quasi-identifier", "hierarchy": hierarchy, **keys}}}


def refused(given: Any, tmp_path: Path, table: pa.Table = TABLE) -> str:
    with pytest.raises((PolicyError, SourceError)) as caught:
        lgb_sql.anonymize(table, given, to=tmp_path / "release.duckdb")
    assert "release.duckdb" not in leftovers(tmp_path)
    return str(caught.value)


def test_a_path_is_relative_to_the_policy_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "policies" / "trees").mkdir(parents=True)
    (tmp_path / "policies" / "trees" / "race.csv").write_text("White;*\nBlack;O;*\nThai;O;*\n")
    file = tmp_path / "policies" / "policy.toml"
    file.write_text('k = 2\n[attributes.race]\nrole = "quasi-identifier"\nhierarchy = "trees/race.csv"\n')
    monkeypatch.chdir(tmp_path)
    release = lgb_sql.anonymize(TABLE, file, to="release.duckdb")
    with release.connect() as connection:
        shown = connection.execute("SELECT race_node, race_set FROM groups ORDER BY ALL").fetchall()
    assert shown == [("O", ["Black", "Thai"]), ("White", ["White"])]
    Policy.load(file)
    monkeypatch.chdir(file.parent)
    assert "no file race.csv" in refused(policy("race.csv"), file.parent)  # not from a file: where the program runs


def test_all_problems_of_a_policy_in_one_run(tmp_path: Path) -> None:
    given = policy("absent.csv")
    given["attributes"]["age"] = {"role": "quasi-identifier", "hierarchy": {"any": [1, 2, 3, "secret", 1]}}
    given["attributes"]["nothing"] = {"role": "quasi-identifier"}
    given["k"] = 1
    text = refused(given, tmp_path)
    for part in ("absent.csv", "position 1.5", "nothing", "k: must be at least 2"):
        assert part in text
    given["attributes"]["age"]["hierarchy"] = {"any": [1, 2, "secret", "2.0"]}
    text = refused(given, tmp_path)
    assert "position 1.3: the leaf is no BIGINT" in text
    assert "position 1.4: as BIGINT the same value as at position 1.2" in text
    assert "secret" not in text


def test_many_problems_are_counted(tmp_path: Path) -> None:
    text = refused(policy({"any": ["White"] * (SHOWN_PROBLEMS + 31)}), tmp_path)
    assert "30 more places are wrong" in text
    assert text.count("position") == 2 * SHOWN_PROBLEMS


def test_values_that_the_hierarchy_lacks_are_counted_not_shown(tmp_path: Path) -> None:
    text = refused(policy({"any": ["Black", "Asian"]}), tmp_path)
    assert "race holds 2 values that its hierarchy lacks, in 3 rows" in text
    assert "White" not in text
    assert "Thai" not in text


def test_a_flagged_value_need_not_be_in_the_hierarchy(tmp_path: Path) -> None:
    rows = {"race": ["White"] * 4 + ["Black", "Thai"], "mine": [False] * 4 + [True] * 2}
    entry = {"role": "semi-sensitive", "flag": "mine", "principle": {"l_diversity": 2}, "hierarchy": {"any": ["White"]}}
    given = {"k": 2, "attributes": {"race": entry}}
    release = lgb_sql.anonymize(pa.table(rows), given, to=tmp_path / "release.duckdb")
    with release.connect() as connection:
        nodes = connection.execute("SELECT DISTINCT race_node FROM groups ORDER BY 1").fetchall()
        assert nodes == [("White",), (None,)]
        assert connection.execute("SELECT value FROM sat_race ORDER BY 1").fetchall() == [("Black",), ("Thai",)]


@pytest.mark.parametrize("ordered", [True, ["White", "Black", "Thai"]])
def test_a_hierarchy_and_an_order_exclude_each_other(tmp_path: Path, ordered: Any) -> None:
    assert "makes the attribute unordered" in refused(policy(RACE, ordered=ordered), tmp_path)


def test_a_sensitive_attribute_has_no_hierarchy(tmp_path: Path) -> None:
    given = policy(RACE, principle={"l_diversity": 2})
    given["attributes"]["race"]["role"] = "sensitive"
    assert "never generalised" in refused(given, tmp_path)


def test_a_column_may_be_named_like_a_node() -> None:
    table = TABLE.append_column("race_node", pa.array([1, 1, 1, 1]))
    given = policy(RACE)
    given["attributes"]["race_node"] = {"role": "quasi-identifier"}
    assert "race_node: quasi-identifier" in lgb_sql.explain(table, given)


def test_no_leaf_stands_in_a_statement(tmp_path: Path) -> None:
    text = lgb_sql.explain(TABLE, policy(RACE), sql=True)
    assert "hierarchy of 4 leaves" in text
    for name in ("White", "Asian", "Other", "Any"):
        assert name not in text
