"""Quasi-identifier patterns with fewer than k tuples: merged, suppressed or refused.

A pattern has one letter per attribute: Q a value, N a NULL quasi-identifier, S flagged as sensitive. Clusters of
merged patterns also have W, withheld: the attribute is mixed, so none of the cluster's rows shows it. The plan is
made from flags and counts alone, once, before any flagged value is read.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import cache, cached_property
from itertools import count

from lgb_sql.errors import InfeasiblePolicyError

GREEDY_LIMIT = 1_000
"""Above this many small patterns their pairs are too many; neighbours in sorted order are merged instead."""

_TWO_BITS = str.maketrans("QNSW", "0123")
_WITHHELD = str.maketrans("QNSW", "0001")


@dataclass(frozen=True)
class Cluster:
    """Patterns that are published under one common form."""

    form: str
    size: int
    members: tuple[str, ...]

    @cached_property
    def order(self) -> tuple[str, str]:
        """Stable order among clusters, also where forms are equal."""
        return self.form, self.members[0]

    @cached_property
    def bits(self) -> int:
        """The form as two bits per attribute: two forms differ where their exclusive or has a bit."""
        return int(self.form.translate(_TWO_BITS) or "0", 4)

    @cached_property
    def withheld(self) -> int:
        """One bit per withheld attribute, at the place of its lower bit."""
        return int(self.form.translate(_WITHHELD) or "0", 4)


@dataclass(frozen=True)
class Borrowing:
    """The last small cluster takes this many rows from a full one."""

    donor: Cluster
    borrower: Cluster
    rows: int


@dataclass(frozen=True)
class PatternPlan:
    """What becomes of every pattern."""

    clusters: tuple[Cluster, ...]
    suppressed: tuple[str, ...] = ()
    borrowing: Borrowing | None = None


def common_form(a: str, b: str) -> str:
    """Equal letters stay, different ones become W."""
    return "".join(x if x == y else "W" for x, y in zip(a, b, strict=True))


def cells_lost(a: Cluster, b: Cluster, rows_of_b: int | None = None) -> int:
    """How many cells a merge newly withholds."""
    size_b = b.size if rows_of_b is None else rows_of_b
    different = a.bits ^ b.bits
    mixed = (different | different >> 1) & _lower_bits(len(a.form))
    return a.size * (mixed & ~a.withheld).bit_count() + size_b * (mixed & ~b.withheld).bit_count()


@cache
def _lower_bits(attributes: int) -> int:
    return int("1" * attributes or "0", 4)


def merged(a: Cluster, b: Cluster) -> Cluster:
    """One cluster out of two."""
    return Cluster(common_form(a.form, b.form), a.size + b.size, tuple(sorted(a.members + b.members)))


def plan_patterns(counts: Mapping[str, int], k: int, mode: str, suppression_limit: float) -> PatternPlan:
    """Decide on all small patterns: `merge`, `suppress` within the limit, or `error`."""
    clusters = [Cluster(pattern, size, (pattern,)) for pattern, size in sorted(counts.items())]
    small = [cluster for cluster in clusters if cluster.size < k]
    full = [cluster for cluster in clusters if cluster.size >= k]
    if not small:
        return PatternPlan(tuple(full))
    if mode == "merge":
        return _merge(full, small, k)
    tuples = sum(cluster.size for cluster in small)
    total = sum(counts.values())
    if mode == "error":
        raise InfeasiblePolicyError(
            f"{len(small):,} combinations of flags and NULLs have fewer than k = {k} tuples "
            f"({tuples:,} of {total:,} tuples).",
            'set small_patterns = "merge" or "suppress", or lower k',
        )
    if not full:
        raise InfeasiblePolicyError(
            f"all {total:,} tuples have a combination of flags and NULLs with fewer than k = {k} tuples; suppressing "
            "them leaves nothing.",
            'set small_patterns = "merge", or lower k',
        )
    if tuples > Decimal(str(suppression_limit)) * total:
        raise InfeasiblePolicyError(
            f"{tuples:,} of {total:,} tuples have a combination of flags and NULLs with fewer than k = {k} "
            f"tuples; suppressing them exceeds suppression_limit = {suppression_limit:g}.",
            f'set small_patterns = "merge", lower k, or raise suppression_limit to {_rounded_up(tuples, total)}',
        )
    return PatternPlan(tuple(full), suppressed=tuple(cluster.form for cluster in small))


def _rounded_up(part: int, whole: int) -> Decimal:
    """A share with four digits that is not below the true one."""
    return Decimal(-(-10_000 * part // whole)).scaleb(-4)


def _merge(full: list[Cluster], small: list[Cluster], k: int) -> PatternPlan:
    merge = _merge_greedily if len(small) <= GREEDY_LIMIT else _merge_neighbours
    clusters = [*full, *merge(small, k)]
    rest = [cluster for cluster in clusters if cluster.size < k]
    if not rest:
        return PatternPlan(tuple(clusters))
    (borrower,) = rest
    others = [cluster for cluster in clusters if cluster is not borrower]
    return _borrow(others, borrower, k)


def _merge_greedily(small: list[Cluster], k: int) -> list[Cluster]:
    """Merge the pair that loses the fewest cells, again and again; at most one cluster below k remains."""
    pool = dict(enumerate(small))
    numbers = count(len(small))
    pairs = [_pair(pool, a, b) for a in pool for b in range(a)]
    heapq.heapify(pairs)
    done: list[Cluster] = []
    while pairs:
        *_, a, b = heapq.heappop(pairs)
        if a not in pool or b not in pool:
            continue
        cluster = merged(pool.pop(a), pool.pop(b))
        if cluster.size >= k:
            done.append(cluster)
            continue
        new = next(numbers)
        pool[new] = cluster
        for other in list(pool):
            if other != new:
                heapq.heappush(pairs, _pair(pool, new, other))
    return [*done, *pool.values()]


def _pair(pool: Mapping[int, Cluster], a: int, b: int) -> tuple[int, int, str, str, str, str, int, int]:
    """The price of a merge and what breaks ties, then the two clusters."""
    first, second = pool[a], pool[b]
    if second.order < first.order:
        first, second = second, first
    size = first.size + second.size
    members = (first.members[0], second.members[0])
    return (cells_lost(first, second), size, first.form, second.form, *members, a, b)


def _merge_neighbours(small: list[Cluster], k: int) -> list[Cluster]:
    """Merge runs of patterns in sorted order until each has k tuples; the rest joins the last run."""
    done: list[Cluster] = []
    for run in _runs(small, k):
        form, members = run[0].form, tuple(sorted(cluster.form for cluster in run))
        for cluster in run[1:]:
            form = common_form(form, cluster.form)
        done.append(Cluster(form, sum(cluster.size for cluster in run), members))
    return done


def _runs(small: list[Cluster], k: int) -> Iterator[list[Cluster]]:
    ready: list[Cluster] = []
    run: list[Cluster] = []
    for cluster in small:
        run.append(cluster)
        if sum(member.size for member in run) >= k:
            if ready:
                yield ready
            ready, run = run, []
    yield [*ready, *run]


def _borrow(full: list[Cluster], borrower: Cluster, k: int) -> PatternPlan:
    """Take just the missing rows from the full cluster that loses the fewest cells, leaving it 0 or >= k."""
    need = k - borrower.size
    offers = [(donor, need if donor.size - need >= k else donor.size) for donor in full]
    if not offers:
        raise InfeasiblePolicyError(
            f"the table has {borrower.size:,} tuples, fewer than k = {k}.",
            f"lower k to {borrower.size} or less",
        )
    donor, rows = min(
        offers, key=lambda offer: (cells_lost(borrower, offer[0], offer[1]), -offer[0].size, offer[0].order)
    )
    others = tuple(cluster for cluster in full if cluster is not donor)
    if rows == donor.size:
        return PatternPlan((*others, merged(borrower, donor)))
    grown = Cluster(common_form(borrower.form, donor.form), k, borrower.members)
    left = Cluster(donor.form, donor.size - rows, donor.members)
    return PatternPlan((*others, left, grown), borrowing=Borrowing(left, grown, rows))
