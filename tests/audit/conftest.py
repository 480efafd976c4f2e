"""One release for all tests that corrupt copies of it; what its macros should say is worked out once."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from unittest.mock import patch

import pytest

from lgb_sql.audit import macro_texts
from lgb_sql.audit.reading import Opened
from tests.audit.material import Material, make_material

EXPECTED: dict[tuple[str, str], list[str]] = {}
"""(schema, bound policy) -> texts of the macros: making them takes half of an audit's time."""


@pytest.fixture(scope="session")
def material(tmp_path_factory: pytest.TempPathFactory) -> Material:
    return make_material(tmp_path_factory.mktemp("material"))


@pytest.fixture(scope="module", autouse=True)
def remembered_macro_texts() -> Iterator[None]:
    make = vars(macro_texts)["_expected"]

    @contextmanager
    def expected(release: Opened) -> Iterator[list[str]]:
        known = (release.place.schema, repr(release.bound))
        if known not in EXPECTED:
            with make(release) as texts:
                EXPECTED[known] = texts
        yield EXPECTED[known]

    with patch.object(macro_texts, "_expected", expected):
        yield
