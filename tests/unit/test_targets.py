"""Places: what OUT and RELEASE may look like."""

from __future__ import annotations

from pathlib import Path

import pytest

from lgb_sql import OutputError, ReleaseError, open_release
from lgb_sql.targets import Place, parse_release, parse_target


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("x.duckdb", Place("file", Path("x.duckdb"))),
        ("a b/x.duckdb", Place("file", Path("a b/x.duckdb"))),
        ("x/", Place("directory", Path("x"))),
        ("x", Place("directory", Path("x"))),
        ("x.y/", Place("directory", Path("x.y"))),
        ("x.duckdb/", Place("directory", Path("x.duckdb"))),
        ("schema:released", Place("schema", None, "released")),
        ('schema:a"b; DROP', Place("schema", None, 'a"b; DROP')),
    ],
)
def test_outputs(text: str, place: Place) -> None:
    assert parse_target(text) == place


@pytest.mark.parametrize(
    "text", ["", "x.parquet", "x.csv", "schema:", "schema:" + "x" * 256, "schema:a\0b", "a\0.duckdb"]
)
def test_impossible_outputs(text: str) -> None:
    with pytest.raises(OutputError) as caught:
        parse_target(text)
    assert caught.value.exit_code == 2
    assert caught.value.hint


def test_releases(tmp_path: Path) -> None:
    file, directory = tmp_path / "x.duckdb", tmp_path / "x"
    file.touch()
    directory.mkdir()
    assert parse_release(file) == Place("file", file)
    assert parse_release(f"{directory}/") == Place("directory", directory)
    assert parse_release(f"{file}::rel") == Place("schema", file, "rel")
    assert str(parse_release(f"{file}::rel")) == f"{file}::rel"
    odd = tmp_path / "a::b.duckdb"
    odd.touch()
    assert parse_release(odd) == Place("file", odd)
    for place in (file, odd):
        for name in ("x::y", ":x", "::x", "x:", "x::", "main"):
            assert parse_release(str(Place("schema", place, name))) == Place("schema", place, name)


@pytest.mark.parametrize(
    "text", ["missing.duckdb", "missing/", "missing.duckdb::x", "missing.duckdb::x::y", "::x", "::"]
)
def test_no_releases(text: str, tmp_path: Path) -> None:
    with pytest.raises(ReleaseError) as caught:
        parse_release(f"{tmp_path}/{text}")
    assert caught.value.exit_code == 2


def test_what_is_no_release_is_not_opened(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "text.duckdb").write_text("not a database")
    (tmp_path / "empty.duckdb").touch()
    for name in ("empty/", "text.duckdb", "empty.duckdb", "empty.duckdb::main"):
        with pytest.raises(ReleaseError) as caught:
            open_release(f"{tmp_path}/{name}")
        assert caught.value.exit_code == 2
    assert (tmp_path / "empty.duckdb").read_bytes() == b""
