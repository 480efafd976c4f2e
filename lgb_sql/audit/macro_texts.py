"""The macros of a release against those that the software makes for it: the same texts, arguments and defaults."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from lgb_sql.audit.reading import Opened
from lgb_sql.engines.duckdb import DuckDBEngine
from lgb_sql.errors import LgbError
from lgb_sql.macros import definitions, macros_of, script
from lgb_sql.publish import RELEASE_DATABASE
from lgb_sql.query_helpers import helper_columns
from lgb_sql.render import Sql, identifier
from lgb_sql.verify import expected_columns

_EXPECTED = "expected_release"
_MACRO = "CREATE MACRO "
_SPELLINGS = {
    "CAST('t' AS BOOLEAN)": "true",
    "CAST('f' AS BOOLEAN)": "false",
    '"': "",
    "TIMESTAMP_US": "TIMESTAMP",
    "TIMESTAMP WITH TIME ZONE": "TIMESTAMPTZ",
    " CROSS JOIN ": " , ",
}


def foreign_macros(release: Opened, found: int) -> int:
    """How many of the macros found in a database are none of a release's, or say something else."""
    if found == 0:
        return 0
    try:
        texts = _macros_in(release.engine, RELEASE_DATABASE, release.place.schema)
    except LgbError:  # what the engine cannot write down nobody can compare
        return found
    with _expected(release) as own:
        foreign = sum((Counter(texts) - Counter(own)).values())
    return max(foreign, found - len(texts))


def expected_script(release: Opened) -> str:
    """What `macros.sql` of a directory holds; nothing where there are no macros."""
    macros = macros_of(release.bound)
    return script(release.relations, macros) if macros else ""


def _macros_in(engine: DuckDBEngine, catalog: str, schema: str) -> list[str]:
    """Texts of a schema's macros; the engine leaves out the name of its main schema."""
    prefix = "" if schema == "main" else f"{schema}."
    quoted = "" if schema == "main" else f"{identifier(schema)}."
    texts = [text for text in engine.texts_of(catalog) if text.startswith((_MACRO + prefix, _MACRO + quoted))]
    return [_tidied(text) for text in texts]


def _tidied(text: str) -> str:
    """Without what differs between the engine's versions and between memory and file, not between questions."""
    for written, plain in _SPELLINGS.items():
        text = text.replace(written, plain)
    text = re.sub(r"DECIMAL\((\d+), (\d+)\)", r"DECIMAL(\1,\2)", text)
    return re.sub(r"\bmain\.", "", text)


@contextmanager
def _expected(release: Opened) -> Iterator[list[str]]:
    """The texts of the macros as this software makes them, over empty tables of the release's columns."""
    engine, schema = release.engine, release.place.schema
    place = Sql(f"{identifier(_EXPECTED)}.{identifier(schema)}")
    engine.run(f"ATTACH ':memory:' AS {identifier(_EXPECTED)}")
    try:
        engine.run(f"CREATE SCHEMA IF NOT EXISTS {place}")
        for name, columns in {**expected_columns(release.bound), **helper_columns(release.bound)}.items():
            listed = ", ".join(f"{identifier(column)} {kind}" for column, kind in columns.items())
            engine.run(f"CREATE TABLE {place}.{identifier(name)} ({listed})")
        if macros := macros_of(release.bound):
            engine.run_in(place, definitions(macros))
        yield _macros_in(engine, _EXPECTED, schema)
    finally:
        engine.detach(_EXPECTED)
