"""An election of an increased level: what the agreement asks of it, and what the papers show of it (rule book PR-42)."""

from __future__ import annotations

import datetime

from conformed.model.base import Exact, Frozen
from conformed.model.span import Span

__all__ = ["Election", "ElectionTerms"]


class ElectionTerms(Frozen):
    """What an agreement asks of an election. A condition that is None is not asked, as far as ``whole`` says so."""

    notice_days: int | None = None
    """Most days from the event to the notice."""
    business_days: bool = False
    """Whether those days are Business Days."""
    quarters: int | None = None
    """Most fiscal quarter ends of one increase, the first included."""
    gap_quarters: int | None = None
    """Least fiscal quarter ends, tested without increase, between two increases."""
    most: int | None = None
    """Most elections over the life of the agreement."""
    sized: bool = True
    """Whether the event must be of a size."""
    whole: bool = False
    """Whether every condition of the words is here; where it is not, an election can only go to a person."""
    spans: tuple[Span, ...] = ()
    """Where the conditions stand."""


class Election(Frozen):
    """What the papers show of one election. None says that nothing shows it, never that it is not so."""

    event: str = ""
    """Name of the event that a notice says happened, where it is a defined term; empty for a case given as data."""
    event_date: datetime.date | None = None
    """Day of the event (closing of the acquisition)."""
    notice_date: datetime.date | None = None
    """Day on which notice was given; None for the notice's own date."""
    size: Exact | None = None
    """Size of the event as certified, whole units of ``size_currency``."""
    size_currency: str = ""
    """ISO 4217 code of that size."""
    size_met: bool | None = None
    """Whether the event is of the size asked."""
    first: bool | None = None
    """Whether no election was made before."""
    previous_window_end: datetime.date | None = None
    """Last fiscal quarter end of the increase before this one."""
    number: int | None = None
    """How many elections there are with this one."""
    asks: ElectionTerms | None = None
    """What the agreement asks, where it is given with the election; None for what the clause says."""
    spans: dict[str, tuple[Span, ...]] = {}
    """Where each fact stands: event, notice, size, first, number ..."""
