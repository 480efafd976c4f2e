"""The paper's adversary on tiny tables: every possible world, counted exactly.

The adversary knows who is in the table, everyone's flags and quasi-identifiers and the algorithm, hence the
local equivalence group (LEG) of every person; no flagged value. Persons and rows are numbered from 0.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import permutations, product
from typing import Literal

World = tuple[tuple[int, ...], tuple[Hashable, ...]]
"""The released row of every person, and the value of every released row."""

Bucketizer = Callable[[Sequence[int]], Sequence[Sequence[int]]]
"""The ascending multiset of flagged values -> the values of each bucket: a function of the histogram."""

Ties = Literal["random", "by_person"]


def identities(persons: Sequence[Hashable], released: Sequence[tuple[Hashable, int]]) -> list[tuple[int, ...]]:
    """All bijections of persons to released rows that stay inside the LEGs."""
    if Counter(persons) != Counter(leg for leg, _ in released):
        raise ValueError("the rows of each LEG must be as many as its persons")
    return [
        rows
        for rows in permutations(range(len(released)))
        if all(released[row][0] == leg for leg, row in zip(persons, rows, strict=True))
    ]


def values_of_rows(
    released: Sequence[tuple[Hashable, int]], sat: Mapping[int, Sequence[Hashable]]
) -> Iterator[tuple[Hashable, ...]]:
    """All ways to hand the SAT values of each bucket to the rows that carry its BID."""
    bids = sorted(sat)
    rows_of = {bid: [row for row, (_, row_bid) in enumerate(released) if row_bid == bid] for bid in bids}
    if Counter(bid for _, bid in released) != Counter({bid: len(sat[bid]) for bid in bids}):
        raise ValueError("the values of each bucket must be as many as its rows")
    for orders in product(*(permutations(sat[bid]) for bid in bids)):
        value_of: dict[int, Hashable] = {}
        for bid, order in zip(bids, orders, strict=True):
            value_of.update(zip(rows_of[bid], order, strict=True))
        yield tuple(value_of[row] for row in range(len(released)))


def possible_worlds(
    persons: Sequence[Hashable],
    released: Sequence[tuple[Hashable, int]],
    sat: Mapping[int, Sequence[Hashable]],
) -> Iterator[World]:
    """All worlds that fit the release: equally likely under an exchangeable prior and random placement."""
    for values in values_of_rows(released, sat):
        for rows in identities(persons, released):
            yield rows, values


def value_posterior(
    persons: Sequence[Hashable],
    released: Sequence[tuple[Hashable, int]],
    sat: Mapping[int, Sequence[Hashable]],
) -> dict[tuple[int, Hashable], Fraction]:
    """P(person has value | release) for every pair that is possible at all.

    `persons[t]` is the LEG of person t, `released[r]` the (LEG, BID) of row r, `sat[bid]` the values of a
    bucket: flagged persons and rows of one attribute only.
    """
    hits: Counter[tuple[int, Hashable]] = Counter()
    worlds = 0
    for rows, values in possible_worlds(persons, released, sat):
        worlds += 1
        for person, row in enumerate(rows):
            hits[person, values[row]] += 1
    return {pair: Fraction(count, worlds) for pair, count in hits.items()}


def identity_posterior(
    persons: Sequence[Hashable],
    released: Sequence[tuple[Hashable, int]],
    sat: Mapping[int, Sequence[Hashable]],
) -> dict[tuple[int, int], Fraction]:
    """P(the row of person = row | release) for every pair that is possible at all."""
    hits: Counter[tuple[int, int]] = Counter()
    worlds = 0
    for rows, _ in possible_worlds(persons, released, sat):
        worlds += 1
        for person, row in enumerate(rows):
            hits[person, row] += 1
    return {pair: Fraction(count, worlds) for pair, count in hits.items()}


def placements(values: Sequence[int], buckets: Sequence[Sequence[int]], ties: Ties) -> list[tuple[int, ...]]:
    """The BIDs of all persons, once for every order in which equal-valued persons take their value's slots."""
    distinct = sorted(set(values))
    holders = [[person for person, value in enumerate(values) if value == v] for v in distinct]
    slots = [[bid for bid, bucket in enumerate(buckets) for value in bucket if value == v] for v in distinct]
    orders = [list(permutations(slot)) if ties == "random" else [tuple(slot)] for slot in slots]
    result = []
    for chosen in product(*orders):
        bid_of: dict[int, int] = {}
        for group, slot_order in zip(holders, chosen, strict=True):
            bid_of.update(zip(group, slot_order, strict=True))
        result.append(tuple(bid_of[person] for person in range(len(values))))
    return result


def assignment_posterior(histogram_values: Sequence[int], bucketizer: Bucketizer, ties: Ties = "random") -> Fraction:
    """max P(person has value | published IDT + SAT) over all persons, values and releases.

    Every person is a LEG of its own, so identity is known. All assignments of the values to the persons are
    equally likely (exchangeable prior); the buckets follow from the histogram; equal-valued persons take
    their value's slots in every order (`random`), or always in the order of their numbers (`by_person`).
    """
    buckets = bucketizer(sorted(histogram_values))
    seen: Counter[tuple[int, ...]] = Counter()
    joint: Counter[tuple[tuple[int, ...], int, int]] = Counter()
    for values in set(permutations(histogram_values)):
        for idt in placements(values, buckets, ties):
            seen[idt] += 1
            for person, value in enumerate(values):
                joint[idt, person, value] += 1
    return max(Fraction(count, seen[idt]) for (idt, _, _), count in joint.items())
