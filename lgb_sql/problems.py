"""Validation errors in a person's words: the key, what is wrong, the nearest right spelling."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from lgb_sql.errors import Problem


def unknown_key(given: str, known: Iterable[str]) -> str:
    """Name the nearest known word, or all of them where none is near."""
    choices = list(known)
    folded = {choice.casefold(): choice for choice in choices}
    near = difflib.get_close_matches(given.casefold(), folded, n=1, cutoff=0.6)
    begun = [choice for choice in folded if given and choice.startswith(given.casefold())]
    if near := near or (begun if len(begun) == 1 else []):
        return f"did you mean {folded[near[0]]}?"
    shown = ", ".join(sorted(choices)[:20])
    return f"known: {shown}" + (", ..." if len(choices) > 20 else "") if choices else ""


def problems_of(error: ValidationError, model: type[BaseModel]) -> Iterator[Problem]:
    """Turn each validation error into a Problem that names its key. Given values are not repeated."""
    for detail in error.errors(include_url=False, include_context=True, include_input=False):
        key = ".".join(str(part) for part in detail["loc"]) or "policy"
        yield Problem(key, _what(detail), _hint(detail, model))


def _what(detail: ErrorDetails) -> str:
    context = detail.get("ctx", {})
    kind = detail["type"]
    if kind == "extra_forbidden":
        return "unknown key"
    if kind == "missing":
        return "is missing"
    if kind == "greater_than_equal":
        return f"must be at least {context['ge']}"
    if kind == "less_than_equal":
        return f"must be at most {context['le']}"
    if kind == "literal_error":
        return f"must be one of {context['expected']}"
    if kind == "value_error":
        return str(context["error"])
    return detail["msg"].lower()


def _hint(detail: ErrorDetails, model: type[BaseModel]) -> str:
    if detail["type"] == "extra_forbidden" and len(detail["loc"]) == 1:
        return unknown_key(str(detail["loc"][0]), model.model_fields)
    return ""
