"""Local generalization: the paper's Algorithm 3 (multi-dimensional partition), its variant `fast`, the metrics.

A cell is a value, NULL or hidden (flagged or withheld). Partitions read visible quasi-identifiers only.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from typing import Final


class Hidden(Enum):
    """The type of the one sentinel `HIDDEN`."""

    HIDDEN = "hidden"


HIDDEN: Final = Hidden.HIDDEN
"""A flagged or withheld cell: nothing may depend on its value."""

Value = int | float | Fraction | str
"""A number (the position of an ordered attribute's value), or a string or bool (unordered)."""

Cell = Value | Hidden | None
Row = Mapping[str, Cell]
Rows = Sequence[Row]
Groups = Iterable[Collection[int]]


@dataclass(frozen=True)
class Attribute:
    """One attribute, in the order in which the policy names them."""

    name: str
    ordered: bool
    paths: tuple[tuple[str, ...], ...] = ()
    """With a hierarchy: the nodes from just below the root down to each leaf, leaves in depth-first order.

    A value is then the place of its leaf.
    """


Cut = Callable[[Attribute, Counter[Value], int], list[Value] | None]
"""(attribute, the node's value counts, k) -> the values that go left, or None when no cut is allowed."""


Width = Callable[[Attribute, Counter[Value], Fraction], float]
"""(attribute, the node's value counts, the domain's size) -> how wide the attribute is in the node."""


def sort_key(value: Value) -> tuple[Fraction, str]:
    """Numbers and bools by value, strings by code point."""
    return (Fraction(0), value) if isinstance(value, str) else (Fraction(value), "")


def visible_counts(rows: Rows, node: Iterable[int], attribute: Attribute) -> Counter[Value]:
    """The values of a node in one attribute with their counts; hidden and NULL cells are left out."""
    counts: Counter[Value] = Counter()
    for index in node:
        cell = rows[index][attribute.name]
        if cell is not None and not isinstance(cell, Hidden):
            counts[cell] += 1
    return counts


def span(values: Iterable[Value]) -> Fraction:
    """max - min of an ordered attribute's positions."""
    positions = []
    for value in values:
        if isinstance(value, str):
            raise TypeError("a value of an ordered attribute must be a number")
        positions.append(Fraction(value))
    return max(positions) - min(positions) if positions else Fraction(0)


def domain_sizes(rows: Rows, attributes: Sequence[Attribute]) -> dict[str, Fraction]:
    """The range of an ordered attribute, |A| of an unordered one, over all visible cells of the table."""
    sizes = {}
    for attribute in attributes:
        counts = visible_counts(rows, range(len(rows)), attribute)
        sizes[attribute.name] = span(counts) if attribute.ordered else Fraction(len(counts))
    return sizes


def cell_state(cell: Cell) -> str:
    """What the pattern of a row shows of one cell."""
    if isinstance(cell, Hidden):
        return "hidden"
    return "null" if cell is None else "value"


def quasi_partition(rows: Rows, attributes: Sequence[Attribute]) -> list[list[int]]:
    """The QI partition (Algorithm 3, line 2): row indices by pattern, patterns by first appearance."""
    subsets: dict[tuple[str, ...], list[int]] = {}
    for index, row in enumerate(rows):
        pattern = tuple(cell_state(row[attribute.name]) for attribute in attributes)
        subsets.setdefault(pattern, []).append(index)
    return list(subsets.values())


def normalised_width(attribute: Attribute, counts: Counter[Value], domain: Fraction) -> float:
    """Ordered: (max - min) / range. Unordered: (distinct - 1) / (|A| - 1). 0 where the domain has no width."""
    if attribute.ordered:
        return float(span(counts)) / float(domain) if domain > 0 else 0.0
    return (len(counts) - 1) / (int(domain) - 1) if domain > 1 else 0.0


def leaves_covered(attribute: Attribute, values: Iterable[Value]) -> int:
    """Leaves under the lowest common ancestor: those that share the longest common beginning of the values' paths."""
    paths = [attribute.paths[_leaf(value)] for value in values]
    common = 0
    while all(len(path) > common and path[common] == paths[0][common] for path in paths):
        common += 1
    return sum(path[:common] == paths[0][:common] for path in attribute.paths)


def _leaf(value: Value) -> int:
    if isinstance(value, str):
        raise TypeError("a value with a hierarchy must be the place of its leaf")
    return int(value)


def by_subtree(attribute: Attribute, counts: Counter[Value], depth: int = 0) -> list[Value]:
    """Values depth first, at every level the subtree with most tuples first, ties in leaf order."""
    subtrees: dict[str, Counter[Value]] = {}
    for value in sorted(counts, key=sort_key):
        path = attribute.paths[_leaf(value)]
        subtrees.setdefault(path[min(depth, len(path) - 1)], Counter())[value] = counts[value]
    ranked = sorted(subtrees.values(), key=lambda subtree: -subtree.total())  # stable: ties stay in leaf order
    return [
        value
        for subtree in ranked
        for value in (subtree if len(subtree) == 1 else by_subtree(attribute, subtree, depth + 1))
    ]


def charged_width(attribute: Attribute, counts: Counter[Value], domain: Fraction) -> float:
    """`fast`: what NCP charges for the node. Unordered: distinct / |A|, 0 for one single value.

    With a hierarchy: leaves under the lowest common ancestor / all leaves.
    """
    if attribute.ordered:
        return normalised_width(attribute, counts, domain)
    if attribute.paths:
        return leaves_covered(attribute, counts) / len(attribute.paths) if len(counts) > 1 else 0.0
    return len(counts) / int(domain) if len(counts) > 1 else 0.0


def choose_dimension(
    rows: Rows,
    oper_set: Sequence[int],
    qi_set: Sequence[Attribute],
    domains: Mapping[str, Fraction],
    width_of: Width = normalised_width,
) -> Attribute:
    """`choose_dimension` (Algorithm 3, line 11): the widest attribute, on a tie the one that comes first."""
    best, best_width = qi_set[0], -1.0
    for attribute in qi_set:
        counts = visible_counts(rows, oper_set, attribute)
        width = width_of(attribute, counts, domains[attribute.name])
        if width > best_width:
            best, best_width = attribute, width
    return best


def median_cut(attribute: Attribute, counts: Counter[Value], k: int) -> list[Value] | None:
    """Algorithm 3, lines 12-15: left is `<= median`, right is `> median`, both need k tuples.

    The median is the lower one: the smallest v with 2 * cum(v) >= n. `attribute` does not matter: all
    values are taken in ascending order.
    """
    n = sum(counts.values())
    left: list[Value] = []
    size_left = 0
    for value in sorted(counts, key=sort_key):
        left.append(value)
        size_left += counts[value]
        if 2 * size_left >= n:
            break
    return left if size_left >= k and n - size_left >= k else None


def middle_cut(attribute: Attribute, counts: Counter[Value], k: int) -> list[Value] | None:
    """`fast`: the boundary between two values nearest the middle with k tuples on each side.

    Ordered values ascend; unordered ones come by frequency in the node, most frequent first, ties by value,
    with a hierarchy subtree by subtree. Nearest means the smallest |2 * cum - n|, on a tie the smaller cum.
    """
    n = sum(counts.values())
    values = sorted(counts, key=sort_key)
    if attribute.paths:
        values = by_subtree(attribute, counts)
    elif not attribute.ordered:
        values = sorted(values, key=lambda value: -counts[value])  # stable: ties stay ascending
    allowed: list[tuple[int, int, int]] = []
    cumulated = 0
    for boundary, value in enumerate(values, start=1):
        cumulated += counts[value]
        if cumulated >= k and n - cumulated >= k:
            allowed.append((abs(2 * cumulated - n), cumulated, boundary))
    return values[: min(allowed)[2]] if allowed else None


def split(
    rows: Rows,
    attributes: Sequence[Attribute],
    k: int,
    oper_set: Sequence[int],
    domains: Mapping[str, Fraction],
    cut: Cut,
    width_of: Width = normalised_width,
) -> tuple[list[int], list[int]] | None:
    """Algorithm 3, lines 8-23: try the widest dimension, drop it when its cut fails, try the next."""
    qi_set = [attribute for attribute in attributes if visible_counts(rows, oper_set[:1], attribute)]
    while qi_set:
        attribute = choose_dimension(rows, oper_set, qi_set, domains, width_of)
        left_values = cut(attribute, visible_counts(rows, oper_set, attribute), k)
        if left_values is not None:
            chosen = set(left_values)
            left = [index for index in oper_set if rows[index][attribute.name] in chosen]
            right = [index for index in oper_set if rows[index][attribute.name] not in chosen]
            return left, right
        qi_set.remove(attribute)
    return None


def local_generalization(
    rows: Rows, attributes: Sequence[Attribute], k: int, cut: Cut, width_of: Width = normalised_width
) -> set[frozenset[int]]:
    """Algorithm 3: the local equivalence groups as sets of row indices."""
    domains = domain_sizes(rows, attributes)
    t_anony: set[frozenset[int]] = set()
    for t_set in quasi_partition(rows, attributes):
        if len(t_set) < k:
            raise ValueError("a QI pattern has fewer than k rows")
        partition_set = [t_set]
        while partition_set:
            oper_set = partition_set.pop()
            parts = split(rows, attributes, k, oper_set, domains, cut, width_of)
            if parts is None:
                t_anony.add(frozenset(oper_set))
            else:
                partition_set.extend(parts)
    return t_anony


def mdp(rows: Rows, attributes: Sequence[Attribute], k: int) -> set[frozenset[int]]:
    """LGB_MDP: Algorithm 3 with the literal median cut."""
    return local_generalization(rows, attributes, k, median_cut)


def fast(rows: Rows, attributes: Sequence[Attribute], k: int) -> set[frozenset[int]]:
    """Algorithm 3 with the cut at the allowable value boundary nearest the middle.

    An attribute is as wide as what NCP charges for it; ties go to the attribute with fewer distinct values.
    """
    everyone = range(len(rows))
    smaller_first = sorted(attributes, key=lambda attribute: len(visible_counts(rows, everyone, attribute)))
    return local_generalization(rows, smaller_first, k, middle_cut, charged_width)


def c_dm(groups: Groups) -> int:
    """The discernibility metric: the sum of squared group sizes."""
    return sum(len(group) ** 2 for group in groups)


def cell_penalty(attribute: Attribute, counts: Counter[Value], domain: Fraction) -> Fraction:
    """NCP of one cell. Ordered: (max - min) / range. Unordered: distinct / |A|, 0 for a single value.

    With a hierarchy: leaves under the lowest common ancestor / all leaves.
    """
    if len(counts) <= 1:
        return Fraction(0)
    if attribute.paths:
        return Fraction(leaves_covered(attribute, counts), len(attribute.paths))
    return (span(counts) if attribute.ordered else Fraction(len(counts))) / domain


def ncp(rows: Rows, attributes: Sequence[Attribute], groups: Groups) -> float:
    """NCP(T): the penalty of every visible cell of every group, summed exactly and rounded once."""
    domains = domain_sizes(rows, attributes)
    penalty = Fraction(0)
    for group in groups:
        for attribute in attributes:
            counts = visible_counts(rows, group, attribute)
            penalty += sum(counts.values()) * cell_penalty(attribute, counts, domains[attribute.name])
    return float(penalty)
