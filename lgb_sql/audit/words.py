"""A verdict in words for a person, and as JSON for a program."""

from __future__ import annotations

import json
from collections.abc import Iterator
from math import isfinite
from typing import Any

from lgb_sql.audit.verdict import Result, Risk, Verdict
from lgb_sql.progress import plain

_MARKS = {"holds": "ok     ", "broken": "BROKEN ", "not checked": "-      "}


def as_text(verdict: Verdict) -> str:
    """The verdict in one line, what speaks against it first, then every check and every risk."""
    lines = [verdict.line, verdict.subject, *_section("warnings", (f"  {warning}" for warning in verdict.warnings))]
    ordered = sorted(verdict.results, key=lambda result: result.status != "broken")
    lines.extend(_section("checks", (line for result in ordered for line in _result(result))))
    lines.extend(_section("risks", (line for risk in verdict.risks for line in _risk(risk))))
    if verdict.kind == "table":
        lines.append("--k, --l and --t set what the table must keep")
    elif not verdict.with_source:
        lines.append("with --source, --crosswalk and --policy the release is also held against the truth")
    return "".join(f"{plain(line)}\n" for line in lines)


def _section(title: str, lines: Iterator[str]) -> list[str]:
    found = list(lines)
    return ["", title, *found] if found else []


def _result(result: Result) -> Iterator[str]:
    yield f"  {_MARKS[result.status]}{result.name}: {result.promise}; {result.measured}"
    if result.at:
        more = ", ..." if result.violations > len(result.at) else ""
        yield f"         at {', '.join(result.at)}{more}"


def _risk(risk: Risk) -> Iterator[str]:
    against = f" (promised against the paper's adversary: {risk.claimed:.4g})" if risk.claimed is not None else ""
    yield f"  {risk.number:<8.4g} {risk.name}{against}: {risk.meaning}"
    if risk.more:
        yield "           " + ", ".join(f"{name.replace('_', ' ')} {value:.4g}" for name, value in risk.more.items())


def as_json(verdict: Verdict) -> str:
    """All of it; a number that JSON cannot hold is written as text."""
    return json.dumps(_finite(verdict.as_dict()), ensure_ascii=False, indent=2) + "\n"


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _finite(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_finite(each) for each in value]
    return str(value) if isinstance(value, float) and not isfinite(value) else value
