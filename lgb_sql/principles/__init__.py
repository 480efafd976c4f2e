"""Principles that local buckets can satisfy, one module each; a new one joins by its entry here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lgb_sql.principles.base import Principle
from lgb_sql.principles.l_diversity import LDiversity
from lgb_sql.principles.t_closeness import TCloseness
from lgb_sql.problems import unknown_key

PRINCIPLES: dict[str, type[Principle]] = {"l_diversity": LDiversity, "t_closeness": TCloseness}

__all__ = ["PRINCIPLES", "LDiversity", "Principle", "TCloseness", "read_principle"]


def read_principle(given: Any) -> Principle:
    """Read `{ l_diversity = 10 }`: one principle by its name, with its options beside it."""
    if isinstance(given, Principle):
        return given
    if not isinstance(given, Mapping):
        raise ValueError("must be a table such as { l_diversity = 10 }")
    named = [key for key in given if key in PRINCIPLES]
    if len(named) != 1:
        known = " or ".join(PRINCIPLES)
        near = "; ".join(unknown_key(str(key), PRINCIPLES) for key in given) if not named else ""
        raise ValueError(f"must name exactly one principle, {known}" + (f" ({near})" if near else ""))
    name = named[0]
    options = {key: value for key, value in given.items() if key != name}
    return PRINCIPLES[name].read(given[name], options)
