"""`auto` decides on rows and columns alone, and the run, the manifest and an explanation say which and why."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

import lgb_sql
from lgb_sql.events import Event, Note
from lgb_sql.generalizers import auto

ROWS = 60
TABLE = pa.table({f"q{place}": [(row * (place + 3)) % 7 for row in range(ROWS)] for place in range(auto.COLUMNS + 1)})


def policy(columns: int) -> dict[str, object]:
    return {"k": 5, "attributes": {f"q{place}": {"role": "quasi-identifier"} for place in range(columns)}}


@pytest.mark.parametrize(
    ("columns", "cells", "chosen"),
    [
        (2, 2 * ROWS, "tight"),
        (2, 2 * ROWS - 1, "fast"),
        (auto.COLUMNS, 10**6, "tight"),
        (auto.COLUMNS + 1, 10**6, "fast"),
    ],
)
def test_it_chooses_by_the_documented_threshold(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, columns: int, cells: int, chosen: str
) -> None:
    monkeypatch.setattr(auto, "CELLS", cells)
    events: list[Event] = []
    release = lgb_sql.anonymize(TABLE, policy(columns), to=tmp_path / "r.duckdb", listener=events.append)
    assert release.manifest["generalization"] == chosen
    reason = release.metrics().generalization_reason
    assert f"{ROWS} rows x {columns} quasi-identifier columns = {ROWS * columns:,}" in reason
    notes = [event.text for event in events if isinstance(event, Note)]
    assert any(note.startswith(f"generalization {chosen}: ") and note.partition(": ")[2] in reason for note in notes)


def test_an_explanation_states_the_rule_and_shows_both() -> None:
    text = lgb_sql.explain(TABLE, policy(2), sql=False)
    assert f"choose: {auto.RULE}" in text
    assert "(tight)" in text
    assert "(fast)" in text
    assert f"{auto.CELLS:,}" in auto.RULE
