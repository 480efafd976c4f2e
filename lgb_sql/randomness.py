"""Random keys for everything a release must not betray: tie orders, labels, row ids.

Every purpose draws its own stream. Without a seed the operating system's generator fills it, so there is no secret
to keep or to leak; with a seed (for tests) SHAKE-256 makes one reproducible stream per purpose.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator

import pyarrow as pa

BATCH = 122_880
_SCHEMA = pa.schema([("secret_key", pa.int64())])


class Randomness:
    """Streams of 64-bit keys, one independent stream per purpose."""

    def __init__(self, seed: int | None = None) -> None:
        self._seed = seed
        self._used: set[str] = set()

    @property
    def reproducible(self) -> bool:
        """Whether somebody who knows the seed can replay the run."""
        return self._seed is not None

    def keys(self, purpose: str, rows: int) -> pa.RecordBatchReader:
        """A stream of `rows` keys; a purpose may be used once, so that no two choices share a stream."""
        if purpose in self._used:
            raise ValueError(f"the random stream {purpose} was drawn twice")
        self._used.add(purpose)
        return pa.RecordBatchReader.from_batches(_SCHEMA, self._batches(purpose, rows))

    def _batches(self, purpose: str, rows: int) -> Iterator[pa.RecordBatch]:
        for first in range(0, rows, BATCH):
            size = min(BATCH, rows - first)
            buffer = pa.py_buffer(self._bytes(f"{purpose}/{first}", 8 * size))
            column = pa.Array.from_buffers(pa.int64(), size, [None, buffer])
            yield pa.RecordBatch.from_arrays([column], schema=_SCHEMA)

    def _bytes(self, label: str, size: int) -> bytes:
        if self._seed is None:
            return os.urandom(size)
        return hashlib.shake_256(f"lgb_sql/{self._seed}/{label}".encode()).digest(size)
