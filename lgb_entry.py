"""The command's first step: a signal that comes while the rest is imported ends it in one line, not in a traceback.

It lies outside of the package, whose import is what takes long. Nothing is written yet, so nothing needs cleaning up.
"""

from __future__ import annotations

import os
import signal
from contextlib import suppress
from types import FrameType


def _stop(_signal: int, _frame: FrameType | None) -> None:
    with suppress(OSError):
        os.write(2, b"interrupted; nothing was written\n")
    os._exit(130)  # an exception would surface in whichever import it meets, and may get lost there


def main() -> None:
    """Run the command; it replaces the handlers by its own."""
    for each in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(each) is not signal.SIG_IGN:  # ignored: by the caller's will
            signal.signal(each, _stop)
    from lgb_sql.cli import main as run  # noqa: PLC0415

    run()
