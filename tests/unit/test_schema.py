"""Type names: which ones a release can hold."""

# ruff: noqa: E501  a table of cases

from __future__ import annotations

import pytest

from lgb_sql.schema import Column, Family, SourceSchema, parse_type


@pytest.mark.parametrize(
    ("text", "name", "family"),
    [
        ("TINYINT", "TINYINT", Family.INTEGER),
        ("ubigint", "UBIGINT", Family.INTEGER),
        ("int", "INTEGER", Family.INTEGER),
        ("Long", "BIGINT", Family.INTEGER),
        ("real", "FLOAT", Family.FLOAT),
        ("DOUBLE", "DOUBLE", Family.FLOAT),
        ("DECIMAL(10,2)", "DECIMAL(10,2)", Family.DECIMAL),
        ("numeric(38, 38)", "DECIMAL(38,38)", Family.DECIMAL),
        ("DECIMAL(5)", "DECIMAL(5,0)", Family.DECIMAL),
        ("decimal", "DECIMAL(18,3)", Family.DECIMAL),
        ("text", "VARCHAR", Family.TEXT),
        ("ENUM('a', 'b)')", "VARCHAR", Family.TEXT),
        ("bool", "BOOLEAN", Family.BOOLEAN),
        ("uuid", "UUID", Family.UUID),
        ("date", "DATE", Family.DATE),
        ("time", "TIME", Family.TIME),
        ("timestamp_ns", "TIMESTAMP_NS", Family.TIMESTAMP),
        (" timestamp  with time zone ", "TIMESTAMP WITH TIME ZONE", Family.TIMESTAMP),
        ("timestamptz", "TIMESTAMP WITH TIME ZONE", Family.TIMESTAMP),
    ],
)
def test_types_that_a_release_can_hold(text: str, name: str, family: Family) -> None:
    kind = parse_type(text)
    assert kind is not None
    assert (kind.name, kind.family) == (name, family)


@pytest.mark.parametrize(
    "text",
    [
        "HUGEINT", "UHUGEINT", "INTERVAL", "BIT", "BLOB", "INTEGER[]", "VARCHAR[3]", "STRUCT(a INTEGER)", "JSON",
        "MAP(VARCHAR, INTEGER)", "UNION(a INTEGER)", "ENUM('a')[]", "DECIMAL(39,2)", "DECIMAL(5,6)", "", "NULL", '"NULL"',
        "VARCHAR; DROP TABLE x", "TIME WITH TIME ZONE", "DECIMAL(9,2)[]", "VARCHAR(", "BIGNUM",
    ],
)  # fmt: skip
def test_types_that_it_cannot(text: str) -> None:
    assert parse_type(text) is None


def test_columns_are_found_exactly_first_then_but_for_case() -> None:
    schema = SourceSchema((Column("Age", "BIGINT"), Column("age", "VARCHAR"), Column("Größe", "DOUBLE")))
    exact, folded = schema.find("age"), schema.find("AGE")
    assert exact
    assert exact.type_name == "VARCHAR"
    assert folded
    assert folded.type_name == "BIGINT"
    assert schema.find("GRÖSSE") is not None
    assert schema.find("ag") is None
    assert schema.names == ["Age", "age", "Größe"]
