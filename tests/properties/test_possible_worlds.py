"""The two promises, exactly: all worlds that fit a real release of a tiny table, and all tiny bucketings."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import combinations_with_replacement
from random import Random

import pytest

from lgb_sql import InfeasiblePolicyError, LDiversity
from tests.properties.cases import KINDS, Case, Column
from tests.properties.invariants import Released
from tests.properties.test_buckets import METHODS, expand
from tests.reference.bucketization import Method, is_eligible
from tests.reference.possible_worlds import assignment_posterior, identity_posterior, value_posterior
from tests.support import anonymize, workplace

HALF = Fraction(1, 2)


def tiny_case(number: int) -> Case:
    """4 to 6 rows, k = 2, l = 2: a quasi-identifier, a semi-sensitive attribute and at times a sensitive one."""
    random = Random(number)
    rows = 4 + number % 3
    age = Column("age", "quasi-identifier", KINDS["integer"], tuple(random.randrange(5) for _ in range(rows)))
    flags = tuple(random.random() < 0.6 for _ in range(rows))
    values = tuple(random.choice((None, 1, 2, 3, 4)) for _ in range(rows))
    columns = [age, Column("job", "semi-sensitive", KINDS["integer"], values, flags, None, ("l_diversity", 2))]
    if number % 2:
        pay = tuple(random.sample(range(4), 2) * 2 + [7, 8])[:rows]
        columns.append(Column("pay", "sensitive", KINDS["integer"], pay, None, None, ("l_diversity", 2)))
    return Case(2, tuple(columns), ("fast", "mdp", "tight")[number // 2 % 3], METHODS[number % 3])


def check_posteriors(released: Released, column: Column) -> int:
    """Bounds for everyone whose cell is bucketed; returns how many there are.

    The adversary knows each person's group, since quasi-identifiers, flags and the algorithm are known.
    """
    case = released.case
    bids = {row: released.tuple_of(row)[f"{column.name}_bid"] for row in released.rows}
    persons = [row for row in released.rows if bids[row] is not None]
    if not persons:
        return 0
    legs = [released.tuple_of(row)["gid"] for row in persons]
    sat: dict[int, list[object]] = {}
    for bid, value, n in released.observed[f"sat_{column.name}"].rows:
        sat.setdefault(bid, []).extend([value] * n)
    rows = list(zip(legs, (bids[row] for row in persons), strict=True))
    values = value_posterior(legs, rows, sat)
    assert max(values.values()) <= HALF
    # Persons are distinguishable by nothing but their group, so a group's size bounds identity; a group whose
    # cells of this attribute are bucketed is bucketed as a whole.
    assert max(identity_posterior(legs, rows, sat).values()) <= Fraction(1, case.k)
    return len(persons)


def test_real_releases_of_tiny_tables() -> None:
    checked = refused = 0
    for number in range(40):
        case = tiny_case(number)
        with workplace() as directory:
            try:
                outcome = anonymize(case.table(), case.policy(), directory, seed=number)
            except InfeasiblePolicyError:
                refused += 1
                continue
        released = Released(case, outcome)
        assert min(Counter(outcome.observed["tuples"].column("gid")).values()) >= case.k
        for column in case.bucketed:
            checked += check_posteriors(released, column)
    assert checked > 60
    assert refused < 30


@pytest.mark.parametrize("method", METHODS)
def test_the_planners_keep_the_value_promise_for_every_tiny_multiset(method: Method) -> None:
    """Even against somebody who knows everyone's row: P(value) <= 1/l."""
    checked = 0
    for n, l in ((4, 2), (5, 2), (6, 2), (6, 3), (7, 3)):
        for values in combinations_with_replacement(range(4 if n < 7 else 5), n):
            histogram = sorted(Counter(values).items())
            if (n == 7 and len(set(values)) < 5) or not is_eligible(histogram, l):
                continue
            for slots in LDiversity(l).assign(histogram, method):
                buckets = expand(slots)
                assert assignment_posterior(values, lambda _, buckets=buckets: buckets) <= Fraction(1, l)  # type: ignore[misc]
                checked += 1
    assert checked > 40
