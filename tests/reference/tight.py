"""`tight`: cuts that leave the least NCP, over attribute orders and axes, then tuples moved to where they cost less.

Slow and plain: every box is the set of its tuples' values. Costs are doubles, summed as the engine sums them (spans in
policy order, then sets), because two cuts may cost the same but for rounding, and the same one has to win. What they
amount to is held against the exact `ncp` elsewhere.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate
from math import copysign, floor
from typing import TypeVar

from tests.reference.generalization import (
    Attribute,
    Cell,
    Hidden,
    Rows,
    Value,
    by_subtree,
    domain_sizes,
    leaves_covered,
)

AXES = 6
LOST_GROUP_PERCENT = 30
REACH = 24
ROUNDS = 12
SET_BITS = 310
"""In larger unordered domains, values whose codes are equal modulo this count as one."""
NOTHING = 1e-9
"""What gains no more than this gains nothing."""

Point = tuple[Value | None, ...]
"""A tuple, attribute by attribute: its share of the range, its leaf or its code; None where it shows no value."""
Box = tuple[frozenset[Value], ...]
"""The values of a set of tuples, attribute by attribute."""
Node = Sequence[int]
Key = TypeVar("Key")


@dataclass(frozen=True)
class Luck:
    """What a run draws, by row, and the hash that its choices use."""

    keys: Mapping[int, int]
    """Decide between equal gains and, hashed with level and axis, draw seeds."""
    codes: Mapping[int, int]
    """Hashes of the rows' values: of equally far tuples the highest is the far end."""
    hashes: Callable[[Sequence[int]], list[int]]


@dataclass(frozen=True)
class Move:
    """A tuple that is cheaper in another group."""

    row: int
    source: int
    target: int
    gain: float


class Tight:
    """The search within one table; a root (a pattern, or a cluster of merged ones) is searched on its own."""

    def __init__(self, rows: Rows, attributes: Sequence[Attribute], k: int, luck: Luck, whole: Rows) -> None:
        """`whole` is the table that the domains come from: no cell of it is withheld, no row suppressed."""
        self.attributes = attributes
        self.domains = domain_sizes(whole, attributes)
        self.k = k
        self.luck = luck
        self.summed = sorted(range(len(attributes)), key=lambda place: not _has_span(attributes[place]))
        lows = [_lowest(whole, attribute) for attribute in attributes]
        self.points: list[Point] = [
            tuple(self._stand(a, row.get(a.name), low) for a, low in zip(attributes, lows, strict=True)) for row in rows
        ]
        self._known: dict[tuple[int, frozenset[Value]], float] = {}

    def _stand(self, attribute: Attribute, cell: Cell, low: Fraction) -> Value | None:
        if cell is None or isinstance(cell, Hidden):
            return None
        if not attribute.ordered:
            return cell
        scale = float(self.domains[attribute.name])
        return float(Fraction(cell) - low) / scale if scale else 0.0

    # --- what boxes cost ---

    def box(self, node: Iterable[int]) -> Box:
        columns = zip(*(self.points[row] for row in node), strict=True)
        return tuple(frozenset(value for value in column if value is not None) for column in columns)

    def cost(self, box: Box) -> float:
        """What NCP charges for each tuple of a box."""
        total = 0.0
        for place in self.summed:
            key = place, box[place]
            if key not in self._known:
                self._known[key] = self._charge(self.attributes[place], box[place])
            total += self._known[key]
        return total

    def _charge(self, attribute: Attribute, values: frozenset[Value]) -> float:
        if len(values) <= 1:
            return 0.0
        if attribute.paths:
            return leaves_covered(attribute, values) / len(attribute.paths)
        numbers = [_number(value) for value in values]
        if attribute.ordered:
            return max(numbers) - min(numbers)
        bits = {number % SET_BITS for number in numbers}
        return len(bits) / int(self.domains[attribute.name]) if len(bits) > 1 else 0.0

    def distance(self, one: int, other: int) -> float:
        """What NCP charges for two tuples."""
        total = 0.0
        for place in self.summed:
            attribute = self.attributes[place]
            values = self.points[one][place], self.points[other][place]
            if None in values or values[0] == values[1]:
                continue
            numbers = [_number(value) for value in values]
            if _has_span(attribute):
                total += self._charge(attribute, frozenset(numbers))
            else:
                total += 2 / int(self.domains[attribute.name])
        return total

    # --- the tree ---

    def tree(self, node: Node, level: int = 0) -> list[list[int]]:
        """The groups of the tree below a node, from left to right."""
        cut = self.cheapest_cut(node, level)
        if cut is None:
            return [list(node)]
        left, right = cut
        return self.tree(left, level + 1) + self.tree(right, level + 1)

    def cheapest_cut(self, node: Node, level: int) -> tuple[list[int], list[int]] | None:
        """The two sides that cost least; on a tie the first order's, then the smaller left side."""
        if len(node) < 2 * self.k:
            return None
        cuts = [
            (cost, number, len(left), left, right)
            for number, blocks in enumerate(self.orders(node, level))
            for cost, left, right in self.cuts(blocks)
        ]
        return min(cuts)[3:] if cuts else None

    def orders(self, node: Node, level: int) -> Iterator[list[list[int]]]:
        """The node's tuples in every order: blocks of tuples that stand at the same place."""
        for place in range(len(self.attributes)):
            yield self.by_attribute(node, place)
        for axis in range(AXES):
            yield self.by_axis(node, level, axis)

    def cuts(self, blocks: Sequence[Node]) -> Iterator[tuple[float, list[int], list[int]]]:
        """Every cut between two blocks with k tuples on both sides, and its cost."""
        boxes = [self.box(block) for block in blocks]
        heads = list(accumulate(boxes, joined))
        tails = list(accumulate(reversed(boxes), joined))[::-1]
        for boundary in range(1, len(blocks)):
            left = [row for block in blocks[:boundary] for row in block]
            right = [row for block in blocks[boundary:] for row in block]
            if len(left) >= self.k and len(right) >= self.k:
                loss = len(left) * self.cost(heads[boundary - 1]) + len(right) * self.cost(tails[boundary])
                yield loss * self.surcharge(len(left), len(right)), left, right

    def surcharge(self, left: int, right: int) -> float:
        """A cut pays for the groups of k that it makes impossible."""
        possible = (left + right) // self.k
        lost = possible - left // self.k - right // self.k
        return 1 + LOST_GROUP_PERCENT * lost / (100 * possible)

    def by_attribute(self, node: Node, place: int) -> list[list[int]]:
        """Ordered values ascending, unordered by frequency in the node, with a hierarchy subtree by subtree."""
        attribute = self.attributes[place]
        blocks = _blocks(node, [self.points[row][place] for row in node])
        counts: Counter[Value] = Counter({value: len(block) for value, block in blocks.items() if value is not None})
        if not counts:
            return [list(node)]
        if attribute.paths:
            values = by_subtree(attribute, counts)
        else:
            values = sorted(counts, key=_number)
            if not attribute.ordered:
                values.sort(key=lambda value: -counts[value])  # stable: ties stay ascending
        return [blocks[value] for value in values]

    def by_axis(self, node: Node, level: int, axis: int) -> list[list[int]]:
        """From a tuple drawn at random to the one farthest from it, in steps of 1/64."""
        drawn = self.luck.hashes([self.luck.keys[row] ^ (64 * level + axis) for row in node])
        seed = node[drawn.index(min(drawn))]
        far = max(node, key=lambda row: (round(self.distance(row, seed) * 16384), self.luck.codes[row]))
        blocks = _blocks(node, [_rounded(64 * (self.distance(r, seed) - self.distance(r, far))) for r in node])
        return [blocks[key] for key in sorted(blocks)]

    # --- moves ---

    def rounds(self, groups: Sequence[Node]) -> Iterator[list[list[int]]]:
        """The groups of a tree after each round of moves, until none gains."""
        now = [list(group) for group in groups]
        for _ in range(ROUNDS):
            chosen = self.chosen_moves(now)
            if not chosen:
                return
            for move in chosen:
                now[move.source].remove(move.row)
                now[move.target].append(move.row)
            yield [list(group) for group in now]

    def chosen_moves(self, groups: Sequence[Node]) -> list[Move]:
        """The moves that are the best of all that touch either of their groups."""
        moves = sorted(self.moves(groups), key=lambda move: (-move.gain, self.luck.keys[move.row]))
        first: dict[int, Move] = {}
        for move in moves:
            first.setdefault(move.source, move)
            first.setdefault(move.target, move)
        return [move for move in moves if first[move.source] == first[move.target] == move]

    def moves(self, groups: Sequence[Node]) -> Iterator[Move]:
        """The best move of every tuple that its group can spare and that costs it something."""
        boxes = [self.box(group) for group in groups]
        for source, group in enumerate(groups):
            for row in group if len(group) > self.k else ():
                rest = self.cost(self.box(other for other in group if other != row))
                relief = len(group) * self.cost(boxes[source]) - (len(group) - 1) * rest
                if relief > NOTHING:
                    tries = self._tries(row, source, relief, groups, boxes)
                    best = max(tries, key=lambda move: move.gain, default=None)  # the first of equals
                    if best is not None:
                        yield best

    def _tries(
        self, row: int, source: int, relief: float, groups: Sequence[Node], boxes: Sequence[Box]
    ) -> Iterator[Move]:
        """Near groups that stay below 2k tuples with the new one."""
        own = self.box([row])
        for target in range(max(source - REACH, 0), min(source + REACH + 1, len(groups))):
            size = len(groups[target])
            if target != source and size + 1 < 2 * self.k:
                with_it = self.cost(joined(boxes[target], own))
                gain = relief + size * self.cost(boxes[target]) - (size + 1) * with_it
                if gain > NOTHING:
                    yield Move(row, source, target, gain)


def _blocks(node: Node, keys: Sequence[Key]) -> dict[Key, list[int]]:
    blocks: dict[Key, list[int]] = defaultdict(list)
    for row, key in zip(node, keys, strict=True):
        blocks[key].append(row)
    return blocks


def joined(one: Box, other: Box) -> Box:
    """The box of both boxes' tuples."""
    return tuple(values | others for values, others in zip(one, other, strict=True))


def _has_span(attribute: Attribute) -> bool:
    return attribute.ordered or bool(attribute.paths)


def _lowest(rows: Rows, attribute: Attribute) -> Fraction:
    cells = [row.get(attribute.name) for row in rows] if attribute.ordered else []
    return min((Fraction(c) for c in cells if c is not None and not isinstance(c, Hidden)), default=Fraction(0))


def _number(value: Value | None) -> float:
    if value is None or isinstance(value, str):
        raise TypeError("a value must be the number of its place")
    return value if isinstance(value, int | float) else int(value)


def _rounded(number: float) -> int:
    """To the nearest whole number, halves away from zero."""
    return int(copysign(floor(abs(Fraction(number)) + Fraction(1, 2)), number))
