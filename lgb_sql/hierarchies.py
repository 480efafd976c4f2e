"""Generalization hierarchies: a tree over an attribute's values, its leaves in depth-first order.

How a tree is written is known to `lgb_sql.hierarchy_files`, what the engine sees of it to `lgb_sql.hierarchy_sql`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Context, Decimal, InvalidOperation
from functools import cached_property

MAX_HEIGHT = 32
"""Levels below the root at most: every level is a part of the statements."""
ROOT = 0
"""The root's number; nodes are numbered in depth-first order."""


@dataclass(frozen=True)
class Hierarchy:
    """A tree: each node's name and parent, depth first, the root first. Names are unique."""

    names: tuple[str, ...]
    parents: tuple[int, ...]
    places: tuple[str, ...] = field(default=(), repr=False, compare=False)
    """Where each node was written first, for errors."""

    @cached_property
    def leaves(self) -> tuple[int, ...]:
        """The nodes without children, depth first: a leaf's index here is its place in the attribute's order."""
        inner = set(self.parents)
        return tuple(node for node in range(len(self.names)) if node not in inner)

    @cached_property
    def depths(self) -> tuple[int, ...]:
        """How far each node is from the root."""
        depths: list[int] = []
        for parent in self.parents:
            depths.append(0 if parent < 0 else depths[parent] + 1)
        return tuple(depths)

    @cached_property
    def leaves_under(self) -> tuple[int, ...]:
        """How many leaves each node covers, itself where it is one."""
        counts = [0] * len(self.names)
        for leaf in self.leaves:
            counts[leaf] = 1
        for node in range(len(self.names) - 1, 0, -1):  # children are numbered after their parent
            counts[self.parents[node]] += counts[node]
        return tuple(counts)

    @property
    def height(self) -> int:
        """Levels below the root."""
        return max(self.depths)

    @property
    def levels(self) -> tuple[int, ...]:
        """The numbers of the levels below the root: 1 just below it, `height` the lowest."""
        return tuple(range(1, self.height + 1))

    def path(self, leaf: int) -> list[int]:
        """The ancestors of a leaf at levels 1 to `height`; where it ends higher, it repeats itself."""
        upwards = list(self.ancestors(leaf))
        below_root = upwards[-2::-1]
        return below_root + [leaf] * (self.height - len(below_root))

    def ancestors(self, node: int) -> Iterator[int]:
        """The node and all above it, the root last."""
        while node >= 0:
            yield node
            node = self.parents[node]


@dataclass(frozen=True)
class Branch:
    """One leaf as it was written: the names from leaf to root, and where each stands."""

    names: tuple[str, ...]
    places: tuple[str, ...]

    def collapsed(self) -> Branch:
        """Without a name that repeats the one before it: how a leaf that ends higher is often written."""
        kept = [i for i, name in enumerate(self.names) if i == 0 or name != self.names[i - 1]]
        return Branch(tuple(self.names[i] for i in kept), tuple(self.places[i] for i in kept))


class _Growing:
    """A tree while its branches are read: who is whose parent, who is a leaf, and what does not fit."""

    def __init__(self, root: str, place: str) -> None:
        self.root = root
        self.places: dict[str, str] = {root: place}
        self.parents: dict[str, str] = {}
        self.leaves: dict[str, str] = {}
        self.inner: dict[str, str] = {root: place}
        self.problems: list[str] = []

    def add(self, branch: Branch) -> None:
        """Take a branch into the tree, or say why not."""
        if len(branch.names) < 2:
            self.problems.append(f"{branch.places[0]}: a leaf without a root")
        elif branch.names[-1] != self.root:
            self.problems.append(f"{branch.places[-1]}: a second root (the first is at {self.places[self.root]})")
        elif len(set(branch.names)) < len(branch.names):
            self.problems.append(f"{_repeated(branch)}: the node stands above itself, a cycle")
        elif branch.names[0] in self.leaves:
            first = self.leaves[branch.names[0]]
            self.problems.append(f"{branch.places[0]}: the value stands there twice (first at {first})")
        else:
            self._connect(branch)

    def _connect(self, branch: Branch) -> None:
        self.leaves[branch.names[0]] = branch.places[0]
        for child, place, parent, parent_place in zip(
            branch.names, branch.places, branch.names[1:], branch.places[1:], strict=False
        ):
            self.inner.setdefault(parent, parent_place)
            first = self.places.setdefault(child, place)
            if self.parents.setdefault(child, parent) != parent:
                self.problems.append(f"{place}: the node has another parent than at {first}")
                return

    def check(self) -> None:
        """A leaf covers itself alone."""
        for name in self.leaves.keys() & self.inner.keys():
            self.problems.append(f"{self.leaves[name]}: the leaf is an inner node at {self.inner[name]}")

    def hierarchy(self) -> Hierarchy:
        """The finished tree; children in the order in which they were written."""
        children: dict[str, list[str]] = {}
        for child, parent in self.parents.items():
            children.setdefault(parent, []).append(child)
        names: list[str] = []
        parents: list[int] = []
        waiting = [(self.root, -1)]
        while waiting:
            name, above = waiting.pop()
            waiting.extend((child, len(names)) for child in reversed(children.get(name, [])))
            names.append(name)
            parents.append(above)
        return Hierarchy(tuple(names), tuple(parents), tuple(self.places[name] for name in names))


def _repeated(branch: Branch) -> str:
    seen: set[str] = set()
    for name, place in zip(branch.names, branch.places, strict=True):
        if name in seen:
            return place
        seen.add(name)
    return branch.places[0]


def grow(branches: Iterable[Branch]) -> tuple[Hierarchy | None, list[str]]:
    """Make a tree of its branches, or say all that is wrong with them and where."""
    collapsed = [branch.collapsed() for branch in branches]
    if not collapsed:
        return None, ["it holds no leaf"]
    growing = _Growing(collapsed[0].names[-1], collapsed[0].places[-1])
    for branch in collapsed:
        growing.add(branch)
    growing.check()
    if growing.problems:
        return None, list(dict.fromkeys(growing.problems))  # a second root is one, whatever its leaves
    hierarchy = growing.hierarchy()
    if hierarchy.height > MAX_HEIGHT:
        return None, [f"it has {hierarchy.height} levels below the root; at most {MAX_HEIGHT} are supported"]
    return hierarchy, []


def unfit_leaves(hierarchy: Hierarchy, first_equal: Sequence[int | None], type_name: str) -> list[str]:
    """What is wrong with leaves as values of a type: those that are none, and those that are the same.

    `first_equal` says for each leaf which leaf is the first of the same value; None where it is no value of the type.
    """
    problems = []
    for place, (leaf, first) in enumerate(zip(hierarchy.leaves, first_equal, strict=True)):
        where = hierarchy.places[leaf]
        if first is None or loses_digits(hierarchy.names[leaf], type_name):
            problems.append(f"{where}: the leaf is no {type_name}")
        elif first != place:
            problems.append(f"{where}: as {type_name} the same value as at {hierarchy.places[hierarchy.leaves[first]]}")
    return problems


def first_equal(ranks: Sequence[int | None]) -> list[int | None]:
    """For each value the index of the first of the same rank; None where it has none."""
    firsts: dict[int, int] = {}
    return [None if rank is None else firsts.setdefault(rank, place) for place, rank in enumerate(ranks)]


def loses_digits(text: str, type_name: str) -> bool:
    """Whether a number has more decimals than its type keeps; the engine would round it to another value."""
    kept = re.fullmatch(r"DECIMAL\(\d+,(\d+)\)|U?(?:TINY|SMALL|BIG)?INT(?:EGER)?", type_name)
    if kept is None:
        return False
    try:
        number = Decimal(text.strip())
    except InvalidOperation:
        return False  # the engine reads more spellings than this
    scaled = number.scaleb(int(kept[1] or 0), Context(prec=100)) if number.is_finite() else number
    return scaled.is_finite() and scaled != scaled.to_integral_value()
