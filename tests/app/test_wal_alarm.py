"""A write-ahead log that grows is told of in the operational log, when the audit log is opened."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from conformed.app.options import RunOptions, silent
from conformed.app.service import Service
from conformed.app.workspace import Workspace
from conformed_audit import log as audit_log


@pytest.fixture
def service(bank: Path, fenwick: Path) -> Service:
    """A workspace with a run."""
    made = Service(Workspace(root=bank, policies=bank / "policies", origin="flag"), environment={})
    made.run(fenwick, RunOptions(), silent)
    return made


def test_a_reader_that_never_lets_go_is_told_of(
    service: Service,
    bank: Path,
    fenwick: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """While somebody reads on, the file beside the log grows, and each opening says how large it is; afterwards nothing is said."""
    monkeypatch.delenv("CONFORMED_LOG", raising=False)
    assert audit_log.LARGE_WAL >= 4 * 64 * 1024 * 1024, "four times what is kept of it anyway"
    monkeypatch.setattr(audit_log, "LARGE_WAL", 50_000)
    place = bank / ".conformed" / "log.sqlite"
    with closing(sqlite3.connect(place, isolation_level=None)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM audit_leaf").fetchone()
        run = service.run(fenwick, RunOptions(), silent).run
        size = place.with_name("log.sqlite-wal").stat().st_size
        capsys.readouterr()
        service.log_show(run)
        told = [json.loads(line) for line in capsys.readouterr().err.splitlines()]
    assert [(line["event"], line["severity"], line["bytes"]) for line in told] == [("log.wal_large", "warning", size)]
    assert size > 50_000
    service.log_show(run)
    service.log_show(run)
    assert capsys.readouterr().err == ""
