"""An append on a remembered end: one journey, and never more than a guess that the database checks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from conformed_audit import (
    AlreadyRecordedError,
    AuditLog,
    BlobError,
    BusyError,
    CommitError,
    Kind,
    Pins,
    RecordDraft,
    verify,
)
from conformed_audit.errors import MovedOnError
from conformed_audit.log_store import Head

psycopg = pytest.importorskip("psycopg", reason="the extra postgres is not installed")

Draft = Callable[..., RecordDraft]
OpenLog = Callable[..., AuditLog]


@pytest.fixture
def journeys(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[], object]], int]:
    """Counts how often whatever is done waits for the server."""
    count = [0]
    wait = psycopg.Connection.wait

    def counted(self: Any, *values: Any, **named: Any) -> Any:
        count[0] += 1
        return wait(self, *values, **named)

    monkeypatch.setattr(psycopg.Connection, "wait", counted)

    def during(job: Callable[[], object]) -> int:
        before = count[0]
        job()
        return count[0] - before

    return during


@contextmanager
def held(url: str, case: str) -> Iterator[None]:
    """Another session holds the head row of a case."""
    with psycopg.connect(url, options="-csearch_path=conformed_log") as holder:
        holder.execute("SELECT 1 FROM case_state WHERE case_id = %s FOR UPDATE", (case,))
        yield


def test_one_journey_from_the_second_append_on(
    new_url: str, open_log: OpenLog, draft: Draft, journeys: Callable[[Callable[[], object]], int]
) -> None:
    """A case that is opened takes three journeys, and each later append one, with several records and content too."""
    log = open_log(new_url)
    assert journeys(lambda: log.append([draft()])) == 3
    assert [journeys(lambda: log.append([draft()])) for _ in range(4)] == [1] * 4
    blobs = [log.make_blob(str(number).encode(), "text/plain") for number in range(2)]
    assert journeys(lambda: log.append([draft(), draft(), draft()], blobs=blobs)) == 1
    assert journeys(lambda: log.append([draft("case-b"), draft()])) > 1, "two cases are locked first"
    assert [log.get_blob(blob.commit) for blob in blobs] == [b"0", b"1"]
    assert (verify(new_url).ok, verify(new_url).checked) == (True, 10)


def test_what_is_written_is_what_a_locked_append_writes(new_log: Callable[..., Any], open_log: OpenLog, draft: Draft) -> None:
    """Records, chain, projection and content are the same on both databases, whichever way they were written."""
    log = open_log(new_log())
    other = Pins(engine="0.2.0", contract="sha256:" + "cd" * 32)
    whole = []
    for number in range(3):
        kinds = [draft(kind=Kind.STATE_CHANGED, step=f"s-{number}"), draft(idem=f"k-{number}"), draft(pins=Pins(engine="1"))]
        whole += log.append(kinds)
    whole += log.append([draft(kind=Kind.STATE_CHANGED, step="last", pins=other)])
    whole += log.append([draft() for _ in range(20)])
    log.place()
    assert [record.cseq for record in whole] == list(range(30))
    assert [record.leaf for record in log.records("case-a")] == [record.leaf for record in whole]
    (row,) = log.cases()
    assert (row.state, row.cseq, row.head, row.contract) == ("last", 29, whole[-1].leaf, draft().pins.contract)
    assert log.find("case-a", "k-2", Kind.STEP_INTENT) == next(r for r in log.records() if r.idem == "k-2")


def test_an_end_that_moved_is_read_again(new_url: str, open_log: OpenLog, draft: Draft) -> None:
    """Another writer came between: no fork and no conflict that anybody is told of; the next ones are as they should be."""
    log, other = open_log(new_url), open_log(new_url)
    log.append([draft()])
    other.append([draft(), draft()])
    log.append([draft()])
    other.append([draft()])
    log.append([draft("case-b")])
    assert [record.cseq for record in log.records("case-a")] == list(range(5))
    assert (log.conflicts, other.conflicts, verify(new_url).ok) == (0, 0, True)


def test_who_shares_a_case_does_not_guess(
    new_url: str, open_log: OpenLog, draft: Draft, journeys: Callable[[Callable[[], object]], int]
) -> None:
    """After a guess that missed a case is locked first, until nobody came between two appends of ours."""
    log, other = open_log(new_url), open_log(new_url)
    log.append([draft()])
    other.append([draft()])
    assert journeys(lambda: log.append([draft()])) == 3, "a guess, and two with the lock"
    for _ in range(3):
        other.append([draft()])
        assert journeys(lambda: log.append([draft()])) == 2, "no guess"
    assert journeys(lambda: log.append([draft()])) == 2, "nobody came between"
    assert journeys(lambda: log.append([draft()])) == 1
    assert verify(new_url).ok


def test_the_guard_refuses_where_the_question_is_wrong(
    new_url: str, open_log: OpenLog, draft: Draft, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Were the end not compared at all, the keys of the table still refuse a fork, and the append is done with the lock."""
    from conformed_audit.postgres import quick

    monkeypatch.setattr(
        quick, "_MOVE", quick._MOVE.replace("cseq = %s::bigint AND head = %s::bytea RETURNING", "(%s, %s) IS NOT NULL RETURNING")
    )
    log, other = open_log(new_url), open_log(new_url)
    log.append([draft()])
    other.append([draft()])
    log.append([draft()])
    assert [record.cseq for record in log.records("case-a")] == [0, 1, 2]
    assert (log.conflicts, verify(new_url).ok) == (0, True)


def test_a_record_that_is_there_is_told_and_nothing_is_kept(new_url: str, open_log: OpenLog, draft: Draft) -> None:
    """The index alone looks for the key; the error says which record it is; nothing of the append is kept, content included."""
    log = open_log(new_url)
    log.append([draft(idem="k")])
    log.append([draft()])
    blob = log.make_blob(b"never kept", "text/plain")
    for _ in range(2):
        with pytest.raises(AlreadyRecordedError) as told:
            log.append([draft(), draft(idem="k")], blobs=[blob])
        assert told.value.cseq == 0
    with pytest.raises(AlreadyRecordedError):
        log.append([draft(idem="n"), draft(idem="n")])
    with pytest.raises(BlobError, match="kept"):
        log.get_blob(blob.commit)
    log.append([draft()])
    assert (len(list(log.records())), verify(new_url).ok) == (3, True)


def test_content_is_not_kept_where_the_end_moved(new_url: str, open_log: OpenLog, draft: Draft) -> None:
    """The statement that finds another end writes nothing: neither records nor content."""
    log, other = open_log(new_url), open_log(new_url)
    log.append([draft()])
    other.append([draft(idem="k")])
    blob = log.make_blob(b"never kept", "text/plain")
    with pytest.raises(AlreadyRecordedError):
        log.append([draft(idem="k")], blobs=[blob])
    with pytest.raises(BlobError):
        other.get_blob(blob.commit)


def test_an_end_does_not_outlive_a_failure(
    new_url: str, open_log: OpenLog, draft: Draft, journeys: Callable[[Callable[[], object]], int]
) -> None:
    """After an append that failed, whatever the reason, the case is locked and read again."""
    log = open_log(new_url, wait_s=0.05)
    log.append([draft()])
    log.append([draft()])
    with held(new_url, "case-a"), pytest.raises(BusyError):
        log.append([draft()])
    assert journeys(lambda: log.append([draft()])) == 2
    assert journeys(lambda: log.append([draft()])) == 1

    def fails() -> datetime:
        raise OSError("no clock")

    clock, log._clock.now = log._clock.now, fails
    with pytest.raises(OSError, match="no clock"):
        log.append([draft()])
    log._clock.now = clock
    assert journeys(lambda: log.append([draft()])) == 2
    assert (len(list(log.records())), verify(new_url).ok) == (5, True)


@pytest.mark.parametrize("kept", [False, True])
def test_a_quick_commit_whose_answer_is_lost_is_not_known(
    new_url: str, open_log: OpenLog, draft: Draft, server: Any, monkeypatch: pytest.MonkeyPatch, *, kept: bool
) -> None:
    """The connection goes before or after the server has written: CommitError, the log is closed, reopening tells which it was."""
    from conformed_audit.postgres.quick import QuickTransaction

    log = open_log(new_url)
    log.append([draft()])
    pid = log._store._live().info.backend_pid  # type: ignore[attr-defined]
    commit = QuickTransaction.commit

    def lost(self: QuickTransaction) -> None:
        if kept:
            commit(self)
        server.run(f"SELECT pg_terminate_backend({pid}, 5000)")
        self._connection.execute("SELECT 1") if kept else commit(self)

    monkeypatch.setattr(QuickTransaction, "commit", lost)
    with pytest.raises(CommitError, match="lost in a commit"):
        log.append([draft()])
    with pytest.raises(Exception, match="closed"):
        log.append([draft()])
    assert len(list(open_log(new_url).records())) == 1 + kept
    assert verify(new_url).ok


def test_what_was_decided_on_an_end_is_not_guessed(new_url: str, open_log: OpenLog, draft: Draft) -> None:
    """append_after looks at the case itself: at the newest record of another writer, and never at what is remembered."""
    log, other = open_log(new_url), open_log(new_url)
    (first,) = log.append([draft()])
    (second,) = other.append([draft()])
    (third,) = log.append_after("case-a", second.leaf, [draft()])
    for seen in (first, second):
        with pytest.raises(MovedOnError):
            log.append_after("case-a", seen.leaf, [draft()])
    assert (third.cseq, verify(new_url).checked, verify(new_url).ok) == (2, 3, True)


def test_a_clock_that_jumped_is_recorded_once(new_log: Callable[..., Any], open_log: OpenLog, draft: Draft) -> None:
    """A jump is noticed by the first attempt, on a remembered end, and recorded by the second, which may write to two cases."""
    wall, ticks = [datetime(2026, 1, 1, tzinfo=UTC)], [0]

    def now() -> datetime:
        return wall[0]

    log = open_log(new_log(), clock=now, monotonic_ns=lambda: ticks[0])
    log.append([draft()])
    wall[0] += timedelta(hours=1)
    log.append([draft()])
    log.append([draft()])
    assert [record.kind for record in log.records("_log")] == [Kind.CLOCK_STEPPED]
    assert [record.cseq for record in log.records("case-a")] == [0, 1, 2]


def test_few_ends_are_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    """The oldest is forgotten where cases are many, and one that is written to again is the newest."""
    from conformed_audit.postgres import quick

    monkeypatch.setattr(quick, "_CASES", 2)
    ends = quick.Ends()
    for case in ("a", "b", "a", "c"):
        taken = ends.begin(None, [(case, None, "step.intent")])  # type: ignore[arg-type]
        ends.learn([(case, None if taken is None else taken.head(case), Head(1, case.encode()), "t")])
    assert [ends.begin(None, [(case, None, "k")]) is not None for case in "abc"] == [True, False, True]  # type: ignore[arg-type]
