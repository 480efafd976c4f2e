"""The publisher's private memory of who is in which release: a DuckDB file of its own, mode 0600.

A second release of the same people is a known danger: each keeps its promise alone, and both together do not. The
ledger holds digests of the policy's `unit` or `key`, keyed by a random salt that lies in the same file: no copy of
the keys, but whoever has the file can test whether someone is in it. It is as private as a crosswalk.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from lgb_sql.crosswalk import reading_crosswalk
from lgb_sql.engines.duckdb import DuckDBEngine
from lgb_sql.errors import LgbError, OutputError, PolicyError, Problem
from lgb_sql.policy import Policy
from lgb_sql.render import Sql, Statement, identifier, lit, render
from lgb_sql.workspace import check_free, check_usable, private_directory, publish

_DATABASE = "ledger_database"
_MAIN = Sql(f"{identifier(_DATABASE)}.main")
_TABLES = {"ledger_salt", "ledger_releases", "ledger_units"}


class Ledger:
    """A ledger, old or new; or an earlier release's crosswalk, which is compared and left as it is."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._release = 0

    @classmethod
    def at(cls, path: str | Path, *others: Path | None) -> Ledger:
        """Check the path before anything runs."""
        place = Path(path)
        check_usable(place, "the ledger")
        if place.is_symlink():
            raise OutputError(f"the ledger {place} is a symbolic link.", "name the file itself")
        if any(other is not None and place.absolute() == other.absolute() for other in others):
            raise OutputError("the ledger and another output have the same path.", "name another file")
        if not place.exists():
            if place.suffix != ".duckdb":
                raise OutputError(f"the new ledger {place} must be a .duckdb file.", "rename it")
            check_free(place, "the ledger")
        elif not place.is_file():
            raise OutputError(f"the ledger {place} is no file.", "name a .duckdb file")
        return cls(place)

    def check(self, policy: Policy) -> None:
        """People can be found again by a key only."""
        if policy.key is None and policy.unit is None:
            what = "a ledger finds people again by a column, and the policy names none"
            raise PolicyError([Problem("key", what, "name a unique column as `key`, or the person's as `unit`")])

    @contextmanager
    def recording(
        self, engine: DuckDBEngine, policy: Policy, to: str, released: Callable[[], bool], warn: Callable[[str], None]
    ) -> Iterator[None]:
        """Warn of earlier releases, and note this one: as pending before it appears, for good once it did."""
        if self._is_crosswalk(engine):
            self._compare_crosswalk(engine, policy, warn)
            yield
            return
        self._create_if_new(engine)
        try:
            with self._attached(engine):
                self._compare_and_note(engine, policy, to, warn)
            yield
        finally:
            if self._release:  # noted, or about to be when an interrupt came
                with self._attached(engine):
                    self._settle(engine, released())

    def _is_crosswalk(self, engine: DuckDBEngine) -> bool:
        if not self.path.exists():
            return False
        if self.path.suffix == ".parquet":
            return True
        with self._attached(engine, read_only=True):
            found = set(engine.relations_of(_DATABASE))
        if "crosswalk" not in found and not found.issuperset(_TABLES):
            raise OutputError(f"{self.path} is neither a ledger nor a crosswalk.", "name another file with --ledger")
        return "crosswalk" in found

    def _compare_crosswalk(self, engine: DuckDBEngine, policy: Policy, warn: Callable[[str], None]) -> None:
        if policy.key is None:
            what = "an earlier crosswalk finds people by the policy's key, and there is none"
            raise PolicyError([Problem("key", what, "name the unique column that the crosswalk was made with")])
        with reading_crosswalk(engine, self.path) as links:
            ((units, known),) = engine.fetch(render("ledger/crosswalk_overlap", {}, {"given_crosswalk": links}))
        if known:
            warn(composition_warning(known, units, 1))

    def _create_if_new(self, engine: DuckDBEngine) -> None:
        if self.path.exists():
            return
        with private_directory(self.path.parent, self.path.name) as directory, _private_files():
            built = directory / self.path.name
            engine.attach(built, _DATABASE, read_only=False)
            engine.run(f"CREATE TABLE {_MAIN}.ledger_salt AS SELECT {lit(secrets.token_hex(32))} AS salt")
            engine.run(
                f"CREATE TABLE {_MAIN}.ledger_releases (release BIGINT, made TIMESTAMP, target VARCHAR, state VARCHAR)"
            )
            engine.run(f"CREATE TABLE {_MAIN}.ledger_units (release BIGINT, unit BLOB)")
            engine.detach(_DATABASE)
            built.chmod(0o600)
            publish(built, self.path)

    @contextmanager
    def _attached(self, engine: DuckDBEngine, *, read_only: bool = False) -> Iterator[None]:
        with _private_files():
            try:
                engine.attach(self.path, _DATABASE, read_only=read_only)
            except LgbError:
                raise OutputError(f"the ledger {self.path} cannot be opened.", "is it a ledger, and free?") from None
            try:
                yield
            finally:
                engine.detach(_DATABASE)

    def _compare_and_note(self, engine: DuckDBEngine, policy: Policy, to: str, warn: Callable[[str], None]) -> None:
        last = Statement("ledger", f"SELECT coalesce(max(release), 0) FROM {_MAIN}.ledger_releases", frozenset())
        self._release = int(engine.fetch(last)[0][0]) + 1
        params = {"by_unit": policy.unit is not None, "release": self._release}
        units = render("ledger/new_units", params, {"ledger_salt": Sql(f"{_MAIN}.ledger_salt")})
        engine.materialize("new_units", units)
        overlap = render("ledger/ledger_overlap", {}, {"known_units": Sql(f"{_MAIN}.ledger_units")})
        ((count, known, releases),) = engine.fetch(overlap)
        if known:
            warn(composition_warning(known, count, releases))
        noted = f"{self._release}, CAST(now() AS TIMESTAMP), {lit(to)}, 'pending'"
        engine.run(f"INSERT INTO {_MAIN}.ledger_releases SELECT {noted}")
        engine.run(f"INSERT INTO {_MAIN}.ledger_units SELECT release, unit FROM new_units")
        engine.drop("new_units")

    def _settle(self, engine: DuckDBEngine, released: bool) -> None:
        if released:
            engine.run(f"UPDATE {_MAIN}.ledger_releases SET state = 'released' WHERE release = {self._release}")
            return
        for table in ("ledger_units", "ledger_releases"):
            engine.run(f"DELETE FROM {_MAIN}.{table} WHERE release = {self._release}")


def composition_warning(known: int, units: int, releases: int) -> str:
    """What a second release of the same people costs."""
    earlier = "an earlier release" if releases == 1 else f"{releases:,} earlier releases"
    return (
        f"{known:,} of {units:,} people are already in {earlier}. Each release keeps its promise alone, not both "
        "together: whoever finds a person in two of them knows that the value lies in both buckets, which often have "
        "only one value in common, and l shrinks to that. Publish one of them, or withdraw the earlier one"
    )


@contextmanager
def _private_files() -> Iterator[None]:
    """New files, the engine's log among them, are for their owner only."""
    before = os.umask(0o077)
    try:
        yield
    finally:
        os.umask(before)
