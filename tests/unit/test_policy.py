"""Policies: every problem at once, each with its key, the nearest right spelling and what to do."""

# ruff: noqa: E501  tables of cases

from __future__ import annotations

import re
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import lgb_sql
from lgb_sql import (
    Identifier,
    Insensitive,
    LDiversity,
    Policy,
    PolicyError,
    QuasiIdentifier,
    SemiSensitive,
    Sensitive,
    TCloseness,
)
from lgb_sql.binding import bind
from lgb_sql.policy import parse_policy
from lgb_sql.schema import Column, SourceSchema

SCHEMA = SourceSchema(
    tuple(
        Column(name, kind)
        for name, kind in {
            "age": "BIGINT",
            "zip": "VARCHAR",
            "salary": "DECIMAL(9,2)",
            "age_private": "BOOLEAN",
            "flagged_text": "VARCHAR",
            "name": "VARCHAR",
        }.items()
    )
)
GOOD: dict[str, Any] = {
    "k": 5,
    "attributes": {
        "name": {"role": "identifier"},
        "age": {"role": "semi-sensitive", "flag": "age_private", "principle": {"l_diversity": 3}},
        "zip": {"role": "quasi-identifier", "ordered": True, "domain": ["00000", "99999"]},
        "salary": {"role": "sensitive", "principle": {"t_closeness": 0.2, "distance": "equal"}},
    },
}


def changed(**changes: Any) -> dict[str, Any]:
    """The good policy with other keys; a dotted name changes an attribute, None removes."""
    policy: dict[str, Any] = {**GOOD, "attributes": {name: dict(entry) for name, entry in GOOD["attributes"].items()}}
    for key, value in changes.items():
        place = policy
        *path, last = key.split("__")
        for part in path:
            place = place["attributes"].setdefault(part, {}) if place is policy else place[part]
        place[last] = value
        if value is None:
            del place[last]
    return policy


def problems(policy: dict[str, Any]) -> dict[str, str]:
    """What is wrong, by key."""
    loaded, before = parse_policy(policy)
    with pytest.raises(PolicyError) as caught:
        bind(loaded or Policy.model_construct(k=2, attributes={}), SCHEMA, before)
    assert caught.value.exit_code == 2
    found: dict[str, str] = {}
    for problem in caught.value.problems:
        found[problem.key] = f"{found.get(problem.key, '')} {problem.what} {problem.hint}"
    return found


def test_the_good_policy_binds() -> None:
    bound = bind(Policy.from_dict(GOOD), SCHEMA)
    assert [a.name for a in bound.generalised] == ["age", "zip"]
    assert [a.name for a in bound.bucketed] == ["age", "salary"]
    assert bound.unreleased == ("flagged_text",)


@pytest.mark.parametrize(
    ("policy", "key", "words"),
    [
        (changed(k=1), "k", "at least 2"),
        (changed(k=0), "k", "at least 2"),
        (changed(k="5"), "k", "integer"),
        (changed(k=2.5), "k", "integer"),
        (changed(k=True), "k", "integer"),
        (changed(k=None), "k", "missing"),
        (changed(kk=5), "kk", "unknown key did you mean k"),
        (changed(generalisation="fast"), "generalisation", "did you mean generalization"),
        (changed(generalization="quick"), "generalization", "must be one of"),
        (changed(bucketization="m-invariance"), "bucketization", "must be one of"),
        (changed(small_patterns="drop"), "small_patterns", "must be one of"),
        (changed(suppression_limit=1.5), "suppression_limit", "at most 1"),
        (changed(suppression_limit=-0.1), "suppression_limit", "at least 0"),
        (changed(flag_null="maybe"), "flag_null", "must be one of"),
        (changed(null_values="drop"), "null_values", "must be one of"),
        (changed(key="nothing"), "key", "no column nothing"),
        (changed(unit="agee"), "unit", "did you mean age"),
        (changed(attributes=[]), "attributes", ""),
        (changed(attributes={}), "attributes", "names no attribute"),
        (changed(age__role="semisensitive"), "attributes.age.role", "unknown role did you mean semi-sensitive"),
        (changed(age__role=None), "attributes.age.role", "no role"),
        (changed(age__flag=None), "attributes.age.flag", "missing"),
        (changed(age__flag=5), "attributes.age.flag", "string"),
        (changed(age__flag="age_privat"), "attributes.age.flag", "no column age_privat did you mean age_private"),
        (changed(age__flag="flagged_text"), "attributes.age.flag", "not BOOLEAN"),
        (changed(age__principle=None), "attributes.age.principle", "missing"),
        (changed(age__principle={"l_diversity": 1}), "attributes.age.principle", "at least 2"),
        (changed(age__principle={"l_diversity": 2.0}), "attributes.age.principle", "whole number"),
        (changed(age__principle={"l_diversity": True}), "attributes.age.principle", "whole number"),
        (changed(age__principle={"l_diversety": 3}), "attributes.age.principle", "did you mean l_diversity"),
        (changed(age__principle={"k_anonymity": 3}), "attributes.age.principle", "l_diversity or t_closeness"),
        (changed(age__principle={}), "attributes.age.principle", "exactly one"),
        (changed(age__principle={"l_diversity": 3, "t_closeness": 0.2}), "attributes.age.principle", "exactly one"),
        (changed(age__principle={"l_diversity": 3, "distance": "equal"}), "attributes.age.principle", "no option distance"),
        (changed(age__principle=10), "attributes.age.principle", "must be a table"),
        (changed(salary__principle={"t_closeness": 0}), "attributes.salary.principle", "between 0 and 1"),
        (changed(salary__principle={"t_closeness": 1}), "attributes.salary.principle", "between 0 and 1"),
        (changed(salary__principle={"t_closeness": 1.0}), "attributes.salary.principle", "between 0 and 1"),
        (changed(salary__principle={"t_closeness": -0.2}), "attributes.salary.principle", "between 0 and 1"),
        (changed(salary__principle={"t_closeness": float("nan")}), "attributes.salary.principle", "between 0 and 1"),
        (changed(salary__principle={"t_closeness": float("inf")}), "attributes.salary.principle", "between 0 and 1"),
        (changed(salary__principle={"t_closeness": "0.2"}), "attributes.salary.principle", "number"),
        (changed(salary__principle={"t_closeness": 0.2, "distance": "far"}), "attributes.salary.principle", "one of"),
        (changed(salary__principle={"t_closeness": 0.2, "distanse": "equal"}), "attributes.salary.principle", "distance"),
        (changed(zip__rol="x"), "attributes.zip.rol", "unknown key did you mean role"),
        (changed(zip__flag="age_private"), "attributes.zip.flag", "unknown key"),
        (changed(zip__type="BLOB"), "attributes.zip.type", "not a type"),
        (changed(zip__type="BIGINT; DROP TABLE x"), "attributes.zip.type", "not a type"),
        (changed(zip__ordered="yes"), "attributes.zip.ordered", ""),
        (changed(zip__ordered=["a"]), "attributes.zip.ordered", "at least two"),
        (changed(zip__ordered=["a", "b", "a"]), "attributes.zip.ordered", "different"),
        (changed(zip__ordered=[1, 2]), "attributes.zip.ordered", ""),
        (changed(age__ordered=["a", "b"]), "attributes.age.ordered", "text"),
        (changed(zip__domain=[]), "attributes.zip.domain", "empty"),
        (changed(zipp__role="quasi-identifier"), "attributes.zipp", "no such column did you mean zip"),
        (changed(ZIP__role="quasi-identifier"), "attributes.ZIP", "case"),
        (changed(attributes={"name": {"role": "identifier"}}), "attributes", "releases nothing"),
        (changed(attributes={"age": "quasi-identifier"}), "attributes.age", "must be a table"),
    ],
)  # fmt: skip
def test_each_problem_names_its_key(policy: dict[str, Any], key: str, words: str) -> None:
    found = problems(policy)
    near = next((name for name in found if name == key or name.startswith(f"{key}.")), None)
    assert near is not None, f"{key} is not among {sorted(found)}"
    for word in re.split(r" (?=did you mean)", words):
        assert word in found[near]


def test_all_problems_are_reported_in_one_run() -> None:
    policy = changed(
        k=1, kk=2, age__principle={"l_diversity": 1}, age__flg="age_private", zipp__role="quasi-identifier",
        salary__role="secret", name__rolle="identifier", key="nothing", generalization="slow",
    )  # fmt: skip
    found = problems(policy)
    for word in ("k", "kk", "age", "flg", "zipp", "salary", "rolle", "key", "generalization"):
        assert any(word in key.split(".") for key in found), word


@pytest.mark.parametrize("role", [None, "semi", "semi-sensitive", 5])
def test_one_wrong_key_of_an_attribute_hides_no_other(role: object) -> None:
    """Neither what is wrong with its other keys, nor what its columns lack."""
    entry = {"flag": "no_such_flag", "type": "BLOBB", "principle": {"l_diversity": 1}, "ordered": ["a"], "x": 1}
    attributes = {
        "age": entry if role is None else {"role": role, **entry},
        "no_such_column": {"role": "quasi"},
        "nor_this": "quasi-identifier",
        "zip": {"role": "quasi-identifier", "flag": "age_private", "type": "BLOB", "hierarchy": "nowhere.csv"},
    }
    found = problems({"k": 2, "attributes": attributes})
    expected = {
        "attributes.age.principle": "at least 2",
        "attributes.age.flag": "no column no_such_flag",
        "attributes.age.type": "not a type",
        "attributes.age.x": "unknown key",
        "attributes.age.ordered": "at least two",
        "attributes.zip.hierarchy": "no file nowhere.csv",
        "attributes.no_such_column.role": "did you mean quasi-identifier?",
        "attributes.no_such_column": "no such column",
        "attributes.nor_this": "no such column",
        "attributes.zip.flag": "unknown key",
        "attributes.zip.type": "not a type",
    }
    if role != "semi-sensitive":
        expected["attributes.age.role"] = "has no role" if role is None else "unknown role"
    if role == "semi":
        expected["attributes.age.role"] += " did you mean semi-sensitive?"
    assert set(found) == set(expected)
    for key, words in expected.items():
        assert words in found[key]


@pytest.mark.parametrize("entry", [{"role": "sensitve", "type": "BIGINT"}, {"principle": {"l_diversity": 2}}])
def test_without_a_role_no_key_is_missing(entry: dict[str, Any]) -> None:
    assert set(problems({"k": 2, "attributes": {"age": entry}})) == {"attributes.age.role"}


def test_a_message_lists_each_problem_on_a_line() -> None:
    with pytest.raises(PolicyError) as caught:
        Policy.from_dict(changed(k=1, kk=2))
    lines = str(caught.value).splitlines()
    assert lines[0] == "the policy has 2 problems:"
    assert len(lines) == 3


def test_given_values_are_not_repeated() -> None:
    """A policy file may hold a password by mistake; messages name keys."""
    with pytest.raises(PolicyError) as caught:
        Policy.from_dict(changed(k="hunter2-secret", password="hunter2-secret"))
    assert "hunter2" not in str(caught.value)


TOML = """
k = 10
generalization = "mdp"
suppression_limit = 0
[attributes.name]
role = "identifier"
[attributes.age]
role = "semi-sensitive"
flag = "age_private"
principle = { l_diversity = 10 }
[attributes.zip]
role = "quasi-identifier"
ordered = ["low", "high"]
[attributes.salary]
role = "sensitive"
type = "DOUBLE"
principle = { t_closeness = 0.2, distance = "equal" }
[attributes."a\\"b"]
role = "insensitive"
"""


def test_toml_and_objects_say_the_same(tmp_path: Path) -> None:
    path = tmp_path / "policy.toml"
    path.write_text(TOML, encoding="utf-8")
    assert Policy.load(path) == Policy(
        k=10,
        generalization="mdp",
        suppression_limit=0,
        attributes={
            "name": Identifier(),
            "age": SemiSensitive(flag="age_private", principle=LDiversity(10)),
            "zip": QuasiIdentifier(ordered=["low", "high"]),
            "salary": Sensitive(type="DOUBLE", principle=TCloseness(Decimal("0.2"))),
            'a"b': Insensitive(),
        },
    )


def test_the_defaults() -> None:
    policy = Policy(k=2, attributes={"age": QuasiIdentifier()})
    assert (policy.generalization, policy.bucketization, policy.small_patterns) == ("auto", "sweep", "merge")
    assert (policy.suppression_limit, policy.flag_null, policy.null_values) == (0.02, "error", "value")
    assert (policy.key, policy.unit) == (None, None)


@pytest.mark.parametrize(
    ("content", "words"),
    [(b"k = ", "not valid TOML"), (b"\xff\xfe", "cannot read"), (b"", "names no attribute"), (b"k = 2\nk = 3", "not valid TOML")],
)  # fmt: skip
def test_broken_files(content: bytes, words: str, tmp_path: Path) -> None:
    path = tmp_path / "policy.toml"
    path.write_bytes(content)
    with pytest.raises(PolicyError, match=words):
        Policy.load(path)


def test_a_byte_order_mark_is_no_part_of_a_policy(tmp_path: Path) -> None:
    path = tmp_path / "policy.toml"
    path.write_text(TOML, encoding="utf-8-sig")
    assert Policy.load(path).k == 10


def test_a_missing_file_is_a_policy_error(tmp_path: Path) -> None:
    with pytest.raises(PolicyError, match=r"cannot read the file policy\.toml"):
        Policy.load(tmp_path / "policy.toml")


@pytest.mark.parametrize("number", [0.2, 0.1, 0.3, Decimal("0.2"), 0.07])
def test_t_is_taken_as_it_is_written(number: float | Decimal) -> None:
    """0.2 means one fifth, not the binary fraction next to it: from a file and from Python."""
    exact = Fraction(str(number))
    written = Policy.from_dict(changed(salary__principle={"t_closeness": number})).attributes["salary"]
    assert isinstance(written, Sensitive)
    assert isinstance(written.principle, TCloseness)
    assert written.principle.fraction == exact
    assert TCloseness(number).fraction == exact


def test_objects_are_checked_like_files() -> None:
    with pytest.raises(PolicyError, match="k: must be at least 2"):
        Policy(k=1, attributes={"age": QuasiIdentifier()})
    with pytest.raises(PolicyError, match="flag: is missing"):
        SemiSensitive(principle=LDiversity(2))  # type: ignore[call-arg]
    with pytest.raises(PolicyError, match="did you mean ordered"):
        QuasiIdentifier(orderd=True)  # type: ignore[call-arg]
    with pytest.raises((PolicyError, ValueError), match="at least 2"):
        LDiversity(1)
    with pytest.raises((PolicyError, ValueError), match="between 0 and 1"):
        TCloseness(Decimal(1))


def test_a_policy_does_not_change() -> None:
    policy = Policy.from_dict(GOOD)
    with pytest.raises(Exception, match="frozen"):
        policy.k = 2  # type: ignore[misc]


def test_names_are_found_without_regard_to_case() -> None:
    bound = bind(Policy(k=2, attributes={"AGE": QuasiIdentifier(), "Zip": Sensitive(principle=LDiversity(2))}), SCHEMA)
    assert [(a.name, a.column) for a in bound.attributes] == [("AGE", "age"), ("Zip", "zip")]


@pytest.mark.parametrize(("kind", "family", "ordered"), [
    ("BIGINT", "integer", True), ("DECIMAL(9,2)", "decimal", True), ("DATE", "date", True), ("TIME", "time", True),
    ("VARCHAR", "text", False), ("BOOLEAN", "boolean", False), ("UUID", "uuid", False), ("FLOAT", "float", True),
    ("TIMESTAMP WITH TIME ZONE", "timestamp", True), ("ENUM('a', 'b')", "text", False),
])  # fmt: skip
def test_what_is_ordered_by_default(kind: str, family: str, ordered: bool) -> None:
    schema = SourceSchema((Column("x", kind),))
    for override in (None, True, False):
        (a,) = bind(Policy(k=2, attributes={"x": QuasiIdentifier(ordered=override)}), schema).attributes
        assert (a.family, a.ordered) == (family, ordered if override is None else override)


def test_every_public_name_exists() -> None:
    for name in lgb_sql.__all__:
        assert hasattr(lgb_sql, name)
