"""Arrow types of released attributes."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pyarrow as pa

from lgb_sql.binding import BoundAttribute
from lgb_sql.errors import QueryError

_TYPES = {
    "TINYINT": pa.int8(), "SMALLINT": pa.int16(), "INTEGER": pa.int32(), "BIGINT": pa.int64(), "UTINYINT": pa.uint8(),
    "USMALLINT": pa.uint16(), "UINTEGER": pa.uint32(), "UBIGINT": pa.uint64(), "FLOAT": pa.float32(),
    "DOUBLE": pa.float64(), "VARCHAR": pa.string(), "BOOLEAN": pa.bool_(), "DATE": pa.date32(), "TIME": pa.time64("us"),
    "TIMESTAMP": pa.timestamp("us"), "TIMESTAMP_S": pa.timestamp("s"), "TIMESTAMP_MS": pa.timestamp("ms"),
    "TIMESTAMP_NS": pa.timestamp("ns"), "TIMESTAMP WITH TIME ZONE": pa.timestamp("us", tz="UTC"), "UUID": pa.string(),
}  # fmt: skip
_DECIMAL = re.compile(r"DECIMAL\((\d+),(\d+)\)")


def arrow_array(values: Sequence[object], attribute: BoundAttribute) -> pa.Array:
    """Values of an attribute as an Arrow column."""
    if attribute.family == "uuid":
        values = [None if value is None else str(value) for value in values]
    try:
        return pa.array(values, arrow_type(attribute))
    except (pa.ArrowException, OverflowError, TypeError, ValueError):
        raise QueryError(
            f"{attribute.name} holds dates or times that an answer cannot hold.", "ask for COUNT, with conditions on it"
        ) from None


def arrow_type(attribute: BoundAttribute) -> pa.DataType:
    """The Arrow type of an attribute's values."""
    if match := _DECIMAL.match(attribute.type):
        return pa.decimal128(int(match[1]), int(match[2]))
    return _TYPES[attribute.type]
