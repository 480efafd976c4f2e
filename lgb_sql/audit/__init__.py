"""Audit: is this release, or any table, safe to publish; yes or no, and why."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from lgb_sql.audit.containers import container_checks
from lgb_sql.audit.labels import label_checks
from lgb_sql.audit.manifests import manifest_check, seed_check
from lgb_sql.audit.policies import policy_checks
from lgb_sql.audit.promises import prepare, promise_checks
from lgb_sql.audit.reading import Opened, opened, readable
from lgb_sql.audit.risks import file_risks, warnings_of
from lgb_sql.audit.tables import Asked, audit_table
from lgb_sql.audit.true_risks import true_risks
from lgb_sql.audit.truth import flag_checks, read_truth, truth_checks, understand
from lgb_sql.audit.verdict import Result, Risk, Verdict
from lgb_sql.engines.duckdb import DuckDBEngine
from lgb_sql.errors import PolicyError, Problem
from lgb_sql.events import Listener, StageStarted, ignore
from lgb_sql.options import RunOptions
from lgb_sql.policy import Policy, PolicyLike, read_policy
from lgb_sql.render import Statement, identifier
from lgb_sql.sources import ArrowSource, ConnectionSource, open_source
from lgb_sql.targets import parse_release
from lgb_sql.workspace import spill_directory

__all__ = ["Result", "Risk", "Verdict", "audit"]


def audit(  # noqa: PLR0913  one argument per option of the contract
    release: Any,
    *,
    policy: PolicyLike | None = None,
    source: Any = None,
    table: str | None = None,
    crosswalk: str | Path | None = None,
    quasi: Sequence[str] | None = None,
    sensitive: Sequence[str] = (),
    k: int = 2,
    l: int = 2,
    t: float | None = None,
    allow_seeded: bool = False,
    options: RunOptions | None = None,
    listener: Listener = ignore,
) -> Verdict:
    """Judge a release, or with `quasi` any table; the verdict is true where every check holds.

    With `source` and `crosswalk` (and `policy`, which knows the flags) a release is also held against the truth.
    """
    options = options or RunOptions()
    with spill_directory(options.temp) as spill:
        engine = DuckDBEngine(options, spill, listener)
        try:
            if quasi is not None:
                _refuse_of_release(policy=policy, source=source, crosswalk=crosswalk)
                return _any_table(engine, release, table, quasi, sensitive, Asked(k, l, t))
            _refuse_halves(source, crosswalk, table, sensitive)
            loaded = None if policy is None else _load(policy)
            with opened(engine, parse_release(release), beside=(spill,) if source is None else None) as given:
                return _Audit(given, loaded, allow_seeded, listener).verdict(source, table, crosswalk)
        finally:
            engine.close()


def _load(policy: PolicyLike) -> Policy:
    loaded, problems = read_policy(policy)
    if loaded is None or problems:
        raise PolicyError(problems)
    return loaded


def _refuse_of_release(**given: object) -> None:
    """With `quasi` a table is measured, and nothing of a release is asked."""
    what = "has no part in measuring a table with --quasi"
    if problems := [Problem(f"--{name}", what, "leave it out") for name, value in given.items() if value is not None]:
        raise PolicyError(problems, of="the command")


def _refuse_halves(source: Any, crosswalk: str | Path | None, table: str | None, sensitive: Sequence[str]) -> None:
    problems = []
    if source is not None and crosswalk is None:
        hint = "give the file that lgb anonymize --crosswalk wrote"
        problems.append(Problem("--crosswalk", "a source can be compared through the crosswalk only", hint))
    if crosswalk is not None and source is None:
        problems.append(Problem("--source", "a crosswalk needs the source beside it", "name the source"))
    if table is not None and source is None:
        problems.append(Problem("--table", "is the source's, and there is no source", "name the source with --source"))
    if sensitive:
        problems.append(Problem("--quasi", "a table needs quasi-identifiers beside --sensitive", "name them as a,b,c"))
    if problems:
        raise PolicyError(problems, of="the command")


def _any_table(
    engine: DuckDBEngine, given: Any, table: str | None, quasi: Sequence[str], sensitive: Sequence[str], asked: Asked
) -> Verdict:
    origin = open_source(given, table)
    schema = origin.open(engine)
    names = [column.name for name in (*quasi, *sensitive) if (column := schema.find(name))]
    subject = f"the table {given}" if isinstance(given, str | Path) else "the table"
    with origin.reading(engine, list(dict.fromkeys(names)) or schema.names) as relation:
        if isinstance(origin, ArrowSource | ConnectionSource):  # a stream can be read once
            engine.materialize("audited_table", Statement("table", f"SELECT * FROM {relation}", frozenset()))
            return audit_table(engine, identifier("audited_table"), schema, quasi, sensitive, asked, subject)
        return audit_table(engine, relation, schema, quasi, sensitive, asked, subject)


def _files_hold(results: Sequence[Result]) -> bool:
    """Whether nothing but the policy or the seed speaks against a release: then its rows can be measured."""
    return all(
        result.status == "holds" for result in results if result.name != "randomness" and "policy:" not in result.name
    )


class _Audit:
    """One audit of a release that can be read."""

    def __init__(self, release: Opened, policy: Policy | None, allow_seeded: bool, listener: Listener) -> None:
        self.release = release
        self.policy = policy
        self.allow_seeded = allow_seeded
        self.listener = listener

    def verdict(self, source: Any, table: str | None, crosswalk: str | Path | None) -> Verdict:
        """Check the files, then the truth where it is given, then measure the risks."""
        release = self.release
        self.listener(StageStarted("audit"))
        with readable(release):
            results = [*container_checks(release), seed_check(release, allow_seeded=self.allow_seeded)]
            if self.policy is not None:
                results.extend(policy_checks(release, self.policy))
            results.extend(self._rows({result.name for result in results if result.status == "broken"}))
        risks: list[Risk] = []
        if _files_hold(results):
            risks.extend(file_risks(release))
        if source is not None and crosswalk is not None:
            if _files_hold(results):
                truth = self._truth(source, table, Path(crosswalk))
                results.extend(truth[0])
                risks.extend(truth[1])
            else:
                results.append(Result("truth", "the release is true of its source", "not checked", "files come first"))
        warnings = warnings_of(release, risks)
        return Verdict(str(release.place), tuple(results), tuple(risks), warnings, source is not None)

    def _rows(self, broken: set[str]) -> list[Result]:
        """Checks that read rows."""
        release = self.release
        if "columns" in broken:
            return list(promise_checks(release, columns_hold=False, views_hold="views" not in broken))
        prepare(release)
        results = [manifest_check(release)]
        results.extend(promise_checks(release, columns_hold=True, views_hold="views" not in broken))
        if all(result.status == "holds" for result in results):
            results.extend(label_checks(release))
        return results

    def _truth(self, source: Any, table: str | None, crosswalk: Path) -> tuple[list[Result], list[Risk]]:
        release = self.release
        origin = open_source(source, table)
        truth = understand(release, self.policy, origin.open(release.engine))
        results = list(read_truth(release, truth, origin, crosswalk))
        if any(result.status == "broken" for result in results):
            return results, []
        results.extend(flag_checks(release, truth))
        results.extend(truth_checks(release, truth))
        if any(result.status == "broken" for result in results):
            return results, []
        return results, list(true_risks(release, truth))
