"""The wheel holds the package, its templates and its types, and nothing else."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    directory = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "build", "--wheel", "--outdir", str(directory), str(ROOT)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return zipfile.ZipFile(next(directory.glob("*.whl")))


def test_wheel_contents_equal_the_tree(wheel: zipfile.ZipFile) -> None:
    packed = {name for name in wheel.namelist() if ".dist-info/" not in name}
    modules = {path.relative_to(ROOT).as_posix() for path in (ROOT / "lgb_sql").rglob("*.py")}
    templates = {f"lgb_sql/{path.relative_to(ROOT).as_posix()}" for path in (ROOT / "sql_templates").rglob("*.sql")}
    assert packed == modules | templates | {"lgb_sql/py.typed"}
    assert len(templates) > 40


def test_an_installed_wheel_runs_the_demo(wheel: zipfile.ZipFile, tmp_path: Path) -> None:
    """From the unpacked wheel alone: the templates must be found inside the package."""
    site = tmp_path / "site"
    wheel.extractall(site)
    code = "import lgb_sql.templates as t; print(t.TEMPLATE_DIRECTORY); from lgb_sql.cli import main; main()"
    command = [sys.executable, "-c", code, "demo", "--to", str(tmp_path / "demo")]
    done = subprocess.run(
        command,
        cwd=tmp_path,
        env={"PYTHONPATH": str(site), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(str(site))
    assert (tmp_path / "demo" / "release.duckdb").exists()
