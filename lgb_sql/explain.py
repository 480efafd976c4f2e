"""A plan in words, and its SQL: what an auditor reads before anything runs."""

from __future__ import annotations

from collections.abc import Iterator

from lgb_sql.binding import BoundPolicy
from lgb_sql.checks import checks
from lgb_sql.macros import definitions, macros_of
from lgb_sql.plan import Choice, Decision, Item, Loop, Plan, Stage, Step
from lgb_sql.publish import released_relations
from lgb_sql.query_helpers import helper_columns, helper_steps
from lgb_sql.render import identifier, render
from lgb_sql.templates import read_header
from lgb_sql.verify import READABLE_ROWS_OF_A_VIEW, expected_columns


def explain_plan(bound: BoundPolicy, plan: Plan, *, sql: bool) -> str:
    """All stages, with publishing and verification."""
    released = {name: identifier(name) for name in expected_columns(bound)}
    published = (*(each.step for each in released_relations(bound)), *helper_steps(bound, released))
    stages = [*plan.stages, Stage("publish", published)]
    lines = list(_promises(bound))
    for stage in stages:
        lines += ["", f"== {stage.name} =="]
        for item in stage.items:
            lines += _item(item, sql)
    lines += _macros(bound, sql)
    lines += ["", "== verify: each query returns what breaks a promise, so it must return nothing =="]
    lines += _verification(bound, sql)
    return "\n".join(lines) + "\n"


def _promises(bound: BoundPolicy) -> Iterator[str]:
    policy = bound.policy
    yield f"k = {policy.k}, generalization {policy.generalization}, bucketization {policy.bucketization}"
    for a in bound.attributes:
        order = "" if a.role in ("identifier", "insensitive") else ", ordered" if a.ordered else ", unordered"
        order = f", hierarchy of {len(a.hierarchy.leaves):,} leaves" if a.hierarchy else order
        principle = f", {a.principle.as_policy()}" if a.principle else ""
        flag = f", flag {a.flag}" if a.flag else ""
        yield f"  {a.name}: {a.role}{order}{flag}{principle}"
    if bound.unreleased:
        yield f"  not named, not released: {', '.join(bound.unreleased)}"


def _item(item: Item, sql: bool) -> Iterator[str]:
    if isinstance(item, Step):
        yield from _step(item, sql)
    elif isinstance(item, Decision):
        yield f"decide: {item.name}; reads {item.reads}, makes {item.makes}"
    elif isinstance(item, Loop):
        yield f"repeat: {item.name}"
        for step in item.steps:
            yield from (f"  {line}" for line in _step(step, sql))
        yield f"until: {item.stop}"
    elif isinstance(item, Choice):
        yield f"choose: {item.rule}"
        for loop in item.options.values():
            yield from _item(loop, sql)


def _step(step: Step, sql: bool) -> Iterator[str]:
    header = read_header(step.template)
    drawn = f" [draws secret keys: {step.draw.purpose}]" if step.draw else ""
    yield f"{step.relation}: {header.grain}{drawn}"
    if sql:
        yield f"CREATE {'VIEW' if step.is_view else 'TABLE'} {identifier(step.relation)} AS"
        yield from step.statement().sql.splitlines()
        yield ";"


def _macros(bound: BoundPolicy, sql: bool) -> Iterator[str]:
    macros = macros_of(bound)
    if not macros:
        return
    asked = [macro.name for macro in macros if macro.answers]
    called = len(macros) - len(asked)
    yield f"macros: {len(asked):,} that answer questions ({asked[0]}, ...), and {called:,} that they call"
    if sql:
        for statement in definitions(macros):
            yield from statement.splitlines()
            yield ";"


def _verification(bound: BoundPolicy, sql: bool) -> Iterator[str]:
    released = {name: identifier(name) for name in (*expected_columns(bound), *helper_columns(bound))}
    few = [a.name for a in bound.generalised if not a.ordered]  # as far as one can know before
    for check in checks(bound, released, READABLE_ROWS_OF_A_VIEW, few):
        yield f"{check.name}: {check.promise}"
        if sql:
            yield from render(check.template, check.params, {**released, **check.aliases}).sql.splitlines()
            yield ";"
