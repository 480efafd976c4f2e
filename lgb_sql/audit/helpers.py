"""Tables that help to answer queries: which may stand beside a release, and what their rows must be."""

from __future__ import annotations

from collections.abc import Iterator

from lgb_sql.audit.reading import Opened
from lgb_sql.audit.verdict import Result, judged
from lgb_sql.hierarchy_files import read_hierarchy, value_text
from lgb_sql.hierarchy_sql import texts_table
from lgb_sql.policy import Policy
from lgb_sql.query_helpers import helper_columns, summed, sums_are_exact, sums_of
from lgb_sql.release_names import domain, help_table, sat
from lgb_sql.render import Sql, render
from lgb_sql.verify import Check


def helper_tables(release: Opened) -> list[str]:
    """Those that this release has; an older one has none."""
    return [name for name in helper_columns(release.bound) if name in release.relations]


def helper_checks(release: Opened) -> Iterator[Check]:
    """They hold what released tables say, and nothing else."""
    for a in release.bound.generalised:
        name = domain(a.name)
        if name in release.relations:
            known = {"helper": release.relations[name]}
            yield Check(f"rows of {name}", "by declared and value; weights are positive numbers",
                        "audit/domain_rows_wrong", {}, known)  # fmt: skip
            if a.principle:
                known["sat"] = release.relations[sat(a.name)]
            yield Check(f"values of {name}", "the values that the release shows, and no others",
                        "audit/foreign_values", {"attribute": a}, known)  # fmt: skip
    for a in summed(release.bound):
        name = help_table(a.name)
        if name in release.relations:
            known = {"helper": release.relations[name], "sat": release.relations[sat(a.name)]}
            yield Check(f"order of {name}", f"{name} is stored by bid", "verify/ids_out_of_order",
                        {"id": "bid"}, {"checked": release.relations[name]})  # fmt: skip
            yield Check(f"lists of {name}", "one row per bucket, with lists of its length",
                        "audit/bucket_lists_wrong", {}, known)  # fmt: skip
            params = {"sums": sums_of(a), "exact": sums_are_exact(a)}
            yield Check(f"values of {name}", "entries and sums are those of the buckets",
                        "audit/bucket_sums_wrong", params, known)  # fmt: skip


def domain_check(release: Opened, policy: Policy) -> Result:
    """What domain tables declare is what the policy declares."""
    different = [
        a.name
        for a in release.bound.generalised
        if domain(a.name) in release.relations and not _declares(release, policy, a.name, a.type)
    ]
    return judged(
        "policy: domains", "declared values are the policy's", len(different), "every table declares what it says",
        f"{len(different)} tables declare others", different[:5],
    )  # fmt: skip


def _declares(release: Opened, policy: Policy, name: str, kind: Sql) -> bool:
    """Whether a domain table declares the policy's domain, its hierarchy's leaves, or nothing."""
    table = release.relations[domain(name)]
    found = dict(release.columns[domain(name)])
    if "value" not in found or found.get("declared") != "BOOLEAN":
        return True  # its columns are judged elsewhere
    with release.engine.stream("domain_texts", texts_table(_texts(policy, name))):
        statement = render("audit/declared_otherwise", {"type": kind}, {"helper": table})
        return not release.engine.fetch(statement)


def _texts(policy: Policy, name: str) -> list[str]:
    attribute = policy.attributes.get(name)
    given = getattr(attribute, "domain", None)
    if given is not None:
        return [text for item in given if (text := value_text(item)) is not None]
    tree = getattr(attribute, "hierarchy", None)
    hierarchy = read_hierarchy(tree)[0] if tree is not None else None
    return [hierarchy.names[leaf] for leaf in hierarchy.leaves] if hierarchy else []
