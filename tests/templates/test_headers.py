"""Templates are what their headers say: inputs, params and columns as declared, and each side in its own place."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import duckdb
import pytest
from jinja2 import meta
from sqlglot import exp, parse_one

from lgb_sql.binding import BoundAttribute, BoundPolicy, bind
from lgb_sql.checks import checks
from lgb_sql.plan import Step
from lgb_sql.planner import make_plan
from lgb_sql.policy import Policy
from lgb_sql.publish import released_relations
from lgb_sql.query_helpers import helper_steps
from lgb_sql.render import identifier
from lgb_sql.schema import Column, SourceSchema
from lgb_sql.templates import TEMPLATE_DIRECTORY, Header, read_header, template_names
from lgb_sql.verify import expected_columns
from tests.support import columns_of
from tests.templates.rendered import POLICIES, Rendered, recorded, rich_table

TEMPLATES = template_names()
OTHER_FILE_NAMES = {
    "generalizers/partition_tree/closed_rows": "grouped_rows: closed nodes are appended to it, level by level",
    "generalizers/partition_tree/next_rows": "open_rows: those of the next level take the place of this one's",
    "generalizers/partition_tree/next_nodes": "open_nodes: those of the next level take the place of this one's",
    "generalizers/ncp/next_rows": "open_rows: those of the next level take the place of this one's",
    "audit/bucket_classes": "class_counts: buckets in the place of a table's classes",
}
"""Files that are not named after their relation, and why."""
OTHER_RELATIONS = {"query/question_leaves": {"question_hidden", "question_own"}}
"""Relations of the same shape that a template makes besides its own."""


def body(name: str) -> str:
    """A template without its header."""
    text = (TEMPLATE_DIRECTORY / f"{name}.sql").read_text(encoding="utf-8")
    return text[text.index("#}") + 2 :].strip("\n")


def renderings(name: str) -> list[Rendered]:
    return [rendered for rendered in recorded().rendered if rendered.template == name]


KINDS: dict[str, Callable[[BoundAttribute], bool]] = {
    "ordered": lambda a: a.ordered,
    "unordered": lambda a: not a.ordered,
    "hierarchical": lambda a: a.hierarchy is not None,
    "flagged": lambda a: a.role in ("semi-sensitive", "sensitive"),
    "shown": lambda a: a.role in ("quasi-identifier", "semi-sensitive"),
    "flat": lambda a: not a.ordered and a.hierarchy is None,
    "listed": lambda a: not a.ordered or bool(a.words),
    "plain": lambda a: a.role == "insensitive",
    "sensitive": lambda a: a.role == "sensitive",
    "domained": lambda a: a.role in ("quasi-identifier", "semi-sensitive") and not a.words,
}


OTHERS: dict[str, Callable[[Mapping[str, Any]], Iterable[object]]] = {
    "column": lambda params: (column.target for column in params["columns"]),
    "check": lambda params: (f"{check.attribute}_{check.kind}" for check in params["checks"]),
    "part": lambda params: params["parts"],
    "word": lambda params: params["words"],
    "bit_word": lambda params: params["bit_words"],
    "axis": lambda params: params["axes"],
    "level": lambda params: params["levels"],
    "span": lambda params: (a.name for a in params["boxes"].spans),
    "mask": lambda params: params["boxes"].masks,
    "own": lambda params: (params["own"].name,) if params["own"] else (),
    "semi": lambda params: (a.name for a in _given(params) if a.role == "semi-sensitive"),
    "withheld": lambda params: (params["attribute"].name,) if params["cells"].withheld else (),
    "declared": lambda params: (params["attribute"].name,) if params["declared"] != "nothing" else (),
    "averaged": lambda params: (params["attribute"].name,) if params["averaged"] else (),
    "mixed_shown": lambda params: (each.attribute.name for each in _mixed_leaves(params) if each.is_shown),
    "mixed_hidden": lambda params: (each.attribute.name for each in _mixed_leaves(params) if each.is_bucketed),
}


def _given(params: Mapping[str, Any]) -> Iterable[BoundAttribute]:
    return [params["attribute"]] if "attribute" in params else params["bucketed"]


def _mixed_leaves(params: Mapping[str, Any]) -> Iterable[Any]:
    return params["mixed"].leaves if params["mixed"] else ()


def names_for(placeholder: str, params: Mapping[str, Any]) -> list[str]:
    """The names that a placeholder stands for in one rendering."""
    attributes = [params["attribute"]] if "attribute" in params else list(params.get("attributes", ()))
    if placeholder == "attribute":
        return [a.name for a in attributes]
    if placeholder in KINDS:
        return [a.name for a in attributes if KINDS[placeholder](a)]
    if placeholder in ("key", "target"):
        return [params[placeholder].name] if params[placeholder] else []
    if placeholder in ("bucketed", "insensitive", "generalised", "few"):
        return [a.name for a in params[placeholder]]
    return [str(each) for each in OTHERS[placeholder](params)]


def expand(declared: str, params: Mapping[str, Any]) -> list[str]:
    """A declared name with its placeholder filled in; {height} with the levels of each hierarchy."""
    if "{height}" in declared:
        given = [params["attribute"]] if "attribute" in params else params["attributes"]
        return [
            declared.replace("{hierarchical}", a.name).replace("{height}", str(level))
            for a in given
            if a.hierarchy
            for level in a.hierarchy.levels
        ]
    found = re.search(r"\{(\w+)\}", declared)
    if found is None:
        return [declared]
    names = (declared.replace(found[0], name) for name in names_for(found[1], params))
    return [expanded for name in names for expanded in expand(name, params)]


@pytest.mark.parametrize("name", TEMPLATES)
def test_the_header_is_complete(name: str) -> None:
    header = read_header(name)
    assert header.relation
    assert header.grain.startswith("one row"), header.grain
    assert header.columns
    assert len(header.why) > 20
    assert set(header.key) <= {*header.columns, "rowid"}
    for field in (header.inputs, header.params, header.columns):
        assert len(set(field)) == len(field)
    text = (TEMPLATE_DIRECTORY / f"{name}.sql").read_text(encoding="utf-8")
    keys = re.findall(r"^(\w+) = ", text[: text.index("#}")], re.MULTILINE)
    assert set(keys) - {"paper"} == {"relation", "grain", "key", "inputs", "params", "columns", "why"}


@pytest.mark.parametrize("name", TEMPLATES)
def test_the_file_is_named_after_its_relation(name: str) -> None:
    relation = read_header(name).relation.removesuffix("_{attribute}").removesuffix("_{part}")
    if name in OTHER_FILE_NAMES:
        assert OTHER_FILE_NAMES[name].startswith(relation)
    else:
        assert name.rpartition("/")[2] == relation


@pytest.mark.parametrize("name", TEMPLATES)
def test_the_text_is_one_short_select(name: str) -> None:
    text = body(name)
    assert len(text.splitlines()) <= 80
    assert not re.search(r"{%-?\s*(if|elif)\s+dialect", text)
    code = re.sub(r"--.*|{#.*?#}", "", text)
    assert ";" not in code
    assert not re.search(r"\b(CREATE|INSERT|UPDATE|DELETE|DROP|ALTER|COPY|ATTACH|PRAGMA|SET)\b", code)
    assert "| safe" not in text
    with duckdb.connect() as connection:
        for rendered in renderings(name):
            (statement,) = connection.extract_statements(rendered.sql)
            assert statement.type == duckdb.StatementType.SELECT


@pytest.mark.parametrize("name", TEMPLATES)
def test_the_template_is_used(name: str) -> None:
    assert renderings(name)


@pytest.mark.parametrize("name", TEMPLATES)
def test_params_passed_are_params_declared(name: str) -> None:
    declared = set(read_header(name).params)
    for rendered in renderings(name):
        assert set(rendered.params) == declared


@pytest.mark.parametrize("name", TEMPLATES)
def test_params_declared_are_params_read(name: str) -> None:
    from lgb_sql.render import _environment  # noqa: PLC0415

    environment = _environment()
    texts = [body(name)]
    for imported in re.findall(r'import "(\S+)"', texts[0]):
        texts.append((TEMPLATE_DIRECTORY / imported).read_text(encoding="utf-8"))
    read = set().union(*(meta.find_undeclared_variables(environment.parse(text)) for text in texts))
    used = meta.find_undeclared_variables(environment.parse(texts[0])) - set(environment.globals) - {"rel"}
    assert set(read_header(name).params) <= read
    assert used <= set(read_header(name).params)


@pytest.mark.parametrize("name", TEMPLATES)
def test_inputs_read_are_inputs_declared(name: str) -> None:
    header = read_header(name)
    used: dict[str, set[str]] = {declared: set() for declared in header.inputs}
    possible: dict[str, set[str]] = {declared: set() for declared in header.inputs}
    for rendered in renderings(name):
        left = set(rendered.inputs)
        for declared in header.inputs:
            names = set(expand(declared, rendered.params))
            possible[declared] |= names
            used[declared] |= names & left
            left -= names
        assert not left, "read, but not declared"
    assert used == possible, "declared, but not read"


@pytest.mark.parametrize("name", TEMPLATES)
def test_columns_as_executed_are_columns_declared(name: str) -> None:
    header = read_header(name)
    always = {column for column in header.columns if "{" not in column}
    seen: set[str] = set()
    checked = 0
    for rendered in renderings(name):
        columns = recorded().columns_of(rendered)
        if columns is None:
            continue
        checked += 1
        seen |= set(columns)
        assert len(set(columns)) == len(columns)
        declared = [column for each in header.columns for column in expand(each, rendered.params)]
        assert set(columns) <= set(declared)
        assert set(declared) - set(columns) <= always, "some rendering has these columns, this one does not"
    assert checked
    assert always <= seen


def test_relations_are_made_under_their_own_names() -> None:
    names = rich_table().column_names
    for relation, template in recorded().made:
        declared = read_header(template).relation
        known = {declared.replace("{attribute}", name) for name in names} | {f"other_{declared}"}
        known |= {declared.replace("{part}", str(part)) for part in range(3)}
        known |= OTHER_RELATIONS.get(template, set())
        assert relation in known, (relation, template)


# --- separation ------------------------------------------------------------------------------------------


def in_folder(folder: str) -> list[tuple[str, Header]]:
    return [(name, read_header(name)) for name in TEMPLATES if name.startswith(folder)]


def test_bucketization_never_reads_a_quasi_identifier() -> None:
    templates = in_folder("bucketize/")
    assert templates
    for name, header in templates:
        for declared in header.inputs:
            assert not declared.startswith(("quasi_", "source")), name
            assert declared not in ("open_rows", "grouped_rows", "next_rows", "group_extents", "root_forms"), name


@pytest.mark.parametrize("folder", ["generalizers/", "patterns/"])
def test_generalization_never_reads_a_flagged_value(folder: str) -> None:
    templates = in_folder(folder)
    assert templates
    for name, header in templates:
        for declared in header.inputs:
            assert not declared.startswith(
                ("sensitive_", "source", "slots_", "bucket_", "bucketed_", "drawn_", "histogram")
            ), name


def test_only_ingest_reads_the_source() -> None:
    """Besides verification, and the insensitive columns that are released as they are."""
    readers = {name for name in TEMPLATES for declared in read_header(name).inputs if declared.startswith("source")}
    others = {name for name in readers if not name.startswith(("ingest/", "verify/", "audit/", "ledger/"))}
    assert others <= {"publish/linked_rows", "publish/crosswalk"}
    for rendered in renderings("publish/linked_rows"):
        assert ("source_rows" in rendered.inputs) == bool(rendered.params["insensitive"])


def test_sat_comes_from_the_plan_and_the_histogram_alone() -> None:
    for declared in read_header("publish/sat").inputs:
        assert declared.startswith(("slots_", "bucket_slots_", "bucket_labels_", "sensitive_domain_"))


def test_tables_for_queries_read_released_tables_only() -> None:
    """And what the policy declares."""
    templates = in_folder("query_helpers/")
    assert templates
    for name, header in templates:
        assert set(header.inputs) <= {"groups", "sat", "declared_values"}, name
    allowed = {f"{prefix}{name}" for name in rich_table().column_names for prefix in ("declared_values_", "sat_")}
    allowed |= {f"hierarchy_leaves_{name}" for name in rich_table().column_names} | {"groups"}
    for bound in bound_policies():
        released = {name: identifier(name) for name in expected_columns(bound)}
        for step in helper_steps(bound, released):
            assert {str(place).strip('"') for place in step.aliases.values()} <= allowed


def bound_policies() -> Iterator[BoundPolicy]:
    with duckdb.connect() as connection:
        connection.register("source", rich_table())
        columns = columns_of(connection, "SELECT * FROM source")
    schema = SourceSchema(tuple(Column(name, kind) for name, kind in columns))
    for policy in POLICIES.values():
        yield bind(Policy.from_dict(policy), schema)


def test_verification_shares_no_template_with_the_generator() -> None:
    for bound in bound_policies():
        made = {step.template for step in make_plan(bound).steps()}
        made |= {relation.step.template for relation in released_relations(bound)}
        released = {name: identifier(name) for name in expected_columns(bound)}
        checking = {check.template for check in checks(bound, released, 10, few=())}
        assert not any(template.startswith("verify/") for template in made)
        assert all(template.startswith("verify/") for template in checking)
        assert not made & checking


def test_verification_reads_the_release_and_the_source_only() -> None:
    released = {"tuples", "groups", "sat", "idt", "anonymized", "checked", "helper"}
    own = {"row_links", "linked_tuples", "tuple_counts", "shown_values_{few}"}
    allowed = released | own | {"source_rows"}
    for name, header in in_folder("verify/"):
        inputs = {declared for declared in header.inputs if declared != "hierarchy_cover_{attribute}"}
        assert inputs <= allowed | ({"rows_in_secret_order"} if name == "verify/row_links" else set()), name


def test_every_draw_has_its_own_purpose() -> None:
    for bound in bound_policies():
        purposes = [step.draw.purpose for step in make_plan(bound).steps() if step.draw]
        assert len(set(purposes)) == len(purposes)
        for step in make_plan(bound).steps():
            assert ("secret_keys" in read_header(step.template).inputs) == (step.draw is not None)


def test_the_pattern_plan_is_fixed_before_any_flagged_value_is_read() -> None:
    for bound in bound_policies():
        order = [step.template for step in make_plan(bound).steps()]
        first_value = min((order.index(t) for t in order if t == "ingest/sensitive_rows"), default=len(order))
        assert order.index("patterns/open_rows") < first_value
        for name in order[:first_value]:
            assert not any(declared.startswith("sensitive_") for declared in read_header(name).inputs)


# --- what generalization may know, by running it --------------------------------------------------------

CANARY = "CANARY-7c1e"


def quasi_statements(connection: duckdb.DuckDBPyConnection, values: list[str | None]) -> list[list[tuple[Any, ...]]]:
    """Everything that `ingest/quasi_*` makes of a snapshot whose first rows are flagged."""
    schema = SourceSchema((Column("job", "VARCHAR"), Column("hidden", "BOOLEAN"), Column("age", "BIGINT")))
    attributes = {
        "job": {"role": "semi-sensitive", "flag": "hidden", "principle": {"l_diversity": 2}},
        "age": {"role": "quasi-identifier"},
    }
    bound = bind(Policy.from_dict({"k": 2, "attributes": attributes}), schema)
    connection.execute("CREATE OR REPLACE TABLE source_rows (job_value VARCHAR, job_flagged BOOLEAN, age_value BIGINT)")
    for place, value in enumerate(values):
        connection.execute("INSERT INTO source_rows VALUES ($1, $2, $3)", [value, place < 3, place])
    results = []
    for step in make_plan(bound).steps():
        if step.template.startswith(("ingest/quasi_", "ingest/domain_")):
            connection.execute(f"CREATE OR REPLACE TABLE {identifier(step.relation)} AS {step.statement().sql}")
            results.append(connection.execute(f"SELECT * FROM {identifier(step.relation)}").fetchall())
    return results


def test_flagged_values_do_not_reach_generalization() -> None:
    open_values: list[str | None] = ["a", "b", None, "c"]
    with duckdb.connect() as connection:
        with_canary = quasi_statements(connection, [CANARY, "zzz", None, *open_values])
        without = quasi_statements(connection, ["a", "a", "a", *open_values])
    assert with_canary == without
    assert CANARY not in repr(with_canary)
    assert len(with_canary) >= 4


def excludes_flagged(condition: exp.Expression | None) -> bool:
    """Whether a condition demands NOT flagged, joined to the rest by AND only."""
    if condition is None:
        return False
    parts = condition.flatten() if isinstance(condition, exp.And) else [condition]
    return any(isinstance(part, exp.Not) and part.find(exp.Column).name.endswith("_flagged") for part in parts)  # type: ignore[union-attr]


def test_the_text_of_quasi_statements_excludes_flagged_values() -> None:
    """Wherever a flagged attribute's value is read, the same condition demands that it is not flagged."""
    checked = 0
    for rendered in (*renderings("ingest/quasi_domain"), *renderings("ingest/quasi_rows_part")):
        single = rendered.params.get("attribute")
        flagged = [a.name for a in ([single] if single else rendered.params["attributes"]) if a.flag]
        tree = parse_one(rendered.sql, read="duckdb")
        for name in flagged:
            for column in tree.find_all(exp.Column):
                if column.name != f"{name}_value" or isinstance(column.parent, exp.Is):
                    continue  # whether a cell is NULL is part of the pattern, of unflagged cells only
                place = column.find_ancestor(exp.Join, exp.Select)
                assert place is not None
                condition = place.args.get("on") if isinstance(place, exp.Join) else place.args["where"].this
                assert excludes_flagged(condition), rendered.sql
                checked += 1
    assert checked > 4


def test_the_snapshot_is_the_only_statement_that_reads_the_source() -> None:
    readers = {rendered.template for rendered in recorded().rendered if "source" in rendered.inputs}
    assert readers == {"ingest/source_rows"}


def test_a_step_without_values_shows_an_example() -> None:
    """`explain --sql` renders every step from the schema alone."""
    for bound in bound_policies():
        for step in make_plan(bound).steps():
            assert isinstance(step, Step)
            assert step.statement().sql.startswith(("SELECT", "WITH"))
