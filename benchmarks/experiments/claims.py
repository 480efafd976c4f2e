"""What the paper claims of its experiments, and whether it holds in what was measured.

Seeds may have been measured at different parameters. Whatever compares values of a parameter uses complete blocks
alone: points that were measured at every one of its values, with all else equal.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import fmean
from typing import Any

from benchmarks.experiments.grid import DENSITY, KEYS, PAPER_METHODS

Rows = Sequence[dict[str, Any]]
BELOW = 0.14
"""How far NCP of `ncp` is below that of `mdp`, at least."""
UNAFFECTED = 0.01
"""The largest change that still counts as none."""
DOUBLED = (5, 10)
"""Values that both k and l take."""
ERRORS = {
    "error": "the paper's interval",
    "error_median": "the paper's interval, median instead of mean of the queries",
    "error_certain": "certain bounds",
}


@dataclass(frozen=True)
class Claim:
    """A claim, whether it holds (None: not measured), and the numbers."""

    says: str
    holds: bool | None
    numbers: str

    @property
    def verdict(self) -> str:
        """In words."""
        return "not measured" if self.holds is None else "holds" if self.holds else "does not hold"


def claims(rows: Rows) -> Iterator[Claim]:
    """All claims, in the order of the paper; `rows` are the finished points of one table."""
    plain = chosen(rows, hierarchies=False)
    usual = chosen(plain, density=DENSITY)
    yield _told("C_DM of `mdp` is much lower than that of `ncp`", usual, _even_groups)
    yield _told("C_DM is unaffected by l", usual, _unaffected_by_l)
    below = f"NCP of `ncp` is {BELOW:.0%} or more below that of `mdp`"
    yield _told(f"{below} (hierarchies)", chosen(rows, hierarchies=True), _less_lost)
    yield _told(f"{below} (without hierarchies: sets of values)", usual, _less_lost)
    for figure, bounds in ERRORS.items():
        asked = [row for row in usual if row[figure] is not None]
        yield _told(f"The relative error grows with k ({bounds})", asked, _grows(figure, "k"))
        yield _told(f"The relative error grows with l ({bounds})", asked, _grows(figure, "l"))
        yield _told(f"It is affected more by k than by l ({bounds})", asked, _more_by_k(figure))
        yield _told(f"At small l `mdp` errs less than `ncp`, at large l alike ({bounds})", asked, _closing(figure))
        dense = [row for row in chosen(plain, method="mdp") if row[figure] is not None]
        yield _told(f"The relative error falls as the density of flags grows ({bounds})", dense, _falls(figure))


def chosen(rows: Rows, **where: Any) -> list[dict[str, Any]]:
    """Rows with these values."""
    return [row for row in rows if all(row[name] == value for name, value in where.items())]


def complete(rows: Rows, name: str) -> list[dict[str, Any]]:
    """Rows of blocks that have every value of one parameter, all others being equal."""
    others = [key for key in KEYS if key != name]
    blocks: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    for row in rows:
        blocks.setdefault(tuple(row[key] for key in others), []).append(row)
    whole = len(values(rows, name))
    return [row for block in blocks.values() if len(values(block, name)) == whole for row in block]


def mean(rows: Rows, figure: str, **where: Any) -> float:
    return fmean(row[figure] for row in chosen(rows, **where))


def values(rows: Rows, name: str) -> list[Any]:
    """The different values of a column, in order."""
    return sorted({row[name] for row in rows})


def _told(says: str, rows: Rows, judge: Callable[[Rows], tuple[bool, str]]) -> Claim:
    measured = [row for row in rows if row["method"] in PAPER_METHODS]
    return Claim(says, *judge(measured)) if measured else Claim(says, None, "")


def _ratios(rows: Rows, figure: str) -> dict[int, list[float]]:
    """ncp / mdp for each k, one for each seed."""
    both = complete(rows, "method")
    return {
        k: [
            mean(both, figure, method="ncp", k=k, seed=seed) / mean(both, figure, method="mdp", k=k, seed=seed)
            for seed in values(chosen(both, k=k), "seed")
        ]
        for k in values(both, "k")
    }


def _range(numbers: Sequence[float], form: str) -> str:
    low, high = format(min(numbers), form), format(max(numbers), form)
    return low if low == high else f"{low} to {high}"


def _even_groups(rows: Rows) -> tuple[bool, str]:
    ratios = _ratios(rows, "c_dm")
    shown = ", ".join(f"k = {k}: {_range(found, '.2f')}" for k, found in ratios.items())
    return all(min(found) > 1 for found in ratios.values()), f"C_DM of `ncp` / `mdp`: {shown}"


def _unaffected_by_l(rows: Rows) -> tuple[bool, str]:
    largest = {}
    for method in PAPER_METHODS:
        changes = []
        for k in values(rows, "k"):
            for seed in values(rows, "seed"):
                found = [row["c_dm"] for row in chosen(rows, method=method, k=k, seed=seed)]
                changes.append(max(found, default=1) / min(found, default=1) - 1)
        largest[method] = max(changes)
    shown = ", ".join(f"`{method}` {change:.2%}" for method, change in largest.items())
    return max(largest.values()) <= UNAFFECTED, f"largest change over l at the same k and seed: {shown}"


def _less_lost(rows: Rows) -> tuple[bool, str]:
    below = {k: [1 - ratio for ratio in found] for k, found in _ratios(rows, "ncp").items()}
    shown = ", ".join(f"k = {k}: {_range(found, '.1%')}" for k, found in below.items())
    return all(min(found) >= BELOW for found in below.values()), f"below by {shown}"


def _by(rows: Rows, figure: str, name: str, method: str) -> dict[Any, float]:
    """Means for each value of a parameter, over the same points for all of them."""
    blocks = complete(chosen(rows, method=method), name)
    return {value: mean(blocks, figure, **{name: value}) for value in values(blocks, name)}


def _shown(found: dict[Any, float], name: str) -> str:
    return f"{name} = " + ", ".join(f"{value}: {number:.3g}" for value, number in found.items())


def _grows(figure: str, name: str) -> Callable[[Rows], tuple[bool, str]]:
    def judge(rows: Rows) -> tuple[bool, str]:
        found = {method: _by(rows, figure, name, method) for method in PAPER_METHODS}
        rising = all(before < after for by in found.values() for before, after in pairwise(by.values()))
        return rising, "; ".join(f"`{method}`, {_shown(by, name)}" for method, by in found.items())

    return judge


def _more_by_k(figure: str) -> Callable[[Rows], tuple[bool, str]]:
    """What doubling k does to the mean error, against what doubling l does."""

    def judge(rows: Rows) -> tuple[bool, str]:
        growth = {}
        for method in PAPER_METHODS:
            for name in ("k", "l"):
                by = _by(rows, figure, name, method)
                growth[method, name] = by[DOUBLED[1]] / by[DOUBLED[0]]
        more = all(growth[method, "k"] > growth[method, "l"] for method in PAPER_METHODS)
        shown = ", ".join(f"`{method}`, {name} doubled: times {ratio:.2f}" for (method, name), ratio in growth.items())
        return more, shown

    return judge


def _closing(figure: str) -> Callable[[Rows], tuple[bool, str]]:
    def judge(rows: Rows) -> tuple[bool, str]:
        mdp, ncp = (_by(rows, figure, "l", method) for method in PAPER_METHODS)
        ratios = {l: mdp[l] / ncp[l] for l in mdp}
        first, last = (ratios[end] for end in (min(ratios), max(ratios)))
        return first < 1 and abs(last - 1) < abs(first - 1), f"error of `mdp` / `ncp`, {_shown(ratios, 'l')}"

    return judge


def _falls(figure: str) -> Callable[[Rows], tuple[bool, str]]:
    def judge(rows: Rows) -> tuple[bool, str]:
        found = _by(rows, figure, "density", "mdp")
        return all(before > after for before, after in pairwise(found.values())), _shown(found, "percent flagged")

    return judge
