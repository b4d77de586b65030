"""Rules of approvals and of sealed content: each has an attack that it names, and that passes under no such name without it.

The checks of records, tree, checkpoints and blobs have theirs in tests/audit/test_each_check.py, those of names for weights in
tests/audit/test_aliases.py.
"""

from __future__ import annotations

import re
import sqlite3
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from importlib.util import module_from_spec, spec_from_file_location
from itertools import count
from pathlib import Path
from typing import Any

import pytest

import conformed_audit
from conformed_audit import Actor, AuditLog, Item, Kind, RecordDraft, VerifyResult, verify
from conformed_audit import approvals as rules
from conformed_audit.finding import Bad
from conformed_audit.sealing import MasterKey

TESTS = Path(__file__).parents[1]
MASTER = MasterKey(b"m" * 32)


def load(file: Path) -> Any:
    """Another file of tests, for its forgeries."""
    spec = spec_from_file_location(f"forgeries_of_{file.stem}", file)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


people = load(TESTS / "audit" / "test_approvals.py")
names = load(TESTS / "audit" / "test_aliases.py")


def by_nobody(case: Any, _subject: str) -> None:
    """An approval in a case that a service ran for nobody."""
    subject = case.run("r-2", by=Actor("engine", "engine"))
    case.grant(people.BOB, subject, run="r-2")


def unasked(case: Any, _subject: str) -> None:
    """A release of a decision of which nothing says what it needs."""
    subject = case.run("r-2", needed=None)
    given = [case.grant(who, subject, run="r-2") for who in (people.BOB, people.CEM)]
    case.add(Kind.DECISION_RELEASED, people.ENGINE, run="r-2", approval={"subject": subject, "granted": given})


FORGERIES: dict[str, tuple[Callable[[Any, str], object], str]] = {
    **people.FORGED, "run by nobody": (by_nobody, "approval.runner"), "asked of nobody": (unasked, "release.asked"),
}  # fmt: skip


@pytest.fixture
def case(tmp_path: Path) -> Iterator[Any]:
    """An opened case."""
    seconds = count()
    clock = lambda: datetime(2026, 3, 31, 12, tzinfo=UTC) + timedelta(seconds=next(seconds))  # noqa: E731 - a word for it
    with AuditLog.open(tmp_path / "log.db", origin="o", clock=clock) as log:
        made = people.Case(log)
        made.add(Kind.CASE_OPENED, people.ANA, run=None)
        yield made


def test_every_rule_has_its_forgery() -> None:
    """A rule that is added without a forgery fails here."""
    written = set(re.findall(r'\b_bad\(\s*"([a-z.]+)', Path(rules.__file__).read_text(encoding="utf-8")))
    assert written == {check for _, check in FORGERIES.values()}


@pytest.mark.parametrize("how", sorted(FORGERIES))
def test_without_its_rule_a_forgery_is_not_named(how: str, case: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The forgery is named by its rule; when that rule says nothing, it is not."""
    forge, check = FORGERIES[how]
    forge(case, case.run())
    assert case.check() == check
    bad = rules._bad
    monkeypatch.setattr(rules, "_bad", lambda name, *rest: None if name == check else bad(name, *rest))
    assert case.check() != check


def sealed(folder: Path) -> Path:
    """A log with sealed content."""
    path = folder / "log.db"
    with AuditLog.open(path, origin="o", clock=lambda: datetime(2026, 1, 1, tzinfo=UTC), keys=MASTER) as log:
        blob = log.make_blob(b"the certificate", "text/plain")
        item = Item("document", blob.commit, 15, "text/plain")
        log.append([RecordDraft(case="c", kind=Kind.EVIDENCE_EXPORTED, actor=people.ANA, input=(item,))], blobs=[blob])
    return path


def attacked(path: Path, statement: str) -> VerifyResult:
    """What is found after a statement of the file's owner, the guards made again."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        guards = connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").fetchall()
        connection.execute("PRAGMA foreign_keys=OFF")
        connection.execute("PRAGMA ignore_check_constraints=ON")
        for name, _ in guards:
            connection.execute(f"DROP TRIGGER {name}")
        assert connection.execute(statement).rowcount
        for _, sql in guards:
            connection.execute(sql)
    return verify(path, keys=MASTER)


@pytest.mark.parametrize(
    ("check", "statement"),
    [
        ("data key", "UPDATE data_key SET wrapped_key = zeroblob(60)"),
        ("data key", "UPDATE data_key SET wrapped_key = NULL, destroyed_at = '2026-01-01T00:00:00.000000Z'"),
        ("blob", "UPDATE blob SET ciphertext = zeroblob(length(ciphertext))"),
        ("blob", "UPDATE blob SET nonce = zeroblob(4)"),
    ],
)
def test_without_its_check_damage_to_sealed_content_passes(
    check: str, statement: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A key that does not open, one that is gone while the content is there, other content, another form."""
    path = sealed(tmp_path)
    assert verify(path, keys=MASTER).ok
    found = attacked(path, statement)
    assert (found.ok, found.first_bad and found.first_bad.check) == (False, check)
    monkeypatch.setattr("conformed_audit.blob_check.Bad", lambda name, *rest: None if name == check else Bad(name, *rest))
    without = verify(path, keys=MASTER)
    assert without.first_bad is None or without.first_bad.check != check


def test_a_file_that_is_no_database_is_unreadable(tmp_path: Path) -> None:
    """Garbage in the log's place is a finding with a class, never an exception, and so is a folder."""
    path = tmp_path / "log.db"
    path.write_bytes(b"nothing of the kind" * 500)
    found = [verify(path), verify(tmp_path), verify(tmp_path / "absent.db"), verify("a\0b")]
    assert [(one.ok, one.classification) for one in found] == [(False, "unreadable")] * 4


def test_no_check_is_left_out() -> None:
    """Names of all checks of the package are in one of the two files, or are those that no statement can bring about."""
    text = "".join(path.read_text(encoding="utf-8") for path in sorted(Path(conformed_audit.__file__).parent.rglob("*.py")))
    written = set(re.findall(r'\b_?[Bb]ad\(\s*f?"([a-z_. ]+)', text))
    sys.path.insert(0, str(TESTS / "audit" / "support"))
    checks = load(TESTS / "audit" / "test_each_check.py")
    here = {check for _, check in (*FORGERIES.values(), *names.FORGED.values())} | {"data key", "readable"}
    rest = {name.strip() for name in written} - here - set(checks.ATTACKS)
    assert rest == {"type"}, "a body that is not bytes: STRICT tables refuse it, tests/audit/test_attacks.py has its neighbour"
