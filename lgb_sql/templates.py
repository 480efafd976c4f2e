"""The SQL templates as files: where they are, and the header that says what each one is.

A header is TOML in a Jinja comment at the top of the file. `inputs` and `columns` may hold `{attribute}` for a
relation or column that exists once per attribute.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path

from lgb_sql.errors import InternalError


def _find_directory() -> Path:
    package = Path(__file__).resolve().parent
    for candidate in (package / "sql_templates", package.parent / "sql_templates"):
        if candidate.is_dir():
            return candidate
    raise InternalError("the SQL templates are missing from this installation")


TEMPLATE_DIRECTORY = _find_directory()


@dataclass(frozen=True)
class Header:
    """What a template declares about the relation it makes."""

    relation: str
    grain: str
    key: tuple[str, ...]
    inputs: tuple[str, ...]
    params: tuple[str, ...]
    columns: tuple[str, ...]
    paper: str
    why: str


def template_names() -> list[str]:
    """All templates, without the macro files."""
    files = sorted(TEMPLATE_DIRECTORY.rglob("*.sql"))
    names = [file.relative_to(TEMPLATE_DIRECTORY).with_suffix("").as_posix() for file in files]
    return [name for name in names if not name.startswith("_macros/")]


def read_header(name: str) -> Header:
    """Parse the header comment of one template."""
    text = (TEMPLATE_DIRECTORY / f"{name}.sql").read_text(encoding="utf-8")
    if not text.startswith("{#"):
        raise InternalError(f"template {name} has no header")
    fields = tomllib.loads(text[2 : text.index("#}")])
    return Header(
        relation=fields["relation"],
        grain=fields["grain"],
        key=tuple(fields["key"]),
        inputs=tuple(fields["inputs"]),
        params=tuple(fields["params"]),
        columns=tuple(fields["columns"]),
        paper=fields.get("paper", ""),
        why=fields.get("why", ""),
    )
