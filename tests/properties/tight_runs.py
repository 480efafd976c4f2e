"""Runs of `tight` that are watched: what they drew, the tree's groups, every round's groups and what it claims."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from fractions import Fraction
from math import isclose
from typing import Any
from unittest.mock import patch

import duckdb

from lgb_sql.plan import Step
from lgb_sql.run import Run
from tests.properties import plan
from tests.properties.cases import Case
from tests.properties.invariants import Released
from tests.reference.generalization import Row
from tests.reference.tight import SET_BITS, Luck, Tight
from tests.support import Outcome


@dataclass
class Watched:
    """By source row: seeded runs number rows in source order."""

    roots: dict[int, int] = field(default_factory=dict)
    keys: dict[int, int] = field(default_factory=dict)
    codes: dict[int, int] = field(default_factory=dict)
    rounds: list[list[list[int]]] = field(default_factory=list)
    """The groups in the order of the tree: those of the tree, then those after each round."""
    gains: list[float] = field(default_factory=list)
    """What the moves of each round are said to gain."""

    def see(self, run: Run, relation: str) -> None:
        if relation == "boxed_rows":
            words = [name for name, _ in run.engine.describe("SELECT COLUMNS('^codes_[0-9]+$') FROM boxed_rows")]
            rows = _read(run, f"SELECT row_id, node_id, luck, hash({', '.join(words)}) >> 24 FROM boxed_rows")
            for row, root, key, code in rows:
                self.roots[row], self.keys[row], self.codes[row] = root, key, code
        elif relation in ("settled_rows", "moved_rows"):
            groups = _read(run, f"SELECT list(row_id) FROM {relation} GROUP BY group_id ORDER BY group_id")
            self.rounds.append([list(rows) for (rows,) in groups])
        elif relation == "chosen_moves":
            gains = _read(run, "SELECT gain FROM moves SEMI JOIN chosen_moves USING (row_id)")
            if gains:
                self.gains.append(sum(gain for (gain,) in gains))

    def trees(self) -> list[list[int]]:
        """The rows of each root."""
        return [[row for row in self.roots if self.roots[row] == root] for root in sorted(set(self.roots.values()))]


def _read(run: Run, sql: str) -> list[tuple[Any, ...]]:
    with run.engine.arrow_reader(sql) as reader:
        table = reader.read_all()
    return list(zip(*(table.column(place).to_pylist() for place in range(table.num_columns)), strict=True))


@contextmanager
def watching() -> Iterator[Watched]:
    """Look at the search's tables right after they are made."""
    watched, make = Watched(), Run.step

    def step(run: Run, step: Step) -> int:
        rows = make(run, step)
        watched.see(run, step.relation)
        return rows

    with patch.object(Run, "step", step):
        yield watched


def reference_of(case: Case, released: Released, watched: Watched, engine: duckdb.DuckDBPyConnection) -> Tight:
    """The reference with this run's luck."""

    def hashes(numbers: Sequence[int]) -> list[int]:
        return [value for (value,) in engine.execute("SELECT hash(unnest($1::BIGINT[]))", [numbers]).fetchall()]

    rows = shown_rows(case, released)
    whole = [plan.reference_row(case, row, case.pattern(row)) for row in range(case.rows)]
    return Tight(rows, plan.attributes(case), case.k, Luck(watched.keys, watched.codes, hashes), whole)


def shown_rows(case: Case, released: Released) -> list[Row]:
    """The rows as their groups show them; nothing of suppressed ones."""
    released_rows = set(released.rows)
    return [
        plan.reference_row(case, row, released.form(row)) if row in released_rows else {} for row in range(case.rows)
    ]


def as_sets(groups: Sequence[Sequence[int]]) -> list[frozenset[int]]:
    return [frozenset(group) for group in groups]


def check_run(case: Case, outcome: Outcome, watched: Watched) -> None:
    """The reference's groups, in the order of the tree and after every round; and what holds of any run."""
    released = Released(case, outcome)
    assert set(watched.roots) == set(released.rows)
    check_partitions(case, watched)
    check_rounds(case, released, watched)
    with duckdb.connect() as engine:
        reference = reference_of(case, released, watched, engine)
        check_tree(case, watched, reference)
        check_against_reference(watched, reference)
    assert set(as_sets(watched.rounds[-1])) == set(as_sets(list(released.members.values())))


def check_partitions(case: Case, watched: Watched) -> None:
    """At any time every row is in one group, every group has k rows of one root."""
    for groups in watched.rounds:
        assert sorted(row for group in groups for row in group) == sorted(watched.roots)
        assert all(len(group) >= case.k for group in groups)
        assert all(len({watched.roots[row] for row in group}) == 1 for group in groups)


def check_tree(case: Case, watched: Watched, reference: Tight) -> None:
    """Groups of 2k are those that no attribute's order can cut."""
    for group in watched.rounds[0]:
        if len(group) >= 2 * case.k:
            for place in range(len(case.generalised)):
                assert not list(reference.cuts(reference.by_attribute(group, place)))


def check_rounds(case: Case, released: Released, watched: Watched) -> None:
    """Each round gains what its moves claim, all added up; it makes no group of 2k."""
    assert len(watched.rounds) == len(watched.gains) + 1
    rows = shown_rows(case, released)
    exact = all(column.tree or column.is_ordered or len(column.domain) <= SET_BITS for column in case.generalised)
    losses = [total_loss(case, rows, groups) for groups in watched.rounds]
    for place, gain in enumerate(watched.gains):
        before, after = watched.rounds[place : place + 2]
        assert gain > 0
        assert all(len(new) < 2 * case.k for old, new in zip(before, after, strict=True) if len(new) > len(old))
        if exact:
            assert isclose(losses[place] - losses[place + 1], gain, rel_tol=1e-9, abs_tol=1e-9)


def total_loss(case: Case, rows: Sequence[Any], groups: Sequence[Sequence[int]]) -> Fraction:
    return sum(plan.information_loss(case, rows, groups).values(), Fraction(0))


def check_against_reference(watched: Watched, reference: Tight) -> None:
    expected: list[list[list[frozenset[int]]]] = []
    for root in watched.trees():
        tree = reference.tree(root)
        expected.append([as_sets(groups) for groups in (tree, *reference.rounds(tree))])
    for number, groups in enumerate(watched.rounds):
        assert as_sets(groups) == [group for rounds in expected for group in rounds[min(number, len(rounds) - 1)]]
    assert len(watched.rounds) == max(len(rounds) for rounds in expected)
