"""The release held against the policy that it was made with: the same promises, or stronger ones."""

from __future__ import annotations

from collections.abc import Iterator

from lgb_sql.audit.helpers import domain_check
from lgb_sql.audit.reading import Opened
from lgb_sql.audit.verdict import Result, judged
from lgb_sql.policy import Identifier, Policy, SemiSensitive, Sensitive
from lgb_sql.schema import parse_type


def policy_checks(release: Opened, policy: Policy) -> Iterator[Result]:
    """What the manifest says of itself against what was wanted."""
    manifest = release.manifest
    wanted, found = policy.k, manifest["k"]
    yield judged("policy: k", f"k is {wanted}", int(found < wanted), f"k is {found}", f"k is {found}")
    different = sorted(_different(release, policy))
    yield judged(
        "policy: attributes", "roles, types, orders and principles are the policy's", len(different),
        f"{len(manifest['roles'])} attributes agree", f"{len(different)} attributes differ", different[:5],
    )  # fmt: skip
    others = [
        key
        for key in ("generalization", "bucketization", "small_patterns")
        if getattr(policy, key) not in ("auto", manifest.get(key))
    ]
    yield judged(
        "policy: methods", "made as the policy says", len(others), "the same methods",
        "differ: " + ", ".join(others),
    )  # fmt: skip
    yield domain_check(release, policy)
    suppressed, rows = manifest["rows_suppressed"], manifest["rows_source"]
    allowed = policy.suppression_limit if policy.small_patterns == "suppress" else 0
    yield judged(
        "policy: suppression", f"at most {float(allowed):.2%} of rows are suppressed",
        int(suppressed > float(allowed) * rows + 1e-9), f"{suppressed:,} of {rows:,}", f"{suppressed:,} of {rows:,}",
    )  # fmt: skip


def _different(release: Opened, policy: Policy) -> Iterator[str]:
    """Attributes about which release and policy disagree."""
    manifest = release.manifest
    wanted = {name: a for name, a in policy.attributes.items() if not isinstance(a, Identifier)}
    yield from set(wanted) ^ set(manifest["roles"])
    for name, attribute in wanted.items():
        if name not in manifest["roles"]:
            continue
        asked_type = getattr(attribute, "type", None)
        kind = parse_type(asked_type) if asked_type else None
        order = getattr(attribute, "ordered", None)
        principle = attribute.principle.as_policy() if isinstance(attribute, SemiSensitive | Sensitive) else None
        if (
            attribute.role != manifest["roles"][name]
            or principle != manifest["principles"].get(name)
            or (kind is not None and kind.name != manifest["types"][name])
            or (order is not None and order != manifest["ordered"].get(name))
        ):
            yield name
