"""A run with its record: the one place where the contract, the plugins, the rules and the log meet.

Imported only for a run: a question without a record needs neither the log nor the calculation.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from importlib.metadata import version
from pathlib import Path

from conformed.app.binding import Bound
from conformed.app.options import Progress, RunOptions
from conformed.app.reading import PackFiles, case_of_files, question_of
from conformed.engine.assemble import assemble
from conformed.engine.calculate import calculate_step
from conformed.engine.claim_check import claim_check_step
from conformed.engine.contract import workflow_of
from conformed.engine.draft import draft_step
from conformed.engine.extract import extract_step
from conformed.engine.intake import intake_step
from conformed.engine.journal import Journal
from conformed.engine.log import Identity, Log, case_of, find_unfinished, ours
from conformed.engine.machine import Machine
from conformed.engine.machine import Progress as StepProgress
from conformed.engine.precedence import precedence_step
from conformed.engine.request import RunRequest
from conformed.engine.retrieve import retrieve_step
from conformed.engine.slots import Calculated
from conformed.engine.workflow import Workflow
from conformed.errors import JournalError, UsageError
from conformed.hooks import Registry
from conformed.model.base import Missing
from conformed.model.covenant import Covenant
from conformed.model.decision import Decision, Effective
from conformed.model.document import Document, Table
from conformed.model.operation import Extraction
from conformed.model.pack import CaseFile, Question
from conformed.ports import Reader
from conformed.rules.agreement_terms import agreement_terms
from conformed.rules.calculate import CaseFacts, calculate
from conformed.rules.precedence import decide

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

        def work(effective: Effective, extraction: Extraction, case: CaseFile) -> Calculated:
            return calculated(effective, extraction, case, alert, contract.formulas)

        names = tuple(plugin.name for plugin in bound.contract.step("intake").plugins)
        steps = (
            intake_step(read, digest=self.files.evidence.digest, readers=names),
            retrieve_step(retrievers[0][1], plugin=retrievers[0][0]),
            extract_step(bound.made("extract"), tables=PackTables(self.files, readers)),
            precedence_step(decide),
            calculate_step(work),
            claim_check_step(),
            draft_step(bound.made("draft")),
        )
        return workflow_of(contract, bound.contract.digest, steps, assemble, Decision)


def run_pack(course: Course, options: RunOptions, log: Log, *, today: dt.date, ids: Callable[[], str]) -> Decision:
    """Runs a contract on a pack, or goes on with the last run of the pack that has no end.

    Args:
        course: contract, plugins and files.
        options: what is asked.
        log: where every step is written.
        today: the knowledge date where none is given.
        ids: makes run ids.

    Raises:
        ConformedError: when the log cannot be written, there is nothing to resume, or what is asked cannot be carried out.
    """
    case = case_of(course.files.name, course.files.evidence.digest)
    if options.resume:
        run, request = _open_run(course, options, log, case)
    else:
        run, request = ids(), course.request(question_of(options, course.files.manifest, today))
    workflow = course.workflow(request.question)
    plugins = f"sha256:{course.registry.manifest_digest()}"
    identity = Identity(case=case, run=run, engine=f"conformed {version('conformed')}", contract=workflow.digest, plugins=plugins)

    def tell(event: StepProgress) -> None:
        if event.event == "begun":
            course.progress(event.step, event.number, event.total)

    machine = Machine(workflow, Journal(log, identity), progress=tell)
    record = (machine.resume(RunRequest) if options.resume else machine.begin(request, course.registry.manifest())).record
    if not isinstance(record, Decision):
        raise JournalError("The record of the run is not a decision.", "Verify the log: conformed log verify.")
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


def calculated(
    effective: Effective,
    extraction: Extraction,
    case: CaseFile,
    alert: Fraction | None,
    formulas: Mapping[str, str] | None = None,
) -> Calculated:
    """The calculation against the governing covenant; where readings remain open, the ratio alone, compared with none of them."""
    facts = CaseFacts(
        test_date=case.question.test_date,
        home=_home(case),
        alert_headroom=alert,
        agreement=agreement_terms(case),
        formulas=formulas or {},
    )
    if isinstance(effective.covenant, Covenant):
        found = calculate(effective.covenant, extraction.certificates, facts)
        return Calculated(calculation=found.calculation, certificate=found.certificate, reasons=found.reasons)
    open_level = Missing(reason="No one covenant governs, so that nothing is compared.", code=effective.covenant.code)
    certificate = extraction.certificates[0] if len(extraction.certificates) == 1 else open_level
    same = {(c.metric, c.name) for c in effective.candidates}
    if effective.result != "review" or len(same) != 1:
        return Calculated(calculation=open_level, certificate=certificate)
    candidate = effective.candidates[0].model_copy(update={"definitions": effective.definitions})
    found = calculate(candidate, extraction.certificates, facts)
    reasons = tuple(r for r in found.reasons if r.code.startswith("review"))
    if isinstance(found.calculation, Missing):
        return Calculated(calculation=found.calculation, certificate=found.certificate, reasons=reasons)
    against = {"level", "headroom_debt", "headroom_ebitda", "carried", "tested", "cross_right"}
    ratio_only = found.calculation.model_copy(update={
        "figures": tuple(f for f in found.calculation.figures if f.name != "level"),
        "steps": tuple(s for s in found.calculation.steps if s.name not in against),
        "comparison": open_level, "headroom_debt": None, "headroom_ebitda": None, "codes": (), "cure": None,
    })  # fmt: skip
    return Calculated(calculation=ratio_only, certificate=found.certificate, reasons=reasons)


def _home(case: CaseFile) -> str:
    """What a bare ``$`` means: US dollars, unless the papers speak of another dollar."""
    other = any(
        mark in d.text
        for d in case.documents
        for mark in (
            "C$",
            "CDN$",
            "A$",
            "HK$",
            "Canadian Dollars",
            "Australian Dollars",
            "Canadian dollars",
            "Australian dollars",
        )
    )
    return "XXX" if other else "USD"
