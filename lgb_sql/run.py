"""Running a plan: steps become tables, decisions see counts, loops go level by level."""

from __future__ import annotations

from contextlib import nullcontext

from lgb_sql.engines.duckdb import DuckDBEngine
from lgb_sql.errors import InfeasiblePolicyError
from lgb_sql.events import Listener, Note, StageStarted
from lgb_sql.plan import Choice, Decision, Loop, Plan, Step
from lgb_sql.randomness import Randomness
from lgb_sql.render import Sql, Statement


class Run:
    """One run's engine, randomness and the numbers known so far (row counts by relation, and decisions)."""

    def __init__(self, engine: DuckDBEngine, randomness: Randomness, listener: Listener) -> None:
        self.engine = engine
        self.randomness = randomness
        self.values: dict[str, object] = {}
        self.aliases: dict[str, Sql] = {}
        self.infeasible: dict[str, InfeasiblePolicyError] = {}
        """Attributes whose principle the table cannot keep, with why"""
        self._listener = listener
        self._rendered: dict[int, tuple[Step, dict[str, object], Statement]] = {}

    def execute(self, plan: Plan) -> None:
        """Run all stages in order."""
        for stage in plan.stages:
            self._listener(StageStarted(stage.name))
            for item in stage.items:
                if isinstance(item, Step):
                    self.step(item)
                elif isinstance(item, Decision):
                    item.decide(self)
                elif isinstance(item, Loop):
                    item.drive(self)
                elif isinstance(item, Choice):
                    item.options[item.choose(self)].drive(self)

    def step(self, step: Step) -> int:
        """Make one relation; returns its number of rows, 0 for a view."""
        if step.is_view:
            self.engine.view(step.relation, self._statement(step))
            return 0
        if step.draw is None:
            return self._make(step)
        with self.engine.stream("secret_keys", self.randomness.keys(step.draw.purpose, self.count(step.draw.count))):
            return self._make(step)

    def _make(self, step: Step) -> int:
        keep_order = step.keep_order or (step.draw is not None and self.randomness.reproducible)
        if keep_order:
            self.engine.keep_order(True)
        appends = step.appends and step.relation in self.values
        make = self.engine.append if appends else self.engine.materialize
        with self.engine.one_thread() if step.one_thread else nullcontext():
            rows = make(step.relation, self._statement(step))
        if keep_order:
            self.engine.keep_order(False)
        self.engine.drop(*step.drops)
        self.values[step.relation] = rows
        return rows

    def _statement(self, step: Step) -> Statement:
        """Render a step; a level of a loop mostly repeats the text of the level before."""
        params = step.known_params(self.values)
        last = self._rendered.get(id(step))
        if last is None or last[1] != params:
            last = self._rendered[id(step)] = (step, params, step.statement(self.values, self.aliases))
        return last[2]

    def count(self, name: str) -> int:
        """A number known so far."""
        value = self.values[name]
        if not isinstance(value, int):
            raise TypeError(f"{name} is not a count")
        return value

    def note(self, text: str) -> None:
        """Tell the person who runs this."""
        self._listener(Note(text))
