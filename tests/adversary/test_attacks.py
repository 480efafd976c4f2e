"""The red team: every attack is at chance level on a real release, and succeeds against its broken twin.

The threshold is chance plus five standard deviations, so one in some million runs fails without a cause.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import sqrt
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import lgb_sql
from lgb_sql import RunOptions
from tests.adversary import attacks, broken
from tests.support import PEOPLE_POLICY, people, read_crosswalk

N = 2_000
BUCKETED = ("age", "occupation", "salary")
NAMES = [f"Zzyzx Person-{number:05}" for number in range(N)]
"""Identifiers that no other cell resembles."""


def policy(**changes: Any) -> dict[str, Any]:
    attributes = {**PEOPLE_POLICY["attributes"], "name": {"role": "identifier"}}
    return {**PEOPLE_POLICY, "key": "id", "attributes": attributes, **changes}


@dataclass(frozen=True)
class Made:
    """A real release in both forms, and what only the publisher knows."""

    bucketization: str
    table: pa.Table
    release: Path
    files: Path
    rids: dict[Any, int]
    """id -> rid"""

    def truth(self, attribute: str) -> dict[int, Any]:
        values = dict(zip(self.table["id"].to_pylist(), self.table[attribute].to_pylist(), strict=True))
        return {rid: values[key] for key, rid in self.rids.items()}


@pytest.fixture(scope="module", params=["sweep", "stride", "m_invariance"])
def made(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Made:
    directory = tmp_path_factory.mktemp("adversary")
    table = people(N).append_column("name", pa.array(NAMES))
    release, files = directory / "release.duckdb", directory / "files"
    crosswalk = directory / "crosswalk.parquet"
    lgb_sql.anonymize(table, policy(bucketization=request.param), to=release, crosswalk=crosswalk)
    lgb_sql.export(release, to=files)
    return Made(
        request.param, table, release, files, {key: rid for key, rid in read_crosswalk(crosswalk).items() if rid}
    )


def limit(chances: list[float]) -> float:
    """Chance level plus five standard deviations of the share of right guesses."""
    n, p = len(chances), sum(chances) / len(chances)
    return float(p + 5 * sqrt(p * (1 - p) / n))


def share(guesses: Mapping[Any, Any], truth: Mapping[Any, Any]) -> float:
    return float(sum(truth[key] == guess for key, guess in guesses.items()) / len(guesses))


def chances(release: Path, attribute: str) -> list[float]:
    rids, _ = attacks.buckets_of(attacks.read(release), attribute)
    return [1 / len(members) for members in rids.values() for _ in members]


@pytest.mark.parametrize("attribute", BUCKETED)
def test_positional_join(made: Made, attribute: str, tmp_path: Path) -> None:
    truth = made.truth(attribute)
    threshold = limit(chances(made.release, attribute))
    for release in (made.release, made.files):
        assert share(attacks.positional_join(attacks.read(release), attribute), truth) <= threshold
    renamed = broken.written_from_one_relation(made.release, tmp_path / "twin.duckdb", attribute, truth)
    twin = attacks.positional_join(attacks.read(tmp_path / "twin.duckdb"), attribute)
    assert share(twin, {renamed[rid]: value for rid, value in truth.items()}) == 1


def test_tie_order(made: Made, tmp_path: Path) -> None:
    """Wrong pruning makes it worse than chance on a real release; the twin gives up to half of all values away."""
    attribute = "salary"

    def right(release: Path, truth: Mapping[int, Any]) -> float:
        possible = attacks.tie_order(attacks.read(release), attribute)
        return sum((truth[rid] in found) / max(len(found), 1) for rid, found in possible.items()) / len(possible)

    threshold = limit(chances(made.release, attribute))
    assert right(made.release, made.truth(attribute)) <= threshold
    truth = seeded(made, tmp_path).truth(attribute)
    broken.ties_by_rid(tmp_path / "seeded.duckdb", tmp_path / "twin.duckdb", attribute, truth)
    assert right(tmp_path / "twin.duckdb", truth) > threshold + 0.02


def seeded(made: Made, directory: Path) -> Made:
    """A release that is always the same: how much a twin gives away is a matter of luck."""
    release, links = directory / "seeded.duckdb", directory / "seeded.parquet"
    given = policy(bucketization=made.bucketization, generalization="fast")
    lgb_sql.anonymize(made.table, given, to=release, crosswalk=links, options=RunOptions(seed=1))
    return replace(made, release=release, rids={key: rid for key, rid in read_crosswalk(links).items() if rid})


def test_labels(made: Made, tmp_path: Path) -> None:
    for release in (made.release, made.files):
        scores = attacks.label_patterns(attacks.read(release), BUCKETED)
        assert max(scores.values()) < 5, scores
    broken.labels_in_order(made.release, tmp_path / "twin.duckdb", "salary")
    twin = attacks.label_patterns(attacks.read(tmp_path / "twin.duckdb"), BUCKETED)
    assert twin["bid along values of salary"] > 10
    assert twin["gid along age_lo"] > 10


def test_leftovers_in_bytes_logs_statistics_and_dictionaries(made: Made, tmp_path: Path) -> None:
    assert attacks.leftovers(made.release, NAMES) == 0
    assert attacks.leftovers(made.files, NAMES) == 0
    broken.dropped_raw_table(made.release, tmp_path / "dropped.duckdb", NAMES)
    assert attacks.leftovers(tmp_path / "dropped.duckdb", [name[:6] for name in NAMES[:1]]) == 1
    broken.shipped_with_its_log(made.release, tmp_path / "logged.duckdb", NAMES)
    assert attacks.leftovers(tmp_path / "logged.duckdb", NAMES) > 0
    broken.stale_statistics(made.release, tmp_path / "stale.duckdb", NAMES[0])
    assert attacks.leftovers(tmp_path / "stale.duckdb", [NAMES[0][:8]]) == 1
    broken.kept_dictionary(made.files, tmp_path / "dictionary", NAMES)
    assert attacks.leftovers(tmp_path / "dictionary", NAMES) == N
    broken.note_in_a_footer(made.files, tmp_path / "noted", NAMES[7])
    assert attacks.leftovers(tmp_path / "noted", NAMES) == 1


def test_view_texts(made: Made, tmp_path: Path) -> None:
    words = [*NAMES, "people", "name", "age_private", "source", "Private", str(tmp_path.parent)]
    told = attacks.view_texts(made.release)
    assert not [word for word in words if word in told]
    broken.view_on_the_source(made.release, tmp_path / "twin.duckdb", NAMES[3])
    assert NAMES[3] in attacks.view_texts(tmp_path / "twin.duckdb")


def test_pseudonym_inversion(made: Made, tmp_path: Path) -> None:
    threshold = limit([1 / N] * N)
    inverted = attacks.pseudonym_inversion(list(made.rids))
    assert max(share(guesses, made.rids) for guesses in inverted.values()) <= threshold
    renamed = broken.rids_by_hash(made.release, tmp_path / "twin.duckdb", {rid: key for key, rid in made.rids.items()})
    twin = {key: renamed[rid] for key, rid in made.rids.items()}
    assert share(inverted["md5"], twin) == 1


def test_source_order(made: Made) -> None:
    """A rid does not follow the row's place in the source."""
    assert attacks.deviation(list(made.rids.values()), list(made.rids)) < 5
    assert attacks.deviation(list(range(N)), sorted(made.rids)) > 10


def test_replay_of_a_default_seed(made: Made, tmp_path: Path) -> None:
    small = made.table.slice(0, 400)
    known = policy(k=3, bucketization=made.bucketization, generalization="fast")  # rids are drawn after any groups
    lgb_sql.anonymize(small, known, to=tmp_path / "r.duckdb", crosswalk=tmp_path / "c.parquet")
    secret = read_crosswalk(tmp_path / "c.parquet")
    threshold = limit([1 / 400] * 400)
    replays = attacks.replay(small, known, (0, 1, 42))
    for replayed in replays:
        assert share(replayed, secret) <= threshold
    options = RunOptions(seed=42)
    lgb_sql.anonymize(small, known, to=tmp_path / "t.duckdb", crosswalk=tmp_path / "t.parquet", options=options)
    seeded = read_crosswalk(tmp_path / "t.parquet")
    assert max(share(replayed, seeded) for replayed in replays) == 1
    assert not lgb_sql.audit(tmp_path / "t.duckdb")


@dataclass(frozen=True)
class Again:
    """Another release of the same people: where it is, and which rid in it is which rid of the first."""

    release: Path
    same: dict[int, int]


@pytest.fixture(scope="module")
def again(made: Made, tmp_path_factory: pytest.TempPathFactory) -> Again:
    directory = tmp_path_factory.mktemp("again")
    release, links = directory / "again.duckdb", directory / "again.parquet"
    another = "sweep" if made.bucketization == "stride" else "stride"
    lgb_sql.anonymize(made.table, policy(bucketization=another), to=release, crosswalk=links)
    return Again(release, {made.rids[key]: rid for key, rid in read_crosswalk(links).items() if rid})


@pytest.mark.parametrize("attribute", BUCKETED)
def test_intersection_of_two_releases(made: Made, again: Again, attribute: str) -> None:
    """The same release twice tells nothing new; another one of the same people tells most: hence the ledger."""
    truth = made.truth(attribute)
    one = attacks.read(made.release)

    def right(found: dict[int, Any]) -> float:
        return float(sum(values[truth[rid]] / values.total() for rid, values in found.items()) / len(found))

    same = {rid: rid for rid in made.rids.values()}
    threshold = limit(chances(made.release, attribute))
    assert right(attacks.intersection(one, attacks.read(made.files), attribute, same)) <= threshold
    other = attacks.read(again.release)
    assert right(attacks.intersection(one, other, attribute, again.same)) > threshold + 0.1
