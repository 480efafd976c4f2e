"""The estimate of a COUNT(*) or of the SUM of a bucketed number, tuple by tuple; conditions joined by AND.

Of a group that shows several values, those it surely holds count as they are; its other tuples are shared out by the
pull of the values: weight to the 0.75 in a range, the square root of the weight in a set.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import prod
from typing import Any

import lgb_sql
from tests.properties.cases import measured
from tests.reference.queries import Key, Leaf, Query, conjuncts, normal_form
from tests.reference.released_cells import Cell, Shown, plain
from tests.support import fetch, quoted

Weights = Mapping[Any, float]


class Estimating:
    """A release with the weights that it publishes."""

    def __init__(self, release: lgb_sql.Release, shown: Shown) -> None:
        self._shown = shown
        self._ordered = release.manifest["ordered"]
        with release.connect() as connection:
            self._weights = {
                name: self._read_weights(connection, name)
                for name, role in release.manifest["roles"].items()
                if role in ("quasi-identifier", "semi-sensitive")
            }

    @staticmethod
    def _read_weights(connection: Any, name: str) -> Weights:
        listed = fetch(connection, f"SELECT value, weight FROM {quoted('domain_' + name)} WHERE NOT declared")
        return {plain(value): weight for value, weight in listed}

    def estimate(self, query: Query, key: Key = ()) -> float | None:
        """None where this reference is silent."""
        leaves = list(conjuncts(normal_form(query.at(key))))
        names = [leaf.attribute for leaf in leaves if isinstance(leaf, Leaf)]
        if len(set(names)) < len(leaves) or not self._speaks_of(query):
            return None
        return sum(self._of_tuple(row, query.target, leaves) for row in range(len(self._shown.tuples)))

    def _speaks_of(self, query: Query) -> bool:
        if query.target is None:
            return query.aggregate == "count"
        return query.aggregate == "sum" and all(cell.form == "S" for cell in self._shown.cells[query.target])

    def _of_tuple(self, row: int, target: str | None, leaves: Iterable[Any]) -> float:
        others = [leaf for leaf in leaves if leaf.attribute != target]
        share = prod(self._share(self._shown.cells[leaf.attribute][row], leaf) for leaf in others)
        if target is None:
            return share
        own = [leaf for leaf in leaves if leaf.attribute == target]
        values = self._shown.cells[target][row].values or ()
        counted = [value for value in values if value is not None and all(leaf.holds(value) for leaf in own)]
        return share * float(sum(measured(value) for value in counted)) / len(values)

    def _share(self, cell: Cell, leaf: Leaf) -> float:
        weights = self._weights.get(leaf.attribute, {})
        if cell.form == "W":
            return _weighted(weights, leaf, 0.5)
        if cell.form in "SI" or cell.values == (None,):
            values = cell.values or ()
            return sum(leaf.holds(value) is True for value in values) / len(values)
        size = self._shown.groups[cell.unit[1]]["size"]
        power = 0.75 if self._ordered[leaf.attribute] else 0.5
        between = cell.values if cell.values is not None else [v for v in weights if cell.low <= v <= cell.high]
        pulls = {value: weights.get(value, 0.0) ** power for value in between if self._is_listed(leaf, value)}
        known = [leaf.holds(value) is True for value in cell.attained]
        even = sum(leaf.holds(value) is True for value in pulls) / len(pulls)
        return float(sum(known) + (size - len(known)) * _weighted(pulls, leaf, even)) / float(size)

    def _is_listed(self, leaf: Leaf, value: Any) -> bool:
        return value in self._weights[leaf.attribute] or isinstance(self._ordered[leaf.attribute], list)


def _weighted(weights: Weights, leaf: Leaf, otherwise: float) -> float:
    """The share of weight that satisfies a condition."""
    whole = sum(weights.values())
    held = sum(weight for value, weight in weights.items() if leaf.holds(value) is True)
    return held / whole if whole else otherwise
