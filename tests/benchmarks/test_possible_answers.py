"""Tables behind a release: they fit it, their sums lie within the certain bounds, and what does not fit is told."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from statistics import median

import duckdb
import numpy as np
import pyarrow as pa
import pytest

import lgb_sql
from benchmarks.experiments.queries import Query, ask, make_queries
from benchmarks.people import FLAGGED, make_people, policy
from benchmarks.plain_answers import Array, Reading
from benchmarks.possible_answers import Table, Worlds, fits, required

EVERYTHING = "age >= 0 AND sex IN ('Female', 'Male')"


class Small:
    """A small release, read, with queries."""

    def __init__(self, release: lgb_sql.Release, reading: Reading, queries: list[Query]) -> None:
        self.release = release
        self.reading = reading
        self.queries = queries
        self.worlds = Worlds(reading)

    def world(self) -> Table:
        return self.worlds.greatest("age > 40 AND sex IN ('Female') AND hours_per_week < 50")


@pytest.fixture(scope="module", params=["fast", "tight"])
def small(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Small]:
    directory: Path = tmp_path_factory.mktemp("possible")
    source = make_people(directory, 400)
    seeded = lgb_sql.RunOptions(seed=1)  # how extreme the tables are depends on the groups, which `tight` draws
    release = lgb_sql.anonymize(source, policy(request.param, k=4), to=directory / "release.duckdb", options=seeded)
    with release.connect() as connection:
        yield Small(release, Reading(connection, "salary"), make_queries(source, 20, 1))


def changed(table: Table, name: str, places: Array) -> Table:
    return replace(table, places={**table.places, name: places})


def test_sums_lie_within_the_certain_bounds(small: Small) -> None:
    shares = []
    for query, answer in zip(small.queries, ask(small.release, small.queries), strict=True):
        low, high = small.worlds.sums(query.predicate)
        assert answer.lower <= low <= high <= answer.upper, query.predicate
        shares.append((high - low) / (answer.upper - answer.lower) if answer.lower < answer.upper else 1)
    assert median(shares) > 0.85, "either tables are not extreme or bounds are too wide"


def test_a_condition_that_all_satisfy_leaves_nothing_open(small: Small) -> None:
    everybody = sum(map(sum, small.reading.values))
    assert small.worlds.sums(EVERYTHING) == (everybody, everybody)


def test_every_table_fits(small: Small) -> None:
    for query in small.queries:
        assert fits(small.reading, small.worlds.least(query.predicate))
        assert fits(small.reading, small.worlds.greatest(query.predicate))


def test_sums_are_what_the_table_answers(small: Small) -> None:
    for query in small.queries[:5]:
        for table in (small.worlds.least(query.predicate), small.worlds.greatest(query.predicate)):
            domains = {name: small.reading.cells[name].domain for name in table.places}
            named = {name: [domains[name][place] for place in places] for name, places in table.places.items()}
            released = pa.table({**named, "salary": table.target})
            with duckdb.connect() as connection:
                connection.register("released", released)
                (answer,) = connection.execute(query.sql).fetchall()[0]
            assert small.worlds.total(table, query.predicate) == (answer or 0)


def test_a_bucket_keeps_its_values(small: Small) -> None:
    table, bucket = small.world(), small.reading.bucket
    other = int(np.flatnonzero((bucket != bucket[0]) & (table.target != table.target[0]))[0])
    target = table.target.copy()
    target[[0, other]] = target[[other, 0]]
    assert not fits(small.reading, replace(table, target=target))
    for name in FLAGGED.keys() & table.places.keys():
        cells, places = small.reading.cells[name].of_tuple, table.places[name].copy()
        first = int(np.flatnonzero(cells >= small.reading.groups)[0])
        second = int(np.flatnonzero((cells == cells[first]) & (places != places[first]))[0])
        places[first] = places[second]
        assert not fits(small.reading, changed(table, name, places))


def test_a_group_stays_within_its_range_and_reaches_both_ends(small: Small) -> None:
    table, name = small.world(), "hours_per_week"
    cells, places = small.reading.cells[name], table.places[name]
    cell, end = (int(found[0]) for found in np.nonzero(required(small.reading, name)))
    members = np.flatnonzero(cells.of_tuple == cell)
    inside = np.flatnonzero(cells.counts[cell])
    assert {inside[0], inside[-1]} <= set(places[members].tolist())
    for place in (end, (int(inside[-1]) + 1) % len(cells.domain)):
        moved = places.copy()
        moved[members] = place
        assert fits(small.reading, changed(table, name, moved)) == (len(inside) == 1 and place == end)


def test_every_member_of_a_set_occurs(small: Small) -> None:
    name = "education"
    table = small.worlds.least("age > 40 AND education IN ('Grade 12') AND sex IN ('Male')")
    cells, places = small.reading.cells[name], table.places[name].copy()
    cell = int(np.flatnonzero((cells.counts > 0).sum(axis=1) > 1)[0])
    places[cells.of_tuple == cell] = np.flatnonzero(cells.counts[cell])[0]
    assert fits(small.reading, table)
    assert not fits(small.reading, changed(table, name, places))


def test_two_conditions_on_an_attribute_are_refused(small: Small) -> None:
    with pytest.raises(ValueError, match="at most one"):
        small.worlds.sums("age > 40 AND age < 50")
