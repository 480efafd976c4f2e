"""The renderer lets only typed fragments and integers into a statement, and quotes every name."""

from __future__ import annotations

from typing import Any

import duckdb
import jinja2
import pytest

from lgb_sql.errors import InternalError
from lgb_sql.render import Sql, _environment, col, comma, identifier, lit, render
from tests.properties.cases import HOSTILE_NAMES

ODD = (
    *HOSTILE_NAMES,
    "a\u2028b",
    "a\r\nb",
    "a \n\n b",
    "'); DROP TABLE x; --",
    "\\'",
    "$$",
    "é" * 255,
    "x" * 255,
    "\t",
)


def render_text(text: str, **context: Any) -> str:
    return _environment().from_string(text).render(context)


@pytest.mark.parametrize("value", ["abc", "1", "", 1.5, None, True, b"x", ["a"], {"a": 1}, object()])
def test_anything_but_a_fragment_or_an_integer_is_refused(value: object) -> None:
    with pytest.raises(InternalError, match="bare"):
        render_text("SELECT {{ x }}", x=value)


def test_fragments_and_integers_are_written_as_they_are() -> None:
    assert render_text("{{ x }}, {{ y }}", x=Sql("a < b & c"), y=-3) == "a < b & c, -3"
    assert render_text("{{ col(x) }} {{ lit(x) }}{{ comma(false) }}", x="<'\"&>") == "\"<'\"\"&>\" '<''\"&>',"


def test_a_string_in_a_concatenation_is_made_harmless() -> None:
    """Not a fragment any more: quotes cannot close anything."""
    text = render_text("{{ col('a') ~ x }}", x="'; DROP TABLE y; --")
    assert "'" not in text.replace("&#39;", "")


def test_an_unknown_name_fails() -> None:
    for text in (
        "{{ missing }}",
        "{% if missing %}{% endif %}",
        "{% for a in missing %}{% endfor %}",
        "{{ col(missing) }}",
    ):
        with pytest.raises((jinja2.UndefinedError, InternalError)):
            render_text(text)


@pytest.mark.parametrize(
    "text",
    [
        "{{ ''.__class__.__mro__ }}",
        "{{ col.__globals__ }}",
        "{{ x.append(1) }}",
        "{{ x.__init__.__globals__['os'].system('id') }}",
        "{{ lit.__code__ }}",
    ],
)
def test_the_sandbox_holds(text: str) -> None:
    with pytest.raises((jinja2.exceptions.SecurityError, jinja2.UndefinedError, InternalError)):
        render_text(text, x=[1])


@pytest.mark.parametrize("name", ["../pyproject", "/etc/passwd", "ingest/../../README", "missing", "verify/missing"])
def test_templates_come_from_the_package_alone(name: str) -> None:
    with pytest.raises(InternalError):
        render(name)


def test_a_missing_parameter_names_the_template() -> None:
    with pytest.raises(InternalError, match=r"ingest/quasi_domain.*attribute"):
        render("ingest/quasi_domain")


@pytest.mark.parametrize("name", ODD)
def test_names_and_literals_come_back_unchanged(name: str) -> None:
    with duckdb.connect() as connection:
        described = connection.execute(f"DESCRIBE SELECT 1 AS {identifier(name)}, 2 AS {col(name, 'bid')}").fetchall()
        assert [row[0] for row in described] == [name, f"{name}_bid"]
        assert connection.execute(f"SELECT {lit(name)}").fetchall() == [(name,)]


@pytest.mark.parametrize("name", ["a\u2028b", "a\r\nb", "a \n\n b", "a\x0bb", "a\x85b", " \n"])
def test_rendering_changes_nothing_inside_quotes(name: str) -> None:
    """Blank lines and trailing spaces of a template may go, those of a name may not."""
    statement = render("verify/ids_out_of_order", {"id": name})
    assert identifier(name) in statement.sql


@pytest.mark.parametrize("name", ["", "a\0b", "x" * 301])
def test_impossible_names_are_refused(name: str) -> None:
    with pytest.raises(InternalError):
        identifier(name)


def test_numbers_and_bools_as_literals() -> None:
    assert (lit(5), lit(True), lit("a'b"), comma(True), comma(False)) == ("5", "TRUE", "'a''b'", "", ",")
    assert all(isinstance(fragment, Sql) for fragment in (lit(5), comma(True), col("a"), identifier("a")))
