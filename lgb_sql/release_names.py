"""The names of a release: its relations and columns, and which attribute names would make two of them equal."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Protocol
from urllib.parse import quote, unquote

MAX_NAME = 255


class Named(Protocol):
    """What naming needs to know of an attribute."""

    @property
    def name(self) -> str:
        """The attribute's name in the policy."""

    @property
    def role(self) -> str:
        """Its role."""

    @property
    def ordered(self) -> bool:
        """Whether it has a range rather than a set."""

    @property
    def shows_node(self) -> bool:
        """Whether it has a node of a hierarchy beside its set."""


def sat(attribute: str) -> str:
    """The relation of an attribute's buckets and their values."""
    return f"sat_{attribute}"


def idt(attribute: str) -> str:
    """The relation of an attribute's tuples and their buckets."""
    return f"idt_{attribute}"


def domain(attribute: str) -> str:
    """The relation of an attribute's released and declared values, with weights."""
    return f"domain_{attribute}"


def help_table(attribute: str) -> str:
    """The relation of the sums of an attribute's buckets."""
    return f"help_{attribute}"


def parquet_file(relation: str) -> str:
    """A relation's file name: every character outside [A-Za-z0-9_-] percent-encoded, so it stays in its directory."""
    return "".join(_encoded(character) for character in relation) + ".parquet"


def relation_of(file_name: str) -> str:
    """The relation that a Parquet file of a release holds."""
    return unquote(file_name.removesuffix(".parquet"))


def _encoded(character: str) -> str:
    if character.isascii() and (character.isalnum() or character in "_-"):
        return character
    return "%2E" if character == "." else "%7E" if character == "~" else quote(character, safe="")


def _columns(attribute: Named) -> Iterator[tuple[str, str]]:
    """(relation, column) pairs that an attribute adds to a release."""
    name, role = attribute.name, attribute.role
    if role == "identifier":
        return
    yield "anonymized", name
    yield "tuples", name  # of any role: `age_bid` beside `age` would be taken for its buckets
    if role in ("semi-sensitive", "sensitive"):
        yield "tuples", f"{name}_bid"
        yield "relations", sat(name)
        yield "relations", idt(name)
        yield "relations", help_table(name)
    if role in ("quasi-identifier", "semi-sensitive"):
        yield "relations", domain(name)
        shape = ("lo", "hi") if attribute.ordered else ("set", "node") if attribute.shows_node else ("set",)
        for suffix in ("form", *shape):
            yield "groups", f"{name}_{suffix}"


def relations_of(attribute: Named) -> list[str]:
    """The relations that an attribute may add to a release."""
    return [name for relation, name in _columns(attribute) if relation == "relations"]


_OWN = "a name that every release has"
_FIXED = {
    "anonymized": ("rid", "gid"),
    "tuples": ("rid", "gid"),
    "groups": ("gid", "size"),
    "relations": ("tuples", "groups", "anonymized", "manifest"),
}


def collisions(attributes: Iterable[Named]) -> Iterator[tuple[str, str, str]]:
    """(attribute, what is wrong, what to do) for every name that would stand twice in a relation."""
    taken: dict[tuple[str, str], str] = {}
    for relation, columns in _FIXED.items():
        taken.update({(relation, column): _OWN for column in columns})
    told: defaultdict[str, set[str]] = defaultdict(set)
    for attribute in attributes:
        for relation, column in _columns(attribute):
            owner = taken.setdefault((relation, column.casefold()), attribute.name)
            if owner != attribute.name and owner not in told[attribute.name]:
                told[attribute.name].add(owner)
                what = f"its name in the release, {column}, collides with {'one of ' * (owner != _OWN)}{owner}"
                yield attribute.name, what, "rename the column, for instance in a view"
