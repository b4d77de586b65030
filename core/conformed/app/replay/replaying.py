"""`conformed replay`: a recorded run is done again, level by level, and the log keeps a note of it."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path

from conformed.app.keeping.operational import Event, say
from conformed.app.keeping.run_index import index_of
from conformed.app.replay.one_run import OneRun, Today, cannot
from conformed.app.replay.replay_record import note_replay
from conformed.app.retention.epochs import archives_of
from conformed.app.service import Service
from conformed.engine.history import History, fold
from conformed.engine.log import ours
from conformed.engine.replay import Divergence, DivergenceClass, Level, LevelResult, Replayed, shown
from conformed.engine.replay_pins import compare_pins
from conformed.errors import JournalError, ReplayError, UsageError
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
        archive = self._epoch_with(run)
        holds, broken = self._holds(archive)
        if broken:
            later = tuple(cannot(one, "the log does not hold, and nothing in it can be relied on.") for one in asked[1:])
            return self._noted(
                Replayed(run=run, case="", record="", asked=level, levels=(holds, *later), divergences=tuple(broken))
            )
        with self._log(create=False, archive=archive) as log:
            report = self._replayed(log, run, asked, holds, policy)
        return self._noted(report)

    def _epoch_with(self, run: str) -> Path | None:
        """Where the run is, None for the present log; else a log that cannot be read, of which L1 then says what is wrong."""
        broken: list[Path | None] = []
        unknown: list[UsageError] = []
        for place in (None, *archives_of(self._workspace)):
            try:
                with self._log(create=False, archive=place) as log:
                    self._records_of(log, run)
            except JournalError:
                broken.append(place)
            except UsageError as problem:
                unknown.append(problem)
            else:
                return place
        if broken:
            return broken[0]
        raise unknown[0]

    def _holds(self, archive: Path | None) -> tuple[LevelResult, list[Divergence]]:
        """L1, of the log in which the run is."""
        place = archive or self._workspace.log_place
        trust, given = self._held_outside(archive)
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
            later = [cannot(one, "its records do not follow from each other.") for one in asked[1:]]
            return Replayed(
                run=run, case=records[0].case, record="", asked=asked[-1], levels=(holds, *later), divergences=(broken,)
            )
        today = Today(self._workspace.policies, self._loaded(), lambda recorded: self._compare_pins(history, recorded))
        replay = OneRun(log, history, records, today)
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
                return note_replay(log, report, self._pins())
        except JournalError:
            return report

    def _pins(self) -> dict[str, str]:
        """Engine and plugins of today, as a run would pin them."""
        return {"engine": f"conformed {version('conformed')}", "plugins": f"sha256:{self._loaded().manifest_digest()}"}

    def _compare_pins(self, history: History, recorded: bytes) -> list[Divergence]:
        """Today's engine and plugins against a run's."""
        pins = self._pins()
        return compare_pins(history, recorded, pins["engine"], self._loaded().manifest(), pins["plugins"])
