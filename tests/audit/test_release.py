"""Audits of sound releases raise no alarm; what is no release is told so; nothing shows a cell."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from typer.testing import CliRunner

import lgb_sql
from lgb_sql import InfeasiblePolicyError, PolicyError, ReleaseError, RunOptions, SourceError
from lgb_sql.audit.words import as_json, as_text
from lgb_sql.cli import app
from tests.audit.material import POLICY, Material, corrupted, source
from tests.properties.cases import SLOW, Case, cases
from tests.support import leftovers, workplace

RANDOM_CASES = int(os.environ.get("LGB_AUDIT_CASES", "6"))
"""200 were run before the audit was first released; fewer are enough for every run of the tests."""


@settings(SLOW, max_examples=RANDOM_CASES)
@given(cases())
def test_no_false_alarm(case: Case) -> None:
    with workplace() as directory:
        to = "release.duckdb" if case.rows % 2 else "release/"
        known: dict[str, Any] = {"crosswalk": directory / "crosswalk.duckdb"}
        try:
            lgb_sql.anonymize(
                case.table(), case.policy(), to=f"{directory}/{to}", options=RunOptions(threads=1), **known
            )
        except InfeasiblePolicyError:
            return
        verdict = lgb_sql.audit(f"{directory}/{to}", policy=case.policy(), source=case.table(), **known)
        assert [result.as_dict() for result in verdict.broken] == []
        assert all(result.status == "holds" for result in verdict.results)
        assert all(0 <= risk.number <= 1 for risk in verdict.risks)
        json.loads(as_json(verdict))


@pytest.mark.parametrize("form", ["release", "files"])
def test_a_sound_release(form: str, material: Material) -> None:
    verdict = material.audit(getattr(material, form))
    assert verdict, verdict.line
    assert verdict.line.startswith("YES: all ")
    assert verdict.with_source
    names = {result.name for result in verdict.results}
    assert {"relations", "columns", "leftovers", "manifest", "randomness", "group sizes", "crosswalk"} <= names
    assert {"policy: k", "secrecy of rid", "truth of groups", "truth of sat_pay", "texts"} <= names
    risks = {risk.name: risk for risk in verdict.risks}
    for expected in (
        "prosecutor risk", "journalist risk", "marketer risk", "posterior of pay", "members known of pay",
        "proximity of pay", "value known of pay", "flags unknown of age", "learned correlation of pay",
        "insensitive columns",
    ):  # fmt: skip
        assert risks[expected].meaning
    assert risks["posterior of pay"].number <= 1 / 4
    assert risks["members known of pay"].more["knowing_1"] <= 1 / 3
    assert risks["prosecutor risk"].number <= 1 / 3


def test_the_worst_posterior_and_what_others_know(material: Material) -> None:
    """Against plain counting."""
    with duckdb.connect(str(material.release), read_only=True) as connection:
        rows = connection.execute("SELECT bid, sum(n), max(n) FROM sat_sex GROUP BY bid").fetchall()
        groups = [size for (size,) in connection.execute("SELECT size FROM groups").fetchall()]
    risks = {risk.name: risk for risk in material.audit(material.release, truth=False).risks}
    assert risks["posterior of sex"].number == max(most / size for _, size, most in rows)
    for j in (1, 2, 3):
        expected = max(most / max(size - j, most) for _, size, most in rows)
        assert risks["members known of sex"].more[f"knowing_{j}"] == expected
    assert risks["prosecutor risk"].number == 1 / min(groups)
    assert risks["marketer risk"].number == len(groups) / sum(groups)


def test_proximity_by_hand(tmp_path: Path) -> None:
    table = pa.table({"q": [1] * 4, "pay": [100, 104, 109, 200]})
    attributes = {"q": {"role": "quasi-identifier"}, "pay": {"role": "sensitive", "principle": {"l_diversity": 4}}}
    lgb_sql.anonymize(table, {"k": 2, "attributes": attributes}, to=tmp_path / "r.duckdb")
    (risk,) = [r for r in lgb_sql.audit(tmp_path / "r.duckdb").risks if r.name == "proximity of pay"]
    # within 5 %: 100 with 104, 104 with 100 and 109, 109 with 104; within 10 % all three of them
    assert risk.number == (2 / 4 + 3 / 4 + 2 / 4 + 1 / 4) / 4
    assert risk.more["average_10"] == (3 * 3 / 4 + 1 / 4) / 4
    assert risk.more["worst_5"] == 3 / 4


def test_a_column_that_determines_a_flagged_attribute_is_named(tmp_path: Path) -> None:
    """Wives are women: no release can hide that."""
    rows = 300
    table = pa.table(
        {
            "kin": ["wife" if row % 3 == 0 else "other" for row in range(rows)],
            "sex": ["f" if row % 3 == 0 else "fm"[row % 2] for row in range(rows)],
            "hidden": [row // 6 % 2 == 0 for row in range(rows)],
            "age": [20 + row % 41 for row in range(rows)],
        }
    )
    attributes = {
        "kin": {"role": "quasi-identifier"},
        "age": {"role": "quasi-identifier"},
        "sex": {"role": "semi-sensitive", "flag": "hidden", "principle": {"t_closeness": 0.2}},
    }
    policy = {"k": 3, "attributes": attributes}
    lgb_sql.anonymize(table, policy, to=tmp_path / "r.duckdb", crosswalk=tmp_path / "c.parquet")
    verdict = lgb_sql.audit(tmp_path / "r.duckdb", policy=policy, source=table, crosswalk=tmp_path / "c.parquet")
    assert verdict
    (risk,) = [risk for risk in verdict.risks if risk.name == "sex determined by kin"]
    assert risk.number == 1 / 3
    assert any("sex determined by kin" in warning for warning in verdict.warnings)
    learned = next(risk for risk in verdict.risks if risk.name == "learned correlation of sex")
    assert learned.number > learned.more["by_chance"]


def test_a_learned_correlation_is_measured(tmp_path: Path) -> None:
    """Pay follows the town: buckets hide it, who learns does not need them; where it does not, learning is no help."""
    rows = 3000
    towns = [row * 7919 % 7 for row in range(rows)]
    table = pa.table(
        {
            "town": [f"t{town}" for town in towns],
            "pay": [10 * town + row % 3 for row, town in enumerate(towns)],
            "luck": [hash((row, 5)) % 30 for row in range(rows)],
        }
    )
    secret = {"role": "sensitive", "principle": {"l_diversity": 4}}
    attributes = {"town": {"role": "quasi-identifier"}, "pay": secret, "luck": secret}
    policy = {"k": 4, "bucketization": "stride", "attributes": attributes}
    lgb_sql.anonymize(table, policy, to=tmp_path / "r.duckdb", crosswalk=tmp_path / "c.parquet")
    verdict = lgb_sql.audit(tmp_path / "r.duckdb", policy=policy, source=table, crosswalk=tmp_path / "c.parquet")
    risks = {risk.name: risk for risk in verdict.risks}
    assert risks["learned correlation of pay"].number > 0.4
    assert risks["learned correlation of luck"].number < 0.35


def test_a_release_with_a_hierarchy(tmp_path: Path) -> None:
    """Nodes are held against the tree, which is in the policy; a node that is too high is caught."""
    table = source()
    tree = {"Land": [{"North": ["A", "B", "C"]}, {"South": ["D", "E", "F", "G", "H"]}]}
    attributes = {**POLICY["attributes"], "town": {"role": "quasi-identifier", "hierarchy": tree}}
    policy = {**POLICY, "attributes": attributes}
    known = {"policy": policy, "source": table, "crosswalk": tmp_path / "c.parquet"}
    lgb_sql.anonymize(table, policy, to=tmp_path / "r.duckdb", crosswalk=tmp_path / "c.parquet")
    verdict = lgb_sql.audit(tmp_path / "r.duckdb", **known)
    assert verdict, verdict.line
    assert "truth of nodes of town" in {result.name for result in verdict.results if result.status == "holds"}
    with duckdb.connect(str(tmp_path / "r.duckdb")) as connection:
        connection.execute(f"ATTACH '{tmp_path}/wrong.duckdb' AS wrong (STORAGE_VERSION 'v1.4.0')")
        connection.execute("COPY FROM DATABASE r TO wrong; USE wrong")
        connection.execute(
            "CREATE TABLE forged AS SELECT * REPLACE (CASE WHEN town_form = 'Q' THEN 'Land' END AS town_node, "
            "CASE WHEN town_form = 'Q' THEN ['A', 'B', 'C', 'D', 'E', 'F', 'G', 'H'] END AS town_set) "
            "FROM groups ORDER BY gid"
        )
        connection.execute("DROP TABLE groups; ALTER TABLE forged RENAME TO groups")
        connection.execute(f"USE r; ATTACH '{tmp_path}/clean.duckdb' AS clean (STORAGE_VERSION 'v1.4.0')")
        connection.execute("COPY FROM DATABASE wrong TO clean")
    broken = {result.name for result in lgb_sql.audit(tmp_path / "clean.duckdb", **known).broken}
    assert broken == {"truth of nodes of town"}


def test_a_schema_of_the_source(tmp_path: Path) -> None:
    path = tmp_path / "work.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.register("given", source())
        connection.execute("CREATE TABLE people AS FROM given")
    lgb_sql.anonymize(path, POLICY, to="schema:released", table="people", crosswalk=tmp_path / "c.parquet")
    verdict = lgb_sql.audit(f"{path}::released", policy=POLICY)
    assert verdict
    assert any("other schemas" in warning for warning in verdict.warnings)


def test_a_seeded_release_is_for_tests(tmp_path: Path) -> None:
    lgb_sql.anonymize(source(), POLICY, to=tmp_path / "r.duckdb", options=RunOptions(seed=0))
    verdict = lgb_sql.audit(tmp_path / "r.duckdb")
    assert [result.name for result in verdict.broken] == ["randomness"]
    assert lgb_sql.audit(tmp_path / "r.duckdb", allow_seeded=True)


# --- what is no release ------------------------------------------------------------------------------------


def no_manifest(path: Path) -> None:
    with duckdb.connect(str(path)) as connection:
        connection.execute("DROP TABLE manifest")


def no_groups(path: Path) -> None:
    with duckdb.connect(str(path)) as connection:
        connection.execute("DROP VIEW anonymized; DROP TABLE groups")


def no_column(path: Path) -> None:
    with duckdb.connect(str(path)) as connection:
        connection.execute("DROP VIEW anonymized; ALTER TABLE groups DROP COLUMN size")


def no_json(path: Path) -> None:
    with duckdb.connect(str(path)) as connection:
        connection.execute("UPDATE manifest SET value = 'Miller' WHERE key = 'k'")


def another_version(path: Path) -> None:
    with duckdb.connect(str(path)) as connection:
        connection.execute("UPDATE manifest SET value = '99' WHERE key = 'format_version'")


def no_principle(path: Path) -> None:
    with duckdb.connect(str(path)) as connection:
        connection.execute("""UPDATE manifest SET value = '{"pay": {"l_diversity": 1}}' WHERE key = 'principles'""")


def rubbish(path: Path) -> None:
    path.write_bytes(b"DUCK" * 5000)


@pytest.mark.parametrize("change", [no_manifest, no_groups, no_column, no_json, another_version, no_principle, rubbish])
def test_a_database_that_is_no_release(change: Any, material: Material, tmp_path: Path) -> None:
    path = tmp_path / "r.duckdb"
    shutil.copy(material.release, path)
    change(path)
    with pytest.raises(ReleaseError) as caught:
        lgb_sql.audit(path)
    assert caught.value.exit_code == 2
    assert "Miller" not in str(caught.value)


def damage(files: Path) -> None:
    data = bytearray((files / "tuples.parquet").read_bytes())
    data[100:900] = b"\0" * 800
    (files / "tuples.parquet").write_bytes(data)


def pipe(files: Path) -> None:
    (files / "tuples.parquet").unlink()
    os.mkfifo(files / "tuples.parquet")


def directory(files: Path) -> None:
    (files / "tuples.parquet").unlink()
    (files / "tuples.parquet").mkdir()


DIRECTORIES: dict[str, Any] = {
    "nothing": lambda files: [file.unlink() for file in files.iterdir()],
    "no tuples": lambda files: (files / "tuples.parquet").unlink(),
    "an empty file": lambda files: (files / "tuples.parquet").write_bytes(b""),
    "a cut file": lambda files: (files / "groups.parquet").write_bytes((files / "groups.parquet").read_bytes()[:-9]),
    "damaged pages": damage,
    "a pipe": pipe,
    "a directory": directory,
}


@pytest.mark.parametrize("name", DIRECTORIES)
def test_a_directory_that_is_no_release(name: str, material: Material, tmp_path: Path) -> None:
    files = tmp_path / "files"
    shutil.copytree(material.files, files)
    DIRECTORIES[name](files)
    with pytest.raises(ReleaseError) as caught:
        lgb_sql.audit(files)
    assert caught.value.exit_code == 2


def test_wrong_use(material: Material, tmp_path: Path) -> None:
    with pytest.raises(ReleaseError):
        lgb_sql.audit(tmp_path / "nothing.duckdb")
    with pytest.raises(PolicyError, match="--crosswalk"):
        lgb_sql.audit(material.release, source=material.source)
    with pytest.raises(PolicyError, match="--source"):
        lgb_sql.audit(material.release, crosswalk=material.crosswalk)
    with pytest.raises(PolicyError, match="--policy"):
        lgb_sql.audit(material.release, source=material.source, crosswalk=material.crosswalk)
    with pytest.raises(PolicyError, match="--quasi"):
        lgb_sql.audit(material.release, sensitive=["pay"])
    with pytest.raises(SourceError, match="no crosswalk"):
        material.audit(material.release, crosswalk=material.source)
    with pytest.raises(PolicyError, match="no column"):
        material.audit(material.release, source=material.crosswalk)


# --- the command line ----------------------------------------------------------------------------------------


def lgb(*arguments: object) -> Any:
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def test_exit_codes_and_text(material: Material, tmp_path: Path) -> None:
    sound = lgb("audit", material.release)
    assert sound.exit_code == 0
    assert sound.stdout.startswith("YES: all ")

    def larger(connection: duckdb.DuckDBPyConnection) -> None:
        connection.execute("UPDATE groups SET size = size + 1")

    wrong = corrupted(material, tmp_path, larger)
    answer = lgb("audit", wrong)
    assert answer.exit_code == 1
    assert answer.stdout.startswith("NO: ")
    assert "BROKEN group sizes: every group has at least 3 tuples" in answer.stdout
    assert "at gid 1 counted" in answer.stdout
    assert lgb("audit", tmp_path / "nothing").exit_code == 2


def test_json(material: Material) -> None:
    answer = lgb("audit", material.files, "--format", "json", "--threads", "1", "--memory", "2GB")
    assert answer.exit_code == 0
    told = json.loads(answer.stdout)
    assert told["safe"] is True
    assert {"check", "promised", "status", "measured", "violations", "at"} == set(told["checks"][0])
    assert {"risk", "number", "claimed", "meaning", "more"} == set(told["risks"][0])


def test_a_table_on_the_command_line(tmp_path: Path) -> None:
    table = pa.table({"a,b": ["x", "x", "y"], "c": ["p", "p", "p"], "d": [1, 2, 3]})
    pq.write_table(table, tmp_path / "t.parquet")
    answer = lgb("audit", tmp_path / "t.parquet", "--quasi", '"a,b",c', "--sensitive", "d")
    assert answer.exit_code == 1
    assert "k = 1; 1 of 2 classes, with 1 of 3 rows, have fewer" in answer.stdout
    assert "--k, --l and --t set what the table must keep" in answer.stdout
    assert "crosswalk" not in answer.stdout
    assert lgb("audit", tmp_path / "t.parquet", "--quasi", "c", "--sensitive", "d", "--k", "3").exit_code == 0
    infinite = json.loads(
        lgb("audit", tmp_path / "t.parquet", "--quasi", '"a,b"', "--sensitive", "d", "--format", "json").stdout
    )
    assert next(risk for risk in infinite["risks"] if risk["risk"] == "delta of d")["number"] == "inf"


CANARY = "CANARY4711"


def test_no_cell_is_shown(tmp_path: Path) -> None:
    """Whatever fails, the answer holds ids and counts."""
    table = source()
    for name in ("town", "job", "note"):
        cells = [f"{CANARY}{value}" for value in table[name].to_pylist()]
        table = table.set_column(table.column_names.index(name), name, pa.array(cells))
    lgb_sql.anonymize(table, POLICY, to=tmp_path / "r.duckdb", crosswalk=tmp_path / "c.parquet")
    shown = []
    changes = (
        "SELECT 1",
        "UPDATE groups SET size = 1, town_form = town_set[1]",
        f"UPDATE tuples SET note = '{CANARY}'; DELETE FROM sat_job WHERE bid < 4",
        f"INSERT INTO manifest VALUES ('{CANARY}', '\"{CANARY}\"')",
        f"CREATE TABLE {CANARY} AS SELECT 1 AS {CANARY}; CREATE SCHEMA {CANARY}2; CREATE MACRO {CANARY}3() AS 1",
        "CREATE OR REPLACE VIEW idt_job AS SELECT value AS rid, bid FROM sat_job",
        "ALTER TABLE tuples ALTER gid TYPE VARCHAR; UPDATE tuples SET gid = note",
    )
    for number, change in enumerate(changes):
        copy = tmp_path / f"{number}.duckdb"
        shutil.copy(tmp_path / "r.duckdb", copy)
        with duckdb.connect(str(copy)) as connection:
            connection.execute(change)
        try:
            verdict = lgb_sql.audit(copy, policy=POLICY, source=table, crosswalk=tmp_path / "c.parquet")
        except lgb_sql.LgbError as error:
            shown.append(f"{error}")
            continue
        assert bool(verdict) == (number == 0)
        shown.extend([as_text(verdict), as_json(verdict), repr(verdict)])
    assert CANARY not in "".join(shown)


def test_an_audit_leaves_nothing_behind(material: Material, tmp_path: Path) -> None:
    before = {name: (material.directory / name).stat().st_mtime_ns for name in leftovers(material.directory)}
    assert material.audit(material.release, options=RunOptions(temp=tmp_path))
    assert {name: (material.directory / name).stat().st_mtime_ns for name in leftovers(material.directory)} == before
    assert leftovers(tmp_path) == []
