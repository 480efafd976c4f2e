"""A private place to build in: made aside, locked, and either published by one rename or removed.

An interrupted run leaves at most an unlocked directory that no one takes for a release; the next run with the same
output or the same temporary directory removes it.
"""

from __future__ import annotations

import ctypes
import errno
import fcntl
import hashlib
import os
import secrets
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from lgb_sql.errors import EngineError, OutputError

_LOCK = "lock"


@contextmanager
def private_directory(parent: Path, label: str) -> Iterator[Path]:
    """A locked directory (mode 0700) under `parent`, removed afterwards; older unlocked ones go first."""
    prefix = f".lgb-{hashlib.sha256(label.encode()).hexdigest()[:12]}-"
    _remove_leftovers(parent, prefix)
    with _writable(parent):
        # made under a name that no other run takes for a leftover, and renamed once it holds its lock
        made = parent / f".lgb-new-{secrets.token_hex(8)}"
        made.mkdir(mode=0o700)
        lock = os.open(made / _LOCK, os.O_CREAT | os.O_RDWR, 0o600)
        fcntl.flock(lock, fcntl.LOCK_EX)
        directory = made.rename(parent / f"{prefix}{secrets.token_hex(8)}")
    try:
        yield directory
    finally:
        shutil.rmtree(directory, ignore_errors=True)
        os.close(lock)


@contextmanager
def spill_directory(temp: str | Path | None) -> Iterator[Path]:
    """A private directory to spill into, in the system's temporary directory unless another is named."""
    with private_directory(Path(temp or tempfile.gettempdir()), "spill") as directory:
        yield directory


def _remove_leftovers(parent: Path, prefix: str) -> None:
    with suppress(OSError):
        for directory in parent.glob(f"{prefix}*"):
            if directory.is_dir() and not directory.is_symlink() and not _locked(directory):
                shutil.rmtree(directory, ignore_errors=True)


def _locked(directory: Path) -> bool:
    try:
        lock = os.open(directory / _LOCK, os.O_RDWR)
    except FileNotFoundError:
        return False
    except OSError:
        return True
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return True
    finally:
        os.close(lock)
    return False


@contextmanager
def _writable(parent: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise OutputError(
            f"cannot write into the directory {parent}: {error.strerror}", "choose another place"
        ) from None


def check_usable(path: Path, what: str) -> None:
    """Refuse a path that the system cannot look up, for instance as a name in it is too long."""
    try:
        path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return
    except OSError as error:
        raise OutputError(f"{what} {path} cannot be used: {error.strerror}.", "name another path") from None


def check_free(path: Path, what: str) -> None:
    """Refuse a final component that exists or is a symlink, and a parent that is no directory."""
    check_usable(path, what)
    if path.is_symlink():
        raise OutputError(f"{what} {path} is a symbolic link.", "name a path that does not exist")
    if path.exists():
        raise OutputError(f"{what} {path} exists already.", "name a path that does not exist, or remove it first")
    if not path.parent.is_dir():
        raise OutputError(f"{what} {path} has no parent directory.", f"create {path.parent} first")


Identity = tuple[int, int]
"""What tells a file from another of the same name: device and inode."""


def identity_of(path: Path) -> Identity | None:
    """The identity of what is at a path, if anything is."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def is_same(path: Path, identity: Identity | None) -> bool:
    """Whether a path now names what had this identity."""
    return identity is not None and identity_of(path) == identity


def publish(built: Path, to: Path) -> None:
    """Flush what was built and rename it into place, never replacing anything."""
    _flush(built)
    try:
        _rename_without_replacing(built, to)
        _sync(to.parent)
    except FileExistsError:
        raise OutputError(f"{to} appeared while the release was built.", "name a path that does not exist") from None
    except OSError as error:
        raise EngineError(f"cannot rename the finished release to {to}: {error.strerror}") from None


def _flush(built: Path) -> None:
    """Bring a file, or a directory and its files, to disk."""
    for each in [*built.iterdir(), built] if built.is_dir() else [built]:
        _sync(each)


def _sync(path: Path) -> None:
    with suppress(OSError):
        handle = os.open(path, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _rename_without_replacing(source: Path, to: Path) -> None:
    if sys.platform == "linux":
        renameat2 = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
        if renameat2 is not None:
            at_cwd, no_replace = -100, 1
            if renameat2(at_cwd, os.fsencode(source), at_cwd, os.fsencode(to), no_replace) == 0:
                return
            number = ctypes.get_errno()
            if number not in (errno.ENOSYS, errno.EINVAL):
                raise OSError(number, os.strerror(number), str(to))
    if source.is_dir():
        to.mkdir()  # fails where something exists; the rename then replaces our own empty directory
        source.rename(to)
    else:
        os.link(source, to)
        source.unlink()
