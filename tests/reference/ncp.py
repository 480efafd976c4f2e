"""Local generalization by minimizing NCP: the paper's Algorithm 4, one tuple at a time.

The paper leaves `find_seeds` and `divide_table` to the top-down algorithm that it cites. Here:

- the tuples of a set come in a random order, drawn anew for every set; "a random tuple" is the first of them. (With
  one order for all levels NCP is 6 % worse on census data: a set's first tuples are then those that made its box.)
- `find_seeds`: the tuple farthest from a random one, and the tuple farthest from that; ties go to the first in order;
- `divide_table`: a tuple goes where the sum of size * penalty of both sides grows less; ties go to the smaller side,
  then to the first;
- a penalty is what NCP charges for the box of a set: ordered (max - min) / range; unordered distinct values / |A|;
  with a hierarchy leaves under the lowest common ancestor / all leaves; nothing for one single value.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from random import Random

from .generalization import Attribute, Hidden, Rows, Value, quasi_partition, span, visible_counts

Path = tuple[str, ...]
"""The nodes of a hierarchy from below the root down to a node; the empty path is the root."""


@dataclass(frozen=True)
class Extent:
    """A box's side in an ordered attribute, as places in the domain's range: 0 is its lowest value, 1 its highest."""

    low: float
    high: float

    def with_value(self, other: Extent) -> Extent:
        """The smallest extent that holds both."""
        if self.low <= other.low and other.high <= self.high:
            return self
        return Extent(min(self.low, other.low), max(self.high, other.high))

    @property
    def penalty(self) -> float:
        """(max - min) / range."""
        return self.high - self.low


@dataclass(frozen=True)
class ValueSet:
    """A box's side in an unordered attribute."""

    values: frozenset[Value]
    domain: int

    def with_value(self, other: ValueSet) -> ValueSet:
        """The union."""
        return self if other.values <= self.values else ValueSet(self.values | other.values, self.domain)

    @property
    def penalty(self) -> float:
        """Distinct values / |A|."""
        return len(self.values) / self.domain if len(self.values) > 1 else 0.0


@dataclass(frozen=True)
class Subtree:
    """A box's side in an attribute with a hierarchy: the lowest common ancestor."""

    path: Path
    leaves: Mapping[Path, int] = field(repr=False)
    is_value: bool = False

    def with_value(self, other: Subtree) -> Subtree:
        """The lowest common ancestor of both."""
        if other.path[: len(self.path)] == self.path:
            return self
        common: list[str] = []
        for mine, theirs in zip(self.path, other.path, strict=False):
            if mine != theirs:
                break
            common.append(mine)
        return Subtree(tuple(common), self.leaves)

    @property
    def penalty(self) -> float:
        """Leaves below / all leaves."""
        return 0.0 if self.is_value else self.leaves[self.path] / self.leaves[()]


Side = Extent | ValueSet | Subtree
Box = tuple[Side, ...]


def leaf_counts(paths: Sequence[Path]) -> dict[Path, int]:
    """Leaves below every node of a hierarchy."""
    counts: dict[Path, int] = {}
    for path in paths:
        for length in range(len(path) + 1):
            counts[path[:length]] = counts.get(path[:length], 0) + 1
    return counts


class Domain:
    """The values of one attribute that are quasi-identifiers for somebody, and what is counted or measured on them."""

    def __init__(self, rows: Rows, attribute: Attribute) -> None:
        counts = visible_counts(rows, range(len(rows)), attribute)
        self.attribute = attribute
        self.values = len(counts)
        self.range = float(span(counts)) if attribute.ordered else 0.0
        self.lowest = min((Fraction(value) for value in counts), default=Fraction(0)) if attribute.ordered else None
        self.leaves = leaf_counts(attribute.paths)

    def side(self, value: Value) -> Side:
        """The box of one value."""
        if self.attribute.paths:
            return Subtree(self.attribute.paths[int(value)], self.leaves, is_value=True)
        if self.lowest is None:
            return ValueSet(frozenset([value]), self.values)
        place = float(Fraction(value) - self.lowest) / self.range if self.range else 0.0
        return Extent(place, place)


def boxes_of(rows: Rows, attributes: Sequence[Attribute], domain_rows: Rows | None = None) -> list[Box]:
    """Every row's own box, over the attributes in which it shows a value; domains come from `domain_rows`."""
    domains = {attribute.name: Domain(domain_rows or rows, attribute) for attribute in attributes}
    sides: dict[tuple[str, Value], Side] = {}
    boxes = []
    for row in rows:
        box = []
        for name, domain in domains.items():
            value = row.get(name)
            if value is not None and not isinstance(value, Hidden):
                if (name, value) not in sides:  # equal values share one object
                    sides[name, value] = domain.side(value)
                box.append(sides[name, value])
        boxes.append(tuple(box))
    return boxes


def merged(a: Box, b: Box) -> Box:
    """The smallest box that holds both."""
    return tuple(x.with_value(y) for x, y in zip(a, b, strict=True))  # type: ignore[arg-type]


def penalty(box: Box) -> float:
    """NCP of one tuple that is generalised to this box."""
    total = 0.0
    for side in box:
        total += side.penalty
    return total


def find_seeds(oper_set: Sequence[int], boxes: Sequence[Box]) -> tuple[int, int]:
    """Algorithm 4, line 13: from a random tuple to the farthest, and from that to the farthest."""
    start = oper_set[0]
    first = _farthest(start, oper_set, boxes)
    return first, _farthest(first, oper_set, boxes)


def _farthest(start: int, oper_set: Sequence[int], boxes: Sequence[Box]) -> int:
    others = [index for index in oper_set if index != start]
    return max(others, key=lambda index: penalty(merged(boxes[start], boxes[index])))  # of equals the first


def divide_table(
    oper_set: Sequence[int], seed_1: int, seed_2: int, boxes: Sequence[Box]
) -> tuple[list[int], list[int]]:
    """Algorithm 4, line 14: every tuple goes where size * penalty grows less."""
    parts = ([seed_1], [seed_2])
    side_boxes = [boxes[seed_1], boxes[seed_2]]
    costs = [penalty(box) for box in side_boxes]
    for index in oper_set:
        if index in (seed_1, seed_2):
            continue
        grown = [merged(box, boxes[index]) for box in side_boxes]
        grown_costs = [penalty(box) for box in grown]
        growth = [
            (len(part) + 1) * new - len(part) * old for part, new, old in zip(parts, grown_costs, costs, strict=True)
        ]
        side = 0 if (growth[0], len(parts[0])) <= (growth[1], len(parts[1])) else 1
        parts[side].append(index)
        side_boxes[side], costs[side] = grown[side], grown_costs[side]
    return parts


Shuffle = Callable[[Sequence[int], int], Sequence[int]]
"""(a set, how often it was divided so far) -> the set in random order."""


def lgb_ncp(rows: Rows, attributes: Sequence[Attribute], k: int, shuffle: Shuffle) -> set[frozenset[int]]:
    """Algorithm 4: the local equivalence groups as sets of row indices."""
    t_subsets = quasi_partition(rows, attributes)
    if min(map(len, t_subsets)) < k:
        raise ValueError("a QI pattern has fewer than k rows")
    return generalize_subsets(t_subsets, boxes_of(rows, attributes), k, shuffle)


def generalize_subsets(
    t_subsets: Sequence[Sequence[int]], boxes: Sequence[Box], k: int, shuffle: Shuffle
) -> set[frozenset[int]]:
    """Algorithm 4, lines 3 to 24."""
    t_anony: set[frozenset[int]] = set()
    for t_set in t_subsets:
        partition_set = [(t_set, 0)]
        while partition_set:
            oper_set, depth = partition_set.pop()
            if len(oper_set) < 2 * k:
                t_anony.add(frozenset(oper_set))
                continue
            oper_set = shuffle(oper_set, depth)
            t_1, t_2 = divide_table(oper_set, *find_seeds(oper_set, boxes), boxes)
            if len(t_1) >= k and len(t_2) >= k:
                partition_set += [(t_1, depth + 1), (t_2, depth + 1)]
            else:
                t_anony.add(frozenset(oper_set))
    return t_anony


def random_order(seed: int) -> Shuffle:
    """A shuffle for measurements."""
    random = Random(seed)
    return lambda oper_set, _depth: random.sample(oper_set, len(oper_set))
