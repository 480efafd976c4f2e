"""An adversary who learns: how shown attributes go with flagged values, from the release alone (a deFinetti attack).

Expectation and maximization in turn. A naive Bayes model of clues given values, and assignments of values to the
tuples of a bucket that are balanced so that every tuple has one value and every value its number of tuples.
"""

from __future__ import annotations

from lgb_sql.audit.facts import one_row
from lgb_sql.audit.reading import Opened
from lgb_sql.audit.risks import claimed
from lgb_sql.audit.verdict import Risk
from lgb_sql.binding import BoundAttribute, BoundPolicy
from lgb_sql.release_names import sat
from lgb_sql.render import render

ROUNDS = 5
SAMPLED_TUPLES = 5_000
MOST_CLUES = 16


def correlation_risk(release: Opened, bound: BoundPolicy, a: BoundAttribute) -> Risk:
    """The share of flagged values that are guessed rightly after learning."""
    engine = release.engine
    aliases = {**release.relations, "sat": release.relations[sat(a.name)]}
    one = {"attribute": a}
    others = tuple(other for other in bound.generalised if other.name != a.name)[:MOST_CLUES]
    sampled = max(1, SAMPLED_TUPLES * release.buckets(a.name) // max(1, release.count(sat(a.name))))
    engine.materialize("value_kinds", render("audit/value_kinds", one, aliases))
    engine.materialize("guesses", render("audit/guesses", {**one, "buckets": sampled}, aliases))
    if others:
        engine.materialize("group_clues", render("audit/group_clues", {"attributes": others}, aliases))
        engine.materialize("shown_lessons", render("audit/shown_lessons", one, aliases))
        for _ in range(ROUNDS):
            engine.materialize("lessons", render("audit/lessons"))
            engine.materialize("next_guesses", render("audit/next_guesses"))
            engine.replace("guesses", "next_guesses")
    facts = one_row(engine, render("audit/learned", one))
    engine.drop("guesses", "lessons", "group_clues", "shown_lessons", "value_kinds")
    return Risk(
        f"learned correlation of {a.name}", facts["accuracy"] or 0.0,
        "the share of hidden values that someone guesses rightly who learns how attributes go together",
        claimed(a), {"by_chance": facts["by_chance"] or 0.0, "people": facts["people"]},
    )  # fmt: skip
