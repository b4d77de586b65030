"""A run with its record: the one place where the contract, the plugins, the rules and the log meet.

Imported only for a run: a question without a record needs neither the log nor the calculation.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Sequence
from importlib.metadata import version
from pathlib import Path

from conformed.app.binding import Bound
from conformed.app.keeping.operational import Event, say, watching
from conformed.app.options import Progress, RunOptions
from conformed.app.people.guard import Guard
from conformed.app.reading import PackFiles, case_of_files, question_of
from conformed.app.witnessing import Witnesses
from conformed.app.working import calculated, governing
from conformed.engine.assemble import assemble
from conformed.engine.calculate import calculate_step
from conformed.engine.claim_check import claim_check_step
from conformed.engine.contract import workflow_of
from conformed.engine.draft import draft_step
from conformed.engine.extract import extract_step
from conformed.engine.intake import intake_step
from conformed.engine.journal import Journal, Keepsake
from conformed.engine.kept import keep_contract, keep_sources
from conformed.engine.log import Identity, Log, case_of, find_unfinished, ours
from conformed.engine.machine import Machine
from conformed.engine.precedence import precedence_step
from conformed.engine.request import RunRequest
from conformed.engine.retrieve import retrieve_step
from conformed.engine.slots import Calculated
from conformed.engine.workflow import Workflow
from conformed.errors import JournalError, UsageError
from conformed.hooks import Registry
from conformed.model.decision import Decision, Effective
from conformed.model.document import Document, Table
from conformed.model.operation import Extraction
from conformed.model.pack import CaseFile, Question
from conformed.policy.may import Action
from conformed.policy.schema import Keep
from conformed.ports import Reader

__all__ = ["Course", "PackTables", "calculated", "run_pack"]


class Course:
    """What a run needs besides the log.

    Args:
        bound: the contract with its plugins.
        registry: every plugin, for the first record of the run.
        files: the pack.
        path: where it lies, as typed.
        progress: told of each step, and of each file that is read.
        keep: given each document as it was read.
    """

    def __init__(
        self, bound: Bound, registry: Registry, files: PackFiles, path: Path, progress: Progress, keep: Callable[[Document], None]
    ) -> None:
        self.bound, self.registry, self.files, self.path = bound, registry, files, path
        self.progress, self.keep = progress, keep

    def request(self, question: Question) -> RunRequest:
        """What is asked, as the first record of the run names it."""
        contract = self.bound.contract
        return RunRequest(
            pack=self.files.name,
            pack_path=str(self.path),
            pack_digest=self.files.evidence.digest,
            borrower=self.files.manifest.borrower,
            question=question,
            contract=f"{contract.contract.name} {contract.contract.version}",
            contract_digest=contract.digest,
        )

    def kept(self, log: Log, case: str) -> tuple[Keepsake, ...]:
        """What the run keeps so that it can be done again: its contract, and its files where the contract keeps evidence.

        Raises:
            JournalError: when the log cannot be read.
        """
        contract = self.bound.contract
        policy = keep_contract(contract.data)
        if Keep.EVIDENCE not in contract.contract.retention.keep:
            return (policy,)
        return policy, keep_sources(log, case, self.files.name, self.files.manifest, self.files.evidence)

    def workflow(self, question: Question) -> Workflow:
        """The steps of a run.

        Raises:
            UsageError: when the contract names more than one retriever.
        """
        bound, contract = self.bound, self.bound.contract.contract
        readers = bound.readers()
        alert = contract.headroom_alert
        retrievers = bound.made("retrieve")
        if len(retrievers) != 1:
            raise UsageError("The contract names more than one retriever.", "Name one under the step retrieve.")

        def read() -> CaseFile:
            return case_of_files(self.files, question, readers, self.progress, self.keep)

        witnesses = Witnesses(self.files, readers)

        def govern(case: CaseFile, extraction: Extraction) -> Effective:
            return witnesses.level(case, extraction, governing(extraction, case, alert, contract.formulas))

        def work(effective: Effective, extraction: Extraction, case: CaseFile) -> Calculated:
            return witnesses.figures(case, calculated(effective, extraction, case, alert, contract.formulas))

        names = tuple(plugin.name for plugin in bound.contract.step("intake").plugins)
        steps = (
            intake_step(read, digest=self.files.evidence.digest, readers=names),
            retrieve_step(retrievers[0][1], plugin=retrievers[0][0]),
            extract_step(bound.made("extract"), tables=PackTables(self.files, readers), backend=bound.backend("extract")),
            precedence_step(govern),
            calculate_step(work),
            claim_check_step(),
            draft_step(bound.made("draft"), backend=bound.backend("draft")),
        )
        return workflow_of(contract, bound.contract.digest, steps, assemble, Decision)


def run_pack(course: Course, options: RunOptions, log: Log, guard: Guard, *, today: dt.date, ids: Callable[[], str]) -> Decision:
    """Runs a contract on a pack, or goes on with the last run of the pack that has no end.

    Args:
        course: contract, plugins and files.
        options: what is asked.
        log: where every step is written.
        guard: decides whether whoever is at the keys may run, or go on.
        today: the knowledge date where none is given.
        ids: makes run ids.

    Raises:
        ConformedError: when it is denied, the log cannot be written, there is nothing to resume, or what is asked cannot be done.
    """
    case = case_of(course.files.name, course.files.evidence.digest)
    if options.resume:
        run, request = _open_run(course, options, log, case)
    else:
        run, request = ids(), course.request(question_of(options, course.files.manifest, today))
    workflow = course.workflow(request.question)
    plugins = f"sha256:{course.registry.manifest_digest()}"
    identity = Identity(case=case, run=run, engine=f"conformed {version('conformed')}", contract=workflow.digest, plugins=plugins)

    permit = guard.permit(Action.RESUME if options.resume else Action.RUN, case, run=run)
    machine = Machine(workflow, Journal(guard.writer(permit), identity), progress=watching(course.progress, run, case))
    if options.resume:
        record = machine.resume(RunRequest).record
    else:
        record = machine.begin(request, course.registry.manifest(), course.kept(log, case)).record
    if not isinstance(record, Decision):
        raise JournalError("The record of the run is not a decision.", "Verify the log: conformed log verify.")
    say(Event.RUN_ENDED, run=run, result=record.result.value)
    return record


def _open_run(course: Course, options: RunOptions, log: Log, case: str) -> tuple[str, RunRequest]:
    """The last run of a pack without an end, and what it was asked.

    Raises:
        UsageError: when there is none, or it was asked something else than is typed now.
    """
    runs = find_unfinished(log, case=case)
    if not runs:
        raise UsageError(f"No unfinished run of the pack {course.files.name} is in the log.", "Run it without --resume.")
    with ours("read"):
        request = RunRequest.model_validate_json(log.get_blob(runs[-1].request))
    if request.earlier:
        what = f"The unfinished run {runs[-1].run} does run {request.earlier} again with overrides."
        raise UsageError(what, f"Give them again: conformed override {request.earlier}.")
    typed = options.model_dump(exclude_defaults=True, exclude={"resume", "policy"})
    asked = request.question.model_dump()
    for name in sorted(typed):
        if typed[name] != asked[name]:
            what = f"The unfinished run {runs[-1].run} was asked {name} {asked[name]}, and not {typed[name]}."
            raise UsageError(what, "Resume it without that option, or begin another run without --resume.")
    return runs[-1].run, request


class PackTables:
    """Tables of a document on demand, from the bytes that were gathered."""

    def __init__(self, files: PackFiles, readers: Sequence[Reader]) -> None:
        self._data = {f.name: f.data for f in files.evidence.files}
        self._readers = readers

    def __call__(self, case: CaseFile, name: str, pages: Sequence[int]) -> tuple[Table, ...]:
        """Tables of a document of the case on some pages."""
        document, data = case.document(name), self._data.get(name)
        if data is None:
            return ()
        for reader in self._readers:
            if reader.accepts(name, data[:4096]):
                return reader.tables(document, data, list(pages))
        return ()
