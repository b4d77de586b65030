"""A desk without documents: a real log, a real guard, runs of two records, and whoever is wanted at the keys."""

from __future__ import annotations

import datetime as dt
import itertools
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from conformed.app.people.concluding import Conclusions
from conformed.app.people.denials import Denials
from conformed.app.people.guard import Guard
from conformed.app.people.standing import Standing
from conformed.app.workspace import Workspace
from conformed.engine.history import BEGUN
from conformed.people.directory import Directory
from conformed.people.person import Identified
from conformed.policy.load import Loaded, load_text
from conformed.policy.may import Action
from conformed.policy.schema import TaskContract
from conformed_audit import Actor, AuditLog, Item, Pins, Record, RecordDraft
from conformed_audit.approvals import approvals_hold
from conformed_audit.record import Kind

ROOT = Path(__file__).parents[2]
CASE = "fenwick-0001"
PEOPLE = {"ana": 1001, "bob": 1002, "cem": 1003, "dia": 1004, "root": 0}


@dataclass
class Outside:
    """Somebody outside who takes every checkpoint, or none."""

    up: bool = True
    taken: int = 0

    def publish(self, log: AuditLog) -> None:
        """Takes everything."""
        if self.up:
            self.taken = sum(1 for _ in log.records())

    def size(self, log: AuditLog) -> int:
        """What was taken."""
        return self.taken


@dataclass
class Desk:
    """A workspace with its log, and the person at the keys."""

    root: Path
    policy: str
    who: Identified = field(default_factory=lambda: Identified("os:1001", "ana", "os:1001:7", "os-account"))
    outside: Outside = field(default_factory=Outside)
    now: dt.datetime = dt.datetime(2026, 11, 29, 12, 0, tzinfo=dt.UTC)

    def __post_init__(self) -> None:
        """Lays the folders out and opens the log."""
        (self.root / "policies").mkdir(parents=True)
        (self.root / "policies" / "covenant.yaml").write_text(self.policy, encoding="utf-8")
        self.workspace = Workspace(root=self.root, policies=self.root / "policies", origin="flag")
        self.workspace.log.parent.mkdir()
        self.loaded: Loaded[TaskContract] = load_text(self.policy, TaskContract, name="covenant.yaml")
        self.log = AuditLog.open(self.workspace.log, origin="conformed.local", clock=self.clock)
        numbers = itertools.count(1)
        self.directory = Directory(self.workspace.people, lambda: f"p-{next(numbers):012x}")
        self.guard = Guard(
            self.log, self.loaded.value, self.loaded.digest, self.directory, lambda: self.who,
            Denials(self.log, self.workspace.denied),
        )  # fmt: skip
        self.service = Conclusions(
            self.workspace, clock=self.clock, identify=lambda: self.who, pseudonyms=lambda: f"p-{next(numbers):012x}",
            environment={},
        )  # fmt: skip
        self.service.publication = self.outside

    def clock(self) -> dt.datetime:
        """A second later each time."""
        self.now += dt.timedelta(seconds=1)
        return self.now

    def sit(self, name: str, *, behind: str = "") -> None:
        """Puts somebody at the keys, logged in as another where one is behind them."""
        uid = PEOPLE[name]
        through = (f"os:{PEOPLE[behind]}",) if behind else ()
        self.who = Identified(f"os:{uid}", name, f"os:{uid}:7", "os-account", through)

    def give(self, **roles: str) -> None:
        """Gives people roles in the directory, as its keeper does."""
        for name in roles:
            self.directory.person(Identified(f"os:{PEOPLE[name]}", name, "", ""))
        text = self.workspace.people.read_text(encoding="utf-8")
        for name, held in roles.items():
            text = text.replace(f'  name: "{name}"\n', f'  name: "{name}"\n  roles: [{held}]\n')
        self.workspace.people.write_text(text, encoding="utf-8")

    def run(
        self, name: str, run: str, *, action: Action = Action.RUN, result: str = "pass", end: bool = True, by: str = ""
    ) -> None:
        """Runs, or overrides: a beginning and, where wanted, an end."""
        self.sit(name)
        permit = self.guard.permit(action, CASE, run=run, by=by)
        log, opened = self.guard.writer(permit), any(True for _ in self.log.records(CASE))
        pins = Pins(engine="e", contract=self.loaded.digest, policy=self.loaded.digest, plugins="p")
        engine = Actor("engine", "engine")
        begun = RecordDraft(case=CASE, kind=Kind.STATE_CHANGED, actor=engine, run=run, step="intake", pins=pins, note=BEGUN)
        first = [RecordDraft(case=CASE, kind=Kind.CASE_OPENED, actor=engine, pins=pins)] if not opened else []
        over = [RecordDraft(case=CASE, kind=Kind.STATE_CHANGED, actor=engine, run=run, step="overridden", pins=pins)]
        log.append([*first, begun, *(over if action is Action.OVERRIDE else [])])
        if end:
            self.end(run, result=result, overridden=action is Action.OVERRIDE, log=log)

    def end(self, run: str, *, result: str = "pass", overridden: bool = False, log: object = None) -> None:
        """Writes the final record of a run that the person at the keys began or takes up."""
        if log is None:
            log = self.guard.writer(self.guard.permit(Action.RESUME, CASE, run=run))
        data = json.dumps({"result": result, "overridden": {} if overridden else None}).encode()
        blob = self.log.make_blob(data, "application/json")
        item = Item("record", blob.commit, len(data), blob.media)
        pins = Pins(engine="e", contract=self.loaded.digest, policy=self.loaded.digest, plugins="p")
        draft = RecordDraft(
            case=CASE, kind=Kind.STATE_CHANGED, actor=Actor("engine", "engine"), run=run, step="awaiting_person", pins=pins,
            output=(item,),
        )  # fmt: skip
        log.append([draft], blobs=[blob])  # type: ignore[attr-defined]

    def accept(self, name: str, run: str, *, role: str = "", behind: str = "") -> Standing:
        """Accepts."""
        self.sit(name, behind=behind)
        return self.service.accept(run, role=role)

    def denials(self) -> list[Record]:
        """What was denied."""
        return list(self.log.records("_access"))

    def holds(self) -> bool:
        """Whether every approval of the log obeys the rules."""
        return approvals_hold(self.log.records()) is None


@pytest.fixture
def policy() -> str:
    """The product's own contract; a test module may ask for another."""
    return (ROOT / "policies" / "covenant.yaml").read_text(encoding="utf-8")


@pytest.fixture
def desk(tmp_path: Path, policy: str) -> Iterator[Desk]:
    """A desk at which ana sits, with an analyst bob, an officer cem and dia who is both."""
    made = Desk(tmp_path / "bank", policy)
    made.give(bob="credit_analyst", cem="credit_officer", dia="credit_officer, credit_analyst", root="administrator")
    yield made
    made.log.close()


@pytest.fixture
def contract(policy: str) -> TaskContract:
    """The contract alone."""
    return load_text(policy, TaskContract, name="covenant.yaml").value
