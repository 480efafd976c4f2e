"""A policy held against the source's columns: every attribute with its type and order, or every problem."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from lgb_sql.domains import Order, read_domain
from lgb_sql.errors import PolicyError, Problem
from lgb_sql.hierarchies import Hierarchy, first_equal, unfit_leaves
from lgb_sql.hierarchy_files import read_hierarchy
from lgb_sql.hierarchy_sql import ValueRanks
from lgb_sql.policy import (
    Attribute,
    Identifier,
    Policy,
    SemiSensitive,
    Sensitive,
)
from lgb_sql.principles import Principle
from lgb_sql.problems import unknown_key
from lgb_sql.release_names import MAX_NAME, collisions
from lgb_sql.render import Sql
from lgb_sql.schema import Column, ColumnType, Family, SourceSchema, parse_type

SHOWN_PROBLEMS = 20
"""Problems of one hierarchy that are named one by one."""
DOMAIN_HINT = "give [lowest, highest] or the list of values"
HIERARCHY_HINT = "one row per leaf, leaf first, one root last; see docs/policy.md"


@dataclass(frozen=True)
class BoundAttribute:
    """An attribute as templates see it."""

    name: str
    column: str
    role: str
    type: Sql
    family: str
    ordered: bool
    words: tuple[str, ...] = ()
    flag: str | None = None
    principle: Principle | None = None
    hierarchy: Hierarchy | None = None
    domain: tuple[str, ...] = ()
    """The values that the policy declares, as text: both ends where `declares_ends`, else all of them."""
    shows_node: bool = False
    """Whether groups show a node of a hierarchy; the hierarchy itself is known while a release is made."""

    @property
    def measured(self) -> bool:
        """Whether its width is measured on the values themselves, not on their ranks."""
        return self.ordered and not self.words and Family(self.family).ordered

    @property
    def declares_ends(self) -> bool:
        """Whether the declared domain is everything between two ends."""
        return self.ordered and len(self.domain) == 2


@dataclass(frozen=True)
class BoundPolicy:
    """A policy that fits the source."""

    policy: Policy
    attributes: tuple[BoundAttribute, ...]
    unreleased: tuple[str, ...]
    key_type: Sql | None
    unit_type: Sql | None

    def of(self, *roles: str) -> tuple[BoundAttribute, ...]:
        """The attributes of these roles, in policy order."""
        return tuple(attribute for attribute in self.attributes if attribute.role in roles)

    @property
    def released(self) -> tuple[BoundAttribute, ...]:
        """All attributes that leave in some form."""
        return self.of("quasi-identifier", "semi-sensitive", "sensitive", "insensitive")

    @property
    def generalised(self) -> tuple[BoundAttribute, ...]:
        """Attributes with quasi-identifier values: columns of groups, letters of a pattern."""
        return self.of("quasi-identifier", "semi-sensitive")

    @property
    def bucketed(self) -> tuple[BoundAttribute, ...]:
        """Attributes with flagged values: a SAT each."""
        return self.of("semi-sensitive", "sensitive")

    @property
    def insensitive(self) -> tuple[BoundAttribute, ...]:
        """Attributes released as they are."""
        return self.of("insensitive")


def bind(
    policy: Policy,
    schema: SourceSchema,
    problems: list[Problem] | None = None,
    ranks: ValueRanks | None = None,
) -> BoundPolicy:
    """Hold a policy against a schema; raises with all problems, those found before included.

    `ranks` lets the engine say whether leaves of hierarchies and items of domains are values of their attributes'
    types.
    """
    found = list(problems or [])
    found.extend(bad_names := list(_bad_names(policy)))
    attributes = []
    for name, attribute in policy.attributes.items():
        bound = _bind_attribute(name, attribute, schema, found, ranks)
        if bound is not None:
            attributes.append(bound)
    told = {problem.key for problem in bad_names}
    equal = (Problem(f"attributes.{name}", what, hint) for name, what, hint in collisions(attributes))
    found.extend(problem for problem in equal if problem.key not in told)
    key_type = _bind_column("key", policy.key, schema, found)
    unit_type = _bind_column("unit", policy.unit, schema, found)
    if not found and not any(attribute.role != "identifier" for attribute in attributes):
        found.append(Problem("attributes", "the policy releases nothing", "give some column another role"))
    if found:
        raise PolicyError(found)
    return BoundPolicy(policy, tuple(attributes), _unreleased(policy, schema), key_type, unit_type)


def _bad_names(policy: Policy) -> Iterator[Problem]:
    folded: dict[str, str] = {}
    for name in policy.attributes:
        if not name or len(name) > MAX_NAME or "\0" in name:
            what = "is empty" if not name else f"holds NUL or is longer than {MAX_NAME} characters"
            yield Problem("attributes", f"a column's name {what}", "rename the column, for instance in a view")
        first = folded.setdefault(name.casefold(), name)
        if first != name:
            yield Problem(f"attributes.{name}", f"differs from {first} in case only", "keep one of them")


def _bind_attribute(
    name: str,
    attribute: Attribute,
    schema: SourceSchema,
    problems: list[Problem],
    ranks: ValueRanks | None,
) -> BoundAttribute | None:
    where = f"attributes.{name}"
    column = schema.find(name)
    if column is None:
        problems.append(Problem(where, "the source has no such column", _similar(name, schema)))
    if isinstance(attribute, Identifier):
        return BoundAttribute(
            name, column.name if column else name, "identifier", Sql("VARCHAR"), "text", ordered=False
        )
    kind = _type_of(where, column, attribute, problems)
    flag = _bind_flag(where, attribute, schema, problems)
    ordered, words = _order(where, attribute, kind, problems)
    hierarchy = _bind_hierarchy(where, attribute, kind, problems, ranks)
    ordered = ordered and hierarchy is None
    domain = _bind_domain(where, attribute, kind, Order(ordered, words), problems, ranks)
    if column is None or kind is None:
        return None
    principle = attribute.principle if isinstance(attribute, SemiSensitive | Sensitive) else None
    return BoundAttribute(
        name=name,
        column=column.name,
        role=attribute.role,
        type=Sql(kind.name),
        family=kind.family.value,
        ordered=ordered,
        words=words,
        flag=flag,
        principle=principle,
        hierarchy=hierarchy,
        domain=domain,
        shows_node=hierarchy is not None,
    )


def _similar(name: str, schema: SourceSchema) -> str:
    """What a misspelt column may have meant."""
    if all(re.fullmatch(r"column\d+", known) for known in schema.names):
        return "the source's columns have no names; if it is a CSV file, does it have a header and rows?"
    return unknown_key(name, schema.names)


def _bind_hierarchy(
    where: str, attribute: Attribute, kind: ColumnType | None, problems: list[Problem], ranks: ValueRanks | None
) -> Hierarchy | None:
    """Read an attribute's hierarchy and hold its leaves against the attribute's type."""
    given: str | dict[str, Any] | None = getattr(attribute, "hierarchy", None)
    if given is None:
        return None
    where = f"{where}.hierarchy"
    if isinstance(attribute, Sensitive):
        problems.append(Problem(where, "a sensitive attribute is never generalised", "remove the key"))
    if getattr(attribute, "ordered", None) not in (None, False):
        problems.append(Problem(where, "a hierarchy makes the attribute unordered", "keep either it or `ordered`"))
    hierarchy, found = read_hierarchy(given)
    if hierarchy is not None and kind is not None and ranks is not None:
        texts = [hierarchy.names[leaf] for leaf in hierarchy.leaves]
        found = unfit_leaves(hierarchy, first_equal(ranks(texts, Sql(kind.name))), kind.name)
    shown, more = found[:SHOWN_PROBLEMS], len(found) - SHOWN_PROBLEMS
    problems.extend(Problem(where, what, HIERARCHY_HINT) for what in shown)
    if more > 0:
        problems.append(Problem(where, f"{more:,} more places are wrong"))
    return hierarchy


def _type_of(where: str, column: Column | None, attribute: Attribute, problems: list[Problem]) -> ColumnType | None:
    wanted = getattr(attribute, "type", None)
    if column is None and wanted is None:
        return None
    kind = parse_type(column.type_name if column is not None and wanted is None else str(wanted))
    if kind is None and wanted is not None:
        problems.append(
            Problem(f"{where}.type", "not a type that a release can hold", "for instance VARCHAR or BIGINT")
        )
    elif kind is None and column is not None:
        shown = column.type_name.split("(")[0].split("[")[0]
        shown += "[]" if column.type_name.endswith("]") else ""
        problems.append(
            Problem(where, f"columns of type {shown} cannot be released", 'cast it, for instance type = "VARCHAR"')
        )
    return kind


def _bind_flag(where: str, attribute: Attribute, schema: SourceSchema, problems: list[Problem]) -> str | None:
    if not isinstance(attribute, SemiSensitive) or attribute.flag is None:  # None: a wrong one, told before
        return None
    column = schema.find(attribute.flag)
    if column is None:
        hint = _similar(attribute.flag, schema)
        problems.append(Problem(f"{where}.flag", f"the source has no column {attribute.flag}", hint))
        return None
    if column.type_name != "BOOLEAN":
        what = f"the column {column.name} is not BOOLEAN"
        problems.append(Problem(f"{where}.flag", what, "TRUE must mean: this person's value is sensitive"))
    return column.name


def _order(
    where: str, attribute: Attribute, kind: ColumnType | None, problems: list[Problem]
) -> tuple[bool, tuple[str, ...]]:
    wanted: bool | list[str] | None = getattr(attribute, "ordered", None)
    if isinstance(wanted, bool):
        return wanted, ()
    if wanted is None:
        return kind is not None and kind.family.ordered, ()
    if kind is not None and kind.family is not Family.TEXT:
        problems.append(Problem(f"{where}.ordered", "a list orders text columns only", "use true or false"))
    if len(set(wanted)) != len(wanted) or len(wanted) < 2:
        problems.append(Problem(f"{where}.ordered", "the list must hold at least two different values"))
    return True, tuple(wanted)


def _bind_domain(
    where: str,
    attribute: Attribute,
    kind: ColumnType | None,
    order: Order,
    problems: list[Problem],
    ranks: ValueRanks | None,
) -> tuple[str, ...]:
    """Hold the declared domain against the attribute's type."""
    given: list[Any] | None = getattr(attribute, "domain", None)
    if given is None:
        return ()
    domain, found = read_domain(given, kind.name if kind else None, order, ranks)
    shown, more = found[:SHOWN_PROBLEMS], len(found) - SHOWN_PROBLEMS
    problems.extend(Problem(f"{where}.domain", what, DOMAIN_HINT) for what in shown)
    if more > 0:
        problems.append(Problem(f"{where}.domain", f"{more:,} more items are wrong"))
    return domain


def _bind_column(key: str, name: str | None, schema: SourceSchema, problems: list[Problem]) -> Sql | None:
    if name is None:
        return None
    column = schema.find(name)
    if column is None:
        problems.append(Problem(key, f"the source has no column {name}", _similar(name, schema)))
        return None
    kind = parse_type(column.type_name)
    if kind is None:
        problems.append(Problem(key, f"the column {name} has a type that cannot be a key", "cast it in a view"))
        return None
    return Sql(kind.name)


def _unreleased(policy: Policy, schema: SourceSchema) -> tuple[str, ...]:
    """Columns that the policy does not name at all; the run lists them once."""
    named = {name.casefold() for name in policy.attributes}
    named.update(attribute.flag.casefold() for _, attribute in policy.with_role(SemiSensitive))
    named.update(name.casefold() for name in (policy.key, policy.unit) if name)
    return tuple(name for name in schema.names if name.casefold() not in named)
