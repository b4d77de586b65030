"""The service: what the command line and the web page ask, answered by the parts put together."""

from __future__ import annotations

import datetime as dt
import os
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import conformed
from conformed.app.answer import CovenantAnswer, LogCheck, LogEntry, PluginRow, answer_of
from conformed.app.binding import Bound, bound_contract, contract_path
from conformed.app.evidence import evidence_of
from conformed.app.face import Evidence
from conformed.app.listing import rows_of
from conformed.app.memory import Memory, Read, held_back, program_stamp
from conformed.app.options import Progress, RunOptions, silent
from conformed.app.reading import case_of_files, open_pack, question_of
from conformed.app.workspace import Workspace
from conformed.errors import PackError, UsageError
from conformed.hooks import Registry, load_registry
from conformed.model.covenant import TimelineEntry
from conformed.model.decision import Conformed, Decision, Effective
from conformed.model.document import Document
from conformed.rules.precedence import decide

if TYPE_CHECKING:
    from conformed_audit import AuditLog

__all__ = ["Service", "new_run_id"]

_ORIGIN = "conformed.local"


def new_run_id() -> str:
    """A new run id: short, sortable by nothing, never twice."""
    return f"r-{secrets.token_hex(6)}"


class Service:
    """Answers for one workspace.

    Args:
        workspace: where policies, log and cache are.
        clock: the time, UTC; the only place that reads it.
        ids: makes run ids.
        environment: environment variables, for plugin loading.
    """

    def __init__(
        self,
        workspace: Workspace,
        *,
        clock: Callable[[], dt.datetime] | None = None,
        ids: Callable[[], str] = new_run_id,
        environment: dict[str, str] | None = None,
    ) -> None:
        self._workspace = workspace
        self._clock = clock or (lambda: dt.datetime.now(dt.UTC))
        self._ids = ids
        self._environment = dict(os.environ) if environment is None else environment
        self._registry: Registry | None = None
        self._memory: Memory | None = None
        self._documents: dict[str, Document] = {}

    # what precedence says, without a record

    def covenant(self, path: Path, options: RunOptions) -> CovenantAnswer:
        """Which covenant governs, without any figure."""
        read = self._read(path, options)
        return answer_of(read.case.pack, read.case.question, held_back(decide(read.case, read.extraction), read))

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

    def _read(self, path: Path, options: RunOptions) -> Read:
        bound = self._bound(options)
        pack = open_pack(path)
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
        from conformed.app.running import Course, run_pack

        bound, pack = self._bound(options), open_pack(path)
        if not options.resume:
            question_of(options, pack.manifest, self._clock().date())  # what cannot be asked leaves no log
        course = Course(bound, self._loaded(), pack, path, progress, self._keep)
        with self._log() as log:
            return run_pack(course, options, log, today=self._clock().date(), ids=self._ids)

    def evidence(self, path: Path) -> Evidence:
        """Page images, rectangles and texts of a pack, for a report."""
        return evidence_of(open_pack(path), self._bound(RunOptions()).readers(), tuple(self._documents.values()))

    # the log and the plugins

    def log_show(self, run: str) -> tuple[LogEntry, ...]:
        """The records of one run, in order."""
        from conformed.app.records import entries_of

        with self._log(create=False) as log:
            found = entries_of(log, run)
        if not found:
            raise UsageError(f"The log has no run {run!r}.", "Run ids are printed at the end of a run.")
        return found

    def log_verify(self, run: str | None) -> LogCheck:
        """Checks one run's records, or the whole log."""
        from conformed.app.records import check_of

        found = check_of(self._workspace.log)
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

    def _bound(self, options: RunOptions) -> Bound:
        return bound_contract(contract_path(self._workspace.policies, options.policy), self._loaded())

    def _keep(self, document: Document) -> None:
        """Keeps what a run read for the report that may follow; by name, so that only the last pack's is kept."""
        self._documents[document.name] = document

    def _remember(self) -> Memory:
        if self._memory is None:
            roots = [Path(conformed.__file__).parent]
            roots += sorted({Path(str(p)) for o in self._loaded().registrations if o.origin for p in _package(o.origin.module)})
            self._memory = Memory(self._workspace.cache, program_stamp(tuple(roots)))
        return self._memory

    @contextmanager
    def _log(self, *, create: bool = True) -> Iterator[AuditLog]:
        from conformed.engine.log import ours
        from conformed_audit import AuditLog

        path = self._workspace.log
        if not create and not path.exists():
            raise UsageError(f"There is no log at {path}.", "Run a pack first: conformed run PACK.")
        with ours("opened"):
            path.parent.mkdir(parents=True, exist_ok=True)
            log = AuditLog.open(path, origin=_ORIGIN, clock=self._clock, create=create)
        try:
            yield log
        finally:
            with ours("closed"):
                log.close()


def _package(module: str) -> list[Path]:
    """The folder of a plugin's package."""
    import importlib.util

    spec = importlib.util.find_spec(module.partition(":")[0].partition(".")[0])
    return [Path(p) for p in spec.submodule_search_locations or ()] if spec else []
