"""Attacks on released files. Each sees what an adversary sees: the files, and where it says so, public knowledge.

An attack returns guesses or a score; the tests compare with the truth, which no attack is given.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from math import sqrt
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

import lgb_sql
from tests.support import Observed, read_crosswalk, read_directory, read_duckdb, workplace

Guesses = dict[int, Any]
"""The guessed value of a rid's cell."""


def read(release: Path) -> Observed:
    return read_directory(release) if release.is_dir() else read_duckdb(release)


def buckets_of(files: Observed, attribute: str) -> tuple[dict[int, list[int]], dict[int, Counter[Any]]]:
    """Each bucket's rids and its values, both in the order in which they are stored."""
    rids: defaultdict[int, list[int]] = defaultdict(list)
    tuples = files["tuples"]
    for rid, bid in zip(tuples.column("rid"), tuples.column(f"{attribute}_bid"), strict=True):
        if bid is not None:
            rids[bid].append(rid)
    values: defaultdict[int, Counter[Any]] = defaultdict(Counter)
    for bid, value, n in files[f"sat_{attribute}"].rows:
        values[bid][value] += n
    return dict(rids), dict(values)


def positional_join(files: Observed, attribute: str) -> Guesses:
    """The first tuple of a bucket has its first value, and so on: true where both were written from one relation."""
    rids, values = buckets_of(files, attribute)
    return {
        rid: value for bid, members in rids.items() for rid, value in zip(members, values[bid].elements(), strict=True)
    }


def tie_order(files: Observed, attribute: str) -> dict[int, list[Any]]:
    """If equal values were dealt to buckets in the order of rids, what can each tuple's value be? By propagation.

    Of a value in buckets b1 < b2 < ... the tuples have ascending rids. Candidates that no ascending chain contains go;
    so do a bucket's values that one of its tuples must have.
    """
    rids, values = buckets_of(files, attribute)
    chains: defaultdict[Any, list[int]] = defaultdict(list)
    for bid in sorted(values):
        for value in values[bid]:
            chains[value].append(bid)
    possible = {rid: set(values[bid]) for bid, members in rids.items() for rid in members}
    changed = True
    while changed:
        struck = [_ascending(chain, value, rids, possible) for value, chain in chains.items()]
        struck += [_singles(members, possible) for members in rids.values()]
        changed = any(struck)
    return {rid: sorted(candidates) for rid, candidates in possible.items()}


def _ascending(chain: Sequence[int], value: Any, rids: dict[int, list[int]], possible: dict[int, set[Any]]) -> bool:
    slots = [sorted(rid for rid in rids[bid] if value in possible[rid]) for bid in chain]
    lowest = 0
    removed = False
    for slot in slots:
        allowed = [rid for rid in slot if rid > lowest]
        removed |= _strike(set(slot) - set(allowed), value, possible)
        lowest = allowed[0] if allowed else lowest
    highest = max(possible) + 1
    for slot in reversed(slots):
        allowed = [rid for rid in slot if rid < highest and value in possible[rid]]
        removed |= _strike({rid for rid in slot if value in possible[rid]} - set(allowed), value, possible)
        highest = allowed[-1] if allowed else highest
    return removed


def _strike(rids: Iterable[int], value: Any, possible: dict[int, set[Any]]) -> bool:
    struck = False
    for rid in rids:
        if value in possible[rid]:
            possible[rid].discard(value)
            struck = True
    return struck


def _singles(members: Sequence[int], possible: dict[int, set[Any]]) -> bool:
    struck = False
    for rid in members:
        if len(possible[rid]) == 1:
            (value,) = possible[rid]
            struck |= _strike([other for other in members if other != rid], value, possible)
    return struck


def label_patterns(files: Observed, attributes: Sequence[str]) -> dict[str, float]:
    """How many standard deviations each kind of id is from a random order, along what it stands for."""
    scores = {}
    tuples, groups = files["tuples"], files["groups"]
    scores["rid along gid"] = deviation(tuples.column("rid"), tuples.column("gid"))
    for name in groups.names:
        if name.endswith("_lo"):
            scores[f"gid along {name}"] = deviation(groups.column("gid"), groups.column(name))
    for attribute in attributes:
        scores[f"rid along bid of {attribute}"] = deviation(tuples.column("rid"), tuples.column(f"{attribute}_bid"))
        _, values = buckets_of(files, attribute)
        least = [min(contents) for _, contents in sorted(values.items())]
        scores[f"bid along values of {attribute}"] = deviation(sorted(values), least)
    return scores


def deviation(labels: Sequence[int], contents: Sequence[Any]) -> float:
    """Spearman's correlation in units of its standard deviation; ties get their places by a hash."""
    pairs = [(label, content) for label, content in zip(labels, contents, strict=True) if content is not None]
    if len(pairs) < 3:
        return 0.0
    by_content = sorted(pairs, key=lambda pair: (pair[1], hashlib.sha256(str(pair[0]).encode()).digest()))
    places = {label: place for place, (label, _) in enumerate(by_content)}
    ranks = [places[label] for label in sorted(label for label, _ in pairs)]
    n = len(ranks)
    apart = sum((rank - place) ** 2 for place, rank in enumerate(ranks))
    return abs(1 - 6 * apart / (n * (n * n - 1))) * sqrt(n - 1)


def leftovers(release: Path, needles: Sequence[str]) -> int:
    """How many of these texts stand in any byte, log, statistic, dictionary or note of the files.

    No text begins with another one.
    """
    paths = sorted(release.rglob("*")) if release.is_dir() else [release, Path(f"{release}.wal")]
    haystack = b"\n".join(path.read_bytes() for path in paths if path.is_file())
    haystack += "\n".join(_statistics(release)).encode()
    return len(set(re.findall("|".join(map(re.escape, needles)).encode(), haystack)))


def _statistics(release: Path) -> list[str]:
    if not release.is_dir():
        with duckdb.connect(str(release), read_only=True) as connection:
            tables = [row[0] for row in connection.execute("SELECT table_name FROM duckdb_tables()").fetchall()]
            return [
                str(connection.execute(f'SELECT stats(COLUMNS(*)) FROM "{table}" LIMIT 1').fetchall())
                for table in tables
            ]
    texts = []
    for path in release.glob("*.parquet"):
        file = pq.ParquetFile(path)
        texts.append(str(file.metadata.metadata) + str(file.schema_arrow.metadata))
        for group in range(file.num_row_groups):
            row_group = file.metadata.row_group(group)
            columns = [row_group.column(place) for place in range(row_group.num_columns)]
            texts.extend(str(column.statistics) for column in columns if column.is_stats_set)
        names = [f.name for f in file.schema_arrow if f.type == pa.string() or pa.types.is_dictionary(f.type)]
        for column in pq.read_table(path, columns=names, read_dictionary=names).columns:
            texts.extend(str(chunk.dictionary.to_pylist()) for chunk in column.chunks)
    return texts


def view_texts(release: Path) -> str:
    """Everything that the catalog says in words."""
    with duckdb.connect(str(release), read_only=True) as connection:
        told = connection.execute("SELECT sql FROM duckdb_views() WHERE NOT internal").fetchall()
        told += connection.execute("SELECT sql, comment FROM duckdb_tables()").fetchall()
        told += connection.execute("SELECT macro_definition FROM duckdb_functions() WHERE NOT internal").fetchall()
    return str(told)


HASHES: dict[str, Callable[[Any], Any]] = {
    "identity": lambda key: key,
    "text": str,
    "md5": lambda key: hashlib.md5(str(key).encode()).hexdigest(),
    "sha1": lambda key: hashlib.sha1(str(key).encode()).hexdigest(),
    "sha256": lambda key: hashlib.sha256(str(key).encode()).hexdigest(),
}


def pseudonym_inversion(keys: Sequence[Any]) -> dict[str, dict[Any, int]]:
    """Rids as they would be, were they the order of some function of a known identifier; the engine's hash too."""
    guesses = {name: _ranked(keys, [function(key) for key in keys]) for name, function in HASHES.items()}
    with duckdb.connect() as connection:
        connection.register("given", pa.table({"key": list(keys)}))
        hashed = dict(connection.execute("SELECT key, hash(key) FROM given").fetchall())
    return guesses | {"engine": _ranked(keys, [hashed[key] for key in keys])}


def _ranked(keys: Sequence[Any], by: Sequence[Any]) -> dict[Any, int]:
    ordered = sorted(zip(by, keys, strict=True))
    return {key: place + 1 for place, (_, key) in enumerate(ordered)}


def replay(table: Any, policy: dict[str, Any], seeds: Iterable[int]) -> list[dict[Any, int | None]]:
    """The crosswalks that default seeds give, for someone who knows the table but for one person's values."""
    found = []
    for seed in seeds:
        with workplace() as directory:
            lgb_sql.anonymize(
                table, policy, to=directory / "again.duckdb", crosswalk=directory / "again.parquet",
                options=lgb_sql.RunOptions(seed=seed),
            )  # fmt: skip
            found.append(read_crosswalk(directory / "again.parquet"))
    return found


def intersection(one: Observed, other: Observed, attribute: str, same: dict[int, int]) -> dict[int, Counter[Any]]:
    """What a person's two buckets have in common; `same` says which rid of the other release is this one's person."""
    found: list[dict[int, Counter[Any]]] = []
    for files in (one, other):
        rids, values = buckets_of(files, attribute)
        found.append({rid: values[bid] for bid, members in rids.items() for rid in members})
    return {rid: candidates & found[1][same[rid]] for rid, candidates in found[0].items()}
