"""The publisher's private link between source rows and rids: a file of its own, complete before the release appears."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from lgb_sql.engines.duckdb import DuckDBEngine
from lgb_sql.errors import LgbError, OutputError, SourceError
from lgb_sql.policy import Policy
from lgb_sql.render import Sql, identifier, lit, render
from lgb_sql.sources import Source
from lgb_sql.workspace import check_free, check_usable, private_directory, publish

_DATABASE = "crosswalk_database"


class Crosswalk:
    """A `.duckdb` or `.parquet` file, mode 0600, with the table crosswalk(row, rid)."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._built: Path | None = None
        self._published = False

    @classmethod
    def at(cls, path: str | Path, release: Path | None) -> Crosswalk:
        """Check the path before anything runs."""
        place = Path(path)
        if place.suffix not in (".duckdb", ".parquet"):
            raise OutputError(f"the crosswalk {place} must be a .duckdb or .parquet file.", "rename it")
        check_usable(place, "the crosswalk")
        if place.is_file() and not place.is_symlink():
            hint = "name another file; as --ledger the old one tells what a second release of the same people costs"
            raise OutputError(f"the crosswalk {place} exists already.", hint)
        check_free(place, "the crosswalk")
        if release is not None and place.absolute() == release.absolute():
            raise OutputError("the crosswalk and the release have the same path.", "name another file")
        return cls(place)

    def check(self, policy: Policy, origin: Source) -> None:
        """Without a key, rows are known by their position, which views and streams do not have."""
        if policy.key is None and not origin.positioned:
            raise SourceError(
                "a crosswalk needs to know rows again, and the rows of a view or a stream have no position.",
                "name a unique column as `key` in the policy",
            )

    @contextmanager
    def written(self, engine: DuckDBEngine, has_key: bool, released: Callable[[], bool]) -> Iterator[None]:
        """Build the file aside; what was published is removed again unless the release appeared."""
        with private_directory(self.path.parent, self.path.name) as directory:
            self._built = directory / self.path.name
            statement = render("publish/crosswalk", {"row_key": has_key})
            if self.path.suffix == ".parquet":
                engine.copy_to_parquet("crosswalk", self._built, statement)
            else:
                engine.attach(self._built, _DATABASE, read_only=False)
                engine.create_table_in(Sql(f"{identifier(_DATABASE)}.main"), "crosswalk", statement)
                engine.detach(_DATABASE)
            self._built.chmod(0o600)
            try:
                yield
            finally:
                if self._published and not released():
                    self.path.unlink(missing_ok=True)

    def publish(self) -> None:
        """Give the file its name."""
        assert self._built is not None  # noqa: S101  called inside `written`
        publish(self._built, self.path)
        self._published = True


@contextmanager
def reading_crosswalk(engine: DuckDBEngine, path: Path) -> Iterator[Sql]:
    """Where an existing crosswalk can be read, for as long as the context lasts."""
    problem = SourceError(f"{path} is no crosswalk.", "give the file that lgb anonymize --crosswalk wrote")
    if not path.is_file():
        raise SourceError(f"there is no crosswalk at {path}.", "check the path")
    if path.suffix != ".duckdb":
        relation = Sql(f"read_parquet({lit(str(path))})")
        if not _has_links(engine, relation):
            raise problem
        yield relation
        return
    try:
        engine.attach(path, _DATABASE, read_only=True)
    except LgbError:
        raise problem from None
    try:
        relation = Sql(f"{identifier(_DATABASE)}.main.crosswalk")
        if not _has_links(engine, relation):
            raise problem
        yield relation
    finally:
        engine.detach(_DATABASE)


def _has_links(engine: DuckDBEngine, relation: Sql) -> bool:
    try:
        return {"row", "rid"} <= {name for name, _ in engine.describe(f"SELECT * FROM {relation}")}
    except LgbError:
        return False
