"""The paper's experiments on a tiny table: points, page and charts; random queries; verdicts on claims."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from benchmarks.experiments import __main__ as experiments
from benchmarks.experiments import queries
from benchmarks.experiments.claims import claims
from benchmarks.experiments.grid import KEYS, Grid
from benchmarks.experiments.tables import flagged
from benchmarks.people import make_people
from benchmarks.results import Results

ROWS = 400


@pytest.fixture(scope="module")
def people(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_people(tmp_path_factory.mktemp("people"), ROWS)


def test_a_tiny_grid_gives_points_charts_and_a_page(
    people: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "trees").mkdir()
    (tmp_path / "trees" / "sex.csv").write_text("Female;*\nMale;*\n", encoding="utf-8")
    arguments = f"--data {people} --hierarchies {tmp_path}/trees --seeds 1 --queries 0 --ks 5 --ls 5 --densities 20"
    places = f"--out {tmp_path}/results --page {tmp_path}/page.md --workers 2"
    monkeypatch.setattr(sys, "argv", ["experiments", *arguments.split(), *places.split()])
    experiments.main()
    rows = Results(tmp_path / "results" / "experiments.csv", KEYS).rows()
    assert len(rows) == 4 + 4 + 1 + 1
    assert {row["status"] for row in rows} == {"done"}
    page = (tmp_path / "page.md").read_text(encoding="utf-8")
    assert str(tmp_path) not in page
    assert page.count("not measured") == 15
    monkeypatch.setattr(sys, "argv", [*sys.argv, "--draw", "--seeds", "2"])
    experiments.main()
    assert len(Results(tmp_path / "results" / "experiments.csv", KEYS).rows()) == len(rows)
    assert "measured at 10\n" in (tmp_path / "page.md").read_text(encoding="utf-8")
    charts = re.findall(r"\]\((.*?)\)", page)
    assert len(charts) == 2
    for chart in charts:
        assert (tmp_path / chart).exists()
        assert (tmp_path / chart).with_suffix(".png").exists()


def test_the_paper_s_grid_is_whole_and_has_no_point_twice() -> None:
    points = list(Grid("census", 2, 1000, True).points())
    assert len(points) == 2 * (4 * 3 * 7 + 3 * 3 * 7 + 4 * 3 + 3 + 7)
    assert len({tuple(point.values()) for point in points}) == len(points)


def test_flags_grow_with_density_and_change_with_the_seed(people: Path) -> None:
    some, more, other = (flagged(people, density, seed) for density, seed in ((10, 1), (40, 1), (10, 2)))
    for name in ("sex_private", "age_private", "occupation_private"):
        few, many = some[name].to_pylist(), more[name].to_pylist()
        assert all(late or not early for early, late in zip(few, many, strict=True))
        assert 0.05 < sum(few) / ROWS < 0.15
        assert 0.3 < sum(many) / ROWS < 0.5
        assert few != other[name].to_pylist()


def test_queries_have_the_paper_s_form(people: Path, tmp_path: Path) -> None:
    made = queries.make_queries(people, 30, seed=1)
    assert len(made) == 30
    assert made == queries.make_queries(people, 30, seed=1) != queries.make_queries(people, 30, seed=2)
    for query in made:
        assert query.actual > 0
        assert query.predicate.count(" AND ") == 3
        assert query.sql.startswith("SELECT SUM(salary) FROM released WHERE ")
    queries.save(made, tmp_path / "queries.json")
    assert queries.load(tmp_path / "queries.json") == made


class Release:
    """Answers every question alike."""

    def __init__(self, **answer: float | None) -> None:
        self.answer = answer

    def query_many(self, texts: list[str]) -> list[pa.Table]:
        return [pa.table({name: pa.array([value], pa.float64()) for name, value in self.answer.items()})] * len(texts)


def test_errors_of_answers() -> None:
    asked = [queries.Query("age > 1", 100.0), queries.Query("age > 2", 200.0)]
    release = Release(lower=50, estimate=120, upper=250, lower_expected=90, upper_expected=150)
    found = queries.errors(asked, list(queries.ask(release, asked)))
    assert found == {
        "error": pytest.approx((0.6 + 0.3) / 2),
        "error_median": pytest.approx((0.6 + 0.3) / 2),
        "error_certain": pytest.approx((2 + 1) / 2),
        "error_estimate": pytest.approx((0.2 + 0.4) / 2),
        "inside_expected": 0.5,
        "inside_certain": 1.0,
    }
    unbounded = Release(lower=None, estimate=None, upper=None, lower_expected=0, upper_expected=1)
    assert queries.errors(asked, list(queries.ask(unbounded, asked)))["error_certain"] == float("inf")


def invented_rows(as_the_paper_says: bool) -> list[dict[str, Any]]:
    sign = 1 if as_the_paper_says else -1
    rows = []
    for point in Grid("invented", 1, 1, True, densities=(10, 20, 30, 40)).points():
        k, l, by_ncp = point["k"] or 0, point["l"] or 0, point["method"] == "ncp"
        error = 30 + sign * (k + 0.3 * l + (5 - 0.2 * l) * by_ncp - 0.1 * point["density"])
        c_dm = 100 + sign * (k + 30 * by_ncp) + (0 if as_the_paper_says else l)
        figures = {
            "c_dm": c_dm,
            "ncp": 100 - sign * 20 * by_ncp,
            "error": error,
            "error_certain": error,
            "error_median": error,
        }
        rows.append({**point, **figures})
    return rows


@pytest.mark.parametrize("as_the_paper_says", [True, False])
def test_claims_are_judged_by_the_rows(as_the_paper_says: bool) -> None:
    found = list(claims(invented_rows(as_the_paper_says)))
    assert len(found) == 4 + 3 * 5
    for claim in found:
        if as_the_paper_says or "more by k" not in claim.says:
            assert claim.holds is as_the_paper_says, claim
        assert claim.numbers


def test_seeds_measured_at_other_points_do_not_mix() -> None:
    """A second seed whose queries are ten times as hard, measured at one l alone: growth with l is the first one's."""
    rows = invented_rows(True)
    harder = [{**row, "seed": 2, "error": 10 * row["error"]} for row in rows if row["l"] == 10]
    before, after = ({claim.says: claim for claim in claims(found)} for found in (rows, rows + harder))
    by_l = "The relative error grows with l (the paper's interval)"
    by_k = "The relative error grows with k (the paper's interval)"
    assert after[by_l] == before[by_l]
    assert after[by_k].holds
    assert after[by_k].numbers != before[by_k].numbers
