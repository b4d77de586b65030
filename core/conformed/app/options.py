"""What a person asks of a run, as typed, before the pack's manifest and the clock fill in the rest."""

from __future__ import annotations

import datetime as dt
from typing import Protocol

from pydantic import Field

from conformed.model.base import Frozen

__all__ = ["Progress", "RunOptions", "silent"]


class RunOptions(Frozen):
    """Options of one run. What is given here overrides pack.yaml; what is None is left to it."""

    test_date: dt.date | None = None
    """Legal date: the day on which the covenant is tested."""
    known_at: dt.date | None = None
    """Knowledge date; None means pack.yaml's, else the day of the run by the injected clock."""
    covenant: str | None = None
    """Name of the covenant, as typed."""
    section: str | None = None
    """Its section, as typed; wins over the name where only one of them fits."""
    facts: dict[str, str] = Field(default_factory=dict)
    """Facts given by the person, each a name and a figure as a string."""
    claimed_elections: tuple[str, ...] = ()
    """Elections that somebody claims were made."""
    no_election: bool = False
    """Attested on the command line: no election was made."""
    policy: str | None = None
    """Name of a contract of the workspace, or a path to one; None means the workspace's only or default one."""
    resume: bool = False
    """Go on with the last unfinished run of this pack instead of beginning another."""


class Progress(Protocol):
    """Told how far long work is. Called from the thread that works; must be quick and must not raise."""

    def __call__(self, step: str, done: int = 0, total: int = 0) -> None:
        """One report.

        Args:
            step: what is being done, one of the states or a reader's word for a file (``read loan.pdf``).
            done: how many parts of it are done.
            total: of how many; 0 where that is not known.
        """
        ...


def silent(step: str, done: int = 0, total: int = 0) -> None:
    """A progress that says nothing."""
