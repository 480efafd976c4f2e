"""From a bound policy to a plan: the order of work, and which template makes which relation.

flags -> small patterns -> eligibility -> buckets -> groups -> publish. The pattern plan is fixed before any flagged
value is read. Only `ingest` reads the source's columns; bucketization sees one attribute's flagged values,
generalization sees codes of unflagged ones.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from lgb_sql import decisions
from lgb_sql.binding import BoundAttribute, BoundPolicy
from lgb_sql.codes import coded_params, example_layout, parts_of, unordered_parts, words_of
from lgb_sql.generalizers import GENERALIZERS, auto
from lgb_sql.plan import Choice, Decision, Draw, Item, Later, Plan, Stage, Step
from lgb_sql.render import Sql


@dataclass(frozen=True)
class SourceColumn:
    """A column that the snapshot takes: from which column, as what type, under what name."""

    source: str
    target: str
    type: Sql
    is_flag: bool = False


@dataclass(frozen=True)
class Check:
    """Something to count in the snapshot that must be zero."""

    attribute: str
    kind: str
    family: str = ""
    flagged: bool = False
    words: tuple[str, ...] = ()


def make_plan(bound: BoundPolicy, *, keep_order: bool = False) -> Plan:
    """Plan everything up to the relations that are published.

    `keep_order` lets row ids follow the source's order, for crosswalks by position and for seeded runs; it costs a
    third more time and memory to read the source.
    """
    return Plan(
        (
            Stage("ingest", tuple(_ingest(bound, keep_order))),
            Stage("patterns", tuple(_patterns(bound))),
            Stage("buckets", tuple(_buckets(bound))),
            Stage("groups", (*_generalize(bound),)),
            Stage("labels", tuple(_labels(bound))),
        )
    )


def source_columns(bound: BoundPolicy) -> list[SourceColumn]:
    """What the snapshot takes: released attributes, their flags, and the keys."""
    columns = []
    for attribute in bound.of("quasi-identifier", "semi-sensitive", "sensitive", "insensitive"):
        columns.append(SourceColumn(attribute.column, f"{attribute.name}_value", attribute.type))
        if attribute.flag:
            columns.append(SourceColumn(attribute.flag, f"{attribute.name}_flagged", Sql("BOOLEAN"), is_flag=True))
    if bound.policy.key and bound.key_type:
        columns.append(SourceColumn(bound.policy.key, "row_key", bound.key_type))
    if bound.policy.unit and bound.unit_type:
        columns.append(SourceColumn(bound.policy.unit, "unit_key", bound.unit_type))
    return columns


def _checks(bound: BoundPolicy) -> Iterator[Check]:
    for a in bound.of("quasi-identifier", "semi-sensitive", "sensitive"):
        if a.flag and bound.policy.flag_null == "error":
            yield Check(a.name, "null_flags")
        if a.family in ("float", "date", "timestamp"):
            yield Check(a.name, "not_finite", family=a.family)
        if a.principle and bound.policy.null_values == "error":
            yield Check(a.name, "null_values", flagged=a.flag is not None)
        if a.words:
            yield Check(a.name, "unlisted", words=a.words)


def _ingest(bound: BoundPolicy, keep_order: bool) -> Iterator[Item]:
    null_is_sensitive = bound.policy.flag_null == "sensitive"
    yield Step(
        "source_rows",
        "ingest/source_rows",
        {"columns": source_columns(bound), "flags_null_as_sensitive": null_is_sensitive},
        keep_order=keep_order,
    )
    yield from _hierarchies(bound)
    yield from _domains(bound)
    facts = {
        "checks": tuple(_checks(bound)),
        "row_key": bound.policy.key is not None,
        "unit_key": bound.policy.unit is not None,
    }
    yield Step("source_facts", "ingest/source_facts", facts)
    yield Decision(
        "refuse what no release may be made of",
        "source_facts",
        "nothing",
        partial(decisions.check_facts, bound=bound),
    )
    for attribute in bound.generalised:
        yield Step(f"quasi_domain_{attribute.name}", "ingest/quasi_domain", {"attribute": attribute})
        if attribute.hierarchy:
            yield Step(f"hierarchy_scales_{attribute.name}", "ingest/hierarchy_scales", {"attribute": attribute})
    if bound.generalised:
        scales = [{"attributes": part} for part in parts_of(bound.generalised)]
        yield from _in_parts("domain_scales", scales, {"attributes": bound.generalised})
    yield Decision(
        "the bits of each attribute's codes",
        "sizes of quasi_domain_...",
        "code_layout",
        partial(decisions.lay_out_codes, bound=bound),
    )
    coded = enumerate(parts_of(example_layout(bound.generalised).attributes))
    params = [
        {"attributes": Later(f"coded_part_{number}", part), "words": Later(f"words_part_{number}", words_of(part))}
        for number, part in coded
    ]
    yield from _in_parts("quasi_rows", params, {"words": coded_params(bound.generalised)["words"]})


def _hierarchies(bound: BoundPolicy) -> Iterator[Item]:
    """Hierarchies are known before anything is read of the values they cover."""
    for attribute in bound.generalised:
        if attribute.hierarchy:
            yield Decision(
                f"the tree of {attribute.name}",
                "the policy",
                f"hierarchy_paths_{attribute.name}, hierarchy_nodes_{attribute.name}",
                partial(decisions.upload_hierarchy, attribute=attribute),
            )
            yield Step(f"hierarchy_leaves_{attribute.name}", "ingest/hierarchy_leaves", {"attribute": attribute})


def _domains(bound: BoundPolicy) -> Iterator[Item]:
    """Declared domains, to hold every value against and to be published."""
    for attribute in bound.attributes:
        if attribute.domain:
            yield Decision(
                f"the declared domain of {attribute.name}",
                "the policy",
                f"domain_texts_{attribute.name}",
                partial(decisions.upload_domain, attribute=attribute),
            )
            yield Step(f"declared_values_{attribute.name}", "ingest/declared_values", {"attribute": attribute})


def _in_parts(relation: str, params: Sequence[Mapping[str, object]], joined: Mapping[str, object]) -> Iterator[Step]:
    """A relation made in parts; its one part seen through a view where the table is narrow, else joined."""
    parts = tuple(range(len(params)))
    for number in parts:
        yield Step(f"{relation}_part_{number}", f"ingest/{relation}_part", params[number])
    yield Step(relation, f"ingest/{relation}", {**joined, "parts": parts}, is_view=len(parts) == 1)


def _patterns(bound: BoundPolicy) -> Iterator[Item]:
    yield Step("pattern_counts", "patterns/pattern_counts")
    yield Decision(
        "merge, suppress or refuse patterns with fewer than k tuples, on flags and counts alone",
        "pattern_counts",
        "pattern_plan, root_forms, open_nodes, and borrowed_rows where one cluster needs rows to reach k",
        partial(decisions.plan_small_patterns, bound=bound),
    )
    yield Step("changed_rows", "patterns/changed_rows")
    words = {"words": coded_params(bound.generalised)["words"]}
    parts = [f"quasi_rows_part_{number}" for number, _ in enumerate(parts_of(bound.generalised))]
    joined = ["quasi_rows"] if len(parts) > 1 else []
    yield Step("open_rows", "patterns/open_rows", words, drops=("borrowed_rows", *joined, *parts))


def _buckets(bound: BoundPolicy) -> Iterator[Item]:
    # every attribute's eligibility comes before any bucket is made
    for a in bound.bucketed:
        place = bound.generalised.index(a) + 1 if a.flag else 0
        yield Step(f"sensitive_rows_{a.name}", "ingest/sensitive_rows", {"attribute": a, "place": place})
        yield Step(f"sensitive_domain_{a.name}", "bucketize/sensitive_domain", {"attribute": a})
        yield Decision(
            f"eligibility of {a.name}, and its buckets, on (code, count)",
            f"sensitive_domain_{a.name}",
            f"slots_{a.name}",
            partial(decisions.plan_buckets, attribute=a, bucketization=bound.policy.bucketization),
        )
    yield Decision(
        "refuse principles that cannot be kept", "eligibility of all", "nothing", decisions.refuse_infeasible
    )
    for a in bound.bucketed:
        yield from _assign(a)


def _assign(a: BoundAttribute) -> Iterator[Item]:
    yield Step(
        f"bucket_labels_{a.name}",
        "bucketize/bucket_labels",
        {"buckets": Later(f"buckets_{a.name}", 0)},
        draw=Draw(f"bucket labels of {a.name}", f"buckets_{a.name}"),
    )
    yield Step(f"bucket_slots_{a.name}", "bucketize/bucket_slots", {"attribute": a}, keep_order=True)
    yield Step(
        f"drawn_rows_{a.name}",
        "bucketize/drawn_rows",
        {"attribute": a},
        draw=Draw(f"ties of {a.name}", f"sensitive_rows_{a.name}"),
        keep_order=True,
        drops=(f"sensitive_rows_{a.name}",),
    )
    yield Step(
        f"bucketed_rows_{a.name}",
        "bucketize/bucketed_rows",
        {"attribute": a},
        keep_order=True,
        drops=(f"drawn_rows_{a.name}",),
    )


def _generalize(bound: BoundPolicy) -> Iterator[Item]:
    named = bound.policy.generalization
    names = auto.OPTIONS if named == "auto" else (named,)
    loops = {name: GENERALIZERS[name](bound.generalised, bound.policy.k).loop() for name in names}
    if named == "auto":
        yield Choice(auto.RULE, loops, partial(auto.choose, columns=len(bound.generalised)))
    else:
        yield loops[named]


def _labels(bound: BoundPolicy) -> Iterator[Item]:
    yield Step(
        "group_labels",
        "publish/group_labels",
        {"groups": Later("groups", 0)},
        draw=Draw("group labels", "groups"),
    )
    coded = example_layout(bound.generalised).attributes
    yield Step("group_extents", "publish/group_extents", {"attributes": Later("coded_attributes", coded)})
    for a in coded:
        if not (a.ordered or a.hierarchy):
            yield Step(f"group_sets_{a.name}", "publish/group_sets", {"attribute": Later(f"coded_{a.name}", a)})
    yield Step("group_ranges", "publish/group_ranges", {"attributes": bound.generalised})
    for attribute in bound.generalised:
        if attribute.hierarchy:
            yield Step(f"node_sets_{attribute.name}", "publish/node_sets", {"attribute": attribute})
    for number, part in enumerate(unordered_parts(bound)):
        yield Step(f"group_members_{number}", "publish/group_members", {"attributes": part})
    released = {"bucketed": bound.bucketed, "insensitive": bound.insensitive}
    yield Step(
        "linked_rows",
        "publish/linked_rows",
        released,
        is_view=True,
    )
    yield Step(
        "rows_in_secret_order",
        "publish/rows_in_secret_order",
        released,
        draw=Draw("row ids", "open_rows_total"),
        keep_order=True,
        drops=("grouped_rows", *(f"bucketed_rows_{a.name}" for a in bound.bucketed)),
    )
