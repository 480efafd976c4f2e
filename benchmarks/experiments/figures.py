"""The paper's figures: a panel per algorithm or density, l on the axis, a line per k, the spread over seeds as bars."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

import altair as alt

from benchmarks.charts import lines, save
from benchmarks.experiments.claims import Rows, chosen, values
from benchmarks.experiments.grid import DENSITY, METHODS

TITLES = {
    "c_dm": "C_DM",
    "ncp": "NCP",
    "error": "relative error, the paper's interval",
    "error_certain": "relative error, certain bounds",
}


def draw(rows: Rows, directory: Path, table: str) -> dict[str, str]:
    """Every figure that was measured; returns their stems and captions."""
    drawn: dict[str, str] = {}
    plain = chosen(rows, hierarchies=False)
    for figure, title in TITLES.items():
        measured = [row for row in plain if row[figure] is not None]
        by_method = [(method, chosen(measured, method=method, density=DENSITY)) for method in METHODS]
        drawn |= _panels(by_method, figure, directory, f"{table}_{figure}", f"{title}, {DENSITY} % flagged")
        if figure.startswith("error"):
            mdp = chosen(measured, method="mdp")
            by_density = [(f"mdp, {each} % flagged", chosen(mdp, density=each)) for each in values(mdp, "density")]
            drawn |= _panels(by_density, figure, directory, f"{table}_{figure}_density", f"{title}, by density")
    return drawn


def _panels(
    panels: Sequence[tuple[str, Rows]], figure: str, directory: Path, stem: str, caption: str
) -> dict[str, str]:
    if not any(rows for _, rows in panels):
        return {}
    top = max(row[figure] for _, rows in panels for row in rows)
    charts = [_panel(_spread(rows, figure), figure, top, title) for title, rows in panels]
    pairs = [alt.hconcat(*charts[first : first + 2]) for first in range(0, len(charts), 2)]
    save(alt.vconcat(*pairs), directory, stem)
    return {stem: caption}


def _panel(rows: list[dict[str, Any]], figure: str, top: float, title: str) -> alt.TopLevelMixin:
    """All panels of a figure have one scale."""
    x = alt.X("l:Q", scale=alt.Scale(zero=False), axis=alt.Axis(values=values(rows, "l"), format="d"))
    y = alt.Y("value:Q", title=TITLES[figure], scale=alt.Scale(domain=[0, top]))
    return lines(rows, x, y, alt.Color("k:N"), title)


def _spread(rows: Rows, figure: str) -> list[dict[str, Any]]:
    """Mean, least and most over seeds."""
    spread = []
    for k in values(rows, "k"):
        for l in values(rows, "l"):
            found = [row[figure] for row in chosen(rows, k=k, l=l)]
            spread.append({"k": k, "l": l, "value": fmean(found), "low": min(found), "high": max(found)})
    return spread
