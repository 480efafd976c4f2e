"""Templates to SQL text. Only typed fragments and integers reach a statement; a bare string fails.

Quoting comes from sqlglot. The environment is sandboxed and strict, templates come from the package alone,
and nothing is rendered twice.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache

import jinja2
from jinja2.sandbox import ImmutableSandboxedEnvironment
from markupsafe import Markup
from sqlglot import exp

from lgb_sql.errors import InternalError
from lgb_sql.templates import TEMPLATE_DIRECTORY

MAX_IDENTIFIER = 300  # 255 characters of a column's name and the longest suffix or prefix we add


class Sql(str):
    """A piece of SQL text that is safe to stand in a statement as it is."""

    __slots__ = ()

    def __html__(self) -> str:
        """Tell autoescaping, which turns every other string into harmless text, to leave this one alone."""
        return self


@lru_cache(maxsize=8192)
def identifier(name: str) -> Sql:
    """Quote a column or relation name."""
    if not name or len(name) > MAX_IDENTIFIER or "\0" in name:
        raise InternalError("a name that is empty, too long or holds NUL reached the renderer")
    return Sql(exp.to_identifier(name, quoted=True).sql(dialect="duckdb"))


def col(name: str, suffix: str | int = "") -> Sql:
    """Quote a column; with a suffix, the column `<name>_<suffix>` that belongs to an attribute."""
    return identifier(name if suffix == "" else f"{name}_{suffix}")


def lit(value: str | int | bool) -> Sql:
    """Write a policy's own constant as a literal; never used on data."""
    return Sql(exp.convert(value).sql(dialect="duckdb"))


def comma(last: bool) -> Sql:
    """Separate the items of a list."""
    return Sql("" if last else ",")


def _finalize(value: object) -> object:
    if isinstance(value, Sql | Markup | jinja2.Undefined):
        return value  # Markup is a macro's output; StrictUndefined raises by itself, with the name
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    raise InternalError(f"a template tried to write a bare {type(value).__name__} into SQL")


@dataclass(frozen=True)
class Statement:
    """A rendered SELECT and the relations it reads, as they were named while rendering."""

    template: str
    sql: str
    inputs: frozenset[str]


class _RelationNames:
    """Quotes relation names and remembers them, so that tests can hold them against the header."""

    def __init__(self, aliases: Mapping[str, Sql]) -> None:
        self.seen: set[str] = set()
        self._aliases = aliases

    def __call__(self, name: str, suffix: str | int = "") -> Sql:
        full = name if suffix == "" else f"{name}_{suffix}"
        self.seen.add(full)
        return self._aliases.get(full) or identifier(full)


@lru_cache(maxsize=1)
def _environment() -> ImmutableSandboxedEnvironment:
    environment = ImmutableSandboxedEnvironment(
        loader=jinja2.FileSystemLoader(TEMPLATE_DIRECTORY),
        undefined=jinja2.StrictUndefined,
        finalize=_finalize,
        trim_blocks=True,
        lstrip_blocks=True,
        autoescape=True,
        keep_trailing_newline=False,
    )
    environment.globals.update(col=col, lit=lit, comma=comma, dot=Sql("."))
    return environment


def render(
    template: str, params: Mapping[str, object] | None = None, aliases: Mapping[str, Sql] | None = None
) -> Statement:
    """Render one template. `aliases` puts another relation in the place of a named one (a file, a schema)."""
    names = _RelationNames(aliases or {})
    context: dict[str, object | Callable[..., Sql]] = {**(params or {}), "rel": names}
    try:
        text = _environment().get_template(f"{template}.sql").render(context)
    except jinja2.TemplateError as error:
        raise InternalError(f"template {template}: {error}") from error
    return Statement(template, text.strip("\n "), frozenset(names.seen))
