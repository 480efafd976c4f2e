"""What verification and audit check: queries that return what breaks a promise.

They read the finished release, and some the source's snapshot; none shares a relation template with the generator.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field

from lgb_sql.binding import BoundPolicy
from lgb_sql.codes import parts_of
from lgb_sql.query_helpers import summed, sums_held
from lgb_sql.release_names import domain, help_table, idt, sat
from lgb_sql.render import Sql, identifier

FEW_VALUES = 62
"""Up to this many values of an attribute, and one bit for any other, fit into a BIGINT."""


@dataclass(frozen=True)
class Check:
    """One promise, and the template that returns whatever breaks it."""

    name: str
    promise: str
    template: str
    params: Mapping[str, object] = field(default_factory=dict)
    aliases: Mapping[str, Sql] = field(default_factory=dict)


def checks(
    bound: BoundPolicy, released: Mapping[str, Sql], readable_rows: int, few: Collection[str]
) -> Iterator[Check]:
    """All promises of a policy; `released` says where each relation of the release is, `few` which unordered
    attributes show at most `FEW_VALUES`.
    """
    yield from _order_checks(bound, released)
    yield from _group_checks(bound, few)
    yield from _bucket_checks(bound, released)
    for a in bound.insensitive:
        yield Check(f"truth of {a.name}", "what is released as it is, is as it was",
                    "verify/insensitive_values_wrong", {"attribute": a})  # fmt: skip
    yield Check("texts", "anonymized shows groups and buckets as they are", "verify/texts_wrong",
                {"attributes": bound.released, "rows": readable_rows})  # fmt: skip
    yield from helper_checks(bound, released)


def _order_checks(bound: BoundPolicy, released: Mapping[str, Sql]) -> Iterator[Check]:
    for relation, column in (("tuples", "rid"), ("groups", "gid")):
        yield Check(f"order of {relation}", f"{relation} is stored by {column}", "verify/ids_out_of_order",
                    {"id": column}, {"checked": released[relation]})  # fmt: skip
    yield Check("links to the source", "every source row is released once or suppressed", "verify/ids_out_of_order",
                {"id": "source_row"}, {"checked": identifier("linked_tuples")})  # fmt: skip
    for a in bound.bucketed:
        yield Check(f"order of sat_{a.name}", "stored by bid and value, no value twice", "verify/buckets_out_of_order",
                    {}, {"checked": released[sat(a.name)]})  # fmt: skip


def _group_checks(bound: BoundPolicy, few: Collection[str]) -> Iterator[Check]:
    k = bound.policy.k
    generalised = {"attributes": bound.generalised}
    yield Check("group sizes", f"every group has at least {k} tuples", "verify/groups_below_k", {"k": k})
    if bound.generalised:
        yield Check("group forms", "a group shows ranges, sets or nothing", "verify/malformed_groups", generalised)
    if bound.bucketed:
        yield Check("shared forms", "tuples of a group share their forms", "verify/forms_not_shared",
                    {"attributes": bound.bucketed})  # fmt: skip
    promise = "groups describe their tuples exactly and show no flagged value"
    for part in parts_of(bound.generalised) if bound.generalised else ():
        compared_as_bits = tuple(a for a in part if a.name in few)
        yield Check("truth of groups", promise, "verify/boxes_not_true", {"attributes": part, "few": compared_as_bits})
    for a in bound.generalised:
        if a.shows_node:
            yield Check(f"truth of nodes of {a.name}", "a node is the lowest above its tuples, its set what it covers",
                        "verify/nodes_not_true", {"attribute": a})  # fmt: skip
        elif not a.ordered and a.name not in few:
            yield Check(f"truth of the sets of {a.name}", promise, "verify/sets_not_true", {"attribute": a})


def _bucket_checks(bound: BoundPolicy, released: Mapping[str, Sql]) -> Iterator[Check]:
    for a in bound.bucketed:
        assert a.principle is not None  # noqa: S101  bucketed attributes have one
        buckets = {"sat": released[sat(a.name)]}
        yield Check(f"{a.principle.name} of {a.name}", f"{a.name}: {a.principle.as_policy()}",
                    a.principle.verification, a.principle.verification_params, buckets)  # fmt: skip
        yield Check(f"truth of sat_{a.name}", "buckets hold the values of their tuples",
                    "verify/bucket_contents_wrong", {"attribute": a}, buckets)  # fmt: skip
        yield Check(f"links of idt_{a.name}", "idt says what tuples says", "verify/links_wrong",
                    {"attribute": a}, {"idt": released[idt(a.name)]})  # fmt: skip


def helper_checks(bound: BoundPolicy, released: Mapping[str, Sql]) -> Iterator[Check]:
    """Tables for queries hold what released tables say, and nothing else; an older release has none."""
    for a in bound.generalised:
        name = domain(a.name)
        if name in released:
            known = {"helper": released[name]}
            if a.principle:
                known["sat"] = released[sat(a.name)]
            yield Check(f"rows of {name}", "by declared and value; weights are positive numbers",
                        "verify/domain_rows_wrong", {}, {"helper": released[name]})  # fmt: skip
            yield Check(f"values of {name}", "the values that the release shows, and no others",
                        "verify/foreign_values", {"attribute": a}, known)  # fmt: skip
            yield Check(f"weights of {name}", "all tuples that show a value, of each at least the certain ones",
                        "verify/domain_weights_wrong", {"attribute": a}, known)  # fmt: skip
    for a in summed(bound):
        name = help_table(a.name)
        if name in released:
            known = {"helper": released[name], "sat": released[sat(a.name)]}
            yield Check(f"order of {name}", f"{name} is stored by bid", "verify/ids_out_of_order",
                        {"id": "bid"}, {"checked": released[name]})  # fmt: skip
            yield Check(f"lists of {name}", "one row per bucket, with lists of its length",
                        "verify/bucket_lists_wrong", {}, known)  # fmt: skip
            repeated = {"repeated": a.principle is not None and a.principle.values_may_repeat}
            yield Check(f"entries of {name}", "entries are the values of the buckets, ascending",
                        "verify/bucket_entries_wrong", repeated, known)  # fmt: skip
            yield Check(f"sums of {name}", "each sum is the one before and one entry",
                        "verify/bucket_sums_wrong", sums_held(a), {"helper": released[name]})  # fmt: skip
