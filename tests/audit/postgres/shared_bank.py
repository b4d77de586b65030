"""A bank with a shared log: a workspace with its people on a database, and what its administrator does there."""

from __future__ import annotations

import datetime as dt
import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from conformed.app.bundles.evidence_desk import EvidenceDesk
from conformed.app.keeping.searching import Search
from conformed.app.options import RunOptions, silent
from conformed.app.replay.replaying import Replays
from conformed.app.retention.epochs import Closed
from conformed.app.retention.retention_desk import RetentionDesk
from conformed.app.retention.shared_epoch import Begun, begin_epoch
from conformed.app.workspace import Workspace
from conformed.people.person import Identified
from conformed_audit import AuditLog
from conformed_audit.origin import origin_of

ASIDE = "conformed_log_epoch_1"


class Desk(RetentionDesk, EvidenceDesk, Search, Replays):
    """Everything that is asked here."""


@dataclass
class House:
    """A workspace on a shared log."""

    workspace: Workspace
    admin: str
    pack: Path
    times: Iterator[int] = field(default_factory=itertools.count)
    runs: Iterator[int] = field(default_factory=itertools.count)

    def now(self) -> dt.datetime:
        """The time."""
        return dt.datetime(2026, 3, 2, 12, 0, tzinfo=dt.UTC) + dt.timedelta(seconds=next(self.times))

    def desk(self, who: str = "clara") -> Desk:
        """The product with somebody at the keys."""
        return Desk(
            self.workspace, environment={}, clock=self.now, ids=lambda: f"r-{next(self.runs):04}",
            identify=lambda: Identified(account=f"os:{who}", name=who, session=f"os:{who}:1", method="test"),
        )  # fmt: skip

    def run(self) -> str:
        """A run of the pack."""
        return self.desk("anna").run(self.pack, RunOptions(), silent).run

    def begin(self, digest: str = "") -> Begun:
        """What the administrator does."""
        return begin_epoch(self.admin, digest, self.workspace, self.now)

    def open(self) -> AuditLog:
        """The log itself."""
        url = self.workspace.log_url
        return AuditLog.open(url, origin=origin_of(url) or "", clock=self.now, create=False)

    def asked(self, query: str, user: str = "postgres") -> list[tuple[Any, ...]]:
        """A statement in the database."""
        import psycopg

        with psycopg.connect(self.admin.replace("postgres:@", f"{user}:@"), autocommit=True) as connection:
            cursor = connection.execute(query.encode())
            return cursor.fetchall() if cursor.description else []


@pytest.fixture
def house(new_url: str, server: Any, bank: Path, fenwick: Path) -> House:
    """A workspace with its people, on a shared log that may be erased in."""
    server.run(
        "DO $$ BEGIN IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'test_records') THEN "
        "CREATE ROLE test_records LOGIN IN ROLE conformed_app, conformed_eraser; END IF; END $$"
    )
    url = new_url.replace("test_app:@", "test_records:@")
    workspace = Workspace(root=bank, policies=bank / "policies", origin="flag", log_url=url)
    (bank / ".conformed").mkdir()
    rows = [
        f'- id: p-{n:012}\n  account: "os:{w}"\n  name: "{w}"\n  roles: [{r}]\n'
        for n, (w, r) in enumerate((("anna", ""), ("bruno", "records_officer"), ("clara", "records_officer")))
    ]
    workspace.people.write_text("people:\n" + "".join(rows), encoding="utf-8")
    return House(workspace, new_url.replace("test_app:@", "postgres:@"), fenwick)


@pytest.fixture
def closed(house: House) -> tuple[House, str, Closed]:
    """A log with a run and a hold, closed; the next one is not begun yet."""
    run = house.run()
    house.desk("bruno").hold(run, "Litigation 7 of 2026")
    return house, run, house.desk().close_epoch()
