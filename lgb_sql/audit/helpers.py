"""Tables that help to answer queries: which may stand beside a release, and what their rows must be."""

from __future__ import annotations

from lgb_sql.audit.reading import Opened
from lgb_sql.audit.verdict import Result, judged
from lgb_sql.hierarchy_files import read_hierarchy, value_text
from lgb_sql.hierarchy_sql import texts_table
from lgb_sql.policy import Policy
from lgb_sql.query_helpers import helper_columns
from lgb_sql.release_names import domain
from lgb_sql.render import Sql, render


def helper_tables(release: Opened) -> list[str]:
    """Those that this release has; an older one has none."""
    return [name for name in helper_columns(release.bound) if name in release.relations]


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
