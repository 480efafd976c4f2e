"""One release for all tests that corrupt copies of it."""

from __future__ import annotations

import pytest

from tests.audit.material import Material, make_material


@pytest.fixture(scope="session")
def material(tmp_path_factory: pytest.TempPathFactory) -> Material:
    return make_material(tmp_path_factory.mktemp("material"))
