"""The promises that rows must keep: verification's own queries, and those that need nothing but the files."""

from __future__ import annotations

from collections.abc import Iterator

from lgb_sql.audit.facts import bucket_facts, group_facts
from lgb_sql.audit.reading import Opened
from lgb_sql.audit.verdict import Result, judged
from lgb_sql.binding import BoundAttribute
from lgb_sql.checks import Check, checks
from lgb_sql.errors import OUT_OF_MEMORY, EngineError
from lgb_sql.release_names import sat
from lgb_sql.render import Statement, render
from lgb_sql.templates import read_header
from lgb_sql.verify import SHOWN

_NEEDS_SOURCE = frozenset({"source_rows", "linked_tuples", "row_links"})
READABLE_ROWS_OF_A_VIEW = 100_000
"""A view's text is the same for all rows and was checked; of its texts the first are compared."""


def needs_source(check: Check) -> bool:
    """Whether a check of verification holds the release against its source."""
    read = {*read_header(check.template).inputs, *(str(place).strip('"') for place in check.aliases.values())}
    return bool(_NEEDS_SOURCE & read)


def file_checks(release: Opened) -> Iterator[Check]:
    """All checks that need the files alone."""
    bound = release.bound
    rows = release.manifest["rows_released"] + 1
    readable = min(rows, READABLE_ROWS_OF_A_VIEW) if release.is_database else rows
    for check in checks(bound, release.relations, readable, ()):
        if not needs_source(check):
            yield check
    if bound.generalised:
        yield Check("order of ranges", "ranges and sets ascend", "audit/ranges_reversed",
                    {"attributes": bound.generalised})  # fmt: skip
    for a in bound.bucketed:
        yield Check(f"bucket sizes of {a.name}", "a bucket has as many values as tuples", "audit/bucket_sizes_wrong",
                    {"attribute": a})  # fmt: skip
        if a.words:
            yield Check(f"values of {a.name}", "values are those that the policy lists", "audit/unlisted_values",
                        {"attribute": a}, {"sat": release.relations[sat(a.name)]})  # fmt: skip


def promise_checks(release: Opened, *, columns_hold: bool, views_hold: bool) -> Iterator[Result]:
    """Run them. With wrong columns some cannot run, and a view that reads elsewhere is not asked: both are not checked.

    Either way the verdict is no already.
    """
    release.engine.keep_order(True)  # the order checks scan a table as it is stored
    for check in file_checks(release):
        reads_view = release.is_database and bool({"idt", "anonymized"} & set(read_header(check.template).inputs))
        if reads_view and not views_hold:
            yield Result(check.name, check.promise, "not checked", "views are not as promised")
        else:
            yield checked(release, check, sound=columns_hold)


def prepare(release: Opened) -> None:
    """Make what several checks read: each group's tuples, each bucket's contents, and the tuples that point to it."""
    engine = release.engine
    bucketed = release.bound.bucketed
    counts = render("verify/tuple_counts", {"bucketed": bucketed}, release.relations)
    engine.materialize_temporary("tuple_counts", counts)
    for a in bucketed:
        contents = render("audit/bucket_contents", {"attribute": a}, release.relations)
        engine.materialize(f"bucket_contents_{a.name}", contents)
        others = tuple(other for other in bucketed if other is not a)[:8]
        rows = render("audit/bucket_rows", {"attribute": a, "bucketed": others}, release.relations)
        engine.materialize(f"bucket_rows_{a.name}", rows)


def checked(release: Opened, check: Check, *, sound: bool = True) -> Result:
    """Run one check: the number of violations, and the ids of the first."""
    aliases = {**release.relations, **check.aliases}
    try:
        header, found = _violations(release, render(check.template, check.params, aliases))
    except EngineError as error:
        if sound or OUT_OF_MEMORY in error.message:
            raise
        return Result(check.name, check.promise, "not checked", "columns are not as promised")
    at = [_ids(check, header, row) for row in found]
    count = _count(release, render(check.template, check.params, aliases)) if len(found) == SHOWN else len(found)
    return judged(
        check.name, check.promise, count, _measured(release, check) if sound else "nothing violates it",
        f"{count:,} violations", at,
    )  # fmt: skip


def _violations(release: Opened, statement: Statement) -> tuple[list[str], list[tuple[object, ...]]]:
    """The first few rows of what a statement finds, with its columns."""
    sql = f"SELECT * FROM (\n{statement.sql}\n) AS violations LIMIT {SHOWN}"
    rows = release.engine.fetch(Statement(statement.template, sql, statement.inputs))
    header = [name for name, _ in release.engine.describe(statement.sql)] if rows else []
    return header, rows


def _count(release: Opened, statement: Statement) -> int:
    sql = f"SELECT count(*) FROM (\n{statement.sql}\n) AS violations"
    return int(release.engine.fetch(Statement(f"count of {statement.template}", sql, statement.inputs))[0][0])


def _ids(check: Check, header: list[str], row: tuple[object, ...]) -> str:
    """Ids and counts of a violation; templates return nothing else. Attributes are named."""
    parts = []
    for name, value in zip(header, row, strict=True):
        attributes = check.params.get("attributes")
        if name == "attribute" and isinstance(attributes, tuple) and isinstance(value, int) and value >= 0:
            parts.append(attributes[value].name)
        elif isinstance(value, int) or value is None:
            parts.append(f"{name} {value}")
    return " ".join(parts)


def _measured(release: Opened, check: Check) -> str:
    """What a check that holds found."""
    if check.name == "group sizes":
        facts = group_facts(release)
        return f"{facts['groups']:,} groups of {facts['smallest']:,} to {facts['largest']:,} tuples"
    for a in release.bound.bucketed:
        if a.principle is not None and check.name == f"{a.principle.name} of {a.name}":
            return _principle(release, a)
    return "nothing violates it"


def _principle(release: Opened, a: BoundAttribute) -> str:
    assert a.principle is not None  # noqa: S101  bucketed attributes have one
    facts = bucket_facts(release, a)
    if not facts["buckets"]:
        return "no value is bucketed"
    said = f"{facts['buckets']:,} buckets of {facts['smallest']:,} to {facts['largest']:,}, worst posterior "
    said += f"{facts['worst']:.4g}"
    if a.principle.name == "t_closeness":
        classes = render("audit/bucket_classes", {}, {"sat": release.relations[sat(a.name)]})
        release.engine.view("class_counts", classes)
        ((equal, *_),) = release.engine.fetch(render("audit/class_closeness"))
        said += f", largest distance {equal:.4g}"
    return said
