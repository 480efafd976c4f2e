"""The release held against its source, through the publisher's private crosswalk."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from lgb_sql.audit.promises import checked, needs_source
from lgb_sql.audit.reading import Opened
from lgb_sql.audit.verdict import Result, judged
from lgb_sql.binding import BoundAttribute, BoundPolicy, bind
from lgb_sql.checks import FEW_VALUES, checks
from lgb_sql.crosswalk import reading_crosswalk
from lgb_sql.errors import PolicyError, Problem, SourceError
from lgb_sql.hierarchy_sql import cover_table, value_ranks
from lgb_sql.policy import Policy, SemiSensitive
from lgb_sql.render import Sql, Statement, identifier, render
from lgb_sql.schema import SourceSchema, parse_type
from lgb_sql.sources import Source


@dataclass(frozen=True)
class TrueColumn:
    """A column of the source that the audit reads: from where, as what, under what name."""

    source: str
    target: str
    type: Sql
    is_flag: bool = False


@dataclass(frozen=True)
class Truth:
    """What is needed to hold a release against its source."""

    bound: BoundPolicy
    columns: tuple[TrueColumn, ...]
    null_flags_are_sensitive: bool
    row_key: bool
    unit: bool


def understand(release: Opened, policy: Policy | None, schema: SourceSchema) -> Truth:
    """Find the release's attributes, their flags and the keys among the source's columns."""
    problems: list[Problem] = []
    attributes, columns = [], []
    wanted = bind(policy, schema, ranks=value_ranks(release.engine)) if policy else None
    known = {a.name: a for a in wanted.attributes} if wanted else {}
    for a in release.bound.attributes:
        flag = _flag(a, policy, problems)
        attributes.append(replace(a, flag=flag, hierarchy=known[a.name].hierarchy if a.name in known else None))
        columns.append(TrueColumn(_column(schema, a.name, problems), f"{a.name}_value", a.type))
        if flag:
            columns.append(TrueColumn(_column(schema, flag, problems), f"{a.name}_flagged", Sql("BOOLEAN"), True))
    for key, target in ((policy and policy.key, "row_key"), (policy and policy.unit, "unit_key")):
        if key:
            name = _column(schema, key, problems)
            found = schema.find(key)
            kind = parse_type(found.type_name) if found else None
            columns.append(TrueColumn(name, target, Sql(kind.name if kind else "VARCHAR")))
    if problems:
        raise PolicyError(problems)
    null_flags = policy is not None and policy.flag_null == "sensitive"
    bound = BoundPolicy(release.bound.policy, tuple(attributes), (), None, None)
    return Truth(bound, tuple(columns), null_flags, bool(policy and policy.key), bool(policy and policy.unit))


def _flag(a: BoundAttribute, policy: Policy | None, problems: list[Problem]) -> str | None:
    if a.role != "semi-sensitive":
        return None
    attribute = policy.attributes.get(a.name) if policy else None
    if isinstance(attribute, SemiSensitive):
        return attribute.flag
    hint = "give the policy with --policy" if policy is None else "give the policy that the release was made with"
    problems.append(Problem(f"attributes.{a.name}.flag", "which column flags it is not in the release", hint))
    return None


def _column(schema: SourceSchema, name: str, problems: list[Problem]) -> str:
    column = schema.find(name)
    if column is None:
        problems.append(Problem("--source", f"the source has no column {name}", "is it this release's source?"))
        return name
    return column.name


def read_truth(release: Opened, truth: Truth, origin: Source, crosswalk: Path) -> Iterator[Result]:
    """Put each released tuple's source row beside it; says whether crosswalk and source fit the release."""
    if not truth.row_key and not origin.positioned:
        raise SourceError(
            "the rows of a view or a stream have no position to find them by.", "name a `key` in the policy"
        )
    engine = release.engine
    params = {"columns": truth.columns, "null_flags_are_sensitive": truth.null_flags_are_sensitive}
    engine.keep_order(True)
    with origin.reading(engine, [column.source for column in truth.columns]) as relation:
        engine.materialize("audited_source", render("audit/audited_source", params, {"given_source": relation}))
    with reading_crosswalk(engine, crosswalk) as links:
        aliases = {"given_crosswalk": links}
        facts = engine.fetch(render("audit/crosswalk_facts", {"row_key": truth.row_key}, aliases))[0]
        listed, linked, different, least, most, rows, keys, found = facts
        tuples = release.count("tuples")
        fits = (
            linked == different == tuples == (most or 0) and least in (1, None) and listed == rows == keys == found
        ) and rows == release.manifest["rows_source"]
        measured = f"{listed:,} rows listed, {found:,} of {rows:,} found in the source, {different:,} rids"
        yield judged("crosswalk", "every source row once, every rid once", int(not fits), measured, measured)
        if fits:
            join = {"columns": truth.columns, "row_key": truth.row_key}
            engine.materialize("source_rows", render("audit/source_rows", join, aliases))
    if truth.unit:
        repeated = len(engine.fetch(render("audit/repeated_units")))
        yield judged("units", "every unit has one row", repeated, "one row each", f"{repeated:,} units have several")
    engine.drop("audited_source")


def truth_checks(release: Opened, truth: Truth) -> Iterator[Result]:
    """Verification's checks against the source."""
    release.engine.view("row_links", render("audit/row_links"))
    for a in truth.bound.generalised:
        if a.hierarchy:
            release.engine.upload(f"hierarchy_cover_{a.name}", cover_table(a.hierarchy))
    engine = release.engine
    linked = {"bucketed": truth.bound.bucketed, "suppressed": False}  # source_rows holds released rows only
    engine.materialize_temporary("linked_tuples", render("verify/linked_tuples", linked, release.relations))
    values = {
        a.name: engine.materialize_temporary(
            f"shown_values_{a.name}", render("verify/shown_values", {"attribute": a}, release.relations)
        )
        for a in truth.bound.generalised
        if not (a.ordered or a.shows_node)
    }
    few = frozenset(name for name, count in values.items() if count <= FEW_VALUES)
    for check in checks(truth.bound, release.relations, 0, few):
        needs_tree = check.template == "verify/nodes_not_true"
        if needs_tree and not getattr(check.params["attribute"], "hierarchy", None):
            yield Result(check.name, check.promise, "not checked", "the hierarchy is in the policy: give it too")
        elif needs_source(check):
            yield checked(release, check)


def flag_checks(release: Opened, truth: Truth) -> Iterator[Result]:
    """A flag that is NULL says nothing about a person's will; a release of such a source is none."""
    for a in truth.bound.attributes:
        if a.flag and not truth.null_flags_are_sensitive:
            sql = f"SELECT count(*) FROM source_rows WHERE {identifier(f'{a.name}_flagged')} IS NULL"
            ((count,),) = release.engine.fetch(Statement("flags", sql, frozenset()))
            yield judged(f"flags of {a.name}", "every flag says yes or no", count, "no NULL", f"{count:,} are NULL")
