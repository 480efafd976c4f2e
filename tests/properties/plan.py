"""What the reference says about a case: forms by row, roots of the partition, groups, buckets, feasibility."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from math import isclose
from typing import Any

from tests.properties.cases import Case, Column, measured
from tests.reference import bucketization as reference_buckets
from tests.reference.generalization import (
    HIDDEN,
    Attribute,
    Cut,
    Row,
    Value,
    Width,
    cell_penalty,
    charged_width,
    domain_sizes,
    median_cut,
    middle_cut,
    normalised_width,
    split,
    visible_counts,
)
from tests.reference.patterns import MergeResult, greedy_merge

RULES: dict[str, tuple[Cut, Width]] = {"mdp": (median_cut, normalised_width), "fast": (middle_cut, charged_width)}


@dataclass(frozen=True)
class Patterns:
    """Each row's possible published forms (two for rows of a donor), or none where the row is suppressed."""

    plan: MergeResult | None
    forms: list[tuple[str, ...]]
    given: int = 0
    """How many rows were borrowed from a donor that keeps others."""
    borrower: tuple[str, ...] = ()
    """The patterns of the cluster that borrowed them."""


def patterns(case: Case) -> Patterns:
    """The merge or suppression plan of a case."""
    of_row = [case.pattern(row) for row in range(case.rows)]
    counts = Counter(of_row)
    if case.small_patterns == "suppress":
        return Patterns(None, [(pattern,) if counts[pattern] >= case.k else () for pattern in of_row])
    plan = greedy_merge(counts, case.k)
    form_of = {member: form for form, _, members in plan.clusters for member in members}
    lifted = [cluster for cluster in plan.clusters if cluster[1] > sum(counts[member] for member in cluster[2])]
    if not lifted or plan.borrowed is None:
        return Patterns(plan, [(form_of[pattern],) for pattern in of_row])
    ((form, _, borrower),) = lifted
    donor, given = plan.borrowed
    donors = next(members for _, _, members in plan.clusters if members[0] == donor)
    forms = [(form_of[pattern], *([form] if pattern in donors else [])) for pattern in of_row]
    return Patterns(plan, forms, given, borrower)


def attributes(case: Case) -> list[Attribute]:
    return [attribute_of(column) for column in case.generalised]


def attribute_of(column: Column) -> Attribute:
    return Attribute(column.name, column.is_ordered, column.tree.paths if column.tree else ())


def reference_row(case: Case, row: int, form: str) -> Row:
    """The row as generalization may see it under a published form."""
    return {column.name: _cell(column, row, letter) for column, letter in zip(case.generalised, form, strict=True)}


def _cell(column: Column, row: int, letter: str) -> Any:
    value = column.values[row]
    return HIDDEN if letter in "SW" else None if value is None else column.position(value)


def domains(case: Case) -> dict[str, Fraction]:
    """Ranges and sizes over all quasi-identifier values, also those of withheld and suppressed cells."""
    rows = [reference_row(case, row, case.pattern(row)) for row in range(case.rows)]
    return domain_sizes(rows, attributes(case))


def in_tie_order(case: Case) -> list[Attribute]:
    """Attributes in the order in which equally wide ones are chosen: `fast` prefers smaller domains."""
    columns = list(case.generalised)
    if case.generalization == "fast":
        columns.sort(key=lambda column: len(column.domain))
    return [attribute_of(column) for column in columns]


def partition(case: Case, rows: Sequence[Row], roots: Sequence[Sequence[int]]) -> set[frozenset[int]]:
    """Algorithm 3 from given roots: like the reference's own loop, with the domains of the whole table."""
    groups: set[frozenset[int]] = set()
    pending = [list(root) for root in roots]
    scales = domains(case)
    cut, width = RULES[case.generalization]
    while pending:
        node = pending.pop()
        parts = split(rows, in_tie_order(case), case.k, node, scales, cut, width)
        if parts is None:
            groups.add(frozenset(node))
        else:
            pending.extend(parts)
    return groups


def information_loss(case: Case, rows: Sequence[Row], groups: Sequence[Sequence[int]]) -> dict[str, Fraction]:
    """NCP by attribute of the visible cells."""
    scales = domains(case)
    loss = {}
    for attribute in attributes(case):
        loss[attribute.name] = Fraction(0)
        for group in groups:
            counts: Counter[Value] = visible_counts(rows, group, attribute)
            penalty = cell_penalty(attribute, counts, scales[attribute.name])
            loss[attribute.name] += sum(counts.values()) * penalty
    return loss


def value_order(column: Column, values: set[Any]) -> list[Any]:
    """Distinct bucketed values in the order in which they are dealt; NULL last."""
    present = [value for value in values if value is not None]
    words = column.ordered
    ordered = sorted(present, key=words.index) if isinstance(words, tuple) else sorted(present)
    return [*ordered, None] if None in values else ordered


def buckets(case: Case, column: Column, values: Sequence[Any]) -> list[list[tuple[Any, ...]]]:
    """The reference's buckets of these values; none where the principle cannot hold.

    More than one answer where both directions of a sweep are equally wide but for rounding.
    """
    if not values:
        return [[]]
    order = value_order(column, set(values))
    counts = Counter(values)
    histogram = [(code, counts[value]) for code, value in enumerate(order)]
    assert column.principle is not None
    name, bound = column.principle
    answers: list[list[reference_buckets.Bucket]] = []
    if name == "t_closeness":
        dealt = reference_buckets.t_close_stride(histogram, Fraction(Decimal(str(bound))))
        answers = [] if dealt is None else [dealt]
    elif reference_buckets.is_eligible(histogram, bound):
        answers = _l_diverse(case, column, histogram, order)
    return [[tuple(order[code] for code in bucket) for bucket in answer] for answer in answers]


def _l_diverse(
    case: Case, column: Column, histogram: reference_buckets.Histogram, order: list[Any]
) -> list[list[reference_buckets.Bucket]]:
    assert column.principle is not None
    l = column.principle[1]
    if case.bucketization != "sweep":
        return [reference_buckets.local_bucketization(histogram, l, case.bucketization)]  # type: ignore[arg-type]
    positions = bucket_positions(column, order)
    mirrored = sorted((-code, count) for code, count in histogram)
    forwards = reference_buckets.sweep(histogram, l)
    backwards = [tuple(sorted(-code for code in bucket)) for bucket in reference_buckets.sweep(mirrored, l)]
    widths = [reference_buckets.width(each, positions) for each in (forwards, backwards)]
    whole = all(position.denominator == 1 for position in positions.values())
    if isclose(*widths, rel_tol=1e-9) and not whole:
        return [forwards, backwards]
    return [backwards if widths[1] < widths[0] else forwards]


def bucket_positions(column: Column, order: list[Any]) -> dict[int, Any]:
    """Where the value of each code stands; a NULL stands at the largest value."""
    if isinstance(column.ordered, tuple) or not column.is_ordered or not column.kind.ordered:
        return {code: Fraction(code) for code in range(len(order))}
    present = [measured(value) for value in order if value is not None]
    return {code: Fraction(present[min(code, len(present) - 1)]) for code in range(len(order))}


def may_be_infeasible(case: Case) -> bool:
    """Whether some attribute cannot be bucketed, or might not, as which rows were borrowed is drawn."""
    plan = patterns(case)
    if not any(plan.forms):
        return True
    for column in case.bucketed:
        place = case.generalised.index(column) if column.generalised else -1
        kept, open_rows = [], False
        for row, forms in enumerate(plan.forms):
            letters = {form[place] for form in forms} if column.generalised else {"S"} if forms else set()
            if letters == {"S"}:
                kept.append(column.values[row])
            open_rows |= len(letters) > 1 and "S" in letters
        if open_rows or not buckets(case, column, kept):
            return True
    return False
