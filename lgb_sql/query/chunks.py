"""Answering a chunk of questions: a fixed number of statements, whatever the number of questions in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from math import ceil, floor
from typing import Any

from lgb_sql.binding import BoundAttribute
from lgb_sql.errors import OUT_OF_MEMORY, EngineError
from lgb_sql.query.conditions import everything
from lgb_sql.query.language import unevaluable
from lgb_sql.query.numbering import NumberedLeaf, Numbering, attributes_of
from lgb_sql.query.questions import BUCKETED, SHOWN, Question
from lgb_sql.query.session import Session
from lgb_sql.query_helpers import digits_of, is_wide, sums_of
from lgb_sql.release_names import help_table
from lgb_sql.render import Sql, identifier

_NUMBERS = ("integer", "decimal", "float")
_ROUNDING = 1e-12
"""What sums of doubles are widened by, relative to what was added: the order of adding changes the last digits."""
_WHOLE = 2.0**53
"""Whole numbers up to which doubles are exact."""

Interval = tuple[Any, Any, Any, Any, Any]
"""lower, estimate, upper, lower_expected, upper_expected"""


@dataclass(frozen=True)
class Figures:
    """The answer to one question, by aggregate."""

    n_must: int
    n_may: int
    intervals: dict[str, Interval] = field(default_factory=dict)


def answer(session: Session, questions: Sequence[Question], kinds: frozenset[str]) -> list[Figures]:
    """Answer questions of one chunk; `kinds` are the aggregates wanted of them."""
    return _Chunk(session, questions).figures(kinds)


class _Chunk:
    """One chunk's relations and how they are made."""

    def __init__(self, session: Session, questions: Sequence[Question]) -> None:
        first = questions[0]
        self.session = session
        self.target = first.target
        self.purpose = first.purpose
        self.numbering = Numbering(session)
        self.asked = [self.numbering.asked(number, question) for number, question in enumerate(questions)]
        self.mixed = self.numbering.mixed(first.mixed) if first.mixed is not None else None
        self.own = self._own(first)

    def _own(self, question: Question) -> NumberedLeaf | None:
        """The condition on the target that the chunk's questions share; a shown target has one that always holds."""
        if self.purpose == "count" or self.target is None:
            return None
        if question.own is None and self.target.role not in SHOWN:
            return None
        return self.numbering.leaf(question.own or everything(self.target))

    def figures(self, kinds: frozenset[str]) -> list[Figures]:
        self._judge_cells()
        self._judge_groups()
        counts = self._count()
        found = [Figures(int(must), int(may)) for must, may, _, _ in counts]
        if self.purpose == "count":
            for each, (must, may, expected, estimated) in zip(found, counts, strict=True):
                low, high = floor(round(expected, 9)), ceil(round(expected, 9))
                each.intervals["count"] = (int(must), _within(estimated, must, may), int(may), low, high)
        else:
            self._value(found, kinds)
        return found

    # --- what cells, groups and buckets say ---

    def _judge_cells(self) -> None:
        for a in attributes_of(self.numbering.leaves, SHOWN):
            with _evaluating(self.numbering.of(a.name)):
                self._judge_shown(a)
        for a in attributes_of(self.numbering.leaves, BUCKETED):
            with _evaluating(self.numbering.of(a.name)):
                params = {"attribute": a, "leaves": self.numbering.of(a.name)}
                self.session.table(f"leaf_buckets_{a.name}", "query/leaf_buckets", params)

    def _judge_shown(self, a: BoundAttribute) -> None:
        shape = self.session.shape(a)
        params: dict[str, object] = {"attribute": a, "leaves": self.numbering.of(a.name)}
        measured = a == self.target and a.family in _NUMBERS
        self.session.table(f"leaf_values_{a.name}", "query/leaf_values", {**params, "measured": measured})
        if not a.ordered or a.words:
            self.session.view(f"possible_values_{a.name}", "query/possible_values", {"attribute": a})
        if shape.withheld:
            declared = {**params, "declared": shape.declared}
            self.session.table(f"withheld_leaves_{a.name}", "query/withheld_leaves", declared)
        self.session.view(f"shown_cells_{a.name}", "query/shown_cells", params)
        make = self.session.view if a.role == "quasi-identifier" else self.session.table  # others are read twice
        make(f"leaf_cells_{a.name}", "query/leaf_cells", {**params, "cells": shape})

    def _judge_groups(self) -> None:
        self._pairs("question_leaves", [(q.number, each.number) for q in self.asked for each in q.shown])
        self._pairs("question_hidden", [(q.number, each.number) for q in self.asked for each in q.hidden])
        self._pairs("question_own", [(q.number, q.own.number) for q in self.asked if q.own])
        params = {
            "attributes": attributes_of((each for q in self.asked for each in q.shown), SHOWN),
            "unconditional": [q.number for q in self.asked if not q.shown],
            "open_questions": [q.number for q in self.asked if q.always_open],
        }
        self.session.table("group_verdicts", "query/group_verdicts", params)
        hidden = attributes_of((each for q in self.asked for each in q.hidden), BUCKETED)
        for a in hidden:
            self.session.view(f"question_buckets_{a.name}", "query/question_buckets", {"attribute": a})
        tuples = {"target": self.target, "bucketed": hidden, "mixed": self.mixed}
        with self._evaluating_exact():
            self.session.view("tuple_verdicts", "query/tuple_verdicts", tuples)

    def _evaluating_exact(self) -> _evaluating:
        """Conditions on columns released as they are, evaluated tuple by tuple."""
        return _evaluating([leaf for leaf in (self.mixed.leaves if self.mixed else ()) if leaf.is_exact])

    def _pairs(self, relation: str, pairs: list[tuple[int, int]]) -> None:
        self.session.view(relation, "query/question_leaves", {"pairs": pairs})

    def _count(self) -> list[tuple[Any, ...]]:
        own = self.target if any(q.own for q in self.asked) else None
        with self._evaluating_exact():
            self.session.table("question_units", "query/question_units", {"own": own, "units": self._units()})
        conditions = [each for q in self.asked for each in (*q.hidden, *([q.own] if q.own else []))]
        if conditions:
            self.session.view("bucket_caps", "query/bucket_caps", {"bucketed": attributes_of(conditions, BUCKETED)})
        caps = {"questions": len(self.asked), "has_buckets": bool(conditions)}
        self.session.view("question_caps", "query/question_caps", caps)
        self.session.table("counts", "query/counts", {})
        by_question = {row[0]: row[1:] for row in self.session.rows("query/counted", {})}
        return [by_question[number] for number in range(len(self.asked))]

    def _units(self) -> tuple[str, ...]:
        """What tuples are put together by: the bucket of their target, the group that shows it, or its value."""
        role = self.target.role if self.target else ""
        units = {"sensitive": ("bid",), "semi-sensitive": ("bid", "gid"), "quasi-identifier": ("gid",)}
        return units.get(role, ("value",) if role else ())

    # --- values of the target ---

    def _value(self, found: list[Figures], kinds: frozenset[str]) -> None:
        target = self.target
        assert target is not None  # noqa: S101  values have a target
        sum_type, price_type, count_type = _types(target)
        numbers = bool(sum_type)
        aliases = {}
        if target.role in BUCKETED:
            aliases["help"] = self._help(target, numbers)
        if target.role in SHOWN:
            averaged = {"attribute": target, "own": self.own, "averaged": numbers, "cells": self.session.shape(target)}
            self.session.view("target_ranges", "query/target_ranges", averaged)
        params = {
            "has_buckets": target.role in BUCKETED,
            "has_ranges": target.role in SHOWN,
            "has_values": target.role == "insensitive",
            "entry_type": target.type,
            "sum_type": _sums_of(target) if numbers else None,
        }
        self.session.view("valued_units", "query/valued_units", params, **aliases)
        if kinds & {"min", "max"}:
            self._extremes(found)
        if kinds & {"sum", "avg"}:
            has_value = self.own is not None and not self.own.holds_at_null
            nulls = 0 if has_value else self.session.shape(target).without_value
            self.session.table("sum_prices", "query/sum_prices", {"price_type": price_type, "nulls": nulls})
            self.session.view("unit_takes", "query/unit_takes", {})
            types = {"sum_type": sum_type, "price_type": price_type, "count_type": count_type}
            sums = {row[0]: row[1:] for row in self.session.rows("query/sum_bounds", types)}
            self._sums(found, sums)
            if "avg" in kinds:
                self._means(found, sums)

    def _help(self, target: BoundAttribute, numbers: bool) -> Sql:
        stored = help_table(target.name)
        if self.own is None and numbers and not is_wide(target) and stored in self.session.relations:
            return self.session.relations[stored]
        assert target.principle is not None  # noqa: S101  bucketed attributes have one
        params = {
            "attribute": target,
            "own": self.own,
            "values_may_repeat": target.principle.values_may_repeat,
            "sum_type": _sums_of(target) if numbers else None,
        }
        self.session.table("target_help", "query/target_help", params)
        return identifier("target_help")

    def _sums(self, found: list[Figures], sums: dict[int, tuple[Any, ...]]) -> None:
        assert self.target is not None  # noqa: S101  values have a target
        for number, figures in enumerate(found):
            given = sums.get(number, (0, 0.0, 0, 0, 0))[:5]
            magnitude = sums[number][6] if number in sums else 0.0
            lower, estimate, upper, low, high = (
                each if place == 1 else _number(self.target, each) for place, each in enumerate(given)
            )
            if isinstance(lower, float):
                lower -= _ROUNDING * magnitude
            if isinstance(upper, float):
                upper += _ROUNDING * magnitude
            figures.intervals["sum"] = (lower, _within(estimate, lower, upper), upper, low, high)

    def _means(self, found: list[Figures], sums: dict[int, tuple[Any, ...]]) -> None:
        bounds = self._mean_bounds()
        self.session.view("expected_units", "query/expected_units", {})
        self.session.view("expected_counts", "query/expected_counts", {})
        expectations = self._mean_bounds(
            valued_units=identifier("expected_units"), counts=identifier("expected_counts")
        )
        for number, figures in enumerate(found):
            lower, upper = bounds.get(number, (None, None))
            low, high = expectations.get(number, (None, None))
            estimate = None
            if number in sums:
                _, amount, _, _, _, estimated, magnitude, greatest = sums[number]
                if lower is not None and not self._adds_exactly(magnitude):
                    lower, upper = lower - _ROUNDING * greatest, upper + _ROUNDING * greatest
                estimate = _within(amount / estimated, lower, upper) if estimated and amount is not None else None
            figures.intervals["avg"] = (lower, estimate, upper, low, high)

    def _mean_bounds(self, **units: Sql) -> dict[int, tuple[Any, ...]]:
        """The least and the greatest mean of each question, over its units or others in their place."""
        self.session.view("mean_steps", "query/mean_steps", {}, **units)
        return {row[0]: row[1:] for row in self.session.rows("query/mean_bounds", {}, **units)}

    def _adds_exactly(self, magnitude: float) -> bool:
        """Whether means, which are computed in doubles, add whole numbers that all fit."""
        return self.target is not None and self.target.family == "integer" and magnitude < _WHOLE

    def _extremes(self, found: list[Figures]) -> None:
        bounds = {row[0]: row[1:] for row in self.session.rows("query/extreme_bounds", {})}
        estimates = {row[0]: row[1:] for row in self.session.rows("query/extreme_estimates", {})}
        for number, figures in enumerate(found):
            known = bounds.get(number, (None,) * 8)
            least, greatest = estimates.get(number, (None, None))
            figures.intervals["min"] = (known[0], least, known[1], known[2], known[3])
            figures.intervals["max"] = (known[4], greatest, known[5], known[6], known[7])


class _evaluating:  # noqa: N801  reads as a word
    """Conditions that the engine cannot evaluate on their attributes' values are the analyst's to mend."""

    def __init__(self, leaves: Sequence[NumberedLeaf]) -> None:
        self._names = ", ".join(dict.fromkeys(each.attribute.name for each in leaves))
        self._places = list(dict.fromkeys(each.place for each in leaves if each.place))

    def __enter__(self) -> None:
        return

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: object) -> None:
        if self._names and isinstance(error, EngineError) and OUT_OF_MEMORY not in error.message:
            raise unevaluable(self._names, self._places[0] if len(self._places) == 1 else "") from None


def _sums_of(target: BoundAttribute) -> Sql:
    """The type of sums of one bucket: what stored tables have, but for what no decimal can hold."""
    return Sql("DOUBLE") if is_wide(target) else sums_of(target)


def _types(target: BoundAttribute) -> tuple[Sql | None, Sql, Sql]:
    """Types of sums, of prices and of counts: exact for integers and decimals."""
    digits, scale = digits_of(target)
    if 0 < digits <= 28:
        price, count = (18, 18) if digits <= 10 else (28, 10)  # products have 18 digits, in 64 bits, or 38
        return Sql(f"DECIMAL(38,{scale})"), Sql(f"DECIMAL({price},{scale})"), Sql(f"DECIMAL({count},0)")
    return Sql("DOUBLE") if target.family in _NUMBERS else None, Sql("DOUBLE"), Sql("DOUBLE")


def _number(target: BoundAttribute, value: Any) -> Any:
    return int(value) if isinstance(value, Decimal) and target.family == "integer" else value


def _within(estimate: Any, lower: Any, upper: Any) -> Any:
    """No estimate lies outside what is certain."""
    if estimate is None:
        return None
    estimate = float(estimate)
    if lower is not None:
        estimate = max(estimate, float(lower))
    return min(estimate, float(upper)) if upper is not None else estimate
