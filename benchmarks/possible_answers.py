"""Tables that a release may stand for, made so that a sum is as great, or as small, as they can make it.

Certain bounds must hold for each of these tables, so none can be narrower than the two sums are apart. A table has a
value for every tuple and attribute, and `fits` holds it against the release itself, whatever made it:

- a bucket's values are used once each by the tuples of the bucket;
- the tuples of a group are within its range or set, both ends of a range occur, and every member of a set.

A release does not tie attributes to each other, so each is dealt out alone. How many tuples of a cell satisfy a
condition lies between two numbers, and which ones is free. Tuples are chosen greedily, the most valuable first; that
may miss the most extreme table, and what it finds is possible all the same. No value may be NULL; where the target has
negative values, other tables are more extreme.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from benchmarks.people import ORDERED
from benchmarks.plain_answers import Array, Cells, Reading, attribute, conditions

NOWHERE = -1


@dataclass(frozen=True)
class Table:
    """What may be behind a release, as far as a query names its attributes."""

    places: dict[str, Array]
    """By attribute: the place of each tuple's value in the domain"""
    target: Array


@dataclass(frozen=True)
class _Condition:
    """A condition, and how many tuples of each cell satisfy it."""

    name: str
    cells: Cells
    required: Array
    truth: Array
    """Of each value of the domain"""
    size: Array
    least: Array
    most: Array

    @property
    def fail(self) -> Array:
        """At least so many tuples of each cell fail."""
        return self.size - self.most

    @property
    def may_fail(self) -> Array:
        return self.size - self.least


class Worlds:
    """Extreme tables of a release."""

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._required = {name: required(reading, name) for name in reading.cells}
        self._known: dict[str, _Condition] = {}
        listed = [
            (value, rank, bucket) for bucket, each in enumerate(reading.values) for rank, value in enumerate(each)
        ]
        self._by_value = [(bucket, rank) for _, rank, bucket in sorted(listed, reverse=True)]

    def sums(self, predicate: str) -> tuple[float, float]:
        """The sums of two possible tables: a small one and a great one."""
        tables = self.least(predicate), self.greatest(predicate)
        if not all(fits(self._reading, table) for table in tables):
            raise AssertionError(f"the release does not allow this table: {predicate}")
        low, high = (self.total(table, predicate) for table in tables)
        return low, high

    def total(self, table: Table, predicate: str) -> float:
        """The answer that a table gives."""
        held = [condition.truth[table.places[condition.name]] for condition in self._conditions(predicate)]
        return float(table.target[np.logical_and.reduce(held)].sum())

    def greatest(self, predicate: str) -> Table:
        """Those who satisfy the predicate are chosen; each needs room in its group and in its buckets."""
        asked, groups = self._conditions(predicate), self._reading.groups
        many = len(self._reading.group)
        room = np.minimum.reduce([np.where(each.size > 0, each.most, many)[:groups] for each in asked])
        waiting = self._waiting(asked)
        order = [bucket for bucket, _ in self._by_value if bucket in waiting]
        pools = self._pools(asked)
        drawn = _draw(order, waiting, pools, [room, *(each.most[groups:] for each in asked)], everywhere=True)
        chosen = np.zeros(many, bool)
        chosen[list(drawn)] = True
        satisfying = [_filled(chosen, each.cells.of_tuple, each.least) for each in asked]
        return self._table(asked, satisfying, least=False)

    def least(self, predicate: str) -> Table:
        """Those who fail are chosen; each needs room in its group or in one of its buckets."""
        asked, groups = self._conditions(predicate), self._reading.groups
        room = np.sum([each.may_fail[:groups] for each in asked], axis=0)
        waiting = self._waiting(asked)
        order = [bucket for bucket, rank in self._by_value if rank < len(waiting.get(bucket, ()))]
        pools = self._pools(asked)
        drawn = _draw(order, waiting, pools, [room, *(each.fail[groups:] for each in asked)], everywhere=False)
        failing = self._blamed(asked, drawn)
        satisfying = [
            ~_filled(chosen, each.cells.of_tuple, each.fail) for chosen, each in zip(failing, asked, strict=True)
        ]
        return self._table(asked, satisfying, least=True)

    # --- what the release says ---

    def _conditions(self, predicate: str) -> list[_Condition]:
        found = [self._condition(text) for text in conditions(predicate)]
        if len({condition.name for condition in found}) < len(found):
            raise ValueError("at most one condition for each attribute")
        return found

    def _condition(self, text: str) -> _Condition:
        if text not in self._known:
            name, truth = attribute(text), self._reading.truth(text)
            cells, needed = self._reading.cells[name], self._required[name]
            size = np.bincount(cells.of_tuple, minlength=len(cells.counts))
            least, fail = (_surely(each, cells, needed, size) for each in (truth, ~truth))
            self._known[text] = _Condition(name, cells, needed, truth, size, least, size - fail)
        return self._known[text]

    # --- who satisfies the predicate ---

    def _waiting(self, asked: Sequence[_Condition]) -> dict[int, list[int]]:
        """By bucket of the target: the tuples that may satisfy the predicate."""
        may = np.logical_and.reduce([(each.most > 0)[each.cells.of_tuple] for each in asked])
        found: dict[int, list[int]] = {}
        for number, bucket in zip(np.flatnonzero(may).tolist(), self._reading.bucket[may].tolist(), strict=True):
            found.setdefault(bucket, []).append(number)
        return found

    def _pools(self, asked: Sequence[_Condition]) -> list[list[int]]:
        """The pools of each tuple: its group, and its bucket of every condition that its group does not show."""
        columns, first = [self._reading.group], self._reading.groups
        for each in asked:
            bucket = each.cells.of_tuple - self._reading.groups
            columns.append(np.where(bucket >= 0, first + bucket, NOWHERE))
            first += len(each.size) - self._reading.groups
        return [[pool for pool in pools if pool != NOWHERE] for pools in np.stack(columns, axis=1).tolist()]

    def _blamed(self, asked: Sequence[_Condition], drawn: dict[int, int]) -> list[Array]:
        """Who fails each condition: those drawn from its buckets, and its share of those drawn from groups."""
        groups, group = self._reading.groups, self._reading.group
        pool = np.full(len(group), NOWHERE)
        pool[list(drawn)] = list(drawn.values())
        grouped = (pool >= 0) & (pool < groups)
        rank = np.full(len(group), NOWHERE)
        rank[grouped] = _ranks(group[grouped])
        found, first, before = [], groups, np.zeros(groups, int)
        for each in asked:
            after = before + each.may_fail[:groups]
            last = first + len(each.size) - groups
            share = grouped & (before[group] <= rank) & (rank < after[group])
            found.append(share | ((first <= pool) & (pool < last)))
            first, before = last, after
        return found

    # --- values ---

    def _table(self, asked: Sequence[_Condition], satisfying: Sequence[Array], least: bool) -> Table:
        places = {each.name: _dealt(each, chosen) for each, chosen in zip(asked, satisfying, strict=True)}
        counted = np.logical_and.reduce(satisfying)
        order = np.lexsort((~counted, self._reading.bucket))
        target = np.zeros(len(order))
        target[order] = list(chain.from_iterable(each if least else each[::-1] for each in self._reading.values))
        return Table(places, target)


def required(reading: Reading, name: str) -> Array:
    """How often each value occurs in each cell at least: ends of ranges, members of sets, a bucket's values."""
    cells = reading.cells[name]
    needed = cells.counts.astype(int)
    if name in ORDERED:
        shown = needed[: reading.groups] > 0
        ends = np.zeros_like(needed[: reading.groups])
        for end in (shown.argmax(axis=1), shown.shape[1] - 1 - shown[:, ::-1].argmax(axis=1)):
            ends[np.arange(reading.groups), end] = shown.any(axis=1)
        needed[: reading.groups] = ends
    needed[cells.withheld] = 0
    return needed


def fits(reading: Reading, table: Table) -> bool:
    """Whether a release allows a table, judged by its values alone."""
    order = np.lexsort((table.target, reading.bucket))
    if not np.array_equal(table.target[order], list(chain.from_iterable(reading.values))):
        return False
    return all(_fits_attribute(reading, name, places) for name, places in table.places.items())


def _fits_attribute(reading: Reading, name: str, places: Array) -> bool:
    cells = reading.cells[name]
    occurring = np.zeros(cells.counts.shape, int)
    np.add.at(occurring, (cells.of_tuple, places), 1)
    groups = np.arange(len(occurring)) < reading.groups
    within = not (occurring[cells.counts == 0] > 0).any()
    complete = (occurring >= required(reading, name)).all()
    return bool(within and complete and np.array_equal(occurring[~groups], cells.counts[~groups]))


def _surely(truth: Array, cells: Cells, needed: Array, size: Array) -> Array:
    """How many tuples of each cell surely have such a value: all if it has no other, else those that are required."""
    return np.where(cells.counts @ ~truth == 0, size, needed @ truth)


def _draw(
    order: Iterable[int],
    waiting: dict[int, list[int]],
    pools: list[list[int]],
    rooms: Sequence[Array],
    everywhere: bool,
) -> dict[int, int]:
    """Take a tuple of each bucket in turn as long as its pools have room (everywhere), or one of them has.

    The pool with the most room for those who wait counts as the best. Returns who was taken, each with a pool.
    """
    room = np.concatenate(rooms).tolist()
    demand = np.bincount(
        [pool for numbers in waiting.values() for n in numbers for pool in pools[n]], minlength=len(room)
    )
    wanted, worth = demand.tolist(), min if everywhere else max
    taken: dict[int, int] = {}
    left = {bucket: set(numbers) for bucket, numbers in waiting.items()}
    for bucket in order:
        offers = [(*worth((room[pool] / wanted[pool], pool) for pool in pools[n]), n) for n in left[bucket]]
        share, pool, number = max(offers, default=(0, NOWHERE, NOWHERE))
        if share == 0:
            left[bucket].clear()
            continue
        left[bucket].remove(number)
        taken[number] = pool
        for each in pools[number]:
            wanted[each] -= 1
            room[each] -= everywhere or each == pool
    return taken


def _filled(chosen: Array, cells: Array, least: Array) -> Array:
    """The chosen tuples, and others until each cell has so many."""
    missing = np.maximum(least - np.bincount(cells, weights=chosen, minlength=len(least)).astype(int), 0)
    others = np.flatnonzero(~chosen)
    added = others[_ranks(cells[others]) < missing[cells[others]]]
    filled = chosen.copy()
    filled[added] = True
    return filled


def _dealt(condition: _Condition, satisfying: Array) -> Array:
    """The place of a value for each tuple, so that these satisfy the condition; required values come first."""
    places = np.full(len(satisfying), NOWHERE)
    for truth, chosen in ((condition.truth, satisfying), (~condition.truth, ~satisfying)):
        cell, place = np.nonzero(condition.cells.counts * truth)
        needed = condition.required[cell, place]
        copies = np.maximum(needed, 1)
        cell, place, needed = (np.repeat(each, copies) for each in (cell, place, needed))
        place = place[np.lexsort((needed == 0, cell))]
        many = np.bincount(cell, minlength=len(condition.size))
        first = np.cumsum(many) - many
        numbers = np.flatnonzero(chosen)
        cells = condition.cells.of_tuple[numbers]
        places[numbers] = place[first[cells] + _ranks(cells) % many[cells]]
    return places


def _ranks(cells: Array) -> Array:
    """0, 1, 2, ... within each cell."""
    order = np.argsort(cells, kind="stable")
    ranks = np.empty(len(cells), int)
    ranks[order] = np.arange(len(cells)) - np.searchsorted(cells[order], cells[order])
    return ranks
