"""Questions of a chunk as templates read them: every different leaf has a number."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sqlglot import exp

from lgb_sql.binding import BoundAttribute
from lgb_sql.query.conditions import All, Leaf, Node, share_terms
from lgb_sql.query.lines import Line
from lgb_sql.query.questions import BUCKETED, SHOWN, Question
from lgb_sql.query.session import Session
from lgb_sql.render import Sql


@dataclass(frozen=True)
class NumberedLeaf:
    """A condition on one attribute."""

    number: int
    attribute: BoundAttribute
    sql: Sql
    line: Line | None
    holds_at_null: bool
    on_tuple: Sql
    """The condition over the attribute's own column of tuples, where it is released as it is"""
    place: str = ""
    """Where it stands in the analyst's text"""
    kind: str = "leaf"

    @property
    def is_shown(self) -> bool:
        """Whether groups show cells of its attribute."""
        return self.attribute.role in SHOWN

    @property
    def is_bucketed(self) -> bool:
        """Whether buckets hold values of its attribute."""
        return self.attribute.role in BUCKETED

    @property
    def is_exact(self) -> bool:
        """Whether every tuple shows its value."""
        return self.attribute.role == "insensitive"

    @property
    def is_measured(self) -> bool:
        """Whether the part of a range in which it holds can be measured."""
        return self.line is not None and self.line.exact and self.attribute.family not in ("text", "boolean", "uuid")

    @property
    def hull_low(self) -> Sql | None:
        """The least value at which it may hold."""
        return self.line.true[0].low if self.line and self.line.true else None

    @property
    def hull_high(self) -> Sql | None:
        """The greatest such value."""
        return self.line.true[-1].high if self.line and self.line.true else None


@dataclass(frozen=True)
class NumberedNode:
    """AND or OR of numbered leaves."""

    kind: str
    parts: tuple[NumberedNode | NumberedLeaf, ...]


@dataclass(frozen=True)
class NumberedTerm:
    """A signed product of shares."""

    sign: int
    leaves: tuple[NumberedLeaf, ...]


@dataclass(frozen=True)
class Mixed:
    """What tuples decide one by one: the logic, the sum of products that is its share, and all leaves of both."""

    node: NumberedNode | NumberedLeaf
    terms: tuple[NumberedTerm, ...]
    leaves: tuple[NumberedLeaf, ...]


@dataclass(frozen=True)
class Asked:
    """A question with numbered leaves."""

    number: int
    shown: tuple[NumberedLeaf, ...]
    """Conditions that groups decide, at least for some"""
    hidden: tuple[NumberedLeaf, ...]
    """Conditions that buckets decide, tuple by tuple; the target's own is not among them"""
    own: NumberedLeaf | None
    always_open: bool
    """Whether no group can decide it alone"""


class Numbering:
    """Gives every different leaf of a chunk its number."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._leaves: dict[tuple[str, str], NumberedLeaf] = {}

    @property
    def leaves(self) -> list[NumberedLeaf]:
        """All leaves so far."""
        return list(self._leaves.values())

    def of(self, attribute: str) -> tuple[NumberedLeaf, ...]:
        """The leaves of an attribute."""
        return tuple(each for each in self._leaves.values() if each.attribute.name == attribute)

    def asked(self, number: int, question: Question) -> Asked:
        """A question with its leaves numbered."""
        own = self.leaf(question.own) if question.own else None
        simple = [self.leaf(part) for part in question.simple]
        conditions = [*simple, *([own] if own else [])]
        never_shown = any(not each.is_shown for each in conditions)
        return Asked(
            number=number,
            shown=tuple(each for each in conditions if each.is_shown),
            hidden=tuple(each for each in simple if each.is_bucketed),
            own=own if own and own.is_bucketed else None,
            always_open=question.mixed is not None or never_shown,
        )

    def mixed(self, node: Node) -> Mixed:
        """The part of all questions of a chunk that tuples decide."""
        numbered = self._node(node)
        terms = [NumberedTerm(term.sign, tuple(map(self.leaf, term.leaves))) for term in share_terms(node)]
        leaves = dict.fromkeys([*_below(numbered), *(each for term in terms for each in term.leaves)])
        return Mixed(numbered, tuple(terms), tuple(leaves))

    def _node(self, node: Node) -> NumberedNode | NumberedLeaf:
        if isinstance(node, Leaf):
            return self.leaf(node)
        kind = "all" if isinstance(node, All) else "any"
        return NumberedNode(kind, tuple(self._node(part) for part in node.parts))

    def leaf(self, given: Leaf) -> NumberedLeaf:
        """A leaf with its number."""
        key = (given.attribute.name, given.sql)
        if key not in self._leaves:
            line, at_null = self._judged(given)
            on_tuple = _on_tuple(given) if given.attribute.role == "insensitive" else Sql("")
            number = len(self._leaves)
            self._leaves[key] = NumberedLeaf(number, given.attribute, given.sql, line, at_null, on_tuple, given.place)
        return self._leaves[key]

    def _judged(self, given: Leaf) -> tuple[Line | None, bool]:
        """Where on a line it holds, if a cell is a range or withheld, and whether for NULL, if a cell may be NULL."""
        a, constants = given.attribute, self._session.constants
        if a.role == "insensitive":
            return None, False
        shape = self._session.shape(a)
        if not a.words and (a.ordered or shape.withheld) and (line := constants.line(given)):
            return line, line.at_null if line.exact else self._at_null(given)
        return None, self._at_null(given)

    def _at_null(self, given: Leaf) -> bool:
        shape = self._session.shape(given.attribute)
        return bool(shape.without_value) and self._session.constants.holds_at_null(given)


def _below(node: NumberedNode | NumberedLeaf) -> list[NumberedLeaf]:
    return [node] if isinstance(node, NumberedLeaf) else [each for part in node.parts for each in _below(part)]


def _on_tuple(given: Leaf) -> Sql:
    """The same expression over the attribute's own column of tuples."""
    expression = given.expression.copy()
    for each in expression.find_all(exp.Column):
        each.set("this", exp.to_identifier(given.attribute.name, quoted=True))
        each.set("table", exp.to_identifier("tuples"))
    return Sql(expression.sql(dialect="duckdb", comments=False))


def attributes_of(leaves: Iterable[NumberedLeaf], roles: Sequence[str]) -> tuple[BoundAttribute, ...]:
    """The attributes of leaves, each once."""
    return tuple({each.attribute.name: each.attribute for each in leaves if each.attribute.role in roles}.values())
