"""Asking a log, and where it does not know, the archived logs of earlier epochs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from conformed.app.retention.epochs import archives_of
from conformed.app.workspace import Workspace
from conformed.errors import UsageError

__all__ = ["epoch_name", "in_some_epoch"]

T = TypeVar("T")


def epoch_name(archive: Path | None) -> str:
    """An epoch as it is shown: by the name of its archive; empty for the present one."""
    return "" if archive is None else archive.stem


def in_some_epoch(workspace: Workspace, ask: Callable[[Path | None], T]) -> T:
    """The answer of the present log, or of the newest archived one that knows.

    Args:
        workspace: whose logs.
        ask: asks the present log (None) or an archive; raises UsageError where it does not know.

    Raises:
        UsageError: of the present log, where none knows.
    """
    try:
        return ask(None)
    except UsageError as unknown:
        for archive in archives_of(workspace):
            try:
                return ask(archive)
            except UsageError:
                continue
        raise unknown from None
