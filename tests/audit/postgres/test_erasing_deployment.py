"""Erasure and legal holds of the product on a shared log, as two people at the keys do it."""

from __future__ import annotations

import datetime as dt
import itertools
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from conformed.app.options import RunOptions, silent
from conformed.app.replay.replaying import Replays
from conformed.app.retention.retention_desk import RetentionDesk
from conformed.app.workspace import Workspace
from conformed.errors import DeniedError, JournalError, UsageError
from conformed.people.person import Identified
from conformed_audit import Kind

pytest.importorskip("psycopg", reason="the extra postgres is not installed")

BASIS = "GDPR Art. 17(1)(a)"


class Desk(RetentionDesk, Replays):
    """Everything that is asked here."""


@pytest.fixture
def desk(new_url: str, server: Any, bank: Path) -> Callable[..., Desk]:
    """The product with somebody at the keys, and with a user of the database."""
    server.run(
        "DO $$ BEGIN IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'test_records') THEN "
        "CREATE ROLE test_records LOGIN IN ROLE conformed_app, conformed_eraser; END IF; END $$"
    )
    times = itertools.count()
    workspace = Workspace(root=bank, policies=bank / "policies", origin="flag", log_url=new_url)
    (bank / ".conformed").mkdir()
    rows = [
        f'- id: p-{n:012}\n  account: "os:{w}"\n  name: "{w}"\n  roles: [{r}]\n'
        for n, (w, r) in enumerate((("anna", ""), ("bruno", "records_officer"), ("clara", "records_officer")))
    ]
    workspace.people.write_text("people:\n" + "".join(rows), encoding="utf-8")

    def make(who: str, user: str = "test_app") -> Desk:
        return Desk(
            replace(workspace, log_url=new_url.replace("test_app:@", f"{user}:@")), environment={},
            identify=lambda: Identified(account=f"os:{who}", name=who, session=f"os:{who}:1", method="test"),
            clock=lambda: dt.datetime(2026, 3, 2, 12, 0, tzinfo=dt.UTC) + dt.timedelta(seconds=next(times)),
        )  # fmt: skip

    return make


def test_two_people_erase(desk: Callable[..., Desk], fenwick: Path) -> None:
    """Asked, held, lifted, refused to the application's user and to whoever asked, carried out; the log holds, replay says erased."""
    run = desk("anna").run(fenwick, RunOptions(), silent).run
    with pytest.raises(DeniedError, match="records officer"):
        desk("anna").ask_erasure(run, BASIS)
    case = desk("bruno").ask_erasure(run, BASIS).case
    desk("bruno").hold(run, "Litigation 7 of 2026")
    with pytest.raises(UsageError, match="Litigation 7"):
        desk("clara", "test_records").approve_erasure(run)
    desk("bruno").release_hold(run, "Settled")
    with pytest.raises(JournalError, match=r"may not erase: it does not have the role conformed_eraser.*docs/shared-log"):
        desk("clara").approve_erasure(run)
    with pytest.raises(DeniedError, match="another person must carry it out"):
        desk("bruno", "test_records").approve_erasure(run)
    assert desk("anna").log_verify(None).ok
    done = desk("clara", "test_records").approve_erasure(run)
    assert done.contents > 5
    assert any("VACUUM FULL conformed_log.blob" in name for name in done.left)
    found = desk("anna").log_verify(None)
    assert found.ok, found.sentence
    assert f"{done.contents} contents were erased, each with a record" in found.sentence
    with desk("anna")._log(create=False) as log:
        records = list(log.records(case, kind=Kind.PAYLOAD_ERASED))
    assert {record.note for record in records} == {BASIS}
    report = desk("anna").replay(run)
    assert "input missing or erased" in {one.kind.value for one in report.divergences}


def test_what_is_the_administrator_s(desk: Callable[..., Desk], fenwick: Path) -> None:
    """Writing the tables anew is refused on the shared log, with the way to do it."""
    desk("anna").run(fenwick, RunOptions(), silent)
    with pytest.raises(UsageError, match="VACUUM FULL"):
        desk("clara", "test_records").finish_erasure()
