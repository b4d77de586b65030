"""The clock rule: order never comes from time, and a clock that is set leaves a record."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from conformed_audit import AuditLog, Kind, NotCanonicalError, RecordDraft, verify

OpenLog = Callable[..., AuditLog]
Draft = Callable[..., RecordDraft]
NOON = datetime(2026, 3, 31, 12, tzinfo=UTC)


def at(*seconds: float) -> Callable[[], datetime]:
    """A wall clock that gives these seconds after noon, one a reading."""
    readings: Iterator[float] = iter(seconds)
    return lambda: NOON + timedelta(seconds=next(readings))


def ticks(*seconds: float) -> Callable[[], int]:
    """A monotonic clock that gives these seconds, one a reading."""
    readings: Iterator[float] = iter(seconds)
    return lambda: int(next(readings) * 1e9)


def test_a_step_back_is_recorded(tmp_path: Path, open_log: OpenLog, draft: Draft) -> None:
    """When time goes back the log says so, in its own case, in the same transaction, and the order stays the order of writing."""
    log = open_log(tmp_path / "log.db", clock=at(0, 10, 4, 5))
    first, second, third = (log.append([draft(step=name)])[0] for name in ("one", "two", "three"))
    assert (first.ts, second.ts) == ("2026-03-31T12:00:10.000000Z", "2026-03-31T12:00:04.000000Z")
    (stepped,) = log.records(kind=Kind.CLOCK_STEPPED)
    assert stepped.case == "_log"
    assert stepped.output[0].inline == {"before": first.ts, "cause": "back"}
    assert [record.idx for record in (first, stepped, second, third)] == [0, 1, 2, 3]
    assert [record.cseq for record in log.records("case-a")] == [0, 1, 2]
    assert verify(tmp_path / "log.db").ok


def test_a_step_back_between_two_runs_is_recorded(tmp_path: Path, open_log: OpenLog, draft: Draft) -> None:
    """The last record in the file counts, whichever process wrote it."""
    with open_log(tmp_path / "log.db", clock=at(0, 10)) as log:
        log.append([draft()])
    log = open_log(tmp_path / "log.db", clock=at(0, 9, 9))
    log.append([draft()])
    assert [record.kind for record in log.records()] == ["step.intent", "clock.stepped", "step.intent"]


def test_a_jump_is_recorded(tmp_path: Path, open_log: OpenLog, draft: Draft) -> None:
    """Forward, more than two seconds against the monotonic clock is a step; a long wait is not."""
    log = open_log(tmp_path / "log.db", clock=at(0, 1, 5000, 5010), monotonic_ns=ticks(0, 1, 5000, 5007))
    for _ in range(3):
        log.append([draft()])
    (stepped,) = log.records(kind=Kind.CLOCK_STEPPED)
    assert stepped.idx == 2
    assert stepped.output[0].inline == {"before": "2026-03-31T13:23:20.000000Z", "cause": "jump"}


def test_a_frozen_clock_is_no_step(tmp_path: Path, open_log: OpenLog, draft: Draft) -> None:
    """Equal times are fine, as a test's frozen clock gives them."""
    log = open_log(tmp_path / "log.db", clock=lambda: NOON)
    for _ in range(3):
        log.append([draft()])
    assert not list(log.records(kind=Kind.CLOCK_STEPPED))


def test_a_naive_clock_is_refused(tmp_path: Path, open_log: OpenLog) -> None:
    """A clock without a zone is refused before a file is made."""
    with pytest.raises(NotCanonicalError, match="time zone"):
        open_log(tmp_path / "log.db", clock=lambda: datetime(2026, 3, 31))  # noqa: DTZ001 - the point of the test
    assert not (tmp_path / "log.db").exists()
