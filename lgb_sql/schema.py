"""Column types: which ones a release can hold, and what order they have."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum


class Family(Enum):
    """What kind of value a type holds; decides its order and how its position is measured."""

    INTEGER = "integer"
    DECIMAL = "decimal"
    FLOAT = "float"
    TEXT = "text"
    BOOLEAN = "boolean"
    UUID = "uuid"
    DATE = "date"
    TIME = "time"
    TIMESTAMP = "timestamp"

    @property
    def ordered(self) -> bool:
        """Ordered unless the policy says otherwise: numbers and times."""
        return self not in (Family.TEXT, Family.BOOLEAN, Family.UUID)


_FAMILIES = {
    Family.INTEGER: "TINYINT SMALLINT INTEGER BIGINT UTINYINT USMALLINT UINTEGER UBIGINT",
    Family.FLOAT: "FLOAT DOUBLE",
    Family.TEXT: "VARCHAR",
    Family.BOOLEAN: "BOOLEAN",
    Family.UUID: "UUID",
    Family.DATE: "DATE",
    Family.TIME: "TIME",
    Family.TIMESTAMP: "TIMESTAMP TIMESTAMP_S TIMESTAMP_MS TIMESTAMP_NS",
}
_BY_NAME = {name: family for family, names in _FAMILIES.items() for name in names.split()}
_BY_NAME["TIMESTAMP WITH TIME ZONE"] = Family.TIMESTAMP

_ALIASES = {
    "INT1": "TINYINT", "INT2": "SMALLINT", "SHORT": "SMALLINT", "INT": "INTEGER", "INT4": "INTEGER",
    "INT8": "BIGINT", "LONG": "BIGINT", "REAL": "FLOAT", "FLOAT4": "FLOAT", "FLOAT8": "DOUBLE",
    "TEXT": "VARCHAR", "STRING": "VARCHAR", "CHAR": "VARCHAR", "BPCHAR": "VARCHAR", "BOOL": "BOOLEAN",
    "DATETIME": "TIMESTAMP", "TIMESTAMP_US": "TIMESTAMP", "TIMESTAMPTZ": "TIMESTAMP WITH TIME ZONE",
    "NUMERIC": "DECIMAL(18,3)", "DECIMAL": "DECIMAL(18,3)",
}  # fmt: skip

_DECIMAL = re.compile(r"(?:DECIMAL|NUMERIC)\((\d{1,2})(?:,\s*(\d{1,2}))?\)$")


@dataclass(frozen=True)
class ColumnType:
    """A type that a release can hold, by its engine name."""

    name: str
    family: Family


def parse_type(text: str) -> ColumnType | None:
    """Read an engine type's name; None where no release may hold it. ENUMs become text."""
    name = " ".join(text.strip().upper().split())
    name = _ALIASES.get(name, name)
    if name.startswith("ENUM(") and not name.endswith("]"):
        return ColumnType("VARCHAR", Family.TEXT)
    if match := _DECIMAL.match(name):
        precision, scale = int(match[1]), int(match[2] or 0)
        return ColumnType(f"DECIMAL({precision},{scale})", Family.DECIMAL) if scale <= precision <= 38 else None
    family = _BY_NAME.get(name)
    return ColumnType(name, family) if family else None


@dataclass(frozen=True)
class Column:
    """A column of the source: its name and the engine's name of its type."""

    name: str
    type_name: str


@dataclass(frozen=True)
class SourceSchema:
    """The columns of the source, found by name without regard to case."""

    columns: tuple[Column, ...]

    def find(self, name: str) -> Column | None:
        """The column of that name, exactly or but for case."""
        for column in self.columns:
            if column.name == name:
                return column
        folded = name.casefold()
        return next((column for column in self.columns if column.name.casefold() == folded), None)

    @property
    def names(self) -> list[str]:
        """All column names, in order."""
        return [column.name for column in self.columns]
