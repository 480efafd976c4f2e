"""Measures of any table, ours or not: what its equivalence classes promise, and the risk of being found in them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import inf, isclose

from lgb_sql.audit.verdict import Result, Risk, Verdict, judged
from lgb_sql.engines.duckdb import DuckDBEngine
from lgb_sql.errors import PolicyError, Problem, SourceError
from lgb_sql.problems import unknown_key
from lgb_sql.render import Sql, render
from lgb_sql.schema import SourceSchema, parse_type


@dataclass(frozen=True)
class Asked:
    """What a table must satisfy to be called safe."""

    k: int = 2
    l: int = 2
    t: float | None = None

    def __post_init__(self) -> None:
        problems = []
        if self.k < 1:
            problems.append(Problem("--k", "must be at least 1", "for instance --k 5"))
        if self.l < 1:
            problems.append(Problem("--l", "must be at least 1", "for instance --l 3"))
        if self.t is not None and not 0 <= self.t <= 1:
            problems.append(Problem("--t", "must lie between 0 and 1", "for instance --t 0.2"))
        if problems:
            raise PolicyError(problems, of="the command")


def audit_table(
    engine: DuckDBEngine,
    relation: Sql,
    schema: SourceSchema,
    quasi: Sequence[str],
    sensitive: Sequence[str],
    asked: Asked,
    subject: str,
) -> Verdict:
    """Measure a table that the engine can read under `relation`."""
    problems: list[Problem] = []
    quasi, sensitive = (
        _found(schema, names, option, problems) for names, option in ((quasi, "--quasi"), (sensitive, "--sensitive"))
    )
    if not quasi and not problems:
        problems.append(Problem("--quasi", "names no column", "name the columns that others may know, as a,b,c"))
    problems.extend(
        Problem("--sensitive", f"{name} is also a quasi-identifier", "name it once")
        for name in sorted(set(quasi) & set(sensitive))
    )
    if problems:
        raise PolicyError(problems, of="the command")
    aliases = {"audited_table": relation}
    engine.materialize("class_sizes", render("audit/class_sizes", {"quasi": quasi}, aliases))
    results, risks = _sizes(engine, asked)
    for name in sensitive:
        counts = render("audit/class_counts", {"quasi": quasi, "sensitive": name}, aliases)
        engine.materialize("class_counts", counts)
        measured = _measured(engine, name, schema, asked)
        results.extend(measured[0])
        risks.extend(measured[1])
    engine.drop("class_sizes", "class_counts")
    return Verdict(subject, tuple(results), tuple(risks), kind="table")


def _found(schema: SourceSchema, names: Sequence[str], option: str, problems: list[Problem]) -> list[str]:
    """The columns as the table spells them, each once."""
    found: list[str] = []
    for name in names:
        column = schema.find(name)
        if column is None:
            problems.append(Problem(option, f"the table has no column {name}", unknown_key(name, schema.names)))
        elif column.name not in found:
            found.append(column.name)
    return found


def _sizes(engine: DuckDBEngine, asked: Asked) -> tuple[list[Result], list[Risk]]:
    ((classes, rows, smallest, below, rows_below, unique),) = engine.fetch(render("audit/class_risks", {"k": asked.k}))
    if not rows:
        raise SourceError("the table is empty.", "there is nothing to measure")
    result = judged(
        "k-anonymity", f"every class has at least {asked.k} rows", below, f"k = {smallest}, {classes:,} classes",
        f"k = {smallest}; {below:,} of {classes:,} classes, with {rows_below:,} of {rows:,} rows, have fewer",
    )  # fmt: skip
    highest, mean = 1 / smallest, classes / rows
    return [result], [
        Risk("prosecutor risk", highest,
             "the highest chance to find the row of someone known to be in the table",
             more={"average": mean, "unique_rows": unique}),
        Risk("journalist risk", highest,
             "the same where any row will do; lower only if the table is a sample of more people"),
        Risk("marketer risk", mean, "the share of rows that a linkage of everybody gets right"),
    ]  # fmt: skip


def _measured(engine: DuckDBEngine, name: str, schema: SourceSchema, asked: Asked) -> tuple[list[Result], list[Risk]]:
    ((distinct, entropy, recursive, alpha, below, rows_below),) = engine.fetch(
        render("audit/class_diversity", {"l": asked.l})
    )
    ((equal, beta, delta, absent),) = engine.fetch(render("audit/class_closeness"))
    column = schema.find(name)
    kind = parse_type(column.type_name) if column else None
    ordered = None
    if kind is not None and kind.family.ordered:
        ((ordered,),) = engine.fetch(render("audit/class_distance_ordered"))
    results = [
        judged(
            f"l-diversity of {name}",
            f"every class has at least {asked.l} values",
            below,
            f"l = {distinct}",
            f"l = {distinct}; {below:,} classes with {rows_below:,} rows have fewer",
        )
    ]
    t = equal if ordered is None else ordered
    if asked.t is not None:
        above = t > asked.t and not isclose(t, asked.t, abs_tol=1e-12)
        measured = f"t = {t:.6g}"
        results.append(judged(f"t-closeness of {name}", f"t is at most {asked.t}", int(above), measured, measured))
    return results, list(_numbers(name, (distinct, entropy, recursive, alpha), (equal, ordered, beta, delta, absent)))


def _numbers(
    name: str,
    diversity: tuple[int, float, float | None, float],
    closeness: tuple[float, float | None, float, float, bool],
) -> Iterator[Risk]:
    distinct, entropy, recursive, alpha = diversity
    equal, ordered, beta, delta, absent = closeness
    yield Risk(f"distinct l of {name}", distinct, "the fewest different values in a class")
    yield Risk(f"entropy l of {name}", entropy, "as if that many values were equally likely, in the worst class")
    if recursive is not None:
        yield Risk(f"recursive c of {name}", recursive, f"(c, {distinct})-diversity holds for every c above this")
    yield Risk(f"alpha of {name}", alpha, "the largest share of one value in a class: the surest guess")
    yield Risk(f"t (equal) of {name}", equal, "how far a class may be from the whole column, equal distance")
    if ordered is not None:
        yield Risk(f"t (ordered) of {name}", ordered, "the same, counting how far apart values stand in their order")
    yield Risk(f"beta of {name}", beta, "by how much a class raises the belief in a value, relative to the column")
    meaning = "delta-disclosure: infinite where a class lacks a value, which excludes it"
    yield Risk(f"delta of {name}", inf if absent else delta, meaning, more={"present": delta})
