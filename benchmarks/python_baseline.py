"""What one would write by hand without a database or numpy: Mondrian on lists and Anatomy on heaps, plain Python.

The cuts are those of `fast`, so the groups are the same: the comparison is of means, not of algorithms. Flags are
honoured the same way: rows of one pattern of flags are partitioned together, flagged values go into buckets. The
result is written as CSV files; unlike a release it is neither verified nor put into a secret order.
"""

from __future__ import annotations

import csv
import heapq
import math
import random
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

Columns = Mapping[str, Sequence[Any]]
Group = list[int]
Bucket = list[int]


# --- Mondrian ---


def mondrian(
    columns: Columns, quasi: Sequence[str], ordered: set[str], flags: Mapping[str, str], k: int
) -> list[Group]:
    """Groups of row numbers; a flagged cell counts neither for widths nor for cuts."""
    widths = {name: _domain(columns, name, name in ordered, flags) for name in quasi}
    by_tie = sorted(quasi, key=lambda name: len(_visible(columns, name, flags)))  # of two equally wide the smaller
    patterns: defaultdict[tuple[bool, ...], Group] = defaultdict(list)
    for row, pattern in enumerate(zip(*(columns[flag] for flag in flags.values()), strict=True)):
        patterns[pattern].append(row)
    groups: list[Group] = []
    for pattern, rows in patterns.items():
        hidden = {name for name, flagged in zip(flags, pattern, strict=True) if flagged}
        shown = [name for name in by_tie if name not in hidden]
        pending = [rows]
        while pending:
            node = pending.pop()
            sides = _split(columns, shown, ordered, widths, node, k) if len(node) >= 2 * k else None
            if sides:
                pending.extend(sides)
            else:
                groups.append(node)
    return groups


def _visible(columns: Columns, name: str, flags: Mapping[str, str]) -> set[Any]:
    if name not in flags:
        return set(columns[name])
    return {value for value, flagged in zip(columns[name], columns[flags[name]], strict=True) if not flagged}


def _domain(columns: Columns, name: str, is_ordered: bool, flags: Mapping[str, str]) -> float:
    values = _visible(columns, name, flags)
    return max(values) - min(values) if is_ordered else len(values)


def _split(
    columns: Columns, shown: list[str], ordered: set[str], domains: Mapping[str, float], node: Group, k: int
) -> tuple[Group, Group] | None:
    widths = {}
    for name in shown:
        column = columns[name]
        values = {column[row] for row in node}
        width = max(values) - min(values) if name in ordered else len(values)
        widths[name] = width / domains[name] if len(values) > 1 else 0
    for name in sorted(shown, key=lambda name: -widths[name]):  # stable: ties stay in the order of domains
        if widths[name] == 0:
            return None
        column = columns[name]
        left = _nearest_cut(Counter([column[row] for row in node]), name in ordered, k)
        if left:
            return [row for row in node if column[row] in left], [row for row in node if column[row] not in left]
    return None


def _nearest_cut(counts: Counter[Any], is_ordered: bool, k: int) -> set[Any]:
    """The values left of the allowable boundary that is nearest the middle; unordered ones by frequency."""
    values = sorted(counts) if is_ordered else sorted(counts, key=lambda value: (-counts[value], value))
    total, running = counts.total(), 0
    best, place = math.inf, 0
    for number, value in enumerate(values, start=1):
        running += counts[value]
        if running >= k and total - running >= k and abs(2 * running - total) < best:
            best, place = abs(2 * running - total), number
    return set(values[:place])


# --- buckets ---


def anatomy(rows: Iterable[int], column: Sequence[Any], l: int) -> list[Bucket]:
    """Buckets of l different values each, always of the l values with most tuples left; the rest goes where it may."""
    tuples: defaultdict[Any, list[int]] = defaultdict(list)
    for row in rows:
        tuples[column[row]].append(row)
    for stack in tuples.values():
        random.shuffle(stack)
    heap = [(-len(stack), value) for value, stack in tuples.items()]
    heapq.heapify(heap)
    buckets: list[Bucket] = []
    while len(heap) >= l:
        taken = [heapq.heappop(heap) for _ in range(l)]
        buckets.append([tuples[value].pop() for _, value in taken])
        for count, value in taken:
            if count < -1:
                heapq.heappush(heap, (count + 1, value))
    for _, value in heap:
        for row in tuples[value]:
            next(bucket for bucket in buckets if all(column[other] != value for other in bucket)).append(row)
    return buckets


def dealt(rows: Iterable[int], column: Sequence[Any], t: float) -> list[Bucket]:
    """Buckets as like the whole as they can be: rows by value, dealt round-robin into buckets of 1/t or more."""
    by_value = list(rows)
    random.shuffle(by_value)
    by_value.sort(key=column.__getitem__)
    buckets = len(by_value) // math.ceil(1 / t)
    return [by_value[number::buckets] for number in range(buckets)]


def bucketize(columns: Columns, name: str, principle: Mapping[str, float], flag: str | None) -> list[Bucket]:
    rows = range(len(columns[name]))
    chosen = rows if flag is None else [row for row in rows if columns[flag][row]]
    if "t_closeness" in principle:
        return dealt(chosen, columns[name], principle["t_closeness"])
    return anatomy(chosen, columns[name], int(principle["l_diversity"]))


# --- what is written ---


def write(
    directory: Path, columns: Columns, quasi: Sequence[str], groups: list[Group], buckets: dict[str, list[Bucket]]
) -> None:
    """A row per tuple with its group and buckets, a row per group with what its tuples show, the buckets' values."""
    cells: list[list[Any]] = [[None] * (1 + len(buckets)) for _ in columns[quasi[0]]]
    with (directory / "groups.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        for gid, group in enumerate(groups, start=1):
            for row in group:
                cells[row][0] = gid
            writer.writerow([gid, len(group), *(sorted({columns[name][row] for row in group}) for name in quasi)])
    for place, (name, found) in enumerate(buckets.items(), start=1):
        with (directory / f"sat_{name}.csv").open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file)
            for bid, bucket in enumerate(found, start=1):
                for row in bucket:
                    cells[row][place] = bid
                writer.writerows((bid, value, n) for value, n in Counter(columns[name][row] for row in bucket).items())
    with (directory / "tuples.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(cells)


def release(columns: Columns, policy: Mapping[str, Any], ordered: set[str], directory: Path) -> list[Group]:
    """Everything that `policy` asks for; returns the groups."""
    attributes = policy["attributes"]
    quasi = [name for name, a in attributes.items() if a["role"] in ("quasi-identifier", "semi-sensitive")]
    flags = {name: attributes[name]["flag"] for name in quasi if "flag" in attributes[name]}
    groups = mondrian(columns, quasi, ordered, flags, policy["k"])
    buckets = {
        name: bucketize(columns, name, a["principle"], a.get("flag"))
        for name, a in attributes.items()
        if "principle" in a
    }
    write(directory, columns, quasi, groups, buckets)
    return groups
