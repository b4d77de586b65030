"""The shape of what an application puts into an evidence bundle, and says of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from conformed.app.bundles.gathering import Contents
from conformed.engine.history import History
from conformed_audit import AuditLog

__all__ = ["Part"]


@dataclass(frozen=True, slots=True)
class Part:
    """One application's part of a bundle."""

    gather: Callable[[AuditLog, Contents, History, bool], None]
    """Takes what the run recorded into a bundle, the source documents only where asked. Raises JournalError or ReplayError where
    its records do not hold."""
    checkers: Sequence[str]
    """Scripts with which a reader checks it; copies of them are in it."""
    named: str
    """What the records of a run name, for the text that a person reads first."""
    committed: str
    """What is named by commitments."""
    again: str
    """How a reader works it out again, as a numbered line; empty where that takes our software."""
    not_proved: str
    """What the bundle does not prove of this application, each as a line with a dash."""
    paperwork: tuple[str, str]
    """What is said of source documents where they are in the bundle, and where they are not."""
    what: Mapping[str, str]
    """Each file in a few words."""
