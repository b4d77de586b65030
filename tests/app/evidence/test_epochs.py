"""Epochs, and the commands of evidence and retention as a person types them, with the product's own publication."""

from __future__ import annotations

import datetime as dt
import itertools
import shutil
import sqlite3
from pathlib import Path

import pytest
from evidence_house import ROOT, checked, write_pack

from conformed.app.bundles.evidence_desk import EvidenceDesk
from conformed.app.keeping.searching import Search
from conformed.app.options import RunOptions, silent
from conformed.app.retention.epochs import archives_of, epoch_after
from conformed.app.retention.retention_desk import RetentionDesk
from conformed.app.workspace import Workspace
from conformed.errors import DeniedError, JournalError, UsageError
from conformed.people.person import Identified
from conformed_audit import Kind, verify
from conformed_audit.archive import ArchivedLog
from conformed_audit.errors import StoreError


class Desk(RetentionDesk, EvidenceDesk, Search):
    """Everything that is asked here, of one workspace."""


class Bank:
    """A workspace as a person has one."""

    def __init__(self, folder: Path) -> None:
        shutil.copytree(ROOT / "policies", folder / "policies")
        self.workspace = Workspace(root=folder, policies=folder / "policies", origin="flag")
        self.who = "clara"
        self.times = itertools.count()
        (folder / ".conformed").mkdir()
        rows = [
            f'- id: p-{n:012}\n  account: "os:{w}"\n  name: "{w}"\n  roles: [{r}]\n'
            for n, (w, r) in enumerate((("anna", ""), ("bruno", "records_officer"), ("clara", "records_officer")))
        ]
        self.workspace.people.write_text("people:\n" + "".join(rows), encoding="utf-8")

    def desk(self, who: str = "clara") -> Desk:
        """The product with somebody at the keys."""
        return Desk(
            self.workspace, environment={}, identify=lambda: Identified(account=f"os:{who}", name=who, session=f"os:{who}:1", method="test"),
            clock=lambda: dt.datetime(2026, 3, 2, 12, 0, tzinfo=dt.UTC) + dt.timedelta(seconds=next(self.times)),
        )  # fmt: skip


@pytest.fixture
def bank(tmp_path: Path) -> Bank:
    """A workspace."""
    return Bank(tmp_path / "bank")


@pytest.fixture
def closed(bank: Bank, tmp_path: Path) -> tuple[Bank, str, str]:
    """A workspace with a run in an epoch that was closed, and one in the next; both runs."""
    old = bank.desk("anna").run(write_pack(tmp_path / "fenwick", "300,000"), RunOptions(), silent).run
    bank.desk("bruno").hold(old, "Litigation 7 of 2026")
    bank.desk().close_epoch()
    new = bank.desk("anna").run(write_pack(tmp_path / "larch", "310,000"), RunOptions(), silent).run
    return bank, old, new


def test_a_closed_epoch_verifies(closed: tuple[Bank, str, str]) -> None:
    """The archive is one read-only file that holds by itself, ends under a published checkpoint, and names the next log."""
    bank, _, _ = closed
    (archive,) = archives_of(bank.workspace)
    assert archive.stat().st_mode & 0o222 == 0
    found = verify(archive)
    assert (found.ok, found.unpublished, found.classification) == (True, 0, None)
    with ArchivedLog.open_archive(archive, clock=bank.desk()._clock) as log:
        (last,) = log.records("_log", kind=Kind.LOG_EPOCH)
        origin = log.origin
    assert last.output[0].inline == {"next": epoch_after(origin)}
    assert [one.name for one in archive.parent.iterdir()] == [archive.name]


def test_the_next_log_names_the_closed_one(closed: tuple[Bank, str, str]) -> None:
    """Its first record holds origin, size, root and signed checkpoint of the old one, as the archive has them."""
    bank, _, _ = closed
    (archive,) = archives_of(bank.workspace)
    with ArchivedLog.open_archive(archive, clock=bank.desk()._clock) as old:
        row, origin = old.store.checkpoints.last(), old.origin
    with bank.desk()._log(create=False) as log:
        first = next(log.records())
        assert log.origin == f"{origin}/epoch-2"
    assert row is not None
    assert first.kind == Kind.LOG_EPOCH
    before = first.output[0].inline
    assert isinstance(before, dict)
    assert isinstance(before["before"], dict)
    assert {name: before["before"][name] for name in ("origin", "size", "checkpoint")} == {
        "origin": origin,
        "size": row.size,
        "checkpoint": row.note,
    }


def test_runs_of_both_epochs_are_shown_and_proved(closed: tuple[Bank, str, str]) -> None:
    """Whoever asks for a run need not know in which epoch it was made."""
    bank, old, new = closed
    for run in (old, new):
        assert bank.desk().log_show(run)
        assert bank.desk().prove(run).startswith("c2sp.org/tlog-proof")
    with pytest.raises(UsageError, match="no run 'r-none'"):
        bank.desk().log_show("r-none")


def test_holds_go_on(closed: tuple[Bank, str, str]) -> None:
    """A hold that stood when the epoch was closed stands in the next one."""
    bank, old, _ = closed
    (archive,) = archives_of(bank.workspace)
    with ArchivedLog.open_archive(archive, clock=bank.desk()._clock) as log:
        case = next(record.case for record in log.records(run=old))
    from conformed.app.retention.holding import hold_of

    with bank.desk()._log(create=False) as log:
        hold = hold_of(log, case)
    assert hold is not None
    assert hold.reason == "Litigation 7 of 2026"


def test_an_archive_takes_nothing(closed: tuple[Bank, str, str]) -> None:
    """An archived log refuses every write, and nothing appears beside it."""
    bank, _, _ = closed
    (archive,) = archives_of(bank.workspace)
    before = archive.read_bytes()
    with (
        ArchivedLog.open_archive(archive, clock=bank.desk()._clock) as log,
        pytest.raises(StoreError, match=r"refused|readonly|read-only|used"),
    ):
        log.append_heads()
    assert archive.read_bytes() == before
    assert [one.name for one in archive.parent.iterdir()] == [archive.name]


def test_a_closing_that_was_cut_off_goes_on(bank: Bank, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Cut off between the two moves, nothing begins a third log, and closing again finishes it."""
    run = bank.desk("anna").run(write_pack(tmp_path / "fenwick", "300,000"), RunOptions(), silent).run
    rename = Path.rename

    def cut(path: Path, to: Path) -> Path:
        if path.name == "log.next.sqlite":
            raise OSError(5, "Input/output error")
        return rename(path, to)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "rename", cut)
        with pytest.raises(JournalError, match="could not be archived"):
            bank.desk().close_epoch()
    with pytest.raises(UsageError, match="cut off"):
        bank.desk("anna").run(tmp_path / "fenwick", RunOptions(), silent)
    assert bank.desk().close_epoch().following.endswith("/epoch-2")
    assert len(archives_of(bank.workspace)) == 1
    assert bank.desk().log_show(run)
    assert verify(bank.workspace.log).ok


def test_an_epoch_is_not_closed_under_a_reader(bank: Bank, tmp_path: Path) -> None:
    """While another process has the log open it is not moved away from under it."""
    bank.desk("anna").run(write_pack(tmp_path / "fenwick", "300,000"), RunOptions(), silent)
    other = sqlite3.connect(bank.workspace.log)
    other.execute("SELECT count(*) FROM audit_event").fetchone()
    try:
        with pytest.raises(JournalError, match="has the log"):
            bank.desk().close_epoch()
    finally:
        other.close()
    assert not archives_of(bank.workspace)
    assert bank.desk().close_epoch().size > 0


def test_closing_needs_a_role(bank: Bank, tmp_path: Path) -> None:
    """An analyst cannot close an epoch."""
    bank.desk("anna").run(write_pack(tmp_path / "fenwick", "300,000"), RunOptions(), silent)
    with pytest.raises(DeniedError, match="records officer"):
        bank.desk("anna").close_epoch()


@pytest.mark.parametrize(
    ("before", "after"), [("a.example/x", "a.example/x/epoch-2"), ("a.example/x/epoch-9", "a.example/x/epoch-10")]
)
def test_names_of_epochs(before: str, after: str) -> None:
    """The name of the next log is told by that of the last one."""
    assert epoch_after(before) == after


def test_the_product_exports_and_erases(bank: Bank, tmp_path: Path) -> None:
    """With the product's own keys: a bundle holds against the keys that it prints, and an erasure by two people goes through."""
    from conformed.app.keeping.log_keeper import LogKeeper

    run = bank.desk("anna").run(write_pack(tmp_path / "fenwick", "300,000"), RunOptions(), silent).run
    bundle = bank.desk("anna").export(run)
    assert bundle.published
    keys = "".join(f"{row.key}\n" for row in LogKeeper(bank.workspace, environment={}).public_keys())
    said = checked("python", tmp_path, bundle.made.data, keys)
    assert said.returncode == 0, said.stderr
    bank.desk("bruno").ask_erasure(run, "Art. 17")
    done = bank.desk("clara").approve_erasure(run)
    assert done.contents > 5
    found = bank.desk().log_verify(None)
    assert found.ok
    assert f"{done.contents} contents were erased" in found.sentence
    bank.desk().finish_erasure()


def test_a_copied_workspace_cannot_be_read(bank: Bank, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The master key lies outside the workspace: a copy of the workspace alone shows records and no content."""
    run = bank.desk("anna").run(write_pack(tmp_path / "fenwick", "300,000"), RunOptions(), silent).run
    copied = shutil.copytree(bank.workspace.root, tmp_path / "stolen")
    monkeypatch.setenv("CONFORMED_STATE", str(tmp_path / "empty"))
    stolen = Desk(Workspace(root=copied, policies=copied / "policies", origin="flag"), environment={})
    assert stolen.log_show(run)
    with pytest.raises(JournalError, match="master key"):
        stolen.export(run)
    assert b"FENWICK TIMBER" not in (copied / ".conformed" / "log.sqlite").read_bytes()
