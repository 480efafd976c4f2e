"""How the box of a set of tuples is kept while `tight` searches: spans for what has an order, bits for sets.

A span is the lowest and the highest place. A set is bits in a few integers ("masks"): joining two boxes is least,
greatest and bitwise or, whatever the number of attributes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lgb_sql.codes import WORD_BITS, CodedAttribute, parts_of

SET_BITS = 5 * WORD_BITS
"""Bits that one attribute's set takes at most; in larger domains codes that are equal modulo this share a bit."""


@dataclass(frozen=True)
class Bits:
    """Bits of one mask that belong to one attribute: codes `first`, `first + 1`, ... stand at `shift`, ..."""

    attribute: CodedAttribute
    mask: int
    first: int
    shift: int
    count: int

    @property
    def last(self) -> int:
        """The last code that stands here."""
        return self.first + self.count - 1

    @property
    def holds_all(self) -> bool:
        """Whether the whole domain stands here."""
        return self.count == self.attribute.domain_size

    @property
    def modulus(self) -> int:
        """Codes that are equal modulo this share a bit."""
        return SET_BITS

    @property
    def whole(self) -> int:
        """The attribute's bits of the mask."""
        return ((1 << self.count) - 1) << self.shift


@dataclass(frozen=True)
class Order:
    """One order in which the tuples of a node may be cut: an attribute's, or that of an axis between two tuples."""

    number: int
    attribute: CodedAttribute | None = None
    axis: int = 0


@dataclass(frozen=True)
class Boxes:
    """The layout of all boxes of a run."""

    spans: tuple[CodedAttribute, ...]
    sets: tuple[CodedAttribute, ...]
    bits: tuple[Bits, ...]

    @property
    def trees(self) -> tuple[CodedAttribute, ...]:
        """The spans of codes in the leaf order of a hierarchy: the lowest common ancestor follows from the ends."""
        return tuple(a for a in self.spans if a.hierarchy)

    @property
    def masks(self) -> tuple[int, ...]:
        """The numbers of the masks."""
        return tuple(sorted({bits.mask for bits in self.bits}))

    def bits_in(self, mask: int) -> tuple[Bits, ...]:
        """What stands in one mask."""
        return tuple(bits for bits in self.bits if bits.mask == mask)

    def bits_of(self, attribute: CodedAttribute) -> tuple[Bits, ...]:
        """Where one attribute's set stands."""
        return tuple(bits for bits in self.bits if bits.attribute == attribute)


def varying(attributes: Sequence[CodedAttribute]) -> tuple[CodedAttribute, ...]:
    """Those of more than one value: the others cost nothing and cannot be cut."""
    return tuple(a for a in attributes if a.domain_size > 1)


def lay_out_boxes(attributes: Sequence[CodedAttribute]) -> Boxes:
    """Spans for attributes with an order or a hierarchy; sets first fit into masks, the largest ones first."""
    spans = tuple(a for a in varying(attributes) if a.ordered or a.hierarchy)
    sets = tuple(a for a in varying(attributes) if a not in spans)
    bits: list[Bits] = []
    used: list[int] = []
    for a in sorted(sets, key=lambda a: -a.domain_size):
        size = min(a.domain_size, SET_BITS)
        for first in range(0, size, WORD_BITS):
            count = min(WORD_BITS, size - first)
            mask = next((number for number, taken in enumerate(used) if taken + count <= WORD_BITS), len(used))
            if mask == len(used):
                used.append(0)
            bits.append(Bits(a, mask, first, used[mask], count))
            used[mask] += count
    return Boxes(spans, sets, tuple(bits))


def orders_of(attributes: Sequence[CodedAttribute], axes: int) -> list[tuple[Order, ...]]:
    """All orders in parts that one statement can take; the axes in the first."""
    parts = [tuple(Order(a.place, a) for a in part) for part in parts_of(varying(attributes))]
    parts[0] += tuple(Order(len(attributes) + axis, axis=axis) for axis in range(axes))
    return parts
