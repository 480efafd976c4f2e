"""`tight` against its reference, cut by cut and move by move, and what holds of all its runs."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pyarrow as pa
import pytest
from hypothesis import given

from lgb_sql import InfeasiblePolicyError
from lgb_sql.codes import PART
from lgb_sql.generalizers import boxes, tight
from lgb_sql.generalizers.boxes import SET_BITS
from tests.properties import plan
from tests.properties.cases import KINDS, Case, Column, Kind, cases, eligible_fill, fill, grow, slow
from tests.properties.invariants import check_release
from tests.properties.test_release import same_content
from tests.properties.tight_runs import Watched, check_run, watching
from tests.reference import tight as reference
from tests.support import PEOPLE_POLICY, anonymize, people, workplace


def run_and_check(case: Case, threads: int = 1, seed: int | None = 7) -> Watched | None:
    """One run; either everything holds, or the reference agrees that it cannot."""
    with workplace() as directory, watching() as watched:
        try:
            outcome = anonymize(case.table(), case.policy(), directory, seed=seed, threads=threads)
        except InfeasiblePolicyError:
            assert plan.may_be_infeasible(case)
            return None
        if seed is not None:  # the manifest says so
            check_release(case, outcome)
        check_run(case, outcome, watched)
        return watched


@slow(8)
@given(cases(generalization=("tight",)))
def test_every_cut_and_every_move_is_the_references(case: Case) -> None:
    run_and_check(case)


def one_root(rows: int, k: int, trees: bool = False) -> Case:
    """No flags and no NULLs: one tree of many groups. Ordered, unordered and skewed; some with a hierarchy."""
    random = Random(rows)
    columns = []
    for place, (kind, distinct, skew) in enumerate(
        (
            ("integer", 30, "even"),
            ("text", 12, "heavy"),
            ("date", 9, "even"),
            ("boolean", 2, "even"),
            ("zip", 25, "heavy"),
        )
    ):
        values = fill(random, rows, KINDS[kind], distinct, skew)
        tree = grow(random, sorted(set(values))) if trees and place in (1, 4) else None
        columns.append(Column(f"c{place}", "quasi-identifier", KINDS[kind], tuple(values), tree=tree))
    return Case(k, tuple(columns), "tight")


@pytest.mark.parametrize("trees", [False, True])
def test_a_tree_of_many_groups(trees: bool) -> None:
    watched = run_and_check(one_root(450, 5, trees))
    assert watched
    assert len(watched.rounds[0]) > 2 * reference.REACH
    assert len(watched.gains) > 2


@pytest.fixture(scope="module")
def usual() -> Watched | None:
    """A run with the settings as they are."""
    return run_and_check(one_root(200, 5))


@pytest.mark.parametrize(("name", "value"), [("REACH", 2), ("ROUNDS", 1), ("AXES", 2), ("LOST_GROUP_PERCENT", 300)])
def test_every_setting_counts(name: str, value: int, usual: Watched | None, monkeypatch: pytest.MonkeyPatch) -> None:
    """With another value both change in the same way. Tables that need the real limits are too large here."""
    for module in (tight, reference):
        monkeypatch.setattr(module, name, value)
    changed = run_and_check(one_root(200, 5))
    assert usual
    assert changed
    assert usual.rounds != changed.rounds


def test_the_reference_has_the_same_settings() -> None:
    for name in ("AXES", "LOST_GROUP_PERCENT", "REACH", "ROUNDS"):
        assert getattr(reference, name) == getattr(tight, name)
    assert reference.SET_BITS == boxes.SET_BITS


@pytest.mark.parametrize("threads", [1, 2])
def test_luck_alone_decides_where_nothing_is_seeded(threads: int) -> None:
    """Without a seed statements run on all threads: given what was drawn, the groups are still the reference's."""
    watched = run_and_check(one_root(120, 2), threads=threads, seed=None)
    assert watched
    assert watched.gains


def test_a_seed_gives_the_same_release_with_any_number_of_threads() -> None:
    policy = {**PEOPLE_POLICY, "generalization": "tight"}
    with workplace() as directory:
        one, two = (
            anonymize(people(400), policy, directory, threads=threads, to=f"{threads}.duckdb") for threads in (1, 2)
        )
        other = anonymize(people(400), policy, directory, seed=8, to="other.duckdb")
    same_content(one.observed, two.observed)
    assert one.rids == two.rids
    shown = [sorted(map(repr, (row[1:] for row in outcome.observed["groups"].rows))) for outcome in (one, other)]
    assert shown[0] != shown[1]  # the luck of another seed draws other axes


@pytest.mark.parametrize("distinct", [SET_BITS - 1, SET_BITS, SET_BITS + 1, SET_BITS + 200])
def test_domains_around_and_beyond_the_bits_of_a_set(distinct: int) -> None:
    """Beyond, values share bits: the search sees less, the release still says which values a group has."""
    random = Random(distinct)
    text = Kind("text", pa.string(), "VARCHAR", False, lambda i: f"v{i:04}")
    rows = distinct + 60
    words = [text.value(i % distinct) for i in range(rows)]
    random.shuffle(words)
    numbers = fill(random, rows, KINDS["integer"], 8, "even")
    columns = (
        Column("word", "quasi-identifier", text, tuple(words)),
        Column("number", "quasi-identifier", KINDS["integer"], tuple(numbers)),
    )
    watched = run_and_check(Case(5, columns, "tight"))
    assert watched
    assert len(watched.rounds[0]) > rows // 10


@pytest.mark.parametrize("number", [PART, PART + 1, 2 * PART + 3])
def test_more_attributes_than_one_statement_takes(number: int) -> None:
    """Attributes of all kinds; the orders of some come in a later part than the axes."""
    random = Random(number)
    rows = 50
    columns = []
    for place in range(number):
        kind, distinct = (("integer", 6), ("text", 4), ("date", 9), ("boolean", 2), ("text", 30))[place % 5]
        cells = fill(random, rows, KINDS[kind], distinct, "even")
        flags = tuple(row < 12 for row in range(rows)) if place == number - 1 else None
        if flags:
            cells[:12] = eligible_fill(random, 12, KINDS[kind], distinct)
        role, principle = ("semi-sensitive", ("l_diversity", 2)) if flags else ("quasi-identifier", None)
        columns.append(Column(f"c{place}", role, KINDS[kind], tuple(cells), flags, None, principle))
    assert run_and_check(Case(3, tuple(columns), "tight"))


def test_a_late_attribute_is_cut_as_well() -> None:
    """Only the last of 17 attributes has two values: its order is in the second part."""
    rows = 12
    same = Column("c", "quasi-identifier", KINDS["integer"], (1,) * rows)
    last = Column("last", "quasi-identifier", KINDS["text"], tuple("ab"[row % 2] for row in range(rows)))
    columns = (*(replace(same, name=f"c{place}") for place in range(PART)), last)
    watched = run_and_check(Case(4, columns, "tight"))
    assert watched
    assert sorted(map(sorted, watched.rounds[-1])) == [list(range(0, rows, 2)), list(range(1, rows, 2))]


@pytest.mark.parametrize("kind", ["text", "integer", "tree"])
@pytest.mark.parametrize("alone", [False, True])
def test_an_attribute_that_everybody_flagged(kind: str, alone: bool) -> None:
    """Its domain has no value at all; alone, there is nothing to search."""
    rows = 20
    tree = grow(Random(1), ["a", "b"]) if kind == "tree" else None
    type_ = KINDS["text" if tree else kind]
    values = tuple(type_.value(row) for row in range(rows))
    flags = (True,) * rows
    hidden = Column("hidden", "semi-sensitive", type_, values, flags, None, ("l_diversity", 2), tree)
    shown = Column("shown", "quasi-identifier", KINDS["integer"], tuple(range(rows)))
    if not alone:
        watched = run_and_check(Case(3, (hidden, shown), "tight"))
        assert watched
        assert len(watched.rounds[-1]) == 6
        return
    case = Case(3, (hidden,), "tight")
    with workplace() as directory:
        outcome = anonymize(case.table(), case.policy(), directory)
        check_release(case, outcome)
    assert len(outcome.observed["groups"].rows) == 1


def test_a_table_without_quasi_identifiers_is_one_group() -> None:
    secret = Column("s", "sensitive", KINDS["integer"], tuple(range(9)), None, None, ("l_diversity", 3))
    case = Case(3, (secret,), "tight")
    with workplace() as directory:
        outcome = anonymize(case.table(), case.policy(), directory)
        check_release(case, outcome)
    assert outcome.observed["groups"].rows == [(1, 9)]
