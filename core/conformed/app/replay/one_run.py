"""One recorded run of any application, being replayed: what one level has found out the next one uses."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel

from conformed.app.applications.known import profile_of
from conformed.app.applications.profile import Kept, Profile
from conformed.app.binding import Bound
from conformed.app.replay.replay_course import contract_of, contract_today, read_request
from conformed.engine.history import History
from conformed.engine.log import Identity, Log, ours
from conformed.engine.replay import Divergence, DivergenceClass, Level, LevelResult, Replayed, first_of_each_step, shown
from conformed.engine.replay_policy import Policies, compare_policies
from conformed.engine.replay_serve import serve
from conformed.engine.replay_steps import Steps
from conformed.engine.workflow import Workflow
from conformed.errors import ConformedError, JournalError, PluginError, PolicyError, UsageError
from conformed.hooks import Registry
from conformed.policy.bind import bind
from conformed.policy.diff import diff
from conformed.policy.load import Loaded
from conformed.policy.schema import TaskContract
from conformed_audit import Record

__all__ = ["OneRun", "Today", "cannot"]


@dataclass(frozen=True, slots=True)
class Today:
    """What a run is compared with."""

    policies: Path
    """The contracts of the workspace."""
    registry: Registry
    """The plugins."""
    compare_pins: Callable[[bytes], list[Divergence]]
    """Holds engine and plugins against the list with which the run began."""


@dataclass
class OneRun:
    """One run, being replayed."""

    log: Log
    """The log."""
    history: History
    """The fold over its records."""
    records: Sequence[Record]
    """Its records, in order."""
    today: Today
    """What it is compared with."""
    found: list[Divergence] = field(default_factory=list)
    """What differs, in the order in which it was found."""
    recorded: BaseModel | None = None
    """Its final record; None where it has none that can be read."""
    now: BaseModel | None = None
    """The record of the run done again; None where it did not come to one."""
    why: str = ""
    """Why neither steps nor sequence can be replayed; empty where they can."""

    def __post_init__(self) -> None:
        """Reads back what the run kept."""
        self._profile: Profile[Any, Any] | None = None
        self._request: Any = None
        self._contract: Loaded[TaskContract] | None = None
        self._kept: Kept | None = None
        self._workflow: Workflow | None = None
        try:
            self._profile = profile_of(self.history)
            self.recorded = self._read_back(self._profile)
            self.found += self.today.compare_pins(self.read(self.history.registrations))
            self._request = read_request(self.log, self.history, self._profile.request)
            policies, application = self.today.policies, self._profile.application
            self._contract = contract_of(self.log, self.history, policies, self._request, application)
            self._kept = self._profile.kept(self.log, self.history, self._request, self.today.registry)
            self._workflow = self._bound(self._kept, self._contract)
        except (PolicyError, PluginError) as problem:
            self._say(DivergenceClass.PIN_DIFFERS, "begin", "bound", problem.found)
        except (JournalError, UsageError) as problem:
            self.why = problem.found.partition("could not be read: ")[2] or problem.found
            if "erased" in self.why or "No blob" in self.why:
                self._say(DivergenceClass.INPUT_ABSENT, "begin", "committed to", self.why)

    def read(self, commit: str) -> bytes:
        """A blob of the run."""
        with ours("read"):
            return self.log.get_blob(commit)

    def steps(self) -> LevelResult:
        """L2."""
        if self._kept is not None and self._kept.lacking:
            return cannot(Level.L2, self._kept.lacking)
        if self._workflow is None or self._kept is None or self._request is None:
            return cannot(Level.L2, self.why)
        done = self._steps(self._workflow, self._kept, self._request).compare()
        self.now = done.record
        self.found += done.divergences
        return done.result

    def sequence(self) -> LevelResult:
        """L3."""
        if self._workflow is None:
            return cannot(Level.L3, self.why)
        pins, me = self.history.pins, self.history
        identity = Identity(me.case, me.run, pins["engine"], pins["contract"], pins["plugins"])
        result, found = serve(self._workflow, identity, me, self.records)
        self.found += found
        return result

    def policies(self, named: str | None) -> LevelResult:
        """L4."""
        if self._contract is None or self._profile is None:
            return cannot(Level.L4, self.why)
        try:
            today = contract_today(self.today.policies, self._request, named, self._profile.application)
        except (JournalError, PolicyError) as problem:
            return cannot(Level.L4, problem.found)
        pinned = self._contract
        both = Policies(pinned.value, pinned.digest, today.value, today.digest)
        outcome = self._profile.outcome(self._request, self.recorded)
        compared, found = compare_policies(both, self.history, self.records, outcome)
        if pinned.digest != today.digest:
            found += self._decided_under(self._profile, today)
        self.found += found
        said = "The run's contract and today's are the same bytes."
        if pinned.digest != today.digest:
            said = f"Today's contract differs in {len(diff(pinned.value, today.value))} places: conformed policy diff tells them."
        status: Literal["same", "differs"] = "differs" if found else "same"
        return LevelResult(level=Level.L4, status=status, compared=compared, sentence=said)

    def report(self, asked: Level, levels: Sequence[LevelResult]) -> Replayed:
        """What was found."""
        same: Literal["yes", "no", "not shown"] = "not shown"
        if self._profile is not None and self.recorded is not None and self.now is not None:
            same = "yes" if self._same(self._profile, self.recorded, self.now) else "no"
        found = [
            one.model_copy(update={"severity": "high"}) if one.kind is DivergenceClass.OUTPUT_DIFFERS and same != "yes" else one
            for one in self.found
        ]
        return Replayed(
            run=self.history.run, case=self.history.case, record=self.history.record, asked=asked, levels=tuple(levels),
            divergences=first_of_each_step(found), same_decision=same,
            decision_recorded=self._short(self.recorded),
            decision_now=self._short(self.now),
        )  # fmt: skip

    def _steps(self, workflow: Workflow, kept: Kept, request: BaseModel) -> Steps:
        return Steps(workflow, self.history, request, self.read, kept.again)

    def _bound(self, kept: Kept, contract: Loaded[TaskContract]) -> Workflow:
        """The steps of the run under a contract, with today's plugins."""
        return kept.workflow(Bound(bind(contract, self.today.registry)))

    def _read_back(self, profile: Profile[Any, Any]) -> BaseModel | None:
        """The final record; None where there is none, or it was erased."""
        try:
            found: BaseModel | None = (
                profile.record.model_validate_json(self.read(self.history.record)) if self.history.record else None
            )
        except (JournalError, ValueError):
            return None
        return found

    def _decided_under(self, profile: Profile[Any, Any], today: Loaded[TaskContract]) -> list[Divergence]:
        """What the run would come to under today's contract."""
        if self._kept is None or self.recorded is None or self._kept.lacking:
            return []
        try:
            workflow = self._bound(self._kept, today)
            record = self._steps(workflow, self._kept, self._request).whole()
        except ConformedError as problem:
            return [_policy("today's contract cannot be carried out", problem.found)]
        if record is not None and not self._same(profile, self.recorded, record):
            return [_policy(self._short(self.recorded), self._short(record))]
        return []

    @staticmethod
    def _same(profile: Profile[Any, Any], one: BaseModel, other: BaseModel) -> bool:
        return bool(profile.essence(one) == profile.essence(other))

    def _short(self, record: BaseModel | None) -> str:
        return shown(self._profile.in_short(record)) if self._profile is not None and record is not None else ""

    def _say(self, kind: DivergenceClass, step: str, recorded: str, now: str) -> None:
        self.why = self.why or now
        self.found.append(
            Divergence(level=Level.L2, step=step, kind=kind, severity="high", recorded=recorded, now=shown(now), where="")
        )


def _policy(recorded: str, now: str) -> Divergence:
    return Divergence(
        level=Level.L4, step="conclude", kind=DivergenceClass.POLICY_DIFFERS, severity="high", recorded=shown(recorded),
        now=shown(now), where="decision under today's contract",
    )  # fmt: skip


def cannot(level: Level, why: str) -> LevelResult:
    """A level of which nothing can be said, and why."""
    return LevelResult(level=level, status="cannot", sentence=f"Cannot be replayed at this level: {shown(why)}")
