"""Random streams: one per purpose, used once; a seed makes them reproducible."""

from __future__ import annotations

from collections import Counter

import pytest

from lgb_sql.randomness import BATCH, Randomness


def keys(randomness: Randomness, purpose: str, rows: int) -> list[int]:
    values: list[int] = randomness.keys(purpose, rows).read_all()["secret_key"].to_pylist()
    return values


@pytest.mark.parametrize("seed", [None, 0, 7])
def test_a_purpose_is_drawn_once(seed: int | None) -> None:
    randomness = Randomness(seed)
    keys(randomness, "ties of age", 3)
    with pytest.raises(ValueError, match="twice"):
        randomness.keys("ties of age", 3)
    assert randomness.reproducible == (seed is not None)


def test_seeded_streams_repeat_and_differ_by_purpose_and_seed() -> None:
    assert keys(Randomness(1), "a", 100) == keys(Randomness(1), "a", 100)
    streams = [keys(Randomness(seed), purpose, 100) for seed in (1, 2, 12) for purpose in ("a", "b", "a/0", "2/a")]
    assert len({tuple(stream) for stream in streams}) == len(streams)
    assert not set(streams[0]) & set(streams[1])


def test_purposes_and_seeds_do_not_run_together() -> None:
    """Seed 1 with purpose `1/a` is not seed 11 with purpose `a`."""
    assert keys(Randomness(1), "1/a", 10) != keys(Randomness(11), "a", 10)
    assert keys(Randomness(1), "lgb_sql/1", 10) != keys(Randomness(1), "1", 10)


def test_unseeded_streams_differ() -> None:
    assert keys(Randomness(), "a", 50) != keys(Randomness(), "a", 50)


@pytest.mark.parametrize("rows", [0, 1, BATCH - 1, BATCH, BATCH + 1, 2 * BATCH + 5])
def test_as_many_keys_as_asked_for(rows: int) -> None:
    for seed in (None, 3):
        drawn = keys(Randomness(seed), "a", rows)
        assert len(drawn) == rows
        assert len(set(drawn)) >= rows - 1
        if rows > BATCH:
            assert drawn[:100] != drawn[BATCH : BATCH + 100]


def test_keys_use_all_bits() -> None:
    drawn = keys(Randomness(5), "a", 4000)
    for bit in range(64):
        share = Counter((key >> bit) & 1 for key in drawn)[1] / len(drawn)
        assert 0.4 < share < 0.6
