"""The private workspace: locked, removed, and published by one rename that replaces nothing."""

from __future__ import annotations

import fcntl
import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from lgb_sql import OutputError
from lgb_sql.workspace import check_free, private_directory, publish
from tests.support import leftovers


def abandoned(parent: Path, label: str) -> Path:
    """What a killed run leaves: a directory with content and a lock file that nobody holds."""
    with private_directory(parent, label) as directory:
        name = directory.name
    left = parent / name
    left.mkdir()
    (left / "lock").touch()
    (left / "spill").mkdir()
    (left / "spill" / "raw").write_text("raw data")
    return left


def test_it_is_private_and_goes_away(tmp_path: Path) -> None:
    with private_directory(tmp_path, "x.duckdb") as directory:
        assert directory.parent == tmp_path
        assert directory.name.startswith(".lgb-")
        assert directory.stat().st_mode & 0o777 == 0o700
        (directory / "raw").write_text("x")
    assert leftovers(tmp_path) == []


def test_it_goes_away_after_an_error(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt), private_directory(tmp_path, "x"):
        raise KeyboardInterrupt
    assert leftovers(tmp_path) == []


def test_the_next_run_removes_what_a_killed_one_left(tmp_path: Path) -> None:
    left = abandoned(tmp_path, "x.duckdb")
    other = abandoned(tmp_path, "y.duckdb")
    with private_directory(tmp_path, "x.duckdb") as directory:
        assert not left.exists()
        assert other.exists()
        assert directory.exists()
    assert leftovers(tmp_path) == [other.name]


def test_a_directory_without_a_lock_file_is_a_leftover_too(tmp_path: Path) -> None:
    left = abandoned(tmp_path, "x")
    (left / "lock").unlink()
    with private_directory(tmp_path, "x"):
        assert not left.exists()


def test_a_running_one_is_left_alone(tmp_path: Path) -> None:
    with private_directory(tmp_path, "x") as first, private_directory(tmp_path, "x") as second:
        assert first != second
        assert first.exists()
    assert leftovers(tmp_path) == []


def test_a_lock_held_by_another_process_counts(tmp_path: Path) -> None:
    left = abandoned(tmp_path, "x")
    handle = os.open(left / "lock", os.O_RDWR)
    fcntl.flock(handle, fcntl.LOCK_EX)
    with private_directory(tmp_path, "x"):
        assert left.exists()
    os.close(handle)
    with private_directory(tmp_path, "x"):
        assert not left.exists()


def test_a_link_in_the_place_of_a_leftover_is_not_followed(tmp_path: Path) -> None:
    left = abandoned(tmp_path, "x")
    elsewhere = tmp_path / "elsewhere"
    left.rename(elsewhere)
    left.symlink_to(elsewhere)
    with private_directory(tmp_path, "x"):
        pass
    assert (elsewhere / "spill" / "raw").exists()


def test_a_parent_that_is_missing_or_no_directory(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for parent in (tmp_path / "missing", tmp_path / "file"):
        with pytest.raises(OutputError, match="cannot write"), private_directory(parent, "x"):
            pass


@pytest.mark.parametrize("kind", ["file", "directory"])
def test_publishing_replaces_nothing(kind: str, tmp_path: Path) -> None:
    def build() -> Path:
        built = tmp_path / "built"
        if kind == "file":
            built.write_text("new")
        else:
            built.mkdir()
            (built / "part").write_text("new")
        return built

    obstacles: dict[str, Callable[[Path], object]] = {
        "file": lambda path: path.write_text("old"),
        "empty": lambda path: path.mkdir(),
        "link": lambda path: path.symlink_to(tmp_path / "file"),
    }
    built = build()
    for name, obstacle in obstacles.items():
        obstacle(tmp_path / name)
        before = (tmp_path / name).lstat()
        with pytest.raises(OutputError, match="appeared"):
            publish(built, tmp_path / name)
        assert (tmp_path / name).lstat().st_ino == before.st_ino
        assert built.exists()
    publish(built, tmp_path / "new")
    assert not built.exists()
    assert ((tmp_path / "new") if kind == "file" else (tmp_path / "new" / "part")).read_text() == "new"


@pytest.mark.parametrize("kind", ["file", "directory"])
def test_publishing_does_not_mind_its_neighbours(kind: str, tmp_path: Path) -> None:
    """A dangling link, a socket or a pipe beside the output is nobody's business; a pipe would block for ever."""
    built = tmp_path / "work" / "built"
    built.parent.mkdir()
    built.mkdir() if kind == "directory" else built.touch()
    (tmp_path / "dangling").symlink_to(tmp_path / "nowhere")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "socket"))
        publish(built, tmp_path / "release")
    assert (tmp_path / "release").exists()


def test_free_places(tmp_path: Path) -> None:
    check_free(tmp_path / "new.duckdb", "the output")
    (tmp_path / "file").touch()
    (tmp_path / "dangling").symlink_to(tmp_path / "nowhere")
    (tmp_path / "to_file").symlink_to(tmp_path / "file")
    for name, words in (
        ("file", "exists already"),
        (".", "exists already"),
        ("dangling", "symbolic link"),
        ("to_file", "symbolic link"),
        ("missing/x", "no parent"),
        ("file/x", "no parent"),
    ):
        with pytest.raises(OutputError, match=words) as caught:
            check_free(tmp_path / name, "the output")
        assert caught.value.exit_code == 2
    (tmp_path / "real").mkdir()
    (tmp_path / "linked").symlink_to(tmp_path / "real")
    check_free(tmp_path / "linked" / "new", "the output")  # parents are resolved as usual
