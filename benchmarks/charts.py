"""Charts as SVG and PNG, all in one style."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import altair as alt

PIXELS_PER_INCH = 96
WIDTH, HEIGHT = 300, 200

Rows = list[dict[str, Any]]


def lines(rows: Rows, x: alt.X, y: alt.Y, colour: alt.Color, title: str = "") -> alt.TopLevelMixin:
    """Lines with points; where a row has `low` and `high`, a bar shows the spread over seeds."""
    base = _chart(rows, title).encode(x=x, color=colour)
    drawn = base.mark_line(point=True).encode(y=y)
    if rows and "low" in rows[0]:
        return base.mark_rule().encode(y="low:Q", y2="high:Q") + drawn
    return drawn


def dots(rows: Rows, x: alt.X, y: alt.Y, colour: alt.Color, title: str = "") -> alt.TopLevelMixin:
    """A dot for each row."""
    return _chart(rows, title).mark_point(filled=True, size=120).encode(x=x, y=y, color=colour)


def _chart(rows: Rows, title: str) -> alt.Chart:
    return alt.Chart(alt.Data(values=rows), title=title, width=WIDTH, height=HEIGHT)


def save(chart: alt.TopLevelMixin, directory: Path, stem: str) -> None:
    directory.mkdir(parents=True, exist_ok=True)
    chart.save(str(directory / f"{stem}.svg"))
    chart.save(str(directory / f"{stem}.png"), ppi=PIXELS_PER_INCH)
