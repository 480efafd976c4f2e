"""Domains that a policy declares: `[lowest, highest]` of an ordered attribute, or the list of values."""

from __future__ import annotations

from collections.abc import Sequence
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
    given: Sequence[Any], type_name: str, order: Order, ranks: ValueRanks | None
) -> tuple[tuple[str, ...], list[str]]:
    """The items as text, and what is wrong with them; items are named by their number, from 1."""
    if not given:
        return (), ["is empty"]
    texts = [value_text(item) for item in given]
    problems = [f"item {number} must be a value" for number, text in enumerate(texts, start=1) if text is None]
    known = tuple(text for text in texts if text is not None)
    if problems or ranks is None:
        return known, problems
    places = ranks(known, Sql(type_name))
    problems = _unfit(known, places, type_name, ends=order.ordered and len(known) == 2)
    if order.words:
        lacking = [number for number, text in enumerate(known, start=1) if text not in order.words]
        problems += [f"item {number} is not in the `ordered` list" for number in lacking]
        places = [] if lacking else [order.words.index(text) for text in known]
    if not problems and order.ordered and len(known) == 2 and _reversed(places):
        problems.append("the lowest value is above the highest")
    return known, problems


def _unfit(texts: Sequence[str], ranks: Sequence[int | None], type_name: str, *, ends: bool) -> list[str]:
    problems = []
    for place, first in enumerate(first_equal(ranks)):
        endless = type_name != "VARCHAR" and texts[place].strip().lower().lstrip("+-") in _ENDLESS
        if first is None or endless or loses_digits(texts[place], type_name):
            problems.append(f"item {place + 1} is no {type_name}")
        elif first != place and not ends:
            problems.append(f"item {place + 1} is the same value as item {first + 1}")
    return problems


def _reversed(places: Sequence[int | None]) -> bool:
    lowest, highest = places
    return lowest is not None and highest is not None and lowest > highest
