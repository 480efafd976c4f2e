"""The policy: what is promised about a table. Written by a person, as TOML or as these typed objects.

A policy knows nothing of the data; `lgb_sql.planner` holds it against the source's columns.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from lgb_sql.errors import PolicyError, Problem
from lgb_sql.principles import Principle, read_principle
from lgb_sql.problems import problems_of, unknown_key

Generalization = Literal["auto", "fast", "mdp", "ncp", "tight"]
Bucketization = Literal["sweep", "m_invariance", "stride"]
SmallPatterns = Literal["merge", "suppress", "error"]


class _Written(BaseModel):
    """What a person writes: unknown keys are refused, nothing changes after validation."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, arbitrary_types_allowed=True)

    def __init__(self, **fields: Any) -> None:
        try:
            super().__init__(**fields)
        except ValidationError as error:
            raise PolicyError(list(problems_of(error, type(self)))) from None


class Identifier(_Written):
    """A column that never leaves, such as a name or a social security number."""

    role: Literal["identifier"] = "identifier"


class Insensitive(_Written):
    """A column that is released as it is: an explicit choice."""

    role: Literal["insensitive"] = "insensitive"
    type: str | None = None


def _read_ordered(given: Any) -> Any:
    """One message for a value of another kind, instead of one for each kind that it could be."""
    if given is None or isinstance(given, bool) or (isinstance(given, list) and all(isinstance(w, str) for w in given)):
        return given
    raise ValueError('must be true, false, or a list of texts such as ["low", "mid", "high"]')


def _read_hierarchy(given: Any) -> Any:
    if given is None or isinstance(given, str) or (isinstance(given, dict) and all(isinstance(n, str) for n in given)):
        return given
    raise ValueError("must be the path of a CSV file, or a tree of tables and lists")


class _Measured(_Written):
    """What quasi-identifiers, semi-sensitive and sensitive attributes share."""

    type: str | None = None
    ordered: Annotated[bool | list[str] | None, BeforeValidator(_read_ordered)] = None
    domain: list[Any] | None = None
    hierarchy: Annotated[str | dict[str, Any] | None, BeforeValidator(_read_hierarchy)] = None


class QuasiIdentifier(_Measured):
    """A column that an adversary may know of everyone; generalised within each group."""

    role: Literal["quasi-identifier"] = "quasi-identifier"


PolicyPrinciple = Annotated[Principle, BeforeValidator(read_principle)]


class SemiSensitive(_Measured):
    """A column in which each person says, by a flag, whether the own value is sensitive."""

    role: Literal["semi-sensitive"] = "semi-sensitive"
    flag: str
    principle: PolicyPrinciple


class Sensitive(_Measured):
    """A column that is sensitive for everyone; published in buckets only."""

    role: Literal["sensitive"] = "sensitive"
    principle: PolicyPrinciple


Attribute = Identifier | Insensitive | QuasiIdentifier | SemiSensitive | Sensitive
ROLES: dict[str, type[Attribute]] = {
    "identifier": Identifier,
    "quasi-identifier": QuasiIdentifier,
    "semi-sensitive": SemiSensitive,
    "sensitive": Sensitive,
    "insensitive": Insensitive,
}
_REQUIRED = {"flag", "principle"}
"""Keys without a default, of the roles that have them."""
_A = TypeVar("_A", bound=_Written)


class Policy(_Written):
    """What is promised: k for groups, a principle for each sensitive attribute, and how to get there."""

    k: Annotated[int, Field(ge=2)]
    attributes: dict[str, Attribute]
    generalization: Generalization = "auto"
    bucketization: Bucketization = "sweep"
    small_patterns: SmallPatterns = "merge"
    suppression_limit: Annotated[float, Field(ge=0, le=1, strict=False)] = 0.02
    flag_null: Literal["error", "sensitive"] = "error"
    null_values: Literal["value", "error"] = "value"
    key: str | None = None
    unit: str | None = None

    @classmethod
    def load(cls, path: str | Path) -> Policy:
        """Read a policy file; every problem in it is reported at once."""
        policy, problems = read_policy_file(path)
        if policy is None or problems:
            raise PolicyError(problems)
        return policy

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any]) -> Policy:
        """Read the same fields from a dictionary."""
        policy, problems = parse_policy(fields)
        if policy is None or problems:
            raise PolicyError(problems)
        return policy

    def with_role(self, kind: type[_A]) -> Iterator[tuple[str, _A]]:
        """The attributes of one role, in policy order."""
        for name, attribute in self.attributes.items():
            if isinstance(attribute, kind):
                yield name, attribute


PolicyLike = Policy | dict[str, Any] | str | Path
"""A policy, its fields, or the path of its file."""


def read_policy(given: PolicyLike) -> tuple[Policy | None, list[Problem]]:
    """Read a policy in whatever form and collect its problems instead of raising at the first."""
    if isinstance(given, Policy):
        return given, []
    if isinstance(given, Mapping):
        return parse_policy(given)
    if isinstance(given, str | Path):
        return read_policy_file(given)
    what = f"a {type(given).__name__} is no policy"
    return None, [Problem("policy", what, "give the path of a TOML file, a dictionary or a Policy")]


def read_policy_file(path: str | Path) -> tuple[Policy | None, list[Problem]]:
    """Read a TOML policy and collect its problems instead of raising at the first."""
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
    except (OSError, ValueError):
        return None, [Problem("policy", f"cannot read the file {Path(path).name}", "check path and encoding")]
    try:
        fields = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        return None, [Problem("policy", f"not valid TOML: {error}", "see the policy reference in docs/policy.md")]
    return parse_policy(_with_paths(fields, Path(path).parent))


def _with_paths(fields: Mapping[str, Any], directory: Path) -> dict[str, Any]:
    """A policy file's own paths, as seen from here: they are relative to the file."""
    given = fields.get("attributes")
    if not isinstance(given, Mapping):
        return dict(fields)
    attributes = {
        name: {**entry, "hierarchy": str(directory / entry["hierarchy"])}
        if isinstance(entry, Mapping) and isinstance(entry.get("hierarchy"), str)
        else entry
        for name, entry in given.items()
    }
    return {**fields, "attributes": attributes}


def parse_policy(fields: Mapping[str, Any]) -> tuple[Policy | None, list[Problem]]:
    """Validate everything: each attribute on its own, then the rest; what is sound is still returned."""
    problems: list[Problem] = []
    given = fields.get("attributes", {})
    if not isinstance(given, Mapping):
        given = {}
        problems.append(Problem("attributes", "must be tables such as [attributes.age]"))
    elif not given:
        problems.append(Problem("attributes", "the policy names no attribute", "add [attributes.NAME] tables"))
    attributes = {name: _parse_attribute(name, entry, problems) for name, entry in given.items()}
    rest = {key: value for key, value in fields.items() if key != "attributes"}
    try:
        return Policy(**{**rest, "attributes": attributes}), problems
    except PolicyError as error:
        problems.extend(error.problems)
    return _sound_part(rest, attributes), problems


def _sound_part(rest: Mapping[str, Any], attributes: dict[str, Attribute]) -> Policy | None:
    """A stand-in with the sound keys, so that a broken `k` does not hide a misspelt column."""
    sound: dict[str, Any] = {"k": 2}
    for key, value in rest.items():
        try:
            Policy(**{"k": 2, key: value, "attributes": {}})
        except PolicyError:
            continue
        sound[key] = value
    return Policy(**{**sound, "attributes": attributes})


def _parse_attribute(name: str, entry: Any, problems: list[Problem]) -> Attribute:
    """An attribute; where something is wrong with it a stand-in, to be held against the source's columns."""
    where = f"attributes.{name}"
    if isinstance(entry, _Written):
        return entry  # type: ignore[return-value]
    if not isinstance(entry, Mapping):
        problems.append(Problem(where, "must be a table with a role", 'for instance role = "quasi-identifier"'))
        return Identifier()
    role = entry.get("role")
    model = ROLES.get(role) if isinstance(role, str) else None
    if model is None:
        what = "has no role" if role is None else "has an unknown role"
        problems.append(Problem(f"{where}.role", what, unknown_key(str(role or ""), list(ROLES))))
        return _without_role(where, {key: value for key, value in entry.items() if key != "role"}, problems)
    try:
        return model(**entry)
    except PolicyError as error:
        problems.extend(_below(where, error.problems))
        return _sound_attribute(model, entry, error.problems)


def _below(where: str, problems: Iterable[Problem]) -> Iterator[Problem]:
    return (Problem(f"{where}.{problem.key}", problem.what, problem.hint) for problem in problems)


def _without_role(where: str, entry: Mapping[str, Any], problems: list[Problem]) -> Attribute:
    """Check what keys there are without knowing which ones belong: a semi-sensitive attribute may have every key."""
    if not entry:
        return Identifier()
    try:
        return SemiSensitive(**entry)
    except PolicyError as error:
        given = [problem for problem in error.problems if problem.key not in _REQUIRED or problem.key in entry]
        problems.extend(_below(where, given))
        return _sound_attribute(SemiSensitive, entry, error.problems)


def _sound_attribute(model: type[Attribute], entry: Mapping[str, Any], problems: Iterable[Problem]) -> Attribute:
    """A stand-in with the sound keys, so that one wrong key does not hide what is wrong with another."""
    broken = {problem.key.partition(".")[0] for problem in problems}
    sound = {key: value for key, value in entry.items() if key in model.model_fields and key not in broken}
    return model.model_construct(**{**dict.fromkeys(_REQUIRED & model.model_fields.keys()), **sound})
