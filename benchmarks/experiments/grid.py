"""Which points are measured: the paper's grid, its baselines, and the grid's middle with hierarchies."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from benchmarks.results import Point

PAPER_METHODS = ("mdp", "ncp")
METHODS = (*PAPER_METHODS, "fast", "tight")
GENERALIZATION, BUCKETIZATION = "generalization", "bucketization"
"""The baselines of the paper's first figures: no flags and sensitive values untouched, and Anatomy."""
KEYS = ("table", "method", "hierarchies", "k", "l", "density", "seed", "queries")

SIZES = (5, 8, 10)
DIVERSITIES = (5, 8, 10, 12, 15, 18, 20)
DENSITIES = (10, 20, 30, 40)
DENSITY = 20
"""Percent of flagged values in every experiment but that on density."""
DIVERSITY = 10
"""The l of the runs with hierarchies: it changes no group."""


@dataclass(frozen=True)
class Grid:
    """The parameters; a test takes fewer."""

    table: str
    seeds: int
    queries: int
    with_hierarchies: bool
    ks: Sequence[int] = SIZES
    ls: Sequence[int] = DIVERSITIES
    densities: Sequence[int] = DENSITIES

    def points(self) -> Iterator[Point]:
        """Seed by seed, so that an interrupted run leaves whole repetitions."""
        for seed in range(1, self.seeds + 1):
            for method, k, l in product(METHODS, self.ks, self.ls):
                yield self._point(seed, method, k, l, DENSITY)
            for density, k, l in product(self.densities, self.ks, self.ls):
                if density != DENSITY:
                    yield self._point(seed, "mdp", k, l, density)
            if self.with_hierarchies:
                for method, k in product(METHODS, self.ks):
                    yield self._point(seed, method, k, DIVERSITY, DENSITY, hierarchies=True)
            for k in self.ks:
                yield self._point(seed, GENERALIZATION, k, None, 0)
            for l in self.ls:
                yield self._point(seed, BUCKETIZATION, None, l, 0)

    def _point(
        self, seed: int, method: str, k: int | None, l: int | None, density: int, hierarchies: bool = False
    ) -> Point:
        values = (self.table, method, hierarchies, k, l, density, seed, self.queries)
        return dict(zip(KEYS, values, strict=True))
