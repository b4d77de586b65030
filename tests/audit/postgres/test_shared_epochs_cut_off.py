"""The end of a shared log's epoch, cut off at every step, done by two at once, and with records that come in meanwhile."""

from __future__ import annotations

import itertools
import threading
from pathlib import Path
from typing import Any

import pytest
from shared_bank import ASIDE, House

from conformed.app.retention.epochs import Closed, archives_of
from conformed.app.retention.shared_epoch import begin_epoch
from conformed.errors import JournalError, UsageError
from conformed_audit import Actor, Kind, RecordDraft, verify
from conformed_audit.archive import ArchivedLog
from conformed_audit.errors import EpochClosedError, OriginError

archiving = pytest.importorskip("conformed_audit.postgres.archiving", reason="the extra postgres is not installed")
following = pytest.importorskip("conformed_audit.postgres.next_epoch", reason="the extra postgres is not installed")


@pytest.mark.parametrize("step", ["publish", "archive", "copy", "seal"])
def test_a_closing_that_was_cut_off_goes_on(house: House, step: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ended before the checkpoint, before the copy, in its middle, or before it is in its place: given again it goes on."""
    run = house.run()

    class Ended(BaseException):
        """The process was ended."""

    def ended(*_: object, **__: object) -> Any:
        raise Ended

    def half(_read: object, place: Path) -> str:
        place.write_bytes(b"half")
        raise Ended

    desk = house.desk()
    with monkeypatch.context() as patch:
        if step == "publish":
            patch.setattr(desk, "publish_log", ended)
        elif step == "archive":
            patch.setattr(archiving, "archive_log", ended)
        else:
            patch.setattr(archiving, "_copy" if step == "copy" else "seal_copy", half if step == "copy" else ended)
        with pytest.raises(Ended):
            desk.close_epoch()
    with pytest.raises(JournalError, match="is closed"):
        house.run()
    assert not archives_of(house.workspace)
    done = house.desk().close_epoch()
    assert [one.name for one in done.archive.parent.iterdir()] == [done.archive.name]
    house.begin()
    assert house.desk().log_show(run)
    with ArchivedLog.open_archive(done.archive, clock=house.now) as log:
        assert len(list(log.records("_log", kind=Kind.LOG_EPOCH))) == 1


def test_a_change_that_was_cut_off_changes_nothing(closed: tuple[House, str, Closed], monkeypatch: pytest.MonkeyPatch) -> None:
    """Ended at its last statement, the administrator's transaction leaves the closed log as it was, and is given again."""
    house, run, _ = closed
    before, prepare = verify(house.admin), following.prepare
    calls = itertools.count()

    def ended(*values: Any) -> None:
        if next(calls):
            raise KeyboardInterrupt
        prepare(*values)

    with monkeypatch.context() as patch:
        patch.setattr(following, "prepare", ended)
        with pytest.raises(KeyboardInterrupt):
            house.begin()
    assert verify(house.admin) == before
    assert house.desk().log_show(run)
    assert house.begin().aside == ASIDE


def test_two_close_at_once(house: House) -> None:
    """Two records officers close at the same moment: one closing record, one archive that the next epoch takes."""
    house.run()
    said: list[object] = []

    def close(who: str) -> None:
        try:
            said.append(house.desk(who).close_epoch().digest)
        except JournalError as problem:
            said.append(problem)

    threads = [threading.Thread(target=close, args=(who,)) for who in ("bruno", "clara")]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    done = house.desk().close_epoch()
    assert len(said) == 2
    assert all(isinstance(one, str) or "Close the epoch again" in str(one) for one in said), said
    with house.open() as log:
        assert len(list(log.records("_log", kind=Kind.LOG_EPOCH))) == 1
    assert len(archives_of(house.workspace)) == 0
    house.begin()
    assert archives_of(house.workspace) == (done.archive,)


def test_what_the_administrator_is_refused(house: House) -> None:
    """Without an archive, with another digest, and for a log that is not closed nothing is changed."""
    house.run()
    with pytest.raises(UsageError, match=r"no archive.*close-epoch"):
        house.begin()
    with house.open() as log:
        house.desk().publish_log(log)
    with pytest.raises(JournalError, match=r"is not closed.*close-epoch"):
        house.begin("0" * 64)
    done = house.desk().close_epoch()
    with pytest.raises(JournalError, match=r"does not hold what its archive holds.*close-epoch"):
        house.begin("0" * 64)
    with pytest.raises(UsageError, match="--url"):
        begin_epoch("", "", house.workspace, house.now)
    done.archive.rename(done.archive.with_name("elsewhere"))
    assert house.begin(done.digest).aside == ASIDE


def test_a_record_that_came_in_is_never_lost(closed: tuple[House, str, Closed], monkeypatch: pytest.MonkeyPatch) -> None:
    """A record that another program adds to a closed log stops the change, until the log was closed, and archived, again."""
    house, _, done = closed
    with house.open() as log, monkeypatch.context() as patch:
        patch.setattr("conformed_audit.postgres.transaction.STILL_WRITTEN", frozenset(Kind))
        log.append([RecordDraft(case="case-x", kind=Kind.CASE_OPENED, actor=Actor("svc", "service"))])
    with pytest.raises(JournalError, match="does not hold what its archive holds"):
        house.begin()
    again = house.desk().close_epoch()
    assert (again.archive, again.size > done.size, again.digest == done.digest) == (done.archive, True, False)
    house.begin()
    house.run()


def test_whoever_had_the_log_open(house: House) -> None:
    """A program that goes on writing into a log that it opened before is refused when it is closed, and when another took its place."""
    house.run()

    def draft() -> RecordDraft:
        return RecordDraft(case="case-x", kind=Kind.CASE_OPENED, actor=Actor("svc", "service"))

    with house.open() as log:
        log.append([draft()])
        house.desk().close_epoch()
        for _ in range(2):  # from the remembered end of its case, and with its head locked
            with pytest.raises(EpochClosedError, match="--next-epoch"):
                log.append([draft()])
        with pytest.raises(EpochClosedError):
            log.put_blob(b"x", "text/plain")
        house.begin()
        with pytest.raises(OriginError, match="new epoch"):
            log.append([draft()])
    assert house.desk().log_verify(None).ok
