"""Names of a release: file names stay inside, and no two columns are equal."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lgb_sql.release_names import collisions, idt, parquet_file, relation_of, sat


@dataclass(frozen=True)
class Named:
    name: str
    role: str = "quasi-identifier"
    ordered: bool = True
    shows_node: bool = False


SENSITIVE = "sensitive"
SEMI = "semi-sensitive"
AS_IT_IS = "insensitive"


@settings(deadline=None, derandomize=True, database=None, max_examples=300)
@given(st.text(min_size=1, max_size=30))
def test_file_names_are_harmless_and_tell_relations_apart(name: str) -> None:
    try:
        name.encode()
    except UnicodeEncodeError:  # a lone surrogate is no column name
        return
    file = parquet_file(sat(name))
    assert relation_of(file) == sat(name)
    stem = file.removesuffix(".parquet")
    assert all(character.isascii() and (character.isalnum() or character in "_-%") for character in stem)
    assert idt(name) != sat(name)


@pytest.mark.parametrize(
    "attributes",
    [
        [Named("rid")],
        [Named("GID")],
        [Named("age", SEMI), Named("age_bid", AS_IT_IS)],
        [Named("age", SENSITIVE), Named("AGE_BID", AS_IT_IS)],
        [Named("age", SEMI), Named("age_bid")],
        [Named("rid", AS_IT_IS)],
        [Named("a", "quasi-identifier"), Named("A", SENSITIVE)],
        [Named("domain_x", SEMI), Named("DOMAIN_X", SENSITIVE)],
        [Named("straße"), Named("STRASSE")],
        [Named("a", AS_IT_IS), Named("A", AS_IT_IS)],
    ],
)
def test_equal_names_are_refused(attributes: list[Named]) -> None:
    found = list(collisions(attributes))
    assert len(found) == 1
    name, what, hint = found[0]
    assert name == attributes[-1].name
    assert "collides" in what
    assert hint


@pytest.mark.parametrize(
    "attributes",
    [
        [Named("size")],
        [Named("gid", "identifier")],
        [Named("age"), Named("age_bid")],
        [Named("age"), Named("age_form", SENSITIVE), Named("age_lo", AS_IT_IS)],
        [Named("tuples", SENSITIVE), Named("manifest", SENSITIVE)],
        [Named("x", SENSITIVE), Named("sat_x", SENSITIVE)],
        [Named("x", SEMI), Named("domain_x", SEMI), Named("help_x", SEMI), Named("help_domain_x", SENSITIVE)],
        [Named("age"), Named("age_lo")],
        [Named("age", ordered=True), Named("age_set", ordered=False)],
    ],
)
def test_names_that_only_look_alike_are_fine(attributes: list[Named]) -> None:
    assert list(collisions(attributes)) == []
