"""Every benchmark runs, on a few hundred rows; what needs the network (the peers' environment) is left out."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest

from benchmarks import audit, loss, peers, scale, speed
from benchmarks.apart import TooSlowError, apart, size_of
from benchmarks.people import make_pieces, people_sql
from benchmarks.results import Results, measure_points


def call(main: Callable[[], None], monkeypatch: pytest.MonkeyPatch, *arguments: object) -> None:
    monkeypatch.setattr(sys, "argv", ["benchmark", *map(str, arguments)])
    main()


def test_pieces_make_up_the_table(tmp_path: Path) -> None:
    assert make_pieces(str(tmp_path / "people"), 1000, piece=300) == {"pieces": 4}
    pieces = f"SELECT * FROM read_parquet('{tmp_path}/people/*.parquet')"
    with duckdb.connect() as connection:
        whole = connection.execute(f"{people_sql(1000)} ORDER BY id").fetchall()
        assert connection.execute(f"{pieces} ORDER BY id").fetchall() == whole
    assert [row[0] for row in whole] == list(range(1, 1001))


def test_a_finished_piece_is_not_made_again(tmp_path: Path) -> None:
    make_pieces(str(tmp_path), 200, piece=100)
    first = (tmp_path / "part_000.parquet").stat()
    (tmp_path / "part_001.parquet").unlink()
    make_pieces(str(tmp_path), 200, piece=100)
    assert (tmp_path / "part_000.parquet").stat().st_mtime_ns == first.st_mtime_ns
    assert sorted(path.name for path in tmp_path.iterdir()) == ["part_000.parquet", "part_001.parquet"]


def test_scale_measures_what_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(scale, "LIMITED_ROWS", 600)
    monkeypatch.setattr(scale, "LINE_FROM", 300)
    places = ("--work", tmp_path / "work", "--out", tmp_path / "out")
    call(scale.main, monkeypatch, "--rows", 300, 600, "--limits", "1GB", *places)
    first = (tmp_path / "out" / "scale.csv").read_text(encoding="utf-8")
    assert len(first.splitlines()) == 4
    assert "cpu grows as rows^" in capsys.readouterr().out
    assert {path.name for path in (tmp_path / "out").iterdir()} == {"scale.csv", "scale.svg", "scale.png"}
    call(scale.main, monkeypatch, "--rows", 300, 600, "--limits", "1GB", *places)
    assert (tmp_path / "out" / "scale.csv").read_text(encoding="utf-8") == first


def test_peers_of_this_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("LGB_DATA", raising=False)
    call(peers.main, monkeypatch, "--without-peers", "--rows", 300, "--million", 3000, "--out", tmp_path)
    compared = {row["who"]: row for row in Results(tmp_path / "peers.csv", ()).rows()}
    assert set(compared) == set(peers.RUNS) - peers.SLOW
    fast, plain = compared["lgb_sql fast"], compared["numpy Mondrian, cuts of fast"]
    for figure in ("groups", "smallest", "c_dm", "ncp", "suppressed"):
        assert fast[figure] == pytest.approx(plain[figure], rel=1e-5)
    assert fast["smallest"] >= peers.K
    by_hand = Results(tmp_path / "end_to_end.csv", ()).rows()
    assert by_hand[0]["groups"] == by_hand[1]["groups"]
    assert "plain Python" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("main", "arguments"),
    [(speed.main, ("--repeat", 1)), (loss.main, ("--repeat", 1)), (audit.main, ())],
    ids=["speed", "loss", "audit"],
)
def test_older_benchmarks(
    main: Callable[[], None],
    arguments: tuple[object, ...],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    call(main, monkeypatch, "--rows", 300, *arguments)
    assert "300 rows" in capsys.readouterr().out


def test_what_runs_apart_may_fail_or_take_too_long() -> None:
    with pytest.raises(RuntimeError, match="no-such-directory"):
        apart("os:listdir", "no-such-directory")
    with pytest.raises(TooSlowError):
        apart("time:sleep", 60, timeout=0.2)


def test_size_of_a_directory(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "file").write_bytes(bytes(range(256)) * 64)
    assert size_of(tmp_path) >= 256 * 64
    assert size_of(tmp_path / "gone") == 0


def test_results_are_kept_until_something_fails(tmp_path: Path) -> None:
    results = Results(tmp_path / "some.csv", ("n",))

    def measure(point: object) -> dict[str, float]:
        number = point["n"]  # type: ignore[index]
        return {"inverse": 1 / number}

    with pytest.raises(ZeroDivisionError):
        measure_points(results, [{"n": 2}, {"n": 0}, {"n": 4}], measure)
    kept = len(results.rows())
    assert 1 <= kept <= 2
    measure_points(results, [{"n": 2}, {"n": 4}], measure)
    assert {row["n"]: row["inverse"] for row in results.rows()} == {2: 0.5, 4: 0.25}
    with pytest.raises(ValueError, match="other columns"):
        results.add({"n": 3}, {"square": 9})
