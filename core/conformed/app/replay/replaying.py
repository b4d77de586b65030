"""`conformed replay`: a recorded run is done again, level by level, and the log keeps a note of it."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from importlib.metadata import version
from typing import Literal

from conformed.app.keeping.operational import Event, say
from conformed.app.keeping.run_index import index_of
from conformed.app.replay.decided import in_short, same_decision
from conformed.app.replay.replay_course import Kept, bound_to, contract_of, contract_today, kept_of, read_request
from conformed.app.replay.replay_record import note_replay
from conformed.app.service import Service
from conformed.engine.history import History, fold
from conformed.engine.log import Identity, Log, ours
from conformed.engine.replay import Divergence, DivergenceClass, Level, LevelResult, Replayed, first_of_each_step, shown
from conformed.engine.replay_pins import compare_pins
from conformed.engine.replay_policy import Policies, compare_policies
from conformed.engine.replay_serve import serve
from conformed.engine.replay_steps import Steps
from conformed.engine.request import RunRequest
from conformed.engine.workflow import Workflow
from conformed.errors import ConformedError, JournalError, PluginError, PolicyError, ReplayError, UsageError
from conformed.model.decision import Decision
from conformed.people.history import Outcome
from conformed.policy.diff import diff
from conformed.policy.load import Loaded
from conformed.policy.schema import TaskContract
from conformed_audit import AuditLog, Record, verify

__all__ = ["Replays"]

_LEVELS = tuple(Level)


class Replays(Service):
    """Replays runs of a workspace."""

    def replay(self, run: str, level: Level = Level.L4, *, policy: str | None = None) -> Replayed:
        """Does a run again as far as a level, compares, and has the log keep a note of it beside the run's case.

        Args:
            run: the run.
            level: how deep; the levels before it are included.
            policy: the contract that L4 compares with; None for the workspace's of the same name.

        Raises:
            UsageError: when the log has no such run, or the policy named is not there.
            JournalError: when the log holds and cannot be read.
        """
        asked = _LEVELS[: _LEVELS.index(level) + 1]
        with suppress(JournalError), self._log(create=False):  # that there is a log; whether it holds is for L1 to say
            pass
        holds, broken = self._holds()
        if broken:
            later = tuple(_cannot(one, "the log does not hold, and nothing in it can be relied on.") for one in asked[1:])
            return self._noted(
                Replayed(run=run, case="", record="", asked=level, levels=(holds, *later), divergences=tuple(broken))
            )
        with self._log(create=False) as log:
            report = self._replayed(log, run, asked, holds, policy)
        return self._noted(report)

    def _holds(self) -> tuple[LevelResult, list[Divergence]]:
        """L1."""
        place = self._workspace.log_place
        trust, given = self._held_outside()
        found = verify(place, trust=trust, given=given, keys=self._opening_key(self._origin(place)))
        bad = found.first_bad
        if found.ok or bad is None or str(found.classification) == "unpublished-tail":
            said = f"All {found.checked} records hold."
            return LevelResult(level=Level.L1, status="same", compared=found.checked, sentence=said), []
        say(Event.LOG_DAMAGED, classification=str(found.classification), records=found.checked)
        erased = str(found.classification) == "erased"
        where = f"{bad.check}, record {bad.cseq} of case {bad.case}" if bad.case else bad.check
        one = Divergence(
            level=Level.L1, step="log", severity="high", recorded=shown(bad.expected), now=shown(bad.found), where=shown(where),
            kind=DivergenceClass.INPUT_ABSENT if erased else DivergenceClass.RECORD_ALTERED,
        )  # fmt: skip
        said = f"The log does not hold ({found.classification}); {found.checked} records before it do."
        return LevelResult(level=Level.L1, status="differs", compared=found.checked, sentence=said), [one]

    def _replayed(self, log: AuditLog, run: str, asked: Sequence[Level], holds: LevelResult, policy: str | None) -> Replayed:
        records = self._records_of(log, run)
        try:
            history = fold(records, run)
        except ReplayError as problem:
            broken = Divergence(
                level=Level.L3, step="log", kind=DivergenceClass.STEPS_DIFFER, severity="high",
                recorded=shown(problem.found), now="a course that a run can take", where="sequence",
            )  # fmt: skip
            later = [_cannot(one, "its records do not follow from each other.") for one in asked[1:]]
            return Replayed(
                run=run, case=records[0].case, record="", asked=asked[-1], levels=(holds, *later), divergences=(broken,)
            )
        replay = _Replay(self, log, history, records)
        levels = [holds]
        if Level.L2 in asked:
            levels.append(replay.steps())
        if Level.L3 in asked:
            levels.append(replay.sequence())
        if Level.L4 in asked:
            levels.append(replay.policies(policy))
        return replay.report(asked[-1], levels)

    def _records_of(self, log: AuditLog, run: str) -> list[Record]:
        case = None
        with suppress(JournalError):  # without an index the whole log is looked through
            case = next((row.case for row in index_of(log).find({"run": run}, 1)[0]), None)
        with ours("read"):
            records = list(log.records(case, run))
        if not records:
            raise UsageError(f"The log has no run {run!r}.", "List the runs with: conformed log list")
        return records

    def _noted(self, report: Replayed) -> Replayed:
        """Has the log keep the report, in a case of its own; a log that does not hold may refuse."""
        found = len(report.divergences)
        event = Event.REPLAY_DIVERGED if found else Event.REPLAY_ENDED
        say(event, run=report.run, level=str(report.asked), divergences=found, same=report.same_decision.replace(" ", "_"))
        try:
            with self._log(create=False) as log:
                return note_replay(log, report, self.pins())
        except JournalError:
            return report

    def pins(self) -> dict[str, str]:
        """Engine and plugins of today, as a run would pin them."""
        return {"engine": f"conformed {version('conformed')}", "plugins": f"sha256:{self._loaded().manifest_digest()}"}

    def compare_pins(self, history: History, recorded: bytes) -> list[Divergence]:
        """Today's engine and plugins against a run's."""
        pins = self.pins()
        return compare_pins(history, recorded, pins["engine"], self._loaded().manifest(), pins["plugins"])

    def kept_of(self, log: Log, history: History, request: RunRequest) -> Kept:
        """What a run kept."""
        return kept_of(log, history, request, self._loaded())

    def workflow(self, kept: Kept, contract: Loaded[TaskContract]) -> Workflow:
        """The steps of a run under a contract, with today's plugins."""
        return kept.workflow(bound_to(contract, self._loaded()))

    def contract_of(self, log: Log, history: History, request: RunRequest) -> Loaded[TaskContract]:
        """The contract of a run."""
        return contract_of(log, history, self._workspace.policies, request)

    def contract_today(self, request: RunRequest, named: str | None) -> Loaded[TaskContract]:
        """The contract of today."""
        return contract_today(self._workspace.policies, request, named)


@dataclass
class _Replay:
    """One run, being replayed. What one level has found out the next one uses."""

    service: Replays
    log: Log
    history: History
    records: Sequence[Record]
    found: list[Divergence] = field(default_factory=list)
    recorded: Decision | None = None
    now: Decision | None = None
    why: str = ""
    """Why neither steps nor sequence can be replayed; empty where they can."""

    def __post_init__(self) -> None:
        """Reads back what the run kept."""
        self._request: RunRequest | None = None
        self._contract: Loaded[TaskContract] | None = None
        self._kept: Kept | None = None
        self._workflow: Workflow | None = None
        self.recorded = self._read_back()
        try:
            self.found += self.service.compare_pins(self.history, self.read(self.history.registrations))
            self._request = read_request(self.log, self.history)
            self._contract = self.service.contract_of(self.log, self.history, self._request)
            self._kept = self.service.kept_of(self.log, self.history, self._request)
            self._workflow = self.service.workflow(self._kept, self._contract)
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
            return _cannot(Level.L2, self._kept.lacking)
        if self._workflow is None or self._kept is None or self._request is None:
            return _cannot(Level.L2, self.why)
        done = self._steps(self._workflow, self._kept, self._request).compare()
        self.now = done.record if isinstance(done.record, Decision) else None
        self.found += done.divergences
        return done.result

    def sequence(self) -> LevelResult:
        """L3."""
        if self._workflow is None:
            return _cannot(Level.L3, self.why)
        pins, me = self.history.pins, self.history
        identity = Identity(me.case, me.run, pins["engine"], pins["contract"], pins["plugins"])
        result, found = serve(self._workflow, identity, me, self.records)
        self.found += found
        return result

    def policies(self, named: str | None) -> LevelResult:
        """L4."""
        if self._contract is None or self._request is None:
            return _cannot(Level.L4, self.why)
        try:
            today = self.service.contract_today(self._request, named)
        except (JournalError, PolicyError) as problem:
            return _cannot(Level.L4, problem.found)
        pinned = self._contract
        both = Policies(pinned.value, pinned.digest, today.value, today.digest)
        result = self.recorded.result.value if self.recorded else "review"
        outcome = Outcome(result, bool(self._request.overrides))
        compared, found = compare_policies(both, self.history, self.records, outcome)
        if pinned.digest != today.digest:
            found += self._decided_under(today)
        self.found += found
        said = "The run's contract and today's are the same bytes."
        if pinned.digest != today.digest:
            said = f"Today's contract differs in {len(diff(pinned.value, today.value))} places: conformed policy diff tells them."
        status: Literal["same", "differs"] = "differs" if found else "same"
        return LevelResult(level=Level.L4, status=status, compared=compared, sentence=said)

    def report(self, asked: Level, levels: Sequence[LevelResult]) -> Replayed:
        """What was found."""
        same: Literal["yes", "no", "not shown"] = "not shown"
        if self.recorded is not None and self.now is not None:
            same = "yes" if same_decision(self.recorded, self.now) else "no"
        found = [
            one.model_copy(update={"severity": "high"}) if one.kind is DivergenceClass.OUTPUT_DIFFERS and same != "yes" else one
            for one in self.found
        ]
        return Replayed(
            run=self.history.run, case=self.history.case, record=self.history.record, asked=asked, levels=tuple(levels),
            divergences=first_of_each_step(found), same_decision=same,
            decision_recorded=shown(in_short(self.recorded)) if self.recorded else "",
            decision_now=shown(in_short(self.now)) if self.now else "",
        )  # fmt: skip

    def _steps(self, workflow: Workflow, kept: Kept, request: RunRequest) -> Steps:
        return Steps(workflow, self.history, request, self.read, kept.again)

    def _read_back(self) -> Decision | None:
        """The recorded decision; None where there is none, or it was erased."""
        try:
            return Decision.model_validate_json(self.read(self.history.record)) if self.history.record else None
        except (JournalError, ValueError):
            return None

    def _decided_under(self, today: Loaded[TaskContract]) -> list[Divergence]:
        """What the run would come to under today's contract."""
        if self._kept is None or self._request is None or self.recorded is None or self._kept.lacking:
            return []
        try:
            workflow = self.service.workflow(self._kept, today)
            record = self._steps(workflow, self._kept, self._request).whole()
        except ConformedError as problem:
            return [_policy("today's contract cannot be carried out", problem.found)]
        if isinstance(record, Decision) and not same_decision(self.recorded, record):
            return [_policy(in_short(self.recorded), in_short(record))]
        return []

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


def _cannot(level: Level, why: str) -> LevelResult:
    return LevelResult(level=level, status="cannot", sentence=f"Cannot be replayed at this level: {shown(why)}")
