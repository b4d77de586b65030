"""What was done in an epoch that was closed is found, proved, given as evidence, replayed and erased as before."""

from __future__ import annotations

import dataclasses
import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from evidence_house import checked, opened, write_pack
from test_epochs import Bank, Desk

from conformed.app.keeping.run_index import index_of
from conformed.app.keeping.state import find_state
from conformed.app.options import RunOptions, silent
from conformed.app.replay.replaying import Replays
from conformed.app.retention.epochs import archives_of
from conformed.errors import DeniedError, JournalError, UsageError
from conformed_audit import Kind, verify
from conformed_audit.archive import ArchivedLog
from conformed_audit.origin import origin_of
from conformed_audit.sealing import MasterFile

BASIS = "GDPR Art. 17(1)(a)"


@pytest.fixture
def closed(tmp_path: Path) -> tuple[Bank, str, str]:
    """A workspace with a run in an epoch that was closed, and one of another pack in the next; both runs."""
    bank = Bank(tmp_path / "bank")
    old = bank.desk("anna").run(write_pack(tmp_path / "fenwick", "300,000"), RunOptions(), silent).run
    bank.desk().close_epoch()
    new = bank.desk("anna").run(write_pack(tmp_path / "larch", "310,000"), RunOptions(), silent).run
    return bank, old, new


def archive_of(bank: Bank) -> Path:
    """The one archive."""
    (archive,) = archives_of(bank.workspace)
    return archive


def verified(archive: Path) -> tuple[bool, int, int]:
    """Whether an archive holds, how much of it was erased, and what of it was not opened."""
    state = find_state(os.environ, origin_of(archive) or "")
    found = verify(archive, given=tuple(state.notes()), keys=MasterFile(state.folder / "master.key"))
    return found.ok, found.erased, found.unopened


def is_sealed(archive: Path) -> bool:
    """Whether an archive is one read-only file."""
    beside = [one.name for one in archive.parent.iterdir()]
    return beside == [archive.name] and archive.stat().st_mode & 0o222 == 0


def replaying(bank: Bank) -> Replays:
    """The product, to replay."""
    return Replays(bank.workspace, environment={}, clock=bank.desk()._clock)


def test_runs_of_all_epochs_are_found(closed: tuple[Bank, str, str]) -> None:
    """A search names the archive of each run that is in one, the newest first, and counts over all epochs."""
    bank, old, new = closed
    found = bank.desk().find({"borrower": "fenwick timber"})
    assert [(run.run, run.epoch) for run in found.runs] == [(new, ""), (old, "epoch-0001")]
    assert found.count == 2
    few = bank.desk().find({}, 1)
    assert ([run.run for run in few.runs], few.count) == ([new], 2)
    assert [run.epoch for run in bank.desk().find({"run": old}).runs] == ["epoch-0001"]


@pytest.mark.parametrize("how", ["sh", "python"])
def test_evidence_of_an_earlier_epoch_holds(closed: tuple[Bank, str, str], how: str, tmp_path: Path) -> None:
    """The bundle is under a checkpoint of that epoch's log, which records the export and is sealed again."""
    bank, old, _ = closed
    archive = archive_of(bank)
    origin = origin_of(archive) or ""
    before = verify(archive).size
    bundle = bank.desk("anna").export(old)
    assert bundle.published
    keys = "".join(f"{key}\n" for key in find_state(os.environ, origin).public_keys())
    said = checked(how, tmp_path, bundle.made.data, keys)
    assert (said.returncode, said.stdout.startswith(f"HOLDS: log {origin}, checkpoint of")) == (0, True), said.stderr
    assert b'"evidence.exported"' in opened(bundle.made.data)["log/records.jsonl"].splitlines()[-1]
    assert verify(archive).size > before
    assert (is_sealed(archive), verified(archive)[0]) == (True, True)


def test_a_replay_of_an_earlier_epoch(closed: tuple[Bank, str, str]) -> None:
    """The run is replayed from its archive, which is not touched; the present log notes it."""
    bank, old, _ = closed
    before = archive_of(bank).read_bytes()
    report = replaying(bank).replay(old)
    assert (report.same_decision, report.divergences, bool(report.noted)) == ("yes", (), True)
    assert archive_of(bank).read_bytes() == before
    with bank.desk()._log(create=False) as log:
        assert len(list(log.records("_log", kind=Kind.REPLAY_RUN))) == 1


def test_a_replay_looks_at_the_archive_and_not_at_the_log(closed: tuple[Bank, str, str]) -> None:
    """An archive in which a record was changed is found by the replay of its run."""
    bank, old, new = closed
    archive = archive_of(bank)
    archive.chmod(0o644)
    with closing(sqlite3.connect(archive, isolation_level=None)) as base:
        guards = base.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger' ORDER BY name").fetchall()
        for name, _ in guards:
            base.execute(f"DROP TRIGGER {name}")
        base.execute("UPDATE audit_event SET body = CAST(replace(body, '2026-03-02', '2026-03-01') AS BLOB) WHERE cseq = 3")
        for _, sql in guards:
            base.execute(sql)
    report = replaying(bank).replay(old)
    assert [one.kind.value for one in report.divergences] == ["record altered"]
    assert replaying(bank).replay(new).divergences == ()


def test_content_of_an_earlier_epoch_is_erased(closed: tuple[Bank, str, str], tmp_path: Path) -> None:
    """Two people erase it: gone from the archive's bytes, recorded in it under a new checkpoint, sealed again; proofs hold."""
    bank, old, new = closed
    archive = archive_of(bank)
    proof = bank.desk().prove(old)
    replaying(bank).replay(old)  # its report is in the present log, and is about the case
    with bank.desk()._log(create=False, archive=archive) as log:
        index = index_of(log)._path
    assert index.exists()
    bank.desk("bruno").ask_erasure(old, BASIS)
    assert is_sealed(archive)
    with pytest.raises(DeniedError, match="another person must carry it out"):
        bank.desk("bruno").approve_erasure(old)
    done = bank.desk("clara").approve_erasure(old)
    assert (done.contents > 5, is_sealed(archive), index.exists()) == (True, True, False)
    assert verified(archive) == (True, done.contents - 1, 0)
    assert bank.desk().log_verify(None).ok
    with ArchivedLog.open_archive(archive, clock=bank.desk()._clock) as log:
        records = list(log.records(kind=Kind.PAYLOAD_ERASED))
        last = log.store.checkpoints.last()
    assert {record.note for record in records} == {BASIS}
    assert last is not None
    assert last.size == verify(archive).size
    assert bank.desk().prove(old) != proof  # under the newer checkpoint
    assert replaying(bank).replay(old).divergences[0].kind.value == "input missing or erased"
    assert bank.desk().export(old).made.erased
    assert bank.desk().find({"run": new}).runs[0].pack == "fenwick"


def test_a_case_of_two_epochs_is_erased_in_both(closed: tuple[Bank, str, str], tmp_path: Path) -> None:
    """The same pack was run again in the next epoch: one request and one approval reach both logs."""
    bank, old, _ = closed
    again = bank.desk("anna").run(tmp_path / "fenwick", RunOptions(), silent).run
    asked = bank.desk("bruno").ask_erasure(again, BASIS)
    assert set(asked.runs) == {old, again}
    bank.desk("clara").approve_erasure(again)
    with pytest.raises(UsageError, match="Nobody has asked"):
        bank.desk("clara").approve_erasure(again)
    bank.desk("bruno").ask_erasure(again, BASIS)
    with pytest.raises(UsageError, match=r"keeps .*content of case"):
        bank.desk("clara").approve_erasure(again)
    for run in (old, again):
        assert bank.desk().find({"run": run}).runs[0].pack == "erased"
    assert verified(archive_of(bank))[0]
    assert bank.desk().log_verify(None).ok


def test_a_hold_in_the_present_log_stops_it(closed: tuple[Bank, str, str]) -> None:
    """A hold is set on a case of an earlier epoch, stands in the present log, and blocks both steps."""
    bank, old, _ = closed
    bank.desk("bruno").ask_erasure(old, BASIS)
    bank.desk("clara").hold(old, "Litigation 7 of 2026")
    with pytest.raises(UsageError, match="Litigation 7"):
        bank.desk("clara").approve_erasure(old)
    with pytest.raises(UsageError, match="Litigation 7"):
        bank.desk("clara").ask_erasure(old, BASIS)
    assert verified(archive_of(bank)) == (True, 0, 0)
    bank.desk("clara").release_hold(old, "Settled")
    assert bank.desk("clara").approve_erasure(old).contents > 5


def test_an_erasure_that_was_cut_off_goes_on(closed: tuple[Bank, str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Ended between the erasure and the sealing, the archive reads as what it is, and --finish seals it."""
    from conformed_audit import archive as archives

    bank, old, _ = closed
    archive = archive_of(bank)
    bank.desk("bruno").ask_erasure(old, BASIS)
    with monkeypatch.context() as patch:
        patch.setattr(archives, "_one_file", lambda path: (_ for _ in ()).throw(OSError(5, "cut off")))
        patch.setattr("conformed_audit.store.Store.close", lambda store: None)  # as when the process is killed
        with pytest.raises(JournalError):
            bank.desk("clara").approve_erasure(old)
    assert bank.desk().find({"run": old}).runs[0].pack == "erased"
    assert verified(archive)[0]


def test_an_archive_on_a_read_only_medium_is_refused_in_a_sentence(
    closed: tuple[Bank, str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the archive cannot be written to, nothing of it is erased and no evidence of it is given; it is still read."""
    bank, old, _ = closed

    def refused(path: Path, mode: int) -> None:
        raise OSError(30, "Read-only file system")

    with monkeypatch.context() as patch:
        patch.setattr(Path, "chmod", refused)
        for ask in (lambda: bank.desk("bruno").ask_erasure(old, BASIS), lambda: bank.desk("anna").export(old)):
            with pytest.raises(JournalError, match=r"'epoch-0001\.sqlite' cannot be written to: Read-only file system"):
                ask()
    assert bank.desk().log_show(old)


def test_an_archive_that_is_none_is_named(closed: tuple[Bank, str, str]) -> None:
    """A search does not pass over an archive that cannot be read: it says which."""
    bank, _, _ = closed
    (archive_of(bank).parent / "epoch-0002.sqlite").write_bytes(b"")
    with pytest.raises(JournalError, match=r"epoch-0002\.sqlite"):
        bank.desk().find({})


def test_desks_are_what_they_were(closed: tuple[Bank, str, str]) -> None:
    """The runs of the two epochs keep their fields."""
    bank, old, _ = closed
    (found,) = bank.desk().find({"run": old}).runs
    assert found.result == "pass"
    assert dataclasses.is_dataclass(bank.desk().hold(old, "Litigation"))
    assert isinstance(bank.desk(), Desk)
