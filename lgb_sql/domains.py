"""Domains that a policy declares: `[lowest, highest]` of an ordered attribute, or the list of values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lgb_sql.hierarchies import first_equal, loses_digits
from lgb_sql.hierarchy_files import value_text
from lgb_sql.hierarchy_sql import ValueRanks
from lgb_sql.render import Sql

_ENDLESS = ("nan", "inf", "infinity")
"""Spellings of numbers and times that no cell may hold."""


@dataclass(frozen=True)
class Order:
    """What a domain must know of its attribute: whether it is ordered, and by which words if by any."""

    ordered: bool
    words: tuple[str, ...] = ()


def read_domain(
    given: Sequence[Any], type_name: str | None, order: Order, ranks: ValueRanks | None
) -> tuple[tuple[str, ...], list[str]]:
    """The items as text, and what is wrong with them; items are named by their number, from 1.

    Without a type, or an engine to ask, only what is wrong with items of any type.
    """
    if not given:
        return (), ["is empty"]
    texts = {number: value_text(item) for number, item in enumerate(given, start=1)}
    problems = [f"item {number} must be a value" for number, text in texts.items() if text is None]
    known = {number: text for number, text in texts.items() if text is not None}
    if order.words:
        lacking = [number for number, text in known.items() if text not in order.words]
        problems += [f"item {number} is not in the `ordered` list" for number in lacking]
    if type_name is not None and ranks is not None:
        places = ranks(tuple(known.values()), Sql(type_name))
        has_ends = order.ordered and len(given) == 2
        problems += _unfit(known, places, type_name, has_ends=has_ends)
        if has_ends and not problems:
            ends = [order.words.index(text) for text in known.values()] if order.words else places
            problems += ["the lowest value is above the highest"] * _reversed(ends)
    return tuple(known.values()), problems


def _unfit(texts: Mapping[int, str], ranks: Sequence[int | None], type_name: str, *, has_ends: bool) -> list[str]:
    problems = []
    numbers = list(texts)
    for place, first in enumerate(first_equal(ranks)):
        text = texts[numbers[place]]
        endless = type_name != "VARCHAR" and text.strip().lower().lstrip("+-") in _ENDLESS
        if first is None or endless or loses_digits(text, type_name):
            problems.append(f"item {numbers[place]} is no {type_name}")
        elif first != place and not has_ends:
            problems.append(f"item {numbers[place]} is the same value as item {numbers[first]}")
    return problems


def _reversed(places: Sequence[int | None]) -> bool:
    lowest, highest = places
    return lowest is not None and highest is not None and lowest > highest
