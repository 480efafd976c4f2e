"""A plan as data: stages of steps, decisions and loops. Running it and explaining it read the same objects."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from lgb_sql.render import Sql, Statement, render

if TYPE_CHECKING:
    from lgb_sql.run import Run


@dataclass(frozen=True)
class Later:
    """A parameter that is known only while running; `example` stands for it in an explanation."""

    name: str
    example: object


@dataclass(frozen=True)
class Draw:
    """A stream of secret keys: what they are for, and the relation or count that says how many."""

    purpose: str
    count: str


@dataclass(frozen=True)
class Step:
    """One relation made by one template."""

    relation: str
    template: str
    params: Mapping[str, object] = field(default_factory=dict)
    draw: Draw | None = None
    aliases: Mapping[str, Sql] = field(default_factory=dict)
    appends: bool = False
    is_view: bool = False
    keep_order: bool = False
    one_thread: bool = False
    drops: tuple[str, ...] = ()

    def statement(
        self, values: Mapping[str, object] | None = None, aliases: Mapping[str, Sql] | None = None
    ) -> Statement:
        """Render the step; without values, with the examples of what is known only while running."""
        return render(self.template, self.known_params(values), {**(aliases or {}), **self.aliases})

    def known_params(self, values: Mapping[str, object] | None = None) -> dict[str, object]:
        """The parameters as far as they are known, else examples."""
        return {
            name: (values.get(value.name, value.example) if values is not None else value.example)
            if isinstance(value, Later)
            else value
            for name, value in self.params.items()
        }


@dataclass(frozen=True)
class Decision:
    """Something that Python decides on counts: what it reads, what it makes, and the function that does it."""

    name: str
    reads: str
    makes: str
    decide: Callable[[Run], None]


@dataclass(frozen=True)
class Loop:
    """Steps repeated level by level for all open nodes at once, until the stop rule holds."""

    name: str
    steps: tuple[Step, ...]
    stop: str
    drive: Callable[[Run], None]


@dataclass(frozen=True)
class Choice:
    """Several loops of which one runs: the rule in words, and the function that decides on counts."""

    rule: str
    options: Mapping[str, Loop]
    choose: Callable[[Run], str]


Item = Step | Decision | Loop | Choice


@dataclass(frozen=True)
class Stage:
    """A named part of the work."""

    name: str
    items: tuple[Item, ...]


@dataclass(frozen=True)
class Plan:
    """All stages, in the order of work."""

    stages: tuple[Stage, ...]

    def steps(self) -> Iterator[Step]:
        """Every step, those inside loops once."""
        for stage in self.stages:
            for item in stage.items:
                if isinstance(item, Step):
                    yield item
                elif isinstance(item, Loop):
                    yield from item.steps
                elif isinstance(item, Choice):
                    for loop in item.options.values():
                        yield from loop.steps
