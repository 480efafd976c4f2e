"""QI patterns with fewer than k rows: merged to a common form. Reads flags and counts, never a value.

A pattern has one letter per attribute: Q a value, N a NULL quasi-identifier, S flagged. A merged form may
also hold W: withheld for all rows of the cluster.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations


@dataclass(frozen=True)
class Cluster:
    """Rows that will share one form: `members` are the patterns that went into it as a whole, ascending."""

    form: str
    size: int
    members: tuple[str, ...]


@dataclass(frozen=True)
class MergeResult:
    """The plan. `clusters` ascend by smallest member, and every pattern is a member of exactly one.

    `borrowed` names the donor cluster by its smallest member pattern, and the rows it gave. A donor that
    gave only some rows remains with its form; one that gave all is gone, its members in the borrower.
    """

    clusters: list[tuple[str, int, tuple[str, ...]]]
    borrowed: tuple[str, int] | None


def common_form(a: str, b: str) -> str:
    """Equal letters stay, different ones are withheld."""
    return "".join(x if x == y else "W" for x, y in zip(a, b, strict=True))


def cells_lost(a: str, size_a: int, b: str, size_b: int) -> int:
    """The cells that are newly withheld when rows of the forms a and b take their common form."""
    lost = 0
    for x, y, common in zip(a, b, common_form(a, b), strict=True):
        if common == "W":
            lost += (size_a if x != "W" else 0) + (size_b if y != "W" else 0)
    return lost


def merge(a: Cluster, b: Cluster) -> Cluster:
    """Both clusters as a whole, in their common form."""
    members = tuple(sorted(a.members + b.members))
    return Cluster(common_form(a.form, b.form), a.size + b.size, members)


def pair_rank(a: Cluster, b: Cluster) -> tuple[int, int, str, str, str, str]:
    """Fewest cells lost, then smaller together, then smaller forms, then smaller smallest members."""
    (form_a, member_a), (form_b, member_b) = sorted([(a.form, a.members[0]), (b.form, b.members[0])])
    lost = cells_lost(a.form, a.size, b.form, b.size)
    return lost, a.size + b.size, form_a, form_b, member_a, member_b


def rows_given(donor: Cluster, need: int, k: int) -> int:
    """A donor gives the rows needed if k or more remain, else all of its rows."""
    return need if donor.size - need >= k else donor.size


def donor_rank(borrower: Cluster, donor: Cluster, k: int) -> tuple[int, int, str, str]:
    """Fewest cells lost, then larger donor, then smaller form, then smaller smallest member."""
    given = rows_given(donor, k - borrower.size, k)
    lost = cells_lost(borrower.form, borrower.size, donor.form, given)
    return lost, -donor.size, donor.form, donor.members[0]


def merge_small(clusters: Sequence[Cluster], k: int) -> list[Cluster]:
    """Merge the best pair of small clusters until at most one small cluster is left."""
    clusters = list(clusters)
    while True:
        small = [cluster for cluster in clusters if cluster.size < k]
        if len(small) <= 1:
            return clusters
        a, b = min(combinations(small, 2), key=lambda pair: pair_rank(*pair))
        clusters.remove(a)
        clusters.remove(b)
        clusters.append(merge(a, b))


def borrow(borrower: Cluster, full: Sequence[Cluster], k: int) -> tuple[list[Cluster], tuple[str, int]]:
    """Lift the last small cluster to k rows at the cost of one full cluster."""
    donor = min(full, key=lambda cluster: donor_rank(borrower, cluster, k))
    given = rows_given(donor, k - borrower.size, k)
    others = [cluster for cluster in full if cluster is not donor]
    if given == donor.size:
        return [*others, merge(borrower, donor)], (donor.members[0], given)
    lifted = Cluster(common_form(borrower.form, donor.form), borrower.size + given, borrower.members)
    reduced = Cluster(donor.form, donor.size - given, donor.members)
    return [*others, reduced, lifted], (donor.members[0], given)


def greedy_merge(counts: Mapping[str, int], k: int) -> MergeResult:
    """The merge plan for the rows counted by pattern; clusters of the same form stay separate."""
    if any(count < 1 for count in counts.values()) or any(set(pattern) - set("QNS") for pattern in counts):
        raise ValueError("a pattern consists of Q, N and S and has at least one row")
    if sum(counts.values()) < k:
        raise ValueError("the table has fewer than k rows")
    clusters = merge_small([Cluster(pattern, size, (pattern,)) for pattern, size in counts.items()], k)
    small = [cluster for cluster in clusters if cluster.size < k]
    borrowed = None
    if small:
        clusters, borrowed = borrow(small[0], [cluster for cluster in clusters if cluster.size >= k], k)
    clusters.sort(key=lambda cluster: cluster.members[0])
    return MergeResult([(cluster.form, cluster.size, cluster.members) for cluster in clusters], borrowed)
