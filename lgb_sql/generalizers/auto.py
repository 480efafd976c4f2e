"""What `auto` stands for: `tight` where it takes about a minute on two cores, `fast` above. Never a clock."""

from __future__ import annotations

from lgb_sql.run import Run

CELLS = 4_000_000
"""Rows x quasi-identifier columns up to which `tight` runs."""
COLUMNS = 16
"""Quasi-identifier columns up to which it does: its time grows with their square."""
RULE = f"tight up to {CELLS:,} rows x quasi-identifier columns and {COLUMNS} such columns, fast above"
OPTIONS = ("tight", "fast")


def choose(run: Run, columns: int) -> str:
    """Decide on counts, and say why."""
    cells = run.count("rows_source") * columns
    small = cells <= CELLS and columns <= COLUMNS
    chosen = "tight" if small else "fast"
    limits = f"{'within' if small else 'beyond'} {CELLS:,} and {COLUMNS} columns"
    reason = f"{run.count('rows_source'):,} rows x {columns} quasi-identifier columns = {cells:,}, {limits}"
    run.values["generalization"] = chosen
    run.values["generalization_reason"] = f"auto: {reason}"
    run.note(f"generalization {chosen}: {reason}")
    return chosen
