"""Time for the log. Nothing in this package reads time except `utc_now`, and that only when a caller injects it.

Order in a log is never taken from time. When the wall clock goes back, or moves against the monotonic clock by more than
`JUMP_NS`, the log says so in a ``clock.stepped`` record.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from conformed_audit.encode import time_text

__all__ = ["JUMP_NS", "Clock", "Reading", "Step", "utc_now"]

JUMP_NS = 2_000_000_000
"""How far the two clocks may part between two appends, in nanoseconds."""


def utc_now() -> datetime:
    """The host's time, UTC."""
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class Step:
    """The wall clock was set."""

    cause: str
    """back or jump."""
    before: str
    """Time of the last record, or the last reading."""


@dataclass(frozen=True, slots=True)
class Reading:
    """One reading of the clock."""

    text: str
    """UTC, as records carry it."""
    step: Step | None
    """Set when the clock was set since the last one."""


@dataclass(slots=True)
class Clock:
    """Reads the injected clocks and notices steps."""

    now: Callable[[], datetime]
    """The wall clock; must give aware datetimes."""
    monotonic_ns: Callable[[], int] | None = None
    """A monotonic clock in nanoseconds; without one only steps back are noticed."""
    _last: tuple[datetime, int] | None = field(default=None, init=False)

    def read(self, last_ts: str | None) -> Reading:
        """The time now, and whether the clock stepped.

        Args:
            last_ts: time of the last record in the log, by whichever process; None for an empty log.

        Raises:
            NotCanonicalError: when the clock gives a time without a zone.
        """
        moment = self.now()
        text = time_text(moment)
        step = None
        if last_ts is not None and text < last_ts:
            step = Step("back", last_ts)
        if self.monotonic_ns is not None:
            tick = self.monotonic_ns()
            if step is None and self._last is not None:
                wall = (moment - self._last[0]) // timedelta(microseconds=1) * 1000
                if abs(wall - (tick - self._last[1])) > JUMP_NS:
                    step = Step("jump", time_text(self._last[0]))
            self._last = (moment, tick)
        return Reading(text, step)
