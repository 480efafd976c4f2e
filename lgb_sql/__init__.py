"""Local generalization and bucketization inside DuckDB: share a table about people, with per-person sensitivity."""

from lgb_sql.api import anonymize, explain, export
from lgb_sql.audit import Verdict, audit
from lgb_sql.errors import (
    EngineError,
    InfeasiblePolicyError,
    LgbError,
    OutputError,
    PolicyError,
    QueryError,
    ReleaseError,
    SourceError,
    VerificationError,
)
from lgb_sql.manifest import SOFTWARE_VERSION
from lgb_sql.metrics import Metrics
from lgb_sql.options import RunOptions
from lgb_sql.policy import Identifier, Insensitive, Policy, QuasiIdentifier, SemiSensitive, Sensitive
from lgb_sql.principles import LDiversity, TCloseness
from lgb_sql.release import Release, open_release

__version__ = SOFTWARE_VERSION

__all__ = [
    "EngineError", "Identifier", "InfeasiblePolicyError", "Insensitive", "LDiversity", "LgbError", "Metrics",
    "OutputError", "Policy", "PolicyError", "QuasiIdentifier", "QueryError", "Release", "ReleaseError", "RunOptions",
    "SemiSensitive", "Sensitive", "SourceError", "TCloseness", "Verdict", "VerificationError", "__version__",
    "anonymize", "audit", "explain", "export", "open_release",
]  # fmt: skip
