"""Generalizers: each fills `grouped_rows` from `open_rows`. A new one joins by its entry here."""

from __future__ import annotations

from lgb_sql.generalizers.base import Generalizer
from lgb_sql.generalizers.fast import Fast
from lgb_sql.generalizers.mdp import Mdp
from lgb_sql.generalizers.ncp import Ncp
from lgb_sql.generalizers.tight import Tight

GENERALIZERS: dict[str, type[Generalizer]] = {"fast": Fast, "mdp": Mdp, "ncp": Ncp, "tight": Tight}

__all__ = ["GENERALIZERS", "Generalizer"]
