"""Reading the text of a view or macro by the engine's own parser: which tables, functions and constants it names."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from sqlglot.dialects.duckdb import DuckDB
from sqlglot.errors import SqlglotError

from lgb_sql.engines.duckdb import DuckDBEngine
from lgb_sql.render import Statement, lit

_WORDS = frozenset({"NULL", "bucket ", "Q", "S", "W", "N"})
"""Constants that views of a release need; all others must be free of letters and digits."""


@dataclass
class Text:
    """What a query names."""

    tables: set[tuple[str, str, str]] = field(default_factory=set)
    """(catalog, schema, table), as written"""
    own_names: set[str] = field(default_factory=set)
    """Names of WITH clauses"""
    functions: set[str] = field(default_factory=set)
    reads_elsewhere: bool = False
    """Whether a table function is called, which could read any file"""
    odd_constants: int = 0


def query_of(definition: str) -> str | None:
    """The SELECT of a CREATE VIEW text."""
    try:
        tokens = DuckDB().tokenize(definition)
    except SqlglotError:
        return None
    start = next((token.end + 1 for token in tokens if token.token_type.name == "ALIAS"), None)
    return None if start is None else definition[start:].strip().removesuffix(";")


def read_text(engine: DuckDBEngine, query: str) -> Text | None:
    """Parse a query; None where the engine cannot."""
    statement = Statement("text", f"SELECT json_serialize_sql({lit(query)})", frozenset())
    parsed = json.loads(engine.fetch(statement)[0][0])
    if parsed.get("error"):
        return None
    text = Text()
    for node in _nodes(parsed):
        _note(text, node)
    return text


def _note(text: Text, node: dict[str, Any]) -> None:
    kind = node.get("type")
    if kind == "BASE_TABLE":
        text.tables.add((node["catalog_name"], node["schema_name"], node["table_name"]))
    elif kind == "TABLE_FUNCTION":
        text.reads_elsewhere = True
    elif kind == "FUNCTION":
        text.functions.add(str(node["function_name"]).casefold())
    elif node.get("class") == "CONSTANT":
        text.odd_constants += not _harmless(node.get("literal") or node.get("value") or {})
    text.own_names |= {str(each["key"]).casefold() for each in node.get("cte_map", {}).get("map", ())}


def _harmless(constant: dict[str, Any]) -> bool:
    """Punctuation and the words of the format; a number or any other text could be somebody's."""
    if constant.get("is_null"):
        return True
    kind = constant.get("kind") or constant.get("type", {}).get("id")
    text = str(constant.get("text", constant.get("value")))
    return kind in ("STRING", "VARCHAR") and (text in _WORDS or not any(character.isalnum() for character in text))


def _nodes(tree: Any) -> Iterator[dict[str, Any]]:
    pending = [tree]
    while pending:
        node = pending.pop()
        if isinstance(node, dict):
            yield node
            pending.extend(node.values())
        elif isinstance(node, list):
            pending.extend(node)
