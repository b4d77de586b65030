"""The end of a shared log's epoch, and the next one: the whole course, what is refused in between, and who may do what."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from shared_bank import ASIDE, House

from conformed.app.keeping.log_migration import ADMIN_VARIABLE, migrate_log
from conformed.app.keeping.state import find_state
from conformed.app.retention.epochs import Closed, archives_of
from conformed.app.retention.holding import hold_of
from conformed.app.retention.shared_epoch import begin_epoch
from conformed.errors import DeniedError, JournalError, UsageError
from conformed_audit import Actor, Kind, RecordDraft, verify
from conformed_audit.archive import ArchivedLog, file_digest

psycopg = pytest.importorskip("psycopg", reason="the extra postgres is not installed")

BASIS = "GDPR Art. 17(1)(a)"


def test_the_whole_course(closed: tuple[House, str, Closed]) -> None:
    """A run before and one after: the archive holds by itself, the new log names it first, holds go on, and both verify."""
    house, old, done = closed
    begun = house.begin()
    assert (begun.origin, begun.aside) == (f"{done.origin}/epoch-2", ASIDE)
    new = house.run()
    assert archives_of(house.workspace) == (done.archive,)
    with house.open() as log, ArchivedLog.open_archive(done.archive, clock=house.now) as archived:
        first, row = next(log.records()), archived.store.checkpoints.last()
        case = next(record.case for record in archived.records(run=old))
        hold = hold_of(log, case)
        changed = [record.note or "" for record in log.records("_config", kind=Kind.CONFIG_CHANGED) if record.step is None]
    assert row is not None
    assert (first.kind, first.idx, row.size, first.note) == (Kind.LOG_EPOCH, 0, done.size, "The log goes on here.")
    inline = first.output[0].inline
    assert isinstance(inline, dict)
    assert isinstance(inline["before"], dict)
    assert (inline["before"]["checkpoint"], inline["before"]["origin"]) == (row.note, done.origin)
    assert hold is not None
    assert hold.reason == "Litigation 7 of 2026"
    assert any(ASIDE in note for note in changed)
    assert house.desk().log_verify(None).ok
    assert [(run.run, run.epoch) for run in house.desk().find({}).runs] == [(new, ""), (old, "epoch-0001")]


def test_the_archive_verifies_alone(closed: tuple[House, str, Closed], tmp_path: Path) -> None:
    """Read-only, with the public keys and nothing of ours but the verifier; sealed content opens with the old log's master key."""
    house, _, done = closed
    assert [one.name for one in done.archive.parent.iterdir()] == [done.archive.name]
    assert done.archive.stat().st_mode & 0o222 == 0
    state = find_state(os.environ, done.origin)
    keys = tmp_path / "keys"
    keys.write_text("".join(f"{key}\n" for key in state.public_keys()))
    copy = shutil.copy(done.archive, tmp_path / "alone.sqlite")
    line = [sys.executable, "-W", "error", "-m", "conformed_audit", "verify", str(copy), "--keys", str(keys)]
    said = subprocess.run(line, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert said.returncode == 0, said.stdout + said.stderr
    found = verify(done.archive, keys=house.desk()._master_key(done.origin))
    assert (found.ok, found.size, found.unopened) == (True, done.size, 0)


def test_erased_content_and_full_tiles_are_archived(house: House) -> None:
    """A log with several tiles, and a case that was erased, is copied whole: the archive verifies, and nothing comes back in it."""
    run = house.run()
    house.desk("bruno").ask_erasure(run, BASIS)
    gone = house.desk("clara").approve_erasure(run).contents
    house.run()
    with house.open() as log:
        for first in range(0, 600, 100):
            cases = (f"case-{n:03}" for n in range(first, first + 100))
            log.append([RecordDraft(case=case, kind=Kind.CASE_OPENED, actor=Actor("svc", "service")) for case in cases])
    done = house.desk().close_epoch()
    found = verify(done.archive, keys=house.desk()._master_key(done.origin))
    assert (found.ok, found.erased, found.unopened, found.size == done.size > 600) == (True, gone, 0, True)
    house.begin()
    assert house.desk().log_verify(None).ok


def test_a_closed_log_is_read_and_not_written(house: House) -> None:
    """Each command that writes says that the epoch is closed and who goes on; whatever reads works; nothing was written."""
    run = house.run()
    done = house.desk().close_epoch()
    digest = file_digest(done.archive)
    writing: tuple[Callable[[], object], ...] = (
        house.run,
        lambda: house.desk().hold(run, "Litigation 7 of 2026"),
        lambda: house.desk().ask_erasure(run, BASIS),
        lambda: house.desk().export(run),
        lambda: house.desk("anna").close_epoch(),
    )
    for command in writing:
        with pytest.raises(JournalError, match=r"The epoch of the log .* is closed.* conformed log migrate --next-epoch"):
            command()
    assert house.desk().log_show(run)
    assert [(row.run, row.epoch) for row in house.desk().find({}).runs] == [(run, "")]
    assert house.desk().prove(run).startswith("c2sp.org/tlog-proof")
    assert house.desk().replay(run).same_decision == "yes"
    assert house.desk().log_verify(None).ok
    assert house.desk().close_epoch() == done
    assert file_digest(done.archive) == digest == done.digest


def test_an_earlier_epoch_is_used_as_before(closed: tuple[House, str, Closed]) -> None:
    """After the change a run of the closed log is proved, replayed, given as evidence, held and erased; nothing of it stays behind."""
    house, run, done = closed
    house.begin()
    house.run()
    assert house.desk().prove(run).startswith("c2sp.org/tlog-proof")
    assert house.desk().replay(run).same_decision == "yes"
    assert house.desk().export(run).published
    with pytest.raises(UsageError, match="Litigation 7"):
        house.desk("bruno").ask_erasure(run, BASIS)
    house.desk("bruno").release_hold(run, "Settled")
    house.desk("bruno").ask_erasure(run, BASIS)
    assert house.desk("clara").approve_erasure(run).contents > 5
    assert "input missing or erased" in {one.kind.value for one in house.desk().replay(run).divergences}
    found = verify(done.archive)
    assert (found.ok, found.erased > 5) == (True, True)
    assert house.asked(f"SELECT to_regclass('{ASIDE}.blob'), to_regclass('{ASIDE}.data_key')") == [(None, None)]


def test_rights_afterwards(closed: tuple[House, str, Closed]) -> None:
    """The application can neither begin an epoch nor touch the old schema; a superuser writes neither there nor changes a schema."""
    house, _, _ = closed
    with pytest.raises(JournalError, match="permission denied"):
        begin_epoch(house.workspace.log_url, "", house.workspace, house.now)
    before = house.asked("SELECT count(*) FROM conformed_log.audit_event")
    house.begin()
    assert house.asked(f"SELECT count(*) FROM {ASIDE}.audit_event", "test_reader") == before
    for user in ("test_app", "test_eraser", "test_records"):
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            house.asked(f"SELECT count(*) FROM {ASIDE}.audit_event", user)
    for user in ("test_reader", "postgres"):
        for statement in (
            f"INSERT INTO {ASIDE}.case_state VALUES('x', NULL, -1, '', NULL)",
            f"UPDATE {ASIDE}.case_state SET cseq = 1",
            f"DELETE FROM {ASIDE}.audit_event",
            f"TRUNCATE {ASIDE}.audit_event",
            f"DROP SCHEMA {ASIDE} CASCADE",
            "CREATE TABLE conformed_log.mine(x int)",
        ):
            with pytest.raises(psycopg.Error, match=r"append-only|permission denied|must be owner"):
                house.asked(statement, user)
    house.run()
    assert house.desk().log_verify(None).ok


def test_epochs_as_they_are_typed(closed: tuple[House, str, Closed]) -> None:
    """The administrator's command says what became of the log; afterwards its format is raised under the planned name; a third epoch."""
    house, _, done = closed
    line = [
        sys.executable,
        "-W",
        "error",
        "-m",
        "conformed.cli",
        "log",
        "migrate",
        "--next-epoch",
        "--archive-digest",
        done.digest,
    ]
    variables = {**os.environ, ADMIN_VARIABLE: house.admin}
    said = subprocess.run(line, cwd=house.workspace.root, capture_output=True, text=True, env=variables, check=False)
    assert (said.returncode, said.stderr) == (0, "")
    assert said.stdout.startswith(
        f"The log goes on as {done.origin}/epoch-2, format 0002; its first record names {done.origin}.\n"
    )
    (house.workspace.root / "publication.yaml").write_text(f"origin: {done.origin}\n")
    assert migrate_log(house.admin, "", house.workspace.root, house.now).origin == f"{done.origin}/epoch-2"
    (house.workspace.root / "publication.yaml").unlink()
    run = house.run()
    second = house.desk().close_epoch()
    assert (second.archive.name, house.begin().aside) == ("epoch-0002.sqlite", "conformed_log_epoch_2")
    assert house.desk().log_show(run)
    assert [path.name for path in archives_of(house.workspace)] == ["epoch-0002.sqlite", "epoch-0001.sqlite"]


def test_closing_needs_a_role(house: House) -> None:
    """An analyst cannot close the shared log's epoch; the log goes on."""
    house.run()
    with pytest.raises(DeniedError, match="records officer"):
        house.desk("anna").close_epoch()
    house.run()
