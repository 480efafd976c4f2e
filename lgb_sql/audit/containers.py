"""What is in the file or directory besides rows: relations, columns, view and macro texts, leftovers, stray bytes.

Unexpected things are counted, never named: a directory `disease=HIV` says too much by its name alone.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from lgb_sql.audit.helpers import helper_tables
from lgb_sql.audit.macro_texts import expected_script, foreign_macros
from lgb_sql.audit.reading import Opened
from lgb_sql.audit.verdict import Result, judged
from lgb_sql.audit.view_texts import Text, query_of, read_text
from lgb_sql.macros import MACRO_FILE
from lgb_sql.publish import RELEASE_DATABASE
from lgb_sql.query_helpers import helper_columns
from lgb_sql.release_names import parquet_file
from lgb_sql.render import Sql, Statement, identifier, lit
from lgb_sql.schema import Family, parse_type
from lgb_sql.verify import expected_columns

_HEADERS = 3 * 4096
"""A DuckDB file begins with three headers; blocks follow."""
_PARQUET_FRAME = 12
"""Magic bytes at both ends and the footer's length."""


def container_checks(release: Opened) -> Iterator[Result]:
    """Everything that can be seen without reading rows."""
    yield _relations(release)
    yield _columns(release)
    if release.is_database:
        yield _views(release)
        yield _macros(release)
        yield _catalog(release)
        if release.place.kind == "file":
            yield _database_bytes(release)
    else:
        yield _entries(release)
        yield _parquet_bytes(release)


def _relations(release: Opened) -> Result:
    expected = expected_columns(release.bound)
    extra = set(release.relations) - set(expected) - set(helper_tables(release))
    views = {name for name in expected if name == "anonymized" or name.startswith("idt_")}
    wrong_kind = [
        name
        for name, kind in release.kinds.items()
        if name not in extra and kind not in (("view",) if name in views else ("table",)) and release.is_database
    ]
    return judged(
        "relations", "the relations of a release and nothing else", len(extra) + len(wrong_kind),
        f"{len(release.relations)} relations", f"{len(extra)} too many, {len(wrong_kind)} of another kind",
    )  # fmt: skip


def _columns(release: Opened) -> Result:
    wrong = []
    helpers = {name: wanted for name, wanted in helper_columns(release.bound).items() if name in release.columns}
    for name, wanted in {**expected_columns(release.bound), **helpers}.items():
        found = release.columns[name]
        same = [column for column, _ in found] == list(wanted) and all(
            _same_type(release, kind, wanted[column]) for column, kind in found
        )
        if not same:
            wrong.append(name)
    return judged(
        "columns", "the columns of a release with their types; no ENUM", len(wrong),
        f"{sum(map(len, release.columns.values()))} columns", "other columns or types than promised", wrong,
    )  # fmt: skip


def _same_type(release: Opened, found: str, wanted: str) -> bool:
    if release.is_database or found == wanted:
        return found == wanted
    if wanted.endswith("[]"):  # a Parquet file may give a type's nearest relative
        return found.endswith("[]") and _same_type(release, found[:-2], wanted[:-2])
    one, other = parse_type(found), parse_type(wanted)
    return one is not None and other is not None and one.family == other.family and not found.startswith("ENUM")


# --- texts of a database ---


def _catalog_rows(release: Opened, what: str) -> list[tuple[object, ...]]:
    return release.engine.fetch(Statement("catalog", what, frozenset()))


def _views(release: Opened) -> Result:
    rows = _catalog_rows(
        release,
        f"SELECT sql FROM duckdb_views() WHERE NOT internal AND database_name = {lit(RELEASE_DATABASE)} "
        f"AND schema_name = {lit(release.place.schema)}",
    )
    functions = {name.casefold() for name, _, _ in _own_functions(release)}
    texts = [_text(release, query_of(str(sql))) for (sql,) in rows]
    wrong = sum(text is None or text.odd_constants > 0 or bool(text.functions & functions) for text in texts)
    return judged(
        "views", "views read released tables only and hold no constant of the table", wrong,
        f"{len(rows)} views", f"{wrong} views do not",
    )  # fmt: skip


def _macros(release: Opened) -> Result:
    found = len(_own_functions(release))
    wrong = foreign_macros(release, found)
    return judged(
        "macros", "macros are those that answer questions, word for word", wrong,
        f"{found} macros", f"{wrong} macros are others",
    )  # fmt: skip


def _own_functions(release: Opened) -> list[tuple[str, str, str]]:
    rows = _catalog_rows(
        release,
        "SELECT function_name, function_type, macro_definition FROM duckdb_functions() "
        f"WHERE database_name = {lit(RELEASE_DATABASE)} AND schema_name = {lit(release.place.schema)}",
    )
    return [(str(name), str(kind), str(text)) for name, kind, text in rows]


def _text(release: Opened, query: str | None) -> Text | None:
    """A text that reads released tables only; None for any other."""
    text = read_text(release.engine, query) if query else None
    if text is None or text.reads_elsewhere:
        return None
    released = {name.casefold() for name in release.relations} | text.own_names
    catalogs, schemas = ("", RELEASE_DATABASE), ("", release.place.schema)
    for catalog, schema, table in text.tables:
        if catalog not in catalogs or schema not in schemas or table.casefold() not in released:
            return None
    return text


def _catalog(release: Opened) -> Result:
    """Everything a database can hold besides tables, views and macros."""
    here = f"database_name = {lit(RELEASE_DATABASE)}"
    schema = f"{here} AND schema_name = {lit(release.place.schema)}"
    commented = "(comment IS NOT NULL OR cardinality(tags) > 0)"
    within = schema if release.place.kind == "schema" else here
    queries = [
        f"SELECT count(*) FROM duckdb_{what}() WHERE {within}{extra}"
        for what, extra in (
            ("sequences", ""),
            ("indexes", ""),
            ("constraints", ""),
            ("types", " AND NOT internal"),
            ("tables", f" AND {commented}"),
            ("views", f" AND NOT internal AND {commented}"),
            ("functions", f" AND NOT internal AND {commented}"),
            ("columns", " AND NOT internal AND comment IS NOT NULL"),
            ("columns", " AND NOT internal AND column_default IS NOT NULL"),
        )
    ]
    if release.place.kind == "file":
        queries.append(f"SELECT count(*) FROM duckdb_schemas() WHERE {here} AND NOT internal AND schema_name <> 'main'")
    extra = sum(int(str(_catalog_rows(release, query)[0][0])) for query in queries)
    promise = "no other schema, sequence, index, constraint, type, default or comment"
    return judged("catalog", promise, extra, "nothing else", f"{extra} such objects")


# --- bytes ---


def _database_bytes(release: Opened) -> Result:
    """Dropped tables live on in free blocks, deleted rows in their row groups, both in a WAL."""
    path = release.place.path
    assert path is not None  # noqa: S101  a release that exists has a path
    size_of = f"FROM pragma_database_size() WHERE database_name = {lit(RELEASE_DATABASE)}"
    ((block, total, free),) = _catalog_rows(release, f"SELECT block_size, total_blocks, free_blocks {size_of}")
    stray = path.stat().st_size - _HEADERS - int(str(block)) * int(str(total))
    wal = sum(other.is_file() for other in (Path(f"{path}.wal"),))
    deleted = sum(_stored_otherwise(release, name) for name, kind in release.kinds.items() if kind == "table")
    problems = (stray != 0) + int(str(free)) + wal + deleted
    return judged(
        "leftovers", "no free block, deleted row, write-ahead log or other byte in the file", problems,
        f"{total} blocks, all in use",
        f"{free} free blocks, {deleted} tables with deleted or changed rows, {wal} logs, {max(stray, 0)} stray bytes",
    )  # fmt: skip


def _stored_otherwise(release: Opened, name: str) -> bool:
    """Whether a table stores rows that it does not show, or changes beside its rows."""
    place = f"{identifier(RELEASE_DATABASE)}.{identifier(release.place.schema)}.{identifier(name)}"
    ((stored, updates),) = _catalog_rows(
        release,
        "SELECT coalesce(sum(count) FILTER (WHERE column_id = 0 AND segment_type <> 'VALIDITY'), 0), "
        f"coalesce(bool_or(has_updates), FALSE) FROM pragma_storage_info({lit(place)})",
    )
    return bool(updates) or int(str(stored)) != release.count(name) or _stale_statistics(release, name)


def _stale_statistics(release: Opened, name: str) -> bool:
    """Whether the stored least or greatest value of a column is no value of it: a deleted row's, then.

    The engine stores eight bytes of a text; only plain ones are compared, as it may cut and escape others.
    """
    columns = [
        identifier(column)
        for column, kind in release.columns.get(name, ())
        if (parsed := parse_type(kind)) and parsed.family in (Family.INTEGER, Family.TEXT) and "(" not in kind
    ]
    if not columns or not release.count(name):
        return False
    ends = [
        f"bool_and(NOT regexp_full_match({end}, '[A-Za-z0-9 -]+') OR contains(noted, {end}))" for end in ("low", "high")
    ]
    extremes = " UNION ALL ".join(
        f"SELECT (SELECT CAST(stats({column}) AS VARCHAR) FROM {release.relations[name]} LIMIT 1) AS noted, "
        f"left(CAST(min({column}) AS VARCHAR), 8) AS low, left(CAST(max({column}) AS VARCHAR), 8) AS high "
        f"FROM {release.relations[name]}"
        for column in columns
    )
    ((sound,),) = _catalog_rows(
        release, f"SELECT coalesce({' AND '.join(ends)}, TRUE) FROM ({extremes}) AS extremes WHERE noted IS NOT NULL"
    )
    return not sound


def _entries(release: Opened) -> Result:
    """Only regular files of the right names: no link, no hidden file, no directory of a partition."""
    path = release.place.path
    assert path is not None  # noqa: S101  a release that exists has a path
    names = {parquet_file(name) for name in (*expected_columns(release.bound), *helper_tables(release))}
    wrong = sum(
        entry.is_symlink()
        or not entry.is_file(follow_symlinks=False)
        or not (entry.name in names or (entry.name == MACRO_FILE and _is_script(release, Path(entry.path))))
        for entry in os.scandir(path)
    )
    promise = "regular files of the release's relations, the script of its macros and nothing else"
    return judged("files", promise, wrong, f"{len(names)} files", f"{wrong} entries that should not be there")


def _is_script(release: Opened, file: Path) -> bool:
    expected = expected_script(release).encode()
    return expected != b"" and file.stat().st_size == len(expected) and file.read_bytes() == expected


def _parquet_bytes(release: Opened) -> Result:
    """Every byte of a file belongs to a column, an index of it, or the footer; the engine wrote it, without notes."""
    wrong = []
    for name, relation in release.relations.items():
        file = Sql(str(relation).removeprefix("read_parquet(").removesuffix(")"))
        sql = (
            "SELECT created_by LIKE 'DuckDB version %' AND encryption_algorithm IS NULL "
            f"AND (SELECT count(*) FROM parquet_kv_metadata({file})) = 0 "
            "AND file_size_bytes = footer_size + (SELECT coalesce(sum(total_compressed_size "
            f"+ coalesce(bloom_filter_length, 0)), 0) + {_PARQUET_FRAME} FROM parquet_metadata({file})) "
            "AND (SELECT coalesce(sum(cardinality(key_value_metadata)), 0) FROM "
            f"parquet_metadata({file})) = 0 FROM parquet_file_metadata({file})"
        )
        if not _catalog_rows(release, sql)[0][0]:
            wrong.append(name)
    expected = expected_columns(release.bound)
    return judged(
        "leftovers", "every byte of a file is a column's, its index or the footer; no notes in it", len(wrong),
        f"{len(release.relations)} files without other bytes", f"{len(wrong)} files have others",
        [name for name in wrong if name in expected],
    )  # fmt: skip
