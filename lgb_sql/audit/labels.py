"""Whether ids were drawn at random: rids, gids and bids must follow nothing that the release shows.

Correlations of a random order have variance 1/n, so |r| times the root of n above 6 comes by chance once in 10^8.
A false alarm is that rare whatever the table; fewer than 37 labels cannot raise one.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import isfinite, sqrt

from lgb_sql.audit.reading import Opened
from lgb_sql.audit.verdict import Result, judged
from lgb_sql.binding import BoundAttribute
from lgb_sql.render import Sql, identifier, render

LIMIT = 6.0
_PROMISE = "ids were drawn at random, so they follow nothing that is shown"


def label_checks(release: Opened) -> Iterator[Result]:
    """Rids against every other label, gids against what groups show, bids against what buckets hold."""
    yield _result("secrecy of rid", [*_rids(release)])
    yield _result("secrecy of gid", [*_gids(release)])
    for a in release.bound.bucketed:
        yield _result(f"secrecy of bid of {a.name}", [*_bids(release, a)])


def _result(name: str, scores: list[float]) -> Result:
    largest = max(scores, default=0.0)
    measured = f"strongest pattern {largest:.2g} of {LIMIT:g} allowed"
    return judged(name, _PROMISE, sum(score > LIMIT for score in scores), measured, measured)


def _rids(release: Opened) -> Iterator[float]:
    groups = release.relations["groups"]
    yield from _row_scores(release, "gid", "size", groups)
    for a in release.bound.bucketed:
        yield from _row_scores(release, f"{a.name}_bid", "tuples", identifier(f"bucket_rows_{a.name}"))
    for a in release.bound.insensitive:
        yield from _label_scores(release, release.relations["tuples"], "rid", a.name)


def _gids(release: Opened) -> Iterator[float]:
    groups = release.relations["groups"]
    yield from _label_scores(release, groups, "gid", "size")
    for a in release.bound.generalised:
        for suffix in ("lo", "hi") if a.ordered else ("set",):
            yield from _label_scores(release, groups, "gid", f"{a.name}_{suffix}")


def _bids(release: Opened, a: BoundAttribute) -> Iterator[float]:
    for content in ("tuples", "least", "most"):
        yield from _label_scores(release, identifier(f"bucket_contents_{a.name}"), "bid", content)
    rows = identifier(f"bucket_rows_{a.name}")
    means = [name for name, _ in release.engine.describe(f"SELECT * FROM {rows}") if name not in ("bid", "tuples")]
    for mean in means:
        yield from _label_scores(release, rows, "bid", mean)


def _label_scores(release: Opened, relation: Sql, label: str, content: str) -> Iterator[float]:
    statement = render("audit/label_order", {"label": label, "content": content}, {"checked": relation})
    ((labels, trend, serial),) = release.engine.fetch(statement)
    yield _score(trend, labels)
    yield _score(serial, labels)


def _row_scores(release: Opened, label: str, size: str, sizes: Sql) -> Iterator[float]:
    aliases = {"tuples": release.relations["tuples"], "label_sizes": sizes}
    statement = render("audit/row_order", {"label": label, "size": size}, aliases)
    ((tuples, trend, repeats, by_chance),) = release.engine.fetch(statement)
    yield _score(trend, tuples)
    # repeats are nearly Poisson; the 12 keeps small expectations from alarming
    by_chance = by_chance or 0.0
    yield max(0.0, (repeats - by_chance - 12) / sqrt(max(by_chance, 1.0)) - 2)


def _score(correlation: float | None, count: int) -> float:
    if correlation is None or not isfinite(correlation) or count < 3:
        return 0.0
    return abs(correlation) * sqrt(count - 1)
