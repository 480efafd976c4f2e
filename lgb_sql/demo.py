"""The first run: a table of invented people, a policy, a release, and what happened in plain words."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from lgb_sql.api import anonymize
from lgb_sql.engines.duckdb import DuckDBEngine
from lgb_sql.errors import OutputError
from lgb_sql.events import Event, Listener, StatementFinished
from lgb_sql.options import RunOptions
from lgb_sql.progress import together
from lgb_sql.release import Release
from lgb_sql.render import render
from lgb_sql.workspace import check_free, private_directory, publish

ROWS = 31_055
SHOWN_ROWS = 5
SHOWN_CHARACTERS = 28

POLICY = """\
# Invented people; each of them says by a flag whether the own sex, age or occupation is sensitive.

k = 10                              # every group has at least 10 people

[attributes.id]
role = "identifier"                 # never leaves

[attributes.sex]
role = "semi-sensitive"
flag = "sex_private"                # TRUE: this person's value goes into a bucket
principle = { t_closeness = 0.2 }   # each bucket is at most 0.2 away from all bucketed values

[attributes.age]
role = "semi-sensitive"
flag = "age_private"
principle = { l_diversity = 10 }    # at least 10 values in each bucket, none of them twice

[attributes.relationship]
role = "quasi-identifier"           # others may know it: generalized within each group

[attributes.marital_status]
role = "quasi-identifier"

[attributes.race]
role = "quasi-identifier"

[attributes.education]
role = "quasi-identifier"

[attributes.hours_per_week]
role = "quasi-identifier"

[attributes.occupation]
role = "semi-sensitive"
flag = "occupation_private"
principle = { l_diversity = 10 }

[attributes.salary]
role = "sensitive"                  # sensitive for everyone: in buckets only
principle = { l_diversity = 10 }
"""


@dataclass(frozen=True)
class Demo:
    """A finished demo: where it is and what there is to tell."""

    directory: Path
    manifest: dict[str, Any]
    verifications: int
    smallest_group: int
    names: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]

    def file(self, name: str) -> str:
        """A file of the demo as a shell takes it."""
        return shlex.quote(str(self.directory / name))


class _Verifications:
    """Counts the queries that looked for a broken promise; one that finds something ends the run."""

    def __init__(self) -> None:
        self.count = 0

    def __call__(self, event: Event) -> None:
        if isinstance(event, StatementFinished) and event.relation.startswith("verify/"):
            self.count += 1


def run_demo(to: Path, options: RunOptions, listener: Listener) -> Demo:
    """Generate, anonymize and verify; the directory appears when all of it is done."""
    if to.exists() and not to.is_symlink():
        raise OutputError(f"{to} exists already.", "remove it, or name another directory with --to")
    check_free(to, "the directory")
    verifications = _Verifications()
    with private_directory(to.parent, to.name) as workspace:
        built = workspace / "demo"
        built.mkdir()
        _generate(built / "people.parquet", workspace / "spill", options, listener)
        (built / "policy.toml").write_text(POLICY, encoding="utf-8")
        release = anonymize(
            built / "people.parquet",
            built / "policy.toml",
            to=built / "release.duckdb",
            options=options,
            listener=together(listener, verifications),
        )
        demo = _look(release, to, verifications.count)
        publish(built, to)
    return demo


def _generate(path: Path, spill: Path, options: RunOptions, listener: Listener) -> None:
    spill.mkdir(mode=0o700)
    engine = DuckDBEngine(options, spill, listener)
    try:
        engine.copy_to_parquet("people", path, render("demo/people", {"rows": ROWS}))
    finally:
        engine.close()


def _look(release: Release, directory: Path, verifications: int) -> Demo:
    """Read from the release what anybody could."""
    with release.connect() as connection:
        ((smallest,),) = connection.execute("SELECT min(size) FROM groups").fetchall()
        rows = connection.execute(f"SELECT * FROM anonymized ORDER BY rid LIMIT {SHOWN_ROWS}").fetchall()
        names = tuple(str(column[0]) for column in connection.description)
    return Demo(directory, release.manifest, verifications, int(smallest), names, tuple(rows))


def show_demo(demo: Demo, console: Console) -> None:
    """Tell what happened, show a few rows, and say what to try next."""
    for line in _story(demo):
        console.print(line)
    console.print(_sample(demo), soft_wrap=False)
    for line in _next(demo):
        console.print(line)


def _story(demo: Demo) -> Iterator[str]:
    manifest, metrics = demo.manifest, demo.manifest["metrics"]
    yield f"{manifest['rows_source']:,} invented people were generated and {manifest['rows_released']:,} released."
    yield ""
    yield "Promised, by the policy:"
    yield f"  - every group has at least {manifest['k']} people who look alike in all that others may know"
    for name, principle in manifest["principles"].items():
        yield f"  - {name}: {_promise(principle)}"
    yield ""
    yield "Done:"
    yield f"  - {metrics['groups']:,} groups; the smallest has {demo.smallest_group} people"
    for name, count in metrics["buckets"].items():
        yield f"  - {name}: {count:,} buckets"
    yield f"  - {manifest['rows_suppressed']:,} rows suppressed, {manifest['cells_withheld']:,} cells withheld"
    yield f"Verified: {demo.verifications} queries looked for a broken promise in the release; all returned nothing."
    yield ""
    yield f"{len(demo.rows)} of the released rows, one per column (long cells are cut here, not in the release):"


def _promise(principle: dict[str, Any]) -> str:
    if "l_diversity" in principle:
        return f"every bucket has at least {principle['l_diversity']} values, none of them twice"
    return f"the values of every bucket are spread as all bucketed values are, within {principle['t_closeness']}"


def _sample(demo: Demo) -> Table:
    """Attributes as lines: a row of eleven columns does not fit a terminal."""
    table = Table()
    table.add_column(demo.names[0], no_wrap=True)
    for row in demo.rows:
        table.add_column(str(row[0]), overflow="fold")
    for name, *cells in zip(demo.names[1:], *(row[1:] for row in demo.rows), strict=True):
        table.add_row(Text(name), *(Text(_cut(str(cell))) for cell in cells))
    return table


def _cut(text: str) -> str:
    return text if len(text) <= SHOWN_CHARACTERS else text[: SHOWN_CHARACTERS - 1] + "…"


def _next(demo: Demo) -> Iterator[str]:
    people, policy, release = (demo.file(name) for name in ("people.parquet", "policy.toml", "release.duckdb"))
    yield "Files:"
    yield f"  {people}  the table; stays with you"
    yield f"  {policy}  what was promised"
    yield f"  {release}  the release; may be shared"
    yield ""
    yield "Try next:"
    yield f'  duckdb -readonly {release} "SELECT age, occupation, salary FROM anonymized LIMIT 20"'
    yield f"  lgb explain {policy} --source {people} --sql"
    yield f"  lgb export {release} --to {demo.file('parquet')}/"
