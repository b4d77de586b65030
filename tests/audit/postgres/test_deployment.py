"""The product on a shared log: the administrator makes it, runs are written to it, compliance verifies it."""

from __future__ import annotations

import datetime as dt
import itertools
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from conformed.app.keeping.log_migration import ADMIN_VARIABLE, Migrated, migrate_log
from conformed.app.options import RunOptions, silent
from conformed.app.service import Service
from conformed.app.workspace import LOG_VARIABLE, Workspace, find_workspace
from conformed.errors import ConformedError, JournalError, UsageError
from conformed.model.decision import Result

pytest.importorskip("psycopg", reason="the extra postgres is not installed")

NOON = dt.datetime(2026, 3, 2, 12, 0, tzinfo=dt.UTC)


@pytest.fixture
def database(server: Any) -> Iterator[str]:
    """An empty database."""
    server.run("CREATE DATABASE deployment")
    yield "deployment"
    server.drop("deployment")


def test_the_log_is_made_by_one_command(database: str, server: Any, bank: Path) -> None:
    """`conformed log migrate` makes the log for the named deployment, and says what comes next."""
    line = [sys.executable, "-W", "error", "-m", "conformed.cli", "log", "migrate", "--origin", "bank.example/x"]
    variables = {**os.environ, ADMIN_VARIABLE: server.url(database)}
    made = subprocess.run(line, cwd=bank, capture_output=True, text=True, env=variables, check=False)
    assert (made.returncode, made.stderr) == (0, "")
    assert made.stdout.startswith("Made the log of bank.example/x, format 0002.\nNow give users their roles")
    again = migrate_log(server.url(database), "bank.example/x", bank, lambda: NOON)
    assert again == Migrated(before="0002", now="0002", origin="bank.example/x")


def test_what_is_missing_is_said(database: str, server: Any, bank: Path) -> None:
    """Without a database, without a name, and under another deployment's name nothing is made."""
    with pytest.raises(UsageError, match="--url"):
        migrate_log("", "bank.example/x", bank, lambda: NOON)
    with pytest.raises(UsageError, match="--origin"):
        migrate_log(server.url(database), "", bank, lambda: NOON)
    migrate_log(server.url(database), "bank.example/x", bank, lambda: NOON)
    with pytest.raises(JournalError, match=r"bank\.example/x"):
        migrate_log(server.url(database), "bank.example/y", bank, lambda: NOON)


def test_runs_of_two_workspaces_are_in_one_log(new_url: str, bank: Path, fenwick: Path) -> None:
    """Two services write to the shared log; nothing is left in the workspace's own file; the whole log verifies."""
    runs, ticks = itertools.count(1), itertools.count()
    services = [
        Service(
            Workspace(root=bank, policies=bank / "policies", origin="flag", log_url=new_url),
            clock=lambda: NOON + dt.timedelta(seconds=next(ticks)),
            ids=lambda: f"r-{next(runs):04}",
            environment={},
        )
        for _ in range(2)
    ]
    for service in services:
        assert service.run(fenwick, RunOptions(), silent).result is Result.PASS
    assert not (bank / ".conformed" / "log.sqlite").exists()
    found = services[0].log_verify("r-0002")
    assert found.ok, found.sentence
    assert services[1].log_show("r-0001")[-1].step == "awaiting_person"
    assert (services[0].published is not None, found.records) == (True, len(services[0].log_show("r-0002")))


def test_a_variable_names_the_shared_log(bank: Path, server: Any, new_url: str) -> None:
    """CONFORMED_LOG_URL names it; what is no PostgreSQL database is refused; messages never show the URL."""
    assert find_workspace(bank, {LOG_VARIABLE: new_url}, bank).log_place == new_url
    assert find_workspace(bank, {}, bank).log_place == bank / ".conformed" / "log.sqlite"
    with pytest.raises(UsageError, match="postgresql://USER"):
        find_workspace(bank, {LOG_VARIABLE: "mysql://u:s3cret@h/d"}, bank)
    place = find_workspace(bank, {LOG_VARIABLE: "postgresql://u:s3cret@h/d"}, bank)
    assert "s3cret" not in repr(place) + place.log_shown
    missing = Service(find_workspace(bank, {LOG_VARIABLE: server.url("absent", "test_app")}, bank), environment={})
    with pytest.raises(ConformedError, match="cannot be reached"):
        missing.log_show("r-1")
