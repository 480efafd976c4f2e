"""The logic of a condition: leaves of one attribute each, joined by AND and OR, with every NOT pushed into a leaf.

Inside a leaf stands the analyst's own expression; it is evaluated as SQL over values, so three-valued logic is the
engine's. Across attributes only AND and OR are left, which is all that "must" and "may" need.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import reduce
from itertools import combinations, product
from math import prod

from sqlglot import exp

from lgb_sql.binding import BoundAttribute
from lgb_sql.query.language import known_place, refused
from lgb_sql.render import Sql

MOST_ALTERNATIVES = 5
"""Alternatives of an OR across attributes up to which its share is exact by inclusion and exclusion: each more doubles
the leaves, and with them the joins that the engine plans."""
MOST_LEAVES = 100
"""Leaves of an OR across attributes: their joins take the engine 10 seconds to plan, and 300 of them minutes."""
MOST_DIGITS = 19
"""Whole numbers of fewer digits are integers to the engine."""
VALUE = "value"
"""The column that a leaf's expression reads wherever it is evaluated."""


@dataclass(frozen=True)
class Leaf:
    """A condition on one attribute."""

    attribute: BoundAttribute
    sql: Sql
    """The expression as SQL, its attribute read from the column `value`"""
    expression: exp.Expr = field(compare=False, hash=False, repr=False)
    place: str = field(default="", compare=False, hash=False)
    """Where it stands in the analyst's text; nowhere, if it was made here"""


@dataclass(frozen=True)
class All:
    """AND."""

    parts: tuple[Node, ...]


@dataclass(frozen=True)
class Any:
    """OR."""

    parts: tuple[Node, ...]


Node = Leaf | All | Any
Resolve = Callable[[exp.Column], BoundAttribute]
TRUE = All(())


def read_condition(expression: exp.Expr | None, attribute_of: Resolve) -> Node:
    """Build the logic of a condition; refuses a comparison of two attributes."""
    if expression is None:
        return TRUE
    node = _read(expression, attribute_of, negated=False)
    if sum(len(leaves_of(part)) for part in conjuncts(node) if not isinstance(part, Leaf)) > MOST_LEAVES:
        raise refused(f"OR joins more than {MOST_LEAVES} predicates on different attributes", expression)
    return node


def _read(expression: exp.Expr, attribute_of: Resolve, *, negated: bool) -> Node:
    expression = expression.unnest()
    attributes = list({a.name: a for a in map(attribute_of, expression.find_all(exp.Column))}.values())
    if len(attributes) == 1:
        return leaf(attributes[0], exp.Not(this=exp.paren(expression)) if negated else expression)
    if isinstance(expression, exp.Not):
        return _read(expression.this, attribute_of, negated=not negated)
    if not isinstance(expression, exp.And | exp.Or):
        if attributes:
            names = ", ".join(sorted(a.name for a in attributes))
            raise refused(f"a condition compares one attribute with constants, not {names} together", expression)
        raise refused("a condition without an attribute is not supported", expression)
    kind = type(expression)
    parts = [_read(part, attribute_of, negated=negated) for part in operands(expression, kind)]
    return both(parts) if (kind is exp.And) != negated else either(parts)


def operands(expression: exp.Expr, kind: type[exp.Expr]) -> list[exp.Expr]:
    """The operands of a chain of one connective, without recursion: chains may be thousands long."""
    found, pending = [], [expression]
    while pending:
        node = pending.pop().unnest()
        if type(node) is kind:
            pending += [node.expression, node.this]
        else:
            found.append(node)
    return found


def leaf(attribute: BoundAttribute, expression: exp.Expr) -> Leaf:
    """A leaf, its attribute renamed to `value`; a chain of equalities becomes one IN, which the engine hashes."""
    place = known_place(expression) or ""
    expression = _as_truth(_as_list(expression))
    for column in expression.find_all(exp.Column):
        column.set("this", exp.to_identifier(VALUE, quoted=True))
        column.set("table", None)
    return Leaf(attribute, Sql(_text(expression)), expression, place)


def everything(attribute: BoundAttribute) -> Leaf:
    """A condition that always holds."""
    return Leaf(attribute, Sql("TRUE"), exp.true())


def _as_list(expression: exp.Expr) -> exp.Expr:
    if not isinstance(expression, exp.Or):
        return expression
    parts = operands(expression, exp.Or)
    simple = all(
        isinstance(each, exp.EQ) and isinstance(each.this, exp.Column) and isinstance(each.expression, exp.Literal)
        for each in parts
    )
    if not simple or not _are_alike([each.expression for each in parts]):
        return expression
    return exp.In(this=parts[0].this, expressions=[each.expression for each in parts])


def _are_alike(literals: Sequence[exp.Expr]) -> bool:
    """Texts, or whole numbers: compared in a list as each alone. Other numbers may be rounded to one type."""
    whole = all(not each.is_string and each.this.isdigit() and len(each.this) < MOST_DIGITS for each in literals)
    return whole or all(each.is_string for each in literals)


def _as_truth(expression: exp.Expr) -> exp.Expr:
    """What is no predicate, such as a bare number, holds as the engine's WHERE would have it: cast to BOOLEAN."""
    if isinstance(expression, exp.Predicate | exp.And | exp.Or | exp.Not):
        return expression
    return exp.Cast(this=expression, to=exp.DataType.build("BOOLEAN"))


def both(parts: Iterable[Node]) -> Node:
    """AND, flattened; leaves of one attribute become one, so that "may" is exact for it."""
    return _joined(parts, All, "AND")


def either(parts: Iterable[Node]) -> Node:
    """OR, likewise; of alternatives that differ in one attribute, `a AND c OR b AND c`, it makes `(a OR b) AND c`."""
    joined = _joined(parts, Any, "OR")
    return _factored(joined) if isinstance(joined, Any) else joined


def _factored(node: Any) -> Node:
    """Join alternatives that say the same of all attributes but one, attribute by attribute."""
    alternatives = list(node.parts)
    for name in dict.fromkeys(each.attribute.name for each in leaves_of(node)):
        alike: dict[object, list[Node]] = {}
        for place, part in enumerate(alternatives):
            alike.setdefault(_but_for(name, part) or place, []).append(part)
        alternatives = [parts[0] if len(parts) == 1 else _with_either(name, parts) for parts in alike.values()]
    return alternatives[0] if len(alternatives) == 1 else Any(tuple(alternatives))


def _but_for(name: str, part: Node) -> frozenset[Leaf] | None:
    """What a conjunction of leaves says of other attributes; None where it is none, or says nothing of this one."""
    if not isinstance(part, All) or not all(isinstance(each, Leaf) for each in part.parts):
        return None
    leaves = leaves_of(part)
    others = frozenset(each for each in leaves if each.attribute.name != name)
    return others if len(others) < len(leaves) else None


def _with_either(name: str, parts: Sequence[Node]) -> Node:
    """Conjunctions that differ in one attribute as one conjunction."""
    first = leaves_of(parts[0])
    own = (each for part in parts for each in leaves_of(part) if each.attribute.name == name)
    return both((either(own), *(each for each in first if each.attribute.name != name)))


def _joined(parts: Iterable[Node], kind: type[All] | type[Any], word: str) -> Node:
    flat: list[Node] = []
    for part in parts:
        flat += part.parts if isinstance(part, kind) else (part,)
    leaves: dict[str, list[Leaf]] = {}
    others: list[Node] = []
    for part in flat:
        if isinstance(part, Leaf):
            leaves.setdefault(part.attribute.name, []).append(part)
        else:
            others.append(part)
    kept = (*(_merged(each, word) for each in leaves.values()), *others)
    return kept[0] if len(kept) == 1 else kind(kept)


def _merged(given: Sequence[Leaf], word: str) -> Leaf:
    """Leaves of one attribute as one; its text is a flat chain, since the engine allows no deep ones."""
    leaves = list({each.sql: each for each in given}.values())
    if len(leaves) == 1:
        return leaves[0]
    kind = exp.And if word == "AND" else exp.Or
    parens: list[exp.Expr] = [exp.Paren(this=each.expression) for each in leaves]
    chain = reduce(lambda one, other: kind(this=one, expression=other), parens)
    listed = _as_list(chain)
    sql = f" {word} ".join(f"({each.sql})" for each in leaves) if listed is chain else _text(listed)
    place = next((each.place for each in leaves if each.place), "")
    return Leaf(leaves[0].attribute, Sql(sql), listed, place)


def _text(expression: exp.Expr) -> str:
    return expression.sql(dialect="duckdb", comments=False, copy=False)


def conjuncts(node: Node) -> tuple[Node, ...]:
    """What must all hold."""
    return node.parts if isinstance(node, All) else (node,)


def leaves_of(node: Node) -> list[Leaf]:
    """All leaves below a node."""
    return [node] if isinstance(node, Leaf) else [each for part in node.parts for each in leaves_of(part)]


@dataclass(frozen=True)
class Term:
    """A signed product of shares: one addend of inclusion and exclusion."""

    sign: int
    leaves: tuple[Leaf, ...]


def share_terms(node: Node) -> tuple[Term, ...]:
    """The share of what satisfies a node, as a sum of signed products over different attributes."""
    alternatives = _alternatives(node)
    if alternatives is None:
        return ()
    terms = []
    for count in range(1, len(alternatives) + 1):
        for chosen in combinations(alternatives, count):
            joined = reduce(lambda one, other: conjuncts(both((*one, *other))), chosen)
            terms.append(Term(1 if count % 2 else -1, tuple(each for each in joined if isinstance(each, Leaf))))
    return tuple(terms)


def _alternatives(node: Node) -> list[tuple[Node, ...]] | None:
    """The disjunctive form: each alternative a conjunction of leaves; None where there are too many."""
    if isinstance(node, Leaf):
        return [(node,)]
    below = [_alternatives(part) for part in node.parts]
    if any(each is None for each in below):
        return None
    known = [each for each in below if each is not None]
    count = sum(map(len, known)) if isinstance(node, Any) else prod(map(len, known))
    if count > MOST_ALTERNATIVES:
        return None
    if isinstance(node, Any):
        found = [alternative for each in known for alternative in each]
    else:
        found = [conjuncts(both(part for each in chosen for part in each)) for chosen in product(*known)]
    return found
