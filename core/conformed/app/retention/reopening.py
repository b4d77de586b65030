"""Opening an archived log again, for what concerns what is in it: that evidence of it was given, that content of it was erased.

Such records stand in the log that they are about, so that it explains itself for as long as it is kept; it is published anew
under its own key, as a continuation of what was published before, and sealed again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TypeVar

from conformed.engine.log import ours
from conformed.errors import UsageError
from conformed_audit import AuditLog
from conformed_audit.archive import opened_again
from conformed_audit.origin import origin_of

__all__ = ["reopened"]

Opened = TypeVar("Opened", bound=AuditLog)


@contextmanager
def reopened(archive: Path, open_log: Callable[[Path, str], Opened]) -> Iterator[Opened]:
    """An archived log, to be written to; sealed again at the end.

    Args:
        archive: where it lies.
        open_log: opens a log at a place under a name.

    Raises:
        UsageError: when it is no log.
        JournalError: when it cannot be opened, or cannot be sealed again.
    """
    origin = origin_of(archive)
    if origin is None:
        raise UsageError(f"The archive {archive.name} is no log.", f"Look at it: conformed_audit verify {archive}")
    with ours("opened again"), ExitStack() as stack:
        stack.enter_context(opened_again(archive))
        log = open_log(archive, origin)
        stack.enter_context(log)
        yield log
