"""What Python decides while a plan runs. It sees counts and histograms of codes, never a value or a row."""

from __future__ import annotations

import pyarrow as pa

from lgb_sql.binding import BoundAttribute, BoundPolicy
from lgb_sql.bucketization.slots import Slots
from lgb_sql.codes import CodeLayout, lay_out, parts_of, words_of
from lgb_sql.errors import InfeasiblePolicyError, SourceError
from lgb_sql.hierarchy_sql import nodes_table, paths_table, texts_table
from lgb_sql.patterns import PatternPlan, plan_patterns
from lgb_sql.plan import Draw, Step
from lgb_sql.render import Statement, render
from lgb_sql.run import Run

MAX_ROWS = 2**32 - 1

_REFUSALS = {
    "null_flags": ("the flag of {0} is NULL in {1:,} rows", 'fill it, or set flag_null = "sensitive"'),
    "not_finite": ("{0} holds NaN or an infinity in {1:,} rows", "replace them by NULL or a number first"),
    "null_values": (
        "{0} is NULL in {1:,} rows where it is sensitive",
        'fill it, or set null_values = "value"',
    ),
    "unlisted": ("{0} holds values that its `ordered` list lacks, in {1:,} rows", "add them to the list"),
}


def check_facts(run: Run, bound: BoundPolicy) -> None:
    """Refuse, with all reasons at once, a source that no release may be made of."""
    row = run.engine.fetch(Statement("source_facts", "SELECT * FROM source_facts", frozenset()))[0]
    names = [name for name, _ in run.engine.describe("SELECT * FROM source_facts")]
    facts = dict(zip(names, row, strict=True))
    tuples = int(facts["tuples"])
    if tuples == 0:
        raise SourceError("the source has no rows.", "nothing can be released of an empty table")
    if tuples > MAX_ROWS:
        raise SourceError(f"the source has {tuples:,} rows; at most {MAX_ROWS:,} are supported.", "split it")
    if tuples < bound.policy.k:
        raise InfeasiblePolicyError(
            f"the source has {tuples:,} {'row' if tuples == 1 else 'rows'}, fewer than k = {bound.policy.k}.",
            f"lower k to {tuples} or less" if tuples >= 2 else "no k works: a group has at least 2 rows",
        )
    problems = [*_refusals(facts, bound), *_outside_hierarchies(run, bound), *_outside_domains(run, bound)]
    if problems:
        messages, hints = zip(*problems, strict=True)
        raise SourceError("; ".join(messages) + ".", "; ".join(dict.fromkeys(hints)))
    run.values["rows_source"] = tuples
    _warn_of_unique_columns(run, bound)


def _refusals(facts: dict[str, int], bound: BoundPolicy) -> list[tuple[str, str]]:
    found = []
    for a in bound.attributes:
        for kind, (message, hint) in _REFUSALS.items():
            count = facts.get(f"{a.name}_{kind}", 0)
            if count:
                found.append((message.format(a.name, count), hint))
    tuples = facts["tuples"]
    if bound.policy.key and facts["row_keys"] < tuples:
        found.append((f"the key {bound.policy.key} is not unique or NULL somewhere", "name a unique column as key"))
    if bound.policy.unit and facts["unit_keys"] < tuples:
        found.append((f"{tuples:,} rows belong to {facts['unit_keys']:,} units", "reduce to one row per unit first"))
    return found


def _outside_hierarchies(run: Run, bound: BoundPolicy) -> list[tuple[str, str]]:
    """Values that are quasi-identifiers for somebody but no leaf of their hierarchy: counted, never shown."""
    found = []
    for a in bound.generalised:
        if a.hierarchy:
            values, tuples = run.engine.fetch(render("ingest/outside_hierarchy", {"attribute": a}))[0]
            if values:
                noun = "value" if values == 1 else "values"
                message = f"{a.name} holds {values:,} {noun} that its hierarchy lacks, in {tuples:,} rows"
                found.append((message, "add them to the hierarchy"))
    return found


def _outside_domains(run: Run, bound: BoundPolicy) -> list[tuple[str, str]]:
    """Values that the policy's own domain lacks, flagged ones too: counted, never shown."""
    found = []
    for a in bound.attributes:
        if a.domain:
            ((outside,),) = run.engine.fetch(render("ingest/outside_domain", {"attribute": a}))
            if outside:
                message = f"{a.name} holds values outside its declared domain"
                hint = "correct the values, or widen `domain` by what is publicly known: it is released as it stands"
                found.append((message, hint))
    return found


def upload_domain(run: Run, attribute: BoundAttribute) -> None:
    """Hand an attribute's declared domain to the engine."""
    run.engine.upload(f"domain_texts_{attribute.name}", texts_table(attribute.domain))


def upload_hierarchy(run: Run, attribute: BoundAttribute) -> None:
    """Hand an attribute's tree to the engine: its leaves with their ancestors, and its nodes."""
    assert attribute.hierarchy is not None  # noqa: S101  the planner passes attributes with one
    run.engine.upload(f"hierarchy_paths_{attribute.name}", paths_table(attribute.hierarchy))
    run.engine.upload(f"hierarchy_nodes_{attribute.name}", nodes_table(attribute.hierarchy))


def _warn_of_unique_columns(run: Run, bound: BoundPolicy) -> None:
    """An insensitive column that is nearly unique identifies whoever is known by it."""
    for a in bound.insensitive:
        statement = render("ingest/distinct_share", {"attribute": a})
        distinct, tuples = run.engine.fetch(statement)[0]
        if 2 * distinct > tuples:
            run.note(
                f"{a.name} is released as it is and nearly unique ({distinct:,} values in {tuples:,} rows): "
                "1/k is not promised against someone who knows it"
            )


def lay_out_codes(run: Run, bound: BoundPolicy) -> None:
    """Decide on the bits of every attribute's codes, from the sizes of the domains."""
    layout = lay_out(bound.generalised, [run.count(f"quasi_domain_{a.name}") for a in bound.generalised])
    run.values["code_layout"] = layout
    run.values["coded_attributes"] = layout.attributes
    run.values["code_words"] = layout.words
    run.values["bit_words"] = layout.bit_words
    run.values.update({f"coded_{a.name}": a for a in layout.attributes})
    for number, part in enumerate(parts_of(layout.attributes)):
        run.values[f"coded_part_{number}"] = part
        run.values[f"words_part_{number}"] = words_of(part)
    columns = {
        "attribute": range(len(layout.attributes)),
        "word": [a.word for a in layout.attributes],
        "shift": [a.shift for a in layout.attributes],
        "bit_word": [a.bit_word for a in layout.attributes],
        "bit_shift": [a.bit_shift for a in layout.attributes],
    }
    table = {name: pa.array(values, pa.int32()) for name, values in columns.items()}
    table["place_mask"] = pa.array([a.mask << a.shift for a in layout.attributes], pa.int64())
    run.engine.upload("code_layout", pa.table(table))


def plan_small_patterns(run: Run, bound: BoundPolicy) -> None:
    """Fix the pattern plan, once, and hand it to the engine."""
    policy = bound.policy
    table = run.engine.fetch_arrow(Statement("pattern_counts", "SELECT * FROM pattern_counts", frozenset()))
    counts = dict(zip(table["pattern"].to_pylist(), table["tuples"].to_pylist(), strict=True))
    plan = plan_patterns(counts, policy.k, policy.small_patterns, policy.suppression_limit)
    roots = {cluster.order: number for number, cluster in enumerate(plan.clusters, start=1)}
    _upload_plan(run, bound, plan)
    run.values["open_nodes"] = len(plan.clusters)
    run.values["open_rows_total"] = sum(cluster.size for cluster in plan.clusters)
    if plan.borrowing is None:
        run.engine.run("CREATE TABLE borrowed_rows (row_id UINTEGER, root_id INTEGER)")
        return
    borrowing = plan.borrowing
    run.step(
        Step(
            "borrowed_rows",
            "patterns/borrowed_rows",
            {
                "words": run.values["code_words"],
                "donor": roots[borrowing.donor.order],
                "borrower": roots[borrowing.borrower.order],
                "rows": borrowing.rows,
            },
            draw=Draw("borrowed rows", "source_rows"),
        )
    )


def _upload_plan(run: Run, bound: BoundPolicy, plan: PatternPlan) -> None:
    numbered = list(enumerate(plan.clusters, start=1))
    patterns: list[tuple[str, int | None]] = [
        (member, number) for number, cluster in numbered for member in cluster.members
    ]
    patterns += [(pattern, None) for pattern in plan.suppressed]
    root_ids = pa.array([number for number, _ in numbered], pa.int32())
    forms: dict[str, pa.Array] = {
        "root_id": root_ids,
        "form": pa.array([cluster.form for _, cluster in numbered], pa.string()),
    }
    layout = run.values["code_layout"]
    assert isinstance(layout, CodeLayout)  # noqa: S101  laid out before
    for word in layout.words:
        shown = [layout.shown(cluster.form, word) for _, cluster in numbered]
        forms[f"shown_{word}"] = pa.array(shown, pa.int64())
    for place, a in enumerate(bound.generalised):
        forms[f"{a.name}_letter"] = pa.array([cluster.form[place] for _, cluster in numbered], pa.string())
    run.engine.upload("root_forms", pa.table(forms))
    run.engine.upload("open_nodes", pa.table({"node_id": root_ids, "root_id": root_ids}))
    columns = list(zip(*patterns, strict=True))
    run.engine.upload(
        "pattern_plan",
        pa.table({"pattern": pa.array(columns[0], pa.string()), "root_id": pa.array(columns[1], pa.int32())}),
    )


def plan_buckets(run: Run, attribute: BoundAttribute, bucketization: str) -> None:
    """Check eligibility and lay the slots of one attribute; what is not eligible is told with the others."""
    assert attribute.principle is not None  # noqa: S101  the planner passes bucketed attributes only
    table = run.engine.fetch_arrow(render("bucketize/histogram", {"attribute": attribute}))
    histogram = list(zip(table["code"].to_pylist(), table["tuples"].to_pylist(), strict=True))
    try:
        attribute.principle.check(attribute.name, histogram)
    except InfeasiblePolicyError as error:
        run.infeasible[attribute.name] = error
        return
    slots = _narrowest(run, attribute, attribute.principle.assign(histogram, bucketization))
    run.values[f"buckets_{attribute.name}"] = slots.buckets
    run.engine.upload(
        f"slots_{attribute.name}",
        pa.table(
            {
                "code": pa.array(slots.codes, pa.int32()),
                "first_occurrence": pa.array(slots.first_occurrences, pa.int64()),
                "first_bucket": pa.array(slots.first_buckets, pa.int64()),
                "length": pa.array(slots.lengths, pa.int64()),
            }
        ),
    )


def refuse_infeasible(run: Run) -> None:
    """Refuse, with all reasons at once, principles that the table cannot keep; nothing is planned anew."""
    if not run.infeasible:
        return
    if len(run.infeasible) == 1:
        raise next(iter(run.infeasible.values()))
    raise InfeasiblePolicyError(
        " ".join(error.message for error in run.infeasible.values()),
        " ".join(f"{name}: {error.hint}." for name, error in run.infeasible.items()),
    )


def _narrowest(run: Run, attribute: BoundAttribute, candidates: list[Slots]) -> Slots:
    """Of several plans the one whose buckets span the least, measured on the values by the engine."""
    if len(candidates) == 1:
        return candidates[0]
    rows = [(place, *extent) for place, slots in enumerate(candidates) for extent in slots.extents]
    columns = zip(("candidate", "tuples", "low", "high"), zip(*rows, strict=True), strict=True)
    run.engine.upload("bucket_extents", pa.table({name: pa.array(values, pa.int64()) for name, values in columns}))
    widths = run.engine.fetch(render("bucketize/plan_widths", {"attribute": attribute}))
    run.engine.drop("bucket_extents")
    narrowest: int = min(widths, key=lambda row: (row[1], row[0]))[0]
    return candidates[narrowest]
