"""A release may come from anybody: a view in it that reads other files gets none of them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import duckdb
import pyarrow as pa
import pytest

import lgb_sql
from tests.support import leftovers

CANARY = "CANARY-2b81"
TABLE = pa.table({"job": ["abc"[row % 3] for row in range(30)], "pay": [row % 12 for row in range(30)]})
POLICY = {
    "k": 3,
    "attributes": {
        "job": {"role": "quasi-identifier"},
        "pay": {"role": "sensitive", "principle": {"l_diversity": 3}},
    },
}
SECRET = "(SELECT content FROM read_text('{secret}'))"
VIEWS = {
    "manifest": "SELECT key, CASE key WHEN 'generalization' THEN to_json({secret})::VARCHAR ELSE value END AS value "
    "FROM kept",
    "anonymized": "SELECT rid, gid, {secret} AS job, pay FROM kept",
    "sat_pay": "SELECT bid, value + length({secret}) - length({secret}) AS value, n FROM kept",
    "tuples": "SELECT * REPLACE (rid + 0 * length({secret}) AS rid) FROM kept",
}
QUESTION = "SELECT SUM(pay) FROM released WHERE job = 'a'"
USES: dict[str, Callable[[Path, Path], object]] = {
    "asking": lambda release, _: lgb_sql.open_release(release).query(QUESTION),
    "copying into a file": lambda release, to: lgb_sql.export(release, to=to / "copy.duckdb"),
    "copying into files": lambda release, to: lgb_sql.export(release, to=f"{to}/copy/"),
    "auditing": lambda release, _: lgb_sql.audit(release),
}


def foreign(directory: Path, relation: str) -> Path:
    """A release one of whose relations is a view that reads a file beside it."""
    path, secret = directory / "release.duckdb", directory / "secret.txt"
    secret.write_text(CANARY, encoding="utf-8")
    lgb_sql.anonymize(TABLE, POLICY, to=path)
    with duckdb.connect(str(path)) as connection:
        kind = "VIEW" if relation == "anonymized" else "TABLE"
        connection.execute(f"CREATE TABLE kept AS FROM {relation}; DROP {kind} {relation}")
        connection.execute(f"CREATE VIEW {relation} AS {VIEWS[relation].format(secret=SECRET.format(secret=secret))}")
        assert connection.execute(f"SELECT count(*) FROM {relation}").fetchall() != [(0,)]
    return path


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("relation", VIEWS)
def test_no_other_file_is_read(relation: str, use: str, tmp_path: Path) -> None:
    release = foreign(tmp_path, relation)
    out = tmp_path / "out"
    out.mkdir()
    if (relation, use) == ("anonymized", "asking"):  # which reads tables
        assert CANARY not in str(USES[use](release, out))
        return
    with pytest.raises(lgb_sql.LgbError) as caught:
        USES[use](release, out)
    assert CANARY not in str(caught.value)
    assert leftovers(out) == []


def test_links_are_followed_nowhere(tmp_path: Path) -> None:
    release = lgb_sql.anonymize(TABLE, POLICY, to=f"{tmp_path}/release/")
    moved = (tmp_path / "release" / "sat_pay.parquet").rename(tmp_path / "elsewhere.parquet")
    (tmp_path / "release" / "sat_pay.parquet").symlink_to(moved)
    with pytest.raises(lgb_sql.LgbError, match="symbolic links"):
        lgb_sql.open_release(release.path)
