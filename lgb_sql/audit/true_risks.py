"""Adversaries beyond the paper's model, measured against the truth: each a number that nobody was promised.

Rids and bids are random, so the first few thousand are a fair sample; large releases are measured on one.
"""

from __future__ import annotations

from collections.abc import Iterator

from lgb_sql.audit.correlation import correlation_risk
from lgb_sql.audit.facts import one_row
from lgb_sql.audit.reading import Opened
from lgb_sql.audit.risks import claimed
from lgb_sql.audit.truth import Truth
from lgb_sql.audit.verdict import Risk
from lgb_sql.binding import BoundAttribute
from lgb_sql.release_names import sat
from lgb_sql.render import render

PEOPLE_TO_FIND = 2_000
PEOPLE_TO_MATCH = 200
"""Each is held against every group."""
PEOPLE_TO_COMPARE = 1_000_000
MOST_CLUES = 64


def true_risks(release: Opened, truth: Truth) -> Iterator[Risk]:
    """Of each bucketed attribute: one value known, flags unknown, correlation learned, and what determines it."""
    for a in truth.bound.bucketed:
        if not release.buckets(a.name):
            continue
        yield _value_known(release, a)
        if a.role == "semi-sensitive":
            yield _flags_unknown(release, truth, a)
        yield correlation_risk(release, truth.bound, a)
        determined = _determined(release, truth, a)
        if determined is not None:
            yield determined


def _value_known(release: Opened, a: BoundAttribute) -> Risk:
    aliases = {**release.relations, "sat": release.relations[sat(a.name)]}
    params = {"attribute": a, "sampled": PEOPLE_TO_FIND}
    facts = one_row(release.engine, render("audit/value_known", params, aliases))
    return Risk(
        f"value known of {a.name}", facts["average"] or 0.0,
        "the mean chance to find the row of someone whose flagged value is known; `certain` is the share found surely",
        1 / release.manifest["k"],
        {"worst": facts["worst"] or 0.0, "certain": facts["certain"] or 0.0, "people": facts["people"]},
    )  # fmt: skip


def _flags_unknown(release: Opened, truth: Truth, a: BoundAttribute) -> Risk:
    others = tuple(other for other in truth.bound.generalised if other.name != a.name)
    aliases = {**release.relations, "sat": release.relations[sat(a.name)]}
    release.engine.materialize("shown_groups", render("audit/shown_groups", {"attribute": a}, aliases))
    params = {"attribute": a, "others": others, "sampled": PEOPLE_TO_MATCH}
    facts = one_row(release.engine, render("audit/flags_unknown", params, aliases))
    return Risk(
        f"flags unknown of {a.name}", facts["average"] or 0.0,
        "the mean belief in a flagged value by someone who does not know who flagged it",
        claimed(a), {"worst": facts["worst"] or 0.0, "people": facts["people"]},
    )  # fmt: skip


def _determined(release: Opened, truth: Truth, a: BoundAttribute) -> Risk | None:
    """The other column that gives most of the hidden values away."""
    worst: tuple[float, str] = (-1.0, "")
    for clue in truth.bound.released[:MOST_CLUES]:
        if clue.name == a.name or clue.role == "sensitive":
            continue
        params = {"attribute": a, "clue": clue, "least": release.manifest["k"], "sampled": PEOPLE_TO_COMPARE}
        ((bucketed, determined),) = release.engine.fetch(render("audit/determined_people", params, release.relations))
        worst = max(worst, (determined / max(bucketed, 1), clue.name))
    if not worst[1]:
        return None
    meaning = "the share of hidden values that follow from this column alone; no release can hide them"
    return Risk(f"{a.name} determined by {worst[1]}", worst[0], meaning)
