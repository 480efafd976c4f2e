"""Numbers about adversaries, from the files alone. Reported, never promised beyond what the policy says."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lgb_sql.audit.facts import bucket_facts, group_facts
from lgb_sql.audit.reading import Opened
from lgb_sql.audit.verdict import Risk
from lgb_sql.binding import BoundAttribute
from lgb_sql.render import render

SAMPLED_BUCKETS = 20_000
NUMBERS = ("integer", "decimal", "float")
UNIQUE_SHARE = 0.01
"""From this share of tuples on, insensitive columns that single tuples out are worth a warning."""
DETERMINED_SHARE = 0.01


def file_risks(release: Opened) -> Iterator[Risk]:
    """Identity by group sizes, values by bucket contents."""
    facts = group_facts(release)
    if not facts["groups"]:
        return
    k = release.manifest["k"]
    highest, mean = 1 / facts["smallest"], facts["groups"] / facts["tuples"]
    sizes = {"average": mean, "median_group": 1 / facts["middle"], "lowest": 1 / facts["largest"]}
    yield Risk("prosecutor risk", highest, "the best chance to match a person known to be there to a row", 1 / k, sizes)
    yield Risk("journalist risk", highest, "the same where any person will do; lower if the table is a sample", 1 / k)
    yield Risk("marketer risk", mean, "the share of people that a linkage of everybody matches rightly", 1 / k)
    for a in release.bound.bucketed:
        yield from _value_risks(release, a)
    if release.bound.insensitive:
        yield _uniqueness(release, facts["tuples"])


def claimed(a: BoundAttribute) -> float | None:
    """The 1/l that an attribute's principle promises, if it does."""
    wanted = a.principle.as_policy() if a.principle else {}
    return 1 / wanted["l_diversity"] if "l_diversity" in wanted else None


def _value_risks(release: Opened, a: BoundAttribute) -> Iterator[Risk]:
    facts = bucket_facts(release, a)
    if not facts["buckets"]:
        return
    yield Risk(f"posterior of {a.name}", facts["worst"], "the surest guess of a bucketed value, in the worst bucket",
               claimed(a), {"average": facts["average"]})  # fmt: skip
    known = {f"knowing_{j}": facts[f"worst_knowing_{j}"] for j in (1, 2, 3)}
    meaning = "the same for someone who knows the values of 1 (2, 3) others in the bucket"
    yield Risk(f"members known of {a.name}", known["knowing_1"], meaning, claimed(a), known)
    if a.family in NUMBERS:
        yield _proximity(release, a, facts["buckets"])


def _proximity(release: Opened, a: BoundAttribute, buckets: int) -> Risk:
    more: dict[str, float] = {"buckets": min(buckets, SAMPLED_BUCKETS)}
    for percent in (5, 10):
        params = {"attribute": a, "buckets": SAMPLED_BUCKETS, "percent": percent}
        statement = render("audit/proximity", params, release.relations)
        ((average, worst),) = release.engine.fetch(statement)
        more |= {f"average_{percent}": average, f"worst_{percent}": worst}
    meaning = "the chance that a value drawn from the bucket is within 5 % of the true one (10 % and worst beside it)"
    return Risk(f"proximity of {a.name}", more["average_5"], meaning, more=more)


def _uniqueness(release: Opened, tuples: int) -> Risk:
    statement = render("audit/insensitive_uniqueness", {"insensitive": release.bound.insensitive}, release.relations)
    ((alone,),) = release.engine.fetch(statement)
    meaning = "the share of tuples that nobody else shares the insensitive columns with; 1/k is not promised there"
    return Risk("insensitive columns", alone / tuples, meaning)


def warnings_of(release: Opened, risks: Sequence[Risk]) -> tuple[str, ...]:
    """What a publisher must know although every promise is kept."""
    warnings = []
    for risk in risks:
        if risk.name == "insensitive columns" and risk.number >= UNIQUE_SHARE:
            warnings.append(
                f"insensitive columns single out {risk.number:.1%} of tuples: whoever knows them finds the row"
            )
        if " determined by " in risk.name and risk.number >= DETERMINED_SHARE:
            warnings.append(
                f"{risk.name}: for {risk.number:.1%} of people the hidden value follows from a column that is known"
            )
    if release.place.kind == "schema":
        warnings.append("whoever opens this database also sees its other schemas; lgb export makes a copy to ship")
    if release.manifest["reproducible"]:
        warnings.append("the release is reproducible from its seed; it is for tests")
    return tuple(warnings)
