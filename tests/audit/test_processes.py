"""Several processes on one log."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from conformed_audit import AuditLog, schema, verify

NewLog = Callable[[str], Path | str]

WRITER = """
import sys
from datetime import UTC, datetime
from conformed_audit import Actor, AuditLog, Kind, RecordDraft
path, name, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
with AuditLog.open(path, origin="bank.example/test", clock=lambda: datetime(2026, 1, 1, tzinfo=UTC)) as log:
    for number in range(count):
        actor = Actor(name, "engine")
        drafts = [RecordDraft(case=case, kind=Kind.STEP_INTENT, actor=actor) for case in ("shared", name, "shared")]
        log.append(drafts)
"""


def test_writers_at_once_never_fork(new_log: NewLog) -> None:
    """Three processes open a log that is not there yet and append to one case: nothing is lost, doubled or forked."""
    path, count = new_log("log.db"), 25
    writers = [
        subprocess.Popen(
            [sys.executable, "-W", "error", "-c", WRITER, str(path), f"w{number}", str(count)], stderr=subprocess.PIPE
        )
        for number in range(3)
    ]
    for writer in writers:
        _, trouble = writer.communicate(timeout=120)
        assert (writer.returncode, trouble) == (0, b"")
    result = verify(path)
    assert (result.ok, result.checked) == (True, 3 * 3 * count)
    with AuditLog.open(path, origin="bank.example/test", clock=lambda: datetime(2026, 1, 1, tzinfo=UTC)) as log:
        shared = [record.actor.id for record in log.records("shared")]
        assert shared[::2] == shared[1::2], "records of one append stay together"
        assert sorted(shared) == sorted([f"w{number}" for number in range(3)] * 2 * count)


def test_a_killed_writer_leaves_a_valid_log(new_log: NewLog) -> None:
    """Killed in the middle of writing, the log holds whole appends and the next writer goes on."""
    path = new_log("log.db")
    writer = subprocess.Popen(
        [
            sys.executable,
            "-c",
            WRITER.replace("log.append(drafts)", "log.append(drafts); print(number, flush=True)"),
            str(path),
            "w",
            "100000",
        ],
        stdout=subprocess.PIPE,
    )
    assert writer.stdout is not None
    acknowledged = 0
    while acknowledged < 5:
        acknowledged = int(writer.stdout.readline()) + 1
    writer.kill()
    rest = writer.stdout.read().split()
    writer.stdout.close()
    writer.wait()
    acknowledged = max([acknowledged, *(int(number) + 1 for number in rest[:-1])])
    first = verify(path)
    assert first.ok
    assert first.checked % 3 == 0
    assert first.checked >= 3 * acknowledged
    subprocess.run([sys.executable, "-c", WRITER, str(path), "w", "1"], check=True)
    assert (verify(path).ok, verify(path).checked) == (True, first.checked + 3)


@pytest.mark.parametrize("made", [False, True], ids=["gave up", "made it"])
@pytest.mark.parametrize("mode", ["DELETE", "WAL"])
def test_opening_waits_for_whoever_is_making_the_log(mode: str, made: bool, tmp_path: Path) -> None:
    """While another opener holds a file that is not yet a log, opening waits, and then uses what it finds."""
    path = tmp_path / "log.db"
    trouble: list[BaseException] = []

    def opener() -> None:
        try:
            AuditLog.open(path, origin="o", clock=lambda: datetime(2026, 1, 1, tzinfo=UTC), wait_s=10.0).close()
        except BaseException as problem:  # noqa: BLE001 - handed to the test
            trouble.append(problem)

    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute(f"PRAGMA journal_mode={mode}")
        other.execute("BEGIN IMMEDIATE")
        waiting = threading.Thread(target=opener)
        waiting.start()
        waiting.join(0.15)
        assert waiting.is_alive()
        if made:
            schema.create(other)
            other.execute("INSERT INTO audit_meta VALUES('origin', 'o')")
            other.execute(f"PRAGMA application_id={schema.APPLICATION_ID}")
            other.execute(f"PRAGMA user_version={schema.SCHEMA_VERSION}")
        other.execute("COMMIT" if made else "ROLLBACK")
        waiting.join(10)
    assert trouble == []
    assert verify(path).ok
