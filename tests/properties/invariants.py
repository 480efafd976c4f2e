"""Everything the contract says about a release, recomputed from the source in plain Python.

Nothing here uses the program's own verification or its templates.
"""

from __future__ import annotations

import datetime as dt
import json
import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from decimal import Decimal
from fractions import Fraction
from math import ceil, isclose
from typing import Any

import duckdb

import lgb_sql
from tests.properties import plan
from tests.properties.cases import Case, Column
from tests.reference.generalization import Row
from tests.support import Observed, Outcome

MANIFEST_FIELDS = (
    "format_version", "software_version", "reproducible", "k", "roles", "types", "ordered", "principles",
    "generalization", "bucketization", "small_patterns", "rows_source", "rows_released", "rows_suppressed",
    "cells_withheld", "metrics",
)  # fmt: skip


class Released:
    """A release by source row: its group, its forms, its buckets."""

    def __init__(self, case: Case, outcome: Outcome) -> None:
        self.case = case
        self.outcome = outcome
        self.observed: Observed = outcome.observed
        self.tuples = {record["rid"]: record for record in self.observed["tuples"].records()}
        self.groups = {record["gid"]: record for record in self.observed["groups"].records()}
        self.rows = [row for row in range(case.rows) if outcome.rids[row] is not None]
        self.members: dict[int, list[int]] = defaultdict(list)
        for row in self.rows:
            self.members[self.tuple_of(row)["gid"]].append(row)

    def tuple_of(self, row: int) -> dict[str, Any]:
        rid = self.outcome.rids[row]
        assert rid is not None
        return self.tuples[rid]

    def group_of(self, row: int) -> dict[str, Any]:
        return self.groups[self.tuple_of(row)["gid"]]

    def form(self, row: int) -> str:
        """The published form of a row with N for a cell that is shown as NULL."""
        group = self.group_of(row)
        return "".join(shown_letter(column, group) for column in self.case.generalised)


def shown_letter(column: Column, group: dict[str, Any]) -> str:
    form: str = group[f"{column.name}_form"]
    if form != "Q":
        return form
    if column.is_ordered:
        return "N" if group[f"{column.name}_lo"] is None else "Q"
    return "N" if group[f"{column.name}_set"] == [None] else "Q"


def check_release(case: Case, outcome: Outcome) -> None:
    """All of it."""
    check_columns(case, outcome.observed)
    check_ids(outcome)
    released = Released(case, outcome)
    check_forms(released)
    check_groups(released)
    check_insensitive(released)
    for column in case.bucketed:
        check_buckets(released, column)
    check_helpers(case, outcome.observed)
    check_texts(released)
    check_manifest(released)
    check_partition(released)


# --- tables for queries ----------------------------------------------------------------------------------


def shown_values(column: Column, observed: Observed) -> set[Any]:
    """Every value that a release shows of an attribute."""
    groups = observed["groups"]
    if column.is_ordered:
        shown = {*groups.column(f"{column.name}_lo"), *groups.column(f"{column.name}_hi")}
    else:
        shown = {value for members in groups.column(f"{column.name}_set") for value in members or ()}
    if column.flags is not None:
        shown |= set(observed[f"sat_{column.name}"].column("value"))
    return shown - {None}


def check_helpers(case: Case, observed: Observed) -> None:
    """Values are those that are shown, each once, in order; weights add up to the tuples that show or bucket one."""
    for column in case.generalised:
        rows = [row for row in observed[f"domain_{column.name}"].rows if not row[2]]
        assert [value for value, _, _ in rows] == sorted(shown_values(column, observed))
        assert all(weight > 0 for _, weight, _ in rows)
        assert isclose(sum(row[1] for row in rows), known_tuples(column, observed), abs_tol=1e-3 + 1e-6 * len(rows))
    for column in case.bucketed:
        if f"help_{column.name}" in observed:
            check_sums(column, observed)


def known_tuples(column: Column, observed: Observed) -> int:
    """Tuples with a value of the attribute that is not NULL, in a group or in a bucket."""
    known = 0
    for group in observed["groups"].records():
        shown = group.get(f"{column.name}_lo", (group.get(f"{column.name}_set") or [None])[0])
        known += group["size"] if shown is not None else 0
    if column.flags is not None:
        known += sum(n for _, value, n in observed[f"sat_{column.name}"].rows if value is not None)
    return known


def check_sums(column: Column, observed: Observed) -> None:
    """Every bucket once, its values in order, and sums of the least and the greatest of them."""
    buckets: dict[int, list[Any]] = {}
    for bid, value, n in observed[f"sat_{column.name}"].rows:
        buckets.setdefault(bid, []).extend([value] * n)
    found = observed[f"help_{column.name}"].rows
    assert [row[0] for row in found] == sorted(buckets)
    for bid, size, entries, low_sums, high_sums in found:
        values = sorted(value for value in buckets[bid] if value is not None)
        assert (size, entries) == (len(buckets[bid]), values)
        for sums, ordered in ((low_sums, values), (high_sums, values[::-1])):
            assert len(sums) == len(values) + 1
            for count, total in enumerate(sums):
                if total is None:
                    assert any(abs(sum(ordered[:n])) >= largest_sum(column) for n in range(count + 1))
                else:
                    assert isclose(total, sum(ordered[:count]), rel_tol=1e-9, abs_tol=1e-9)


def largest_sum(column: Column) -> float:
    """Sums have 38 digits, as many behind the point as the attribute has; only a decimal's can need more."""
    decimal = re.fullmatch(r"DECIMAL\(38,(\d+)\)", column.kind.released)
    return 10.0 ** (38 - int(decimal[1])) if decimal else math.inf


# --- columns and ids -------------------------------------------------------------------------------------


def expected_columns(case: Case) -> dict[str, list[tuple[str, str]]]:
    """Relations, columns and types by section 3 of the contract; attributes in policy order."""
    ids = "BIGINT"
    tuples = [("rid", ids), ("gid", ids)]
    tuples += [(f"{column.name}_bid", ids) for column in case.bucketed]
    tuples += [(c.name, c.kind.released) for c in case.columns if c.role == "insensitive"]
    groups = [("gid", ids), ("size", ids)]
    for column in case.generalised:
        kind = column.kind.released
        groups.append((f"{column.name}_form", "VARCHAR"))
        groups += (
            [(f"{column.name}_lo", kind), (f"{column.name}_hi", kind)]
            if column.is_ordered
            else [(f"{column.name}_set", f"{kind}[]")]
        )
        if column.tree:
            groups.append((f"{column.name}_node", "VARCHAR"))
    anonymized = [("rid", ids), ("gid", ids), *((column.name, "VARCHAR") for column in case.columns)]
    relations = {"tuples": tuples, "groups": groups, "anonymized": anonymized}
    relations["manifest"] = [("key", "VARCHAR"), ("value", "VARCHAR")]
    for column in case.bucketed:
        relations[f"sat_{column.name}"] = [("bid", ids), ("value", column.kind.released), ("n", ids)]
        relations[f"idt_{column.name}"] = [("rid", ids), ("bid", ids)]
    relations.update(expected_helpers(case))
    return relations


def expected_helpers(case: Case) -> dict[str, list[tuple[str, str]]]:
    """Tables for queries: released values of what is generalised, sums of what is bucketed and a number."""
    relations: dict[str, list[tuple[str, str]]] = {}
    for column in case.generalised:
        shape = [("value", column.kind.released), ("weight", "DOUBLE"), ("declared", "BOOLEAN")]
        relations[f"domain_{column.name}"] = shape
    for column in case.bucketed:
        if sums := sums_type(column.kind.released):
            entries = [("entries", f"{column.kind.released}[]"), ("low_sums", f"{sums}[]"), ("high_sums", f"{sums}[]")]
            relations[f"help_{column.name}"] = [("bid", "BIGINT"), ("size", "BIGINT"), *entries]
    return relations


def sums_type(released: str) -> str | None:
    """The type of a sum of values; None where there is none."""
    if released in ("FLOAT", "DOUBLE"):
        return "DOUBLE"
    if released.startswith("DECIMAL"):
        digits, scale = released.removeprefix("DECIMAL(").removesuffix(")").split(",")
        return f"DECIMAL({18 if int(digits) <= 10 else 38},{scale})"
    if released.endswith("BIGINT"):
        return "DECIMAL(38,0)"
    return "DECIMAL(18,0)" if released.endswith("INT") or released == "INTEGER" else None


def check_columns(case: Case, observed: Observed) -> None:
    expected = expected_columns(case)
    assert set(observed) == set(expected)
    for name, relation in observed.items():
        assert list(relation.columns) == expected[name], name
        is_view = name == "anonymized" or name.startswith("idt_")
        assert relation.kind in ("FILE", "VIEW" if is_view else "BASE TABLE"), name


def check_ids(outcome: Outcome) -> None:
    """Dense from 1 and stored in their own order; the crosswalk names every source row once."""
    tuples = outcome.observed["tuples"].column("rid")
    assert tuples == list(range(1, len(tuples) + 1))
    shown = outcome.observed["anonymized"]
    assert (shown.column("rid") if shown.kind == "FILE" else sorted(shown.column("rid"))) == tuples
    groups = outcome.observed["groups"].column("gid")
    assert groups == list(range(1, len(groups) + 1))
    assert sorted(outcome.rids) == list(range(len(outcome.rids)))
    assert sorted(rid for rid in outcome.rids.values() if rid is not None) == tuples


# --- groups ----------------------------------------------------------------------------------------------


def check_forms(released: Released) -> None:
    """Forms are those of the merge plan; suppressed rows are those of small patterns."""
    case = released.case
    allowed = plan.patterns(case)
    borrowed = 0
    for row, forms in enumerate(allowed.forms):
        if not forms:
            assert released.outcome.rids[row] is None
            continue
        assert released.outcome.rids[row] is not None
        form = released.form(row)
        assert form in forms, (row, case.pattern(row))
        borrowed += len(forms) > 1 and form == forms[1]
    if allowed.given and not any(len(forms) > 1 and forms[0] == forms[1] for forms in allowed.forms):
        assert borrowed == allowed.given


def check_groups(released: Released) -> None:
    """Sizes, ranges and sets are exactly those of the members; a bucketed or withheld cell shows nothing."""
    case = released.case
    assert set(released.members) == set(released.groups)
    for gid, rows in released.members.items():
        group = released.groups[gid]
        assert group["size"] == len(rows) >= case.k
        for column in case.generalised:
            check_shown(column, group, rows)


def check_shown(column: Column, group: dict[str, Any], rows: Sequence[int]) -> None:
    form = group[f"{column.name}_form"]
    assert form in ("Q", "W") or (form == "S" and column.role == "semi-sensitive")
    parts = ("lo", "hi") if column.is_ordered else ("set", "node") if column.tree else ("set",)
    shown = [group[f"{column.name}_{part}"] for part in parts]
    if form != "Q":
        assert all(part is None for part in shown)
        assert form == "W" or all(column.flagged(row) for row in rows)
        return
    assert not any(column.flagged(row) for row in rows)
    values = {column.values[row] for row in rows}
    assert None not in values or values == {None}
    if column.tree:
        node, leaves = (None, [None]) if values == {None} else column.tree.lowest(values)
        assert shown == [leaves, node]
    elif not column.is_ordered:
        assert shown == [[None] if values == {None} else sorted(values)]
    elif values == {None}:
        assert shown == [None, None]
    else:
        assert shown == [min(values, key=column.position), max(values, key=column.position)]


def check_insensitive(released: Released) -> None:
    for column in released.case.columns:
        if column.role == "insensitive":
            for row in released.rows:
                assert released.tuple_of(row)[column.name] == column.values[row]


def check_partition(released: Released) -> None:
    """Group by group, the partition is the reference's; those that are drawn are held against theirs elsewhere."""
    case = released.case
    found = {frozenset(members) for members in released.members.values()}
    rows = shown_rows(released)
    roots = roots_of(released)
    if roots is None:
        return
    if case.generalization in ("ncp", "tight"):
        assert all(any(group <= set(root) for root in roots) for group in found)
    else:
        assert found == plan.partition(case, rows, roots)


def shown_rows(released: Released) -> list[Row]:
    """Every row as generalization saw it; nothing of suppressed ones."""
    case = released.case
    return [
        plan.reference_row(case, row, released.form(row)) if released.outcome.rids[row] else {}
        for row in range(case.rows)
    ]


def roots_of(released: Released) -> list[list[int]] | None:
    """The clusters as sets of rows; None in the rare case that donor and borrower look the same."""
    case = released.case
    allowed = plan.patterns(case)
    if any(len(forms) > 1 and forms[0] == forms[1] for forms in allowed.forms):
        return None
    cluster_of: dict[str, object] = {}
    borrower: object = None
    if allowed.plan is not None:
        for number, (_, _, members) in enumerate(allowed.plan.clusters):
            cluster_of.update(dict.fromkeys(members, number))
        if allowed.given:
            borrower = cluster_of[allowed.borrower[0]]
    roots: dict[object, list[int]] = defaultdict(list)
    for row in released.rows:
        forms = allowed.forms[row]
        lent = len(forms) > 1 and released.form(row) == forms[1]
        pattern = case.pattern(row)
        roots[borrower if lent else cluster_of.get(pattern, pattern)].append(row)
    return list(roots.values())


# --- buckets ---------------------------------------------------------------------------------------------


def check_buckets(released: Released, column: Column) -> None:
    """IDT and SAT tell the truth about the source, keep the principle, and are the reference's buckets."""
    case, observed = released.case, released.observed
    rows_of: dict[int, list[int]] = defaultdict(list)
    for row in released.rows:
        bid = released.tuple_of(row)[f"{column.name}_bid"]
        shown = released.group_of(row)[f"{column.name}_form"] if column.generalised else "S"
        assert (bid is not None) == (shown == "S")
        if bid is not None:
            assert column.flagged(row)
            rows_of[bid].append(row)
    assert sorted(rows_of) == list(range(1, len(rows_of) + 1))
    tuples = observed["tuples"]
    idt = zip(tuples.column("rid"), tuples.column(f"{column.name}_bid"), strict=True)
    assert observed[f"idt_{column.name}"].rows == [(rid, bid) for rid, bid in idt if bid is not None]
    sat = observed[f"sat_{column.name}"].rows
    assert sat == sorted(sat, key=lambda record: (record[0], record[1] is None, _or_zero(column, record[1])))
    assert len({(bid, value) for bid, value, _ in sat}) == len(sat)
    held = {bid: Counter(column.values[row] for row in rows) for bid, rows in rows_of.items()}
    assert held == _by_bucket(sat)
    check_principle(column, [Counter(bucket) for bucket in held.values()])
    everything = [column.values[row] for rows in rows_of.values() for row in rows]
    found = Counter(tuple(_expanded(column, bucket)) for bucket in held.values())
    assert found in [
        Counter(tuple(_expanded(column, Counter(bucket))) for bucket in expected)
        for expected in plan.buckets(case, column, everything)
    ]


def _or_zero(column: Column, value: Any) -> Any:
    return column.kind.value(0) if value is None else value


def _by_bucket(sat: list[tuple[Any, ...]]) -> dict[int, Counter[Any]]:
    counted: dict[int, Counter[Any]] = defaultdict(Counter)
    for bid, value, n in sat:
        assert n >= 1
        counted[bid][value] += n
    return dict(counted)


def _expanded(column: Column, bucket: Counter[Any]) -> Iterator[Any]:
    for value in plan.value_order(column, set(bucket)):
        yield from [value] * bucket[value]


def check_principle(column: Column, held: list[Counter[Any]]) -> None:
    assert column.principle is not None
    name, bound = column.principle
    total = sum(held, Counter[Any]())
    n = sum(total.values())
    for bucket in held:
        size = sum(bucket.values())
        if name == "l_diversity":
            assert bound <= size < 2 * bound
            assert max(bucket.values()) == 1
            continue
        t = Fraction(Decimal(str(bound)))
        distance = sum(abs(Fraction(count, n) - Fraction(bucket[value], size)) for value, count in total.items()) / 2
        assert distance <= t
        assert len(bucket) >= 2
        assert size >= ceil(1 / t)


# --- texts and manifest ----------------------------------------------------------------------------------


class Texts:
    """Values as DuckDB writes them, quoted as the contract says."""

    def __init__(self) -> None:
        self.connection = duckdb.connect()
        self.known: dict[tuple[str, Any], str] = {}

    def __call__(self, kind: str, value: Any) -> str:
        if (kind, value) not in self.known:
            self.known[kind, value] = self._text(kind, value)
        return self.known[kind, value]

    def _text(self, kind: str, value: Any) -> str:
        if value is None:
            return "NULL"
        if isinstance(value, dt.datetime) and value.tzinfo is not None:
            moment = value.astimezone(dt.UTC).replace(tzinfo=None)
            return self._cast("TIMESTAMP", moment) + "+00"
        text = self._cast(kind, value)
        return json.dumps(text, ensure_ascii=False) if set(text) & set(',{}"') else text

    def _cast(self, kind: str, value: Any) -> str:
        (row,) = self.connection.execute(f"SELECT CAST(CAST($1 AS {kind}) AS VARCHAR)", [value]).fetchall()
        return str(row[0])


def check_texts(released: Released) -> None:
    texts = Texts()
    for record in released.observed["anonymized"].records():
        shown = released.tuples[record["rid"]]
        group = released.groups[shown["gid"]]
        assert record["gid"] == shown["gid"]
        for column in released.case.columns:
            assert record[column.name] == expected_text(texts, column, shown, group)
    texts.connection.close()


def expected_text(texts: Texts, column: Column, shown: dict[str, Any], group: dict[str, Any]) -> str:
    kind = column.kind.released
    if column.role == "insensitive":
        return texts(kind, shown[column.name])
    form = group[f"{column.name}_form"] if column.generalised else "S"
    if form == "S":
        return f"bucket {shown[f'{column.name}_bid']}"
    if form == "W":
        return "*"
    if column.is_ordered:
        low, high = (texts(kind, group[f"{column.name}_{part}"]) for part in ("lo", "hi"))
        return f"[{low}, {high}]"
    if column.tree:
        return texts("VARCHAR", group[f"{column.name}_node"])
    return "{" + ", ".join(texts(kind, member) for member in group[f"{column.name}_set"]) + "}"


def check_manifest(released: Released) -> None:
    """Every field exactly, recomputed."""
    case, manifest = released.case, released.outcome.manifest
    assert [key for key, _ in released.observed["manifest"].rows] == list(MANIFEST_FIELDS)
    assert manifest == released.outcome.release.manifest
    forms = {row: released.form(row) for row in released.rows}
    metrics = manifest.pop("metrics")
    assert manifest == {
        "format_version": 1,
        "software_version": lgb_sql.__version__,
        "reproducible": True,
        "k": case.k,
        "roles": {column.name: column.role for column in case.columns},
        "types": {column.name: column.kind.released for column in case.columns},
        "ordered": {
            column.name: list(column.ordered) if isinstance(column.ordered, tuple) else column.is_ordered
            for column in case.columns
            if column.role != "insensitive"
        },
        "principles": {
            column.name: {column.principle[0]: column.principle[1]}
            | ({"distance": "equal"} if column.principle[0] == "t_closeness" else {})
            for column in case.columns
            if column.principle
        },
        "generalization": case.generalization,
        "bucketization": case.bucketization,
        "small_patterns": case.small_patterns,
        "rows_source": case.rows,
        "rows_released": len(released.rows),
        "rows_suppressed": case.rows - len(released.rows),
        "cells_withheld": sum(form.count("W") for form in forms.values()),
    }
    check_metrics(released, forms, metrics)


def check_metrics(released: Released, forms: dict[int, str], metrics: dict[str, Any]) -> None:
    case = released.case
    groups = list(released.members.values())
    rows = [plan.reference_row(case, row, forms.get(row, case.pattern(row))) for row in range(case.rows)]
    loss = plan.information_loss(case, rows, groups)
    for place, column in enumerate(case.generalised):
        for row in range(case.rows):
            lost = row not in forms or forms[row][place] == "W"
            loss[column.name] += lost and not column.flagged(row)
    by_attribute = metrics.pop("ncp_by_attribute")
    assert set(by_attribute) == set(loss)
    assert all(isclose(by_attribute[name], loss[name], abs_tol=2e-6) for name in loss)
    total, cells = sum(loss.values()), sum(not c.flagged(row) for c in case.generalised for row in range(case.rows))
    assert isclose(metrics.pop("ncp"), total, abs_tol=1e-5)
    assert isclose(metrics.pop("ncp_percent"), 100 * total / cells if cells else 0, abs_tol=1e-4)
    widths = metrics.pop("bucket_widths")
    assert list(widths) == [c.name for c in case.bucketed]
    assert all(isclose(widths[c.name], bucket_width(released, c), abs_tol=2e-6) for c in case.bucketed)
    assert metrics == {
        "generalization_reason": "named by the policy",
        "groups": len(groups),
        "quasi_identifier_cells": cells,
        "average_group_size": round(len(forms) / len(groups), 6),
        "c_dm": sum(len(group) ** 2 for group in groups),
        "buckets": {c.name: len(set(released.observed[f"sat_{c.name}"].column("bid"))) for c in case.bucketed},
    }


def bucket_width(released: Released, column: Column) -> float:
    """Mean width of a tuple's bucket, from the released SAT alone: share of the range, or of the distinct values."""
    buckets: dict[int, list[Any]] = defaultdict(list)
    sizes: Counter[int] = Counter()
    for record in released.observed[f"sat_{column.name}"].records():
        buckets[record["bid"]].append(record["value"])
        sizes[record["bid"]] += record["n"]
    domain = plan.value_order(column, {value for bucket in buckets.values() for value in bucket})
    places = {code: float(at) for code, at in plan.bucket_positions(column, domain).items()}
    at = {value: places[code] for code, value in enumerate(domain)}

    def width(values: Sequence[Any]) -> float:
        if not column.is_ordered:
            return len(values)
        shown = [at[value] for value in values if value is not None]
        return max(shown) - min(shown) if shown else 0

    whole = width(domain) * sizes.total()
    return sum(sizes[bid] * width(values) for bid, values in buckets.items()) / whole if whole else 0
