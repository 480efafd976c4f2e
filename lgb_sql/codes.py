"""Where each attribute's codes stand in the words of a row: decided once the sizes of the domains are known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from lgb_sql.binding import BoundAttribute, BoundPolicy
from lgb_sql.plan import Later

PART = 16
"""Attributes that one statement codes at most; a part's codes share no word with another's."""
WORD_BITS = 62
"""Bits used of a BIGINT; the sign stays clear."""
SMALL_DOMAIN = 62
"""Up to this many values a node's distinct ones are counted as bits of one integer."""
MEDIUM_DOMAIN = 2048
"""Up to this many they are counted as bits of a bit string: a third of the time of count(DISTINCT) in deep levels."""


@dataclass(frozen=True)
class CodedAttribute(BoundAttribute):
    """An attribute, its place in the pattern, and its bits: `(codes_<word> >> shift) & mask`.

    The values of a small unordered domain also have a bit each: value `code` the bit `bit_shift + code` of
    `bits_<bit_word>`, so that what a set of tuples holds of many attributes is one `bit_or`.
    """

    place: int = 0
    word: int = 0
    shift: int = 0
    mask: int = 0
    domain_size: int = 0
    bit_word: int = -1
    bit_shift: int = 0

    @property
    def has_bits(self) -> bool:
        """Whether its values have a bit each."""
        return self.bit_word >= 0

    @property
    def all_bits(self) -> int:
        """The bits of its values; a cell without a code has the first."""
        return ((1 << max(self.domain_size, 1)) - 1) << self.bit_shift

    @property
    def small_domain(self) -> bool:
        """Whether distinct values can be counted as bits of one integer."""
        return self.domain_size <= SMALL_DOMAIN

    @property
    def set_bits(self) -> int:
        """Bits of a set of values; neighbours share a bit where the domain is larger than a bit string should be."""
        return min(max(self.domain_size, 1), MEDIUM_DOMAIN)

    @property
    def medium_domain(self) -> bool:
        """Whether distinct values can be counted as bits of a bit string."""
        return self.domain_size <= MEDIUM_DOMAIN


@dataclass(frozen=True)
class CodeLayout:
    """All coded attributes and the words they need; at least one word, so that every relation has the column."""

    attributes: tuple[CodedAttribute, ...]

    @property
    def words(self) -> tuple[int, ...]:
        """The numbers of the words."""
        return tuple(range(max((a.word for a in self.attributes), default=0) + 1))

    @property
    def bit_words(self) -> tuple[int, ...]:
        """The numbers of the words where values have a bit each."""
        return tuple(range(max((a.bit_word for a in self.attributes), default=-1) + 1))

    def shown(self, form: str, word: int) -> int:
        """The bits of a word that rows of this form may show."""
        return sum(
            a.mask << a.shift
            for a, letter in zip(self.attributes, form, strict=True)
            if letter == "Q" and a.word == word
        )


def lay_out(attributes: Sequence[BoundAttribute], sizes: Sequence[int]) -> CodeLayout:
    """Give every attribute the bits it needs, in policy order."""
    coded: list[CodedAttribute] = []
    word, shift = 0, 0
    used_bits: list[int] = []
    for attribute, size in zip(attributes, sizes, strict=True):
        bits = max(1, (size - 1).bit_length())
        if shift and (shift + bits > WORD_BITS or len(coded) % PART == 0):
            word, shift = word + 1, 0
        mask = (1 << bits) - 1
        place = len(coded)
        bit_word, bit_shift = (-1, 0) if attribute.ordered or size > SMALL_DOMAIN else _room(used_bits, max(size, 1))
        coded.append(
            CodedAttribute(
                **vars(attribute),
                place=place, word=word, shift=shift, mask=mask, domain_size=size,
                bit_word=bit_word, bit_shift=bit_shift,
            )
        )  # fmt: skip
        shift += bits
    return CodeLayout(tuple(coded))


def _room(used_bits: list[int], size: int) -> tuple[int, int]:
    """The first word with so many bits left, and where they begin."""
    word = next((number for number, used in enumerate(used_bits) if used + size <= WORD_BITS), len(used_bits))
    if word == len(used_bits):
        used_bits.append(0)
    used_bits[word] += size
    return word, used_bits[word] - size


def example_layout(attributes: Sequence[BoundAttribute]) -> CodeLayout:
    """What an explanation shows before the domains are known: sixteen values each."""
    return lay_out(attributes, [2**4] * len(attributes))


_Attribute = TypeVar("_Attribute", bound=BoundAttribute)


def parts_of(attributes: Sequence[_Attribute]) -> list[tuple[_Attribute, ...]]:
    """Attributes in parts that one statement can take; at least one part."""
    return [tuple(attributes[first : first + PART]) for first in range(0, max(len(attributes), 1), PART)]


def unordered_parts(bound: BoundPolicy) -> list[tuple[BoundAttribute, ...]]:
    """The unordered attributes of the groups in parts; none where there are none."""
    unordered = [a for a in bound.generalised if not a.ordered]
    return parts_of(unordered) if unordered else []


def words_of(attributes: Sequence[CodedAttribute]) -> tuple[int, ...]:
    """The words that these attributes' codes stand in."""
    return tuple(sorted({a.word for a in attributes})) or (0,)


def coded_params(attributes: Sequence[BoundAttribute]) -> dict[str, Later]:
    """The parameters of a template that reads or makes codes."""
    example = example_layout(attributes)
    return {
        "attributes": Later("coded_attributes", example.attributes),
        "words": Later("code_words", example.words),
        "bit_words": Later("bit_words", example.bit_words),
    }
