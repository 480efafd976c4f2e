"""The manifest: an allow-list of fields, each a number or word that the tables beside it bear out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import fields
from math import isclose, isfinite
from typing import Any, get_args

from lgb_sql.audit.facts import group_facts
from lgb_sql.audit.reading import Opened
from lgb_sql.audit.verdict import Result, judged
from lgb_sql.manifest import FIELDS
from lgb_sql.metrics import Metrics
from lgb_sql.policy import Bucketization, Generalization, SmallPatterns
from lgb_sql.verify import SHOWN

_WORDS = {
    "generalization": frozenset(get_args(Generalization)) - {"auto"},
    "bucketization": frozenset(get_args(Bucketization)),
    "small_patterns": frozenset(get_args(SmallPatterns)),
}
_METRICS = {each.name for each in fields(Metrics)} - {"cells_withheld", "rows_suppressed"}
_REASON = re.compile(
    r"named by the policy"
    r"|auto: [0-9,]+ rows x [0-9]+ quasi-identifier columns = [0-9,]+, (within|beyond) [0-9,]+ and [0-9]+ columns"
)
_VERSION = re.compile(r"\d+(\.\d+)*([.-]?[a-z]+\d*)?")


def manifest_check(release: Opened) -> Result:
    """The manifest agrees with the tables beside it, and says nothing else."""
    wrong = [*_form(release), *_counts(release)]
    return judged(
        "manifest", "the manifest has its fields and no others, and says what the tables hold", len(wrong),
        "every field agrees", "wrong: " + ", ".join(wrong[:SHOWN]),
    )  # fmt: skip


def seed_check(release: Opened, *, allow_seeded: bool) -> Result:
    """A seeded run can be replayed by whoever knows or guesses the seed."""
    seeded = release.manifest["reproducible"] and not allow_seeded
    measured = "a seed, which was allowed" if release.manifest["reproducible"] else "secret random streams"
    return judged(
        "randomness", "every choice was drawn from the system's randomness", int(seeded), measured,
        "made with --seed: whoever knows the seed can undo it (--allow-seeded accepts that)",
    )  # fmt: skip


def _form(release: Opened) -> Iterator[str]:
    """Fields that are missing, too many, or hold what no honest run writes; named only where they are ours."""
    manifest = release.manifest
    if set(manifest) - set(FIELDS):
        yield f"{len(set(manifest) - set(FIELDS))} fields too many"
    if release.repeated_fields:
        yield "a field stands twice"
    yield from (f"{field} is missing" for field in FIELDS if field not in manifest)
    for field, words in _WORDS.items():
        if field in manifest and (not isinstance(manifest[field], str) or manifest[field] not in words):
            yield field
    version = manifest.get("software_version")
    if not isinstance(version, str) or not _VERSION.fullmatch(version):
        yield "software_version"
    if manifest["k"] < 2:
        yield "k"
    if set(manifest["metrics"]) != _METRICS:
        yield "metrics"
    reason = manifest["metrics"].get("generalization_reason")
    if not isinstance(reason, str) or not _REASON.fullmatch(reason):
        yield "metrics.generalization_reason"


def _counts(release: Opened) -> Iterator[str]:
    manifest, facts, tuples = release.manifest, group_facts(release), release.count("tuples")
    suppressed = manifest["rows_suppressed"]
    expected = {
        "rows_released": tuples,
        "rows_source": tuples + suppressed,
        "cells_withheld": facts["withheld"],
    }
    yield from (field for field, value in expected.items() if manifest[field] != value)
    if suppressed < 0 or (suppressed and manifest.get("small_patterns") != "suppress"):
        yield "rows_suppressed"
    yield from (f"metrics.{name}" for name in _metrics(release, facts, tuples))


def _metrics(release: Opened, facts: dict[str, Any], tuples: int) -> Iterator[str]:
    metrics = release.manifest["metrics"]
    if metrics.get("groups") != facts["groups"]:
        yield "groups"
    if metrics.get("c_dm") != facts["c_dm"]:
        yield "c_dm"
    average = metrics.get("average_group_size")
    if not _number(average) or not isclose(average, tuples / max(facts["groups"], 1), abs_tol=1e-5):
        yield "average_group_size"
    buckets = {a.name: release.buckets(a.name) for a in release.bound.bucketed}
    if metrics.get("buckets") != buckets:
        yield "buckets"
    widths = metrics.get("bucket_widths")
    if (
        not isinstance(widths, dict)
        or set(widths) != set(buckets)
        or not all(_number(width) and 0 <= width <= 1 for width in widths.values())
    ):
        yield "bucket_widths"
    yield from _ncp(release, metrics)


def _ncp(release: Opened, metrics: dict[str, Any]) -> Iterator[str]:
    """What cannot be recomputed from a release, as it needs the source's ranges: within its bounds at least."""
    by_attribute = metrics.get("ncp_by_attribute")
    rows = release.manifest["rows_source"]
    names = {a.name for a in release.bound.generalised}
    if (
        not isinstance(by_attribute, dict)
        or set(by_attribute) != names
        or not all(_number(value) and -1e-6 <= value <= rows + 1e-6 for value in by_attribute.values())
    ):
        yield "ncp_by_attribute"
        return
    total, cells = sum(by_attribute.values()), metrics.get("quasi_identifier_cells")
    if not _number(metrics.get("ncp")) or not isclose(metrics["ncp"], total, abs_tol=1e-3):
        yield "ncp"
    if not isinstance(cells, int) or not 0 <= cells <= rows * len(names):
        yield "quasi_identifier_cells"
        return
    percent = 100 * total / cells if cells else 0.0
    if not _number(metrics.get("ncp_percent")) or not isclose(metrics["ncp_percent"], percent, abs_tol=1e-3):
        yield "ncp_percent"


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)
