"""What the README says is what happens: its blocks are run, its output compared."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import lgb_sql

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)


def run(arguments: list[str], directory: Path) -> str:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "100"}
    done = subprocess.run(arguments, cwd=directory, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_example_prints_what_the_readme_shows(tmp_path: Path) -> None:
    (example,), (shown,) = blocks("python"), blocks("text")
    assert run([sys.executable, "-c", example], tmp_path) == shown


def test_the_commands_work_after_the_demo(tmp_path: Path) -> None:
    lgb = [sys.executable, "-m", "lgb_sql.cli"]
    run([*lgb, "demo"], tmp_path)
    commands = [line for block in blocks("sh") for line in block.splitlines() if line.startswith("lgb ")]
    assert len(commands) == 7
    for command in commands:
        run([*lgb, *shlex.split(command)[1:]], tmp_path)
    assert (tmp_path / "release.duckdb").exists()
    assert (tmp_path / "release" / "tuples.parquet").exists()


def test_the_policy_in_the_readme_is_sound() -> None:
    (text,) = blocks("toml")
    policy = lgb_sql.Policy.from_dict(tomllib.loads(text))
    assert policy.k == 10
    assert set(policy.attributes) == {"relationship", "age", "sex", "salary"}


def test_ci_runs_the_readme_s_test_command() -> None:
    command = next(block.strip() for block in blocks("sh") if "pytest" in block)
    assert command in (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize(
    "page", ["README.md", "CONTRIBUTING.md", *(p.relative_to(ROOT).as_posix() for p in (ROOT / "docs").rglob("*.md"))]
)
def test_links_between_pages_lead_somewhere(page: str) -> None:
    for target in re.findall(r"\]\(([^)#:]+)\)", (ROOT / page).read_text(encoding="utf-8")):
        assert ((ROOT / page).parent / target).exists(), target
