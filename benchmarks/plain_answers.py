"""What a release says of the sum of a sensitive number, slow and obvious, for predicates of the paper's workload.

Read from `tuples`, `groups` and `sat_<A>` alone, with nothing of `lgb_sql.query`: every cell as a row of counts over
the attribute's values, every condition as a column of truths. Conditions are on whole numbers and on text, one per
attribute, joined by AND; values and cells are never NULL.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import duckdb
import numpy as np
import numpy.typing as npt

from benchmarks.people import FLAGGED, ORDERED, QUASI

Array = npt.NDArray[Any]
_NEXT = re.compile(rf" AND (?=(?:{'|'.join(QUASI)}) )")


@dataclass(frozen=True)
class Plain:
    """Bounds without the constraints that groups and buckets add, the paper's interval, and its expectation."""

    lower: float
    """Per bucket, each value used once"""
    upper: float
    lower_per_tuple: float
    """Every tuple that must match at its bucket's least value"""
    upper_per_tuple: float
    """Every tuple that may match at its bucket's greatest value"""
    lower_expected: float
    upper_expected: float
    uniform: float
    """The expected number of tuples of each bucket times the mean of its values"""


@dataclass(frozen=True)
class Cells:
    """What tuples show of an attribute: a group's range or set, or a bucket's values."""

    of_tuple: Array
    """The cell of each tuple"""
    domain: list[Any]
    counts: Array
    """A row per cell, a column per value: how often the value stands in the cell"""
    withheld: Array


class Reading:
    """A release in memory, and its plain answers."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, target: str) -> None:
        self._connection = connection
        self._tuples = connection.execute("SELECT * FROM tuples ORDER BY rid").fetchnumpy()
        self.groups = _count(connection, "groups")
        self.group = np.asarray(self._tuples["gid"]) - 1
        self.cells = {name: self._read_cells(connection, name) for name in QUASI}
        self.bucket = np.asarray(self._tuples[f"{target}_bid"]) - 1
        self.values = _bucket_values(connection, target)
        self._low = _sums(self.values)
        self._high = _sums([values[::-1] for values in self.values])
        self._negative = np.array([sum(value < 0 for value in values) for values in self.values])
        self._positive = np.array([sum(value > 0 for value in values) for values in self.values])
        self._truths: dict[str, tuple[Array, Array, Array]] = {}

    def _read_cells(self, connection: duckdb.DuckDBPyConnection, name: str) -> Cells:
        """Groups first, buckets after them; ids are dense from 1."""
        shown = f"unnest(range({name}_lo, {name}_hi + 1))" if name in ORDERED else f"unnest({name}_set)"
        rows = connection.execute(f"SELECT gid - 1, {shown}, 1 FROM groups WHERE {name}_form = 'Q'").fetchall()
        of_tuple, cells = self.group, self.groups
        if name in FLAGGED:
            rows += connection.execute(f"SELECT bid - 1 + {self.groups}, value, n FROM sat_{name}").fetchall()
            bids = np.ma.asarray(self._tuples[f"{name}_bid"])
            of_tuple = np.where(np.ma.getmaskarray(bids), of_tuple, bids.filled(0) - 1 + self.groups)
            cells += _count(connection, f"(SELECT DISTINCT bid FROM sat_{name})")
        domain = sorted({value for _, value, _ in rows})
        place = {value: number for number, value in enumerate(domain)}
        counts, withheld = np.zeros((cells, len(domain))), np.zeros(cells, bool)
        for cell, value, count in rows:
            counts[cell, place[value]] += count
        for (cell,) in connection.execute(f"SELECT gid - 1 FROM groups WHERE {name}_form = 'W'").fetchall():
            counts[cell], withheld[cell] = 1, True
        return Cells(of_tuple, domain, counts, withheld)

    def answer(self, predicate: str) -> Plain:
        """The sum of the target of those who satisfy a predicate."""
        share = np.ones(len(self.bucket))
        must, may = np.ones(len(self.bucket), bool), np.ones(len(self.bucket), bool)
        for condition in conditions(predicate):
            shares, musts, mays = self._judged(condition)
            of_tuple = self.cells[attribute(condition)].of_tuple
            share *= shares[of_tuple]
            must &= musts[of_tuple]
            may &= mays[of_tuple]
        return self._put_together(share, must, may)

    def truth(self, condition: str) -> Array:
        """Which values of its attribute's domain satisfy a condition."""
        name = attribute(condition)
        asked = f"SELECT ({condition}) FROM (SELECT unnest($1) AS {name})"
        return np.array([holds for (holds,) in self._connection.execute(asked, [self.cells[name].domain]).fetchall()])

    def _judged(self, condition: str) -> tuple[Array, Array, Array]:
        """Of each cell: the share of its values that satisfy a condition, whether all must, whether one may."""
        if condition not in self._truths:
            name = attribute(condition)
            cells = self.cells[name]
            hits, sizes = cells.counts @ self.truth(condition), cells.counts.sum(axis=1)
            shares = hits / np.maximum(sizes, 1)
            self._truths[condition] = (shares, (hits == sizes) & ~cells.withheld, (hits > 0) | cells.withheld)
        return self._truths[condition]

    def _put_together(self, share: Array, must: Array, may: Array) -> Plain:
        buckets = np.arange(len(self.values))
        least, most, expected = (
            np.bincount(self.bucket, weights=each, minlength=len(buckets)) for each in (must, may, share)
        )
        expected = expected.round(9)
        least, most = least.astype(int), most.astype(int)
        smallest, greatest = self._low[:, 1], self._high[:, 1]
        means = np.array([np.mean(values) for values in self.values])
        return Plain(
            lower=float(self._low[buckets, np.clip(self._negative, least, most)].sum()),
            upper=float(self._high[buckets, np.clip(self._positive, least, most)].sum()),
            lower_per_tuple=float((np.where(smallest < 0, most, least) * smallest).sum()),
            upper_per_tuple=float((np.where(greatest > 0, most, least) * greatest).sum()),
            lower_expected=float(self._low[buckets, np.floor(expected).astype(int)].sum()),
            upper_expected=float(self._high[buckets, np.ceil(expected).astype(int)].sum()),
            uniform=float((expected * means).sum()),
        )


def conditions(predicate: str) -> list[str]:
    return _NEXT.split(predicate)


def attribute(condition: str) -> str:
    return condition.split(" ", 1)[0]


def _count(connection: duckdb.DuckDBPyConnection, relation: str) -> int:
    ((count,),) = connection.execute(f"SELECT count(*) FROM {relation}").fetchall()
    return int(count)


def _bucket_values(connection: duckdb.DuckDBPyConnection, target: str) -> list[list[int]]:
    """The values of every bucket, ascending."""
    listed = f"SELECT bid, value, unnest(range(n)) FROM sat_{target} ORDER BY bid, value"
    found: dict[int, list[int]] = {}
    for bid, value, _ in connection.execute(listed).fetchall():
        found.setdefault(bid, []).append(value)
    return [found[bid] for bid in sorted(found)]


def _sums(lists: list[list[int]]) -> Array:
    """Sums of the first 0, 1, 2, ... of each list."""
    sums = np.zeros((len(lists), max(map(len, lists)) + 1), np.int64)
    for number, values in enumerate(lists):
        sums[number, 1 : len(values) + 1] = np.cumsum(values)
    return sums
