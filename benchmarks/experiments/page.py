"""The page that tells what was measured: claim by claim, then the figures and the tables behind them."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import fmean

from benchmarks.experiments.claims import Rows, chosen, claims, values
from benchmarks.experiments.grid import BUCKETIZATION, DENSITY, DIVERSITY, GENERALIZATION, METHODS

HEAD = """\
# The paper's experiments, measured

Written by `{command}`; do not edit.

Table: {table}; seeds: {seeds}, of which each draws flags, random orders and queries anew, measured at {per_seed}
points; {queries:,} queries of the paper's form for each release. lgb_sql {lgb_sql} (commit {commits}), DuckDB
{duckdb}, Python {python}, {machine}, {dates}. Every point: `{points}`.

`mdp` and `ncp` are the paper's Algorithms 3 and 4 with its own bucketization (`m_invariance`); `fast` and `tight` are
ours, with `sweep`. Sex is 0.2-close, everything else l-diverse. Relative error: (upper - lower) / actual, the mean over
the queries, of the paper's interval (one around an expectation) and of certain bounds.
"""
COLUMNS = {
    "c_dm": ("C_DM", ",.0f"),
    "ncp": ("NCP", ",.0f"),
    "ncp_percent": ("NCP %", ".1f"),
    "error": ("error, paper's interval", ".3f"),
    "error_certain": ("error, certain bounds", ".3f"),
    "error_estimate": ("error of the estimate", ".3f"),
    "inside_expected": ("truth inside the paper's interval", ".1%"),
    "inside_certain": ("truth inside certain bounds", ".1%"),
}


def write(rows: Rows, drawn: dict[str, str], results: Path, page: Path, command: str) -> None:
    page.write_text("\n".join(_lines(rows, drawn, results, page, command)) + "\n", encoding="utf-8")


def _lines(rows: Rows, drawn: dict[str, str], results: Path, page: Path, command: str) -> Iterator[str]:
    yield HEAD.format(
        command=command,
        seeds=len(values(rows, "seed")),
        per_seed=_listed([f"{len(chosen(rows, seed=seed)):,}" for seed in values(rows, "seed")]),
        commits=_listed(values(rows, "commit")),
        dates=_listed(values(rows, "date")),
        points=_link("experiments.csv", results, page),
        **rows[-1],
    )
    yield "## Claim by claim"
    yield ""
    yield "| the paper says | measured | numbers |"
    yield "|---|---|---|"
    for claim in claims(rows):
        yield f"| {claim.says} | **{claim.verdict}** | {claim.numbers} |"
    yield ""
    yield "Ranges are over seeds; where there is one number, it is the mean over seeds and the parameters not named."
    yield "Values of a parameter are compared only at points that were measured at all of them, all else being equal."
    yield ""
    yield from _figures(drawn, results, page)
    yield f"## Tables, l = {DIVERSITY}, {DENSITY} % flagged"
    yield ""
    yield from _table(rows)
    infeasible = sum(row["status"] == "infeasible" for row in rows)
    if infeasible:
        yield ""
        yield f"{infeasible} points ask for what no release can promise, too few different values for l: left out."


def _figures(drawn: dict[str, str], results: Path, page: Path) -> Iterator[str]:
    if drawn:
        yield "## Figures"
        yield ""
        yield "Bars show the spread over seeds."
        yield ""
    for stem, caption in drawn.items():
        yield f"![{caption}]({_link(f'{stem}.svg', results, page)})"
        yield ""


def _listed(words: Sequence[str]) -> str:
    return f"{', '.join(words[:-1])} and {words[-1]}" if len(words) > 1 else words[0]


def _link(name: str, results: Path, page: Path) -> str:
    return Path(os.path.relpath(results / name, page.parent)).as_posix()


def _table(rows: Rows) -> Iterator[str]:
    measured = {figure: column for figure, column in COLUMNS.items() if any(row[figure] is not None for row in rows)}
    yield f"| | k | {' | '.join(title for title, _ in measured.values())} |"
    yield f"|---|---|{'---|' * len(measured)}"
    for label, k, found in _kinds(rows):
        cells = []
        for figure, (_, form) in measured.items():
            known = [row[figure] for row in found if row[figure] is not None]
            cells.append(format(fmean(known), form) if known else "")
        yield f"| {label} | {k or ''} | {' | '.join(cells)} |"


def _kinds(rows: Rows) -> Iterator[tuple[str, int | None, Rows]]:
    """The lines of the table; baselines first."""
    done = chosen(rows, status="done")
    for k in values(chosen(done, method=GENERALIZATION), "k"):
        yield "plain generalization (`mdp`, no flags)", k, chosen(done, method=GENERALIZATION, k=k)
    yield "plain bucketization (Anatomy)", None, chosen(done, method=BUCKETIZATION, l=DIVERSITY)
    for with_hierarchies in (False, True):
        usual = chosen(done, hierarchies=with_hierarchies, l=DIVERSITY, density=DENSITY)
        for method in METHODS:
            for k in values(chosen(usual, method=method), "k"):
                label = f"`{method}`{', hierarchies' if with_hierarchies else ''}"
                yield label, k, chosen(usual, method=method, k=k)
