"""The service: what the command line and the web page ask, answered by the parts put together."""

from __future__ import annotations

import datetime as dt
import os
import secrets
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import conformed
from conformed.app.answer import CovenantAnswer, LogCheck, LogEntry, PluginRow, answer_of
from conformed.app.binding import Bound, bound_contract, contract_path
from conformed.app.face import Evidence
from conformed.app.listing import rows_of
from conformed.app.log_service import LogService
from conformed.app.memory import Memory, Read, held_back, program_stamp
from conformed.app.options import Progress, RunOptions, silent
from conformed.app.pages.evidence import evidence_of
from conformed.app.reading import PackFiles, case_of_files, open_pack, question_of
from conformed.app.witnessing import Witnesses
from conformed.app.workspace import Workspace
from conformed.errors import PackError, UsageError
from conformed.hooks import Registry, load_registry
from conformed.model.covenant import TimelineEntry
from conformed.model.decision import Conformed, Decision, Effective
from conformed.model.document import Document
from conformed.people.person import Identify, new_pseudonym
from conformed.policy.schema import Application, TaskContract
from conformed.rules.precedence.precedence import decide

if TYPE_CHECKING:
    from conformed.app.people.guard import Guard
    from conformed.app.people.standing import Standing
    from conformed_audit import AuditLog

__all__ = ["Service", "new_run_id"]


def new_run_id() -> str:
    """A new run id: short, sortable by nothing, never twice."""
    return f"r-{secrets.token_hex(6)}"


class Service(LogService):
    """Answers for one workspace.

    Args:
        workspace: where policies, log and cache are.
        clock: the time, UTC; the only place that reads it.
        ids: makes run ids.
        environment: environment variables, for plugin loading.
        identify: finds out who is at the keys; None asks the operating system.
        pseudonyms: makes pseudonyms of people.
    """

    def __init__(
        self,
        workspace: Workspace,
        *,
        clock: Callable[[], dt.datetime] | None = None,
        ids: Callable[[], str] = new_run_id,
        environment: dict[str, str] | None = None,
        identify: Identify | None = None,
        pseudonyms: Callable[[], str] = new_pseudonym,
    ) -> None:
        super().__init__(workspace, clock or (lambda: dt.datetime.now(dt.UTC)))
        self._ids = ids
        self._identify, self._pseudonyms = identify, pseudonyms
        self._environment = dict(os.environ) if environment is None else environment
        self._registry: Registry | None = None
        self._memory: Memory | None = None
        self._documents: dict[str, Document] = {}
        self._seen: dict[tuple[str, int, int], str] = {}
        self.standing: Standing | None = None

    # what precedence says, without a record

    def covenant(self, path: Path, options: RunOptions) -> CovenantAnswer:
        """Which covenant governs, without any figure."""
        pack = open_pack(path)
        read = self._read(path, options, pack)
        effective = held_back(decide(read.case, read.extraction), read)
        effective = self._witnesses(pack, self._bound(options)).level(read.case, read.extraction, effective)
        return answer_of(read.case.pack, read.case.question, effective)

    def copy(self, path: Path, options: RunOptions) -> tuple[Conformed, ...]:
        """The conformed copy of the covenant and its definitions on the test date."""
        return self._effective(path, options).conformed

    def timeline(self, path: Path, options: RunOptions) -> tuple[TimelineEntry, ...]:
        """Levels over time, as known on the knowledge date."""
        return self._effective(path, options).timeline

    def _effective(self, path: Path, options: RunOptions) -> Effective:
        read = self._read(path, options)
        effective = held_back(decide(read.case, read.extraction), read)
        if not effective.conformed and not effective.timeline:
            reason = next((r.sentence for r in effective.reasons if r.code.startswith("review")), "No covenant was found.")
            raise UsageError(reason, "Name the covenant with --covenant or its section with --section.")
        return effective

    def _witnesses(self, pack: PackFiles, bound: Bound) -> Witnesses:
        """Who looks at the pages of a pack, with what was seen before."""
        return Witnesses(pack, bound.readers(), self._seen)

    def _read(self, path: Path, options: RunOptions, opened: PackFiles | None = None) -> Read:
        bound = self._bound(options)
        pack = opened or open_pack(path)
        question = question_of(options, pack.manifest, self._clock().date())
        memory = self._remember()

        def make() -> Read:
            case = case_of_files(pack, question, bound.readers(), silent)
            if not case.documents:
                why = " ".join(refusal.sentence for refusal in case.refusals[:3])
                raise PackError(f"No document of {path} could be read. {why}".strip())
            retrieved, extraction = bound.proposals(case)
            return Read(case=case, retrieved=retrieved, extraction=extraction)

        return memory.get(bound.memory_key(pack.evidence.digest, question), make).asking(question)

    # a run, with its record

    def run(self, path: Path, options: RunOptions, progress: Progress) -> Decision:
        """Runs the contract on a pack, writes the log, and gives the decision record."""
        from conformed.app.people.standing import standing_after
        from conformed.app.running import Course, run_pack
        from conformed.engine.log import case_of

        bound, pack = self._bound(options), open_pack(path)
        if not options.resume:
            question_of(options, pack.manifest, self._clock().date())  # what cannot be asked leaves no log
        course = Course(bound, self._loaded(), pack, path, progress, self._keep)
        with self._log() as log:
            guard = self._guard(log, bound.contract.contract, bound.contract.digest)
            decision = run_pack(course, options, log, guard, today=self._clock().date(), ids=self._ids)
            case = case_of(pack.name, pack.evidence.digest)
            self.standing = standing_after(log, guard, case, decision.run, self.publish_log(log))
        return decision

    def evidence(self, path: Path) -> Evidence:
        """Page images, rectangles and texts of a pack, for a report."""
        return evidence_of(open_pack(path), self._bound(RunOptions()).readers(), tuple(self._documents.values()))

    # the log and the plugins

    def log_show(self, run: str) -> tuple[LogEntry, ...]:
        """The records of one run, in order; of the present log, or of an earlier epoch."""
        from conformed.app.keeping.records import entries_of
        from conformed.app.retention.epoch_reading import in_some_epoch

        def ask(archive: Path | None) -> tuple[LogEntry, ...]:
            with self._log(create=False, archive=archive) as log:
                found = entries_of(log, run)
            if not found:
                raise UsageError(f"The log has no run {run!r}.", "Run ids are printed at the end of a run.")
            return found

        return in_some_epoch(self._workspace, ask)

    def log_verify(self, run: str | None) -> LogCheck:
        """Checks one run's records, or the whole log."""
        from conformed.app.keeping.records import check_of

        found = check_of(
            self._workspace.log_place, *self._held_outside(), keys=self._opening_key(self._origin(self._workspace.log_place))
        )
        if run is None or not found.ok:
            return found
        count = len(self.log_show(run))
        sentence = f"All {count} records of run {run} hold, and so do all {found.records} records of the log."
        return found.model_copy(update={"records": count, "sentence": sentence})

    def plugins(self) -> tuple[PluginRow, ...]:
        """Every registration, and every plugin that failed to load with its reason."""
        return rows_of(self._loaded())

    # parts

    def _loaded(self) -> Registry:
        if self._registry is None:
            self._registry = load_registry(env=self._environment)
        return self._registry

    def _bound(self, options: RunOptions, application: Application = Application.COVENANT) -> Bound:
        return bound_contract(contract_path(self._workspace.policies, options.policy), self._loaded(), application)

    def _guard(self, log: AuditLog, contract: TaskContract, digest: str) -> Guard:
        """The one place that decides what whoever is at the keys may do."""
        from conformed.app.people import account
        from conformed.app.people.denials import Denials
        from conformed.app.people.guard import Guard
        from conformed.people.directory import Directory

        directory = Directory(self._workspace.people, self._pseudonyms)
        identify = self._identify or account.system_account
        return Guard(log, contract, digest, directory, identify, Denials(log, self._workspace.denied))

    def _keep(self, document: Document) -> None:
        """Keeps what a run read for the report that may follow; by name, so that only the last pack's is kept."""
        self._documents[document.name] = document

    def _remember(self) -> Memory:
        if self._memory is None:
            roots = [Path(conformed.__file__).parent]
            roots += sorted({Path(str(p)) for o in self._loaded().registrations if o.origin for p in _package(o.origin.module)})
            self._memory = Memory(self._workspace.cache, program_stamp(tuple(roots)))
        return self._memory


def _package(module: str) -> list[Path]:
    """The folder of a plugin's package."""
    import importlib.util

    spec = importlib.util.find_spec(module.partition(":")[0].partition(".")[0])
    return [Path(p) for p in spec.submodule_search_locations or ()] if spec else []
