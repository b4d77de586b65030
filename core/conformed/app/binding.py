"""Binds a contract to plugins and rules: the one place where the parts of the covenant run meet."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from conformed.app.options import Progress
from conformed.app.reading import PackFiles, case_of_files
from conformed.engine.assemble import assemble
from conformed.engine.calculate import calculate_step
from conformed.engine.checks import check_proposal, check_retrieved
from conformed.engine.claim_check import claim_check_step
from conformed.engine.contract import workflow_of
from conformed.engine.draft import draft_step
from conformed.engine.extract import extract_step
from conformed.engine.intake import intake_step
from conformed.engine.precedence import precedence_step
from conformed.engine.retrieve import retrieve_step
from conformed.engine.slots import Calculated
from conformed.engine.workflow import Workflow
from conformed.errors import UsageError
from conformed.hooks import Registry
from conformed.model.base import Missing
from conformed.model.covenant import Covenant
from conformed.model.decision import Decision, Effective
from conformed.model.document import Table
from conformed.model.operation import Extraction
from conformed.model.pack import CaseFile, Question
from conformed.model.retrieval import Retrieved
from conformed.policy.bind import BoundContract, bind
from conformed.policy.load import load_model
from conformed.policy.schema import TaskContract
from conformed.ports import ExtractRequest, Reader
from conformed.rules.calculate import CaseFacts, calculate
from conformed.rules.precedence import decide

__all__ = ["Bound", "bound_contract", "contract_path"]


def contract_path(policies: Path, name: str | None) -> Path:
    """The file of a contract: a path as it is, a name within the workspace, or the workspace's ``covenant.yaml``.

    Raises:
        UsageError: when there is none, naming those that there are.
    """
    if name and (name.endswith((".yaml", ".yml")) or "/" in name):
        path = Path(name)
    else:
        path = policies / f"{name or 'covenant'}.yaml"
    if not path.is_file():
        there = ", ".join(sorted(p.stem for p in policies.glob("*.yaml"))) or "none"
        raise UsageError(f"There is no contract {name or 'covenant'!r} ({path}).", f"Contracts of this workspace: {there}.")
    return path


def bound_contract(path: Path, registry: Registry) -> Bound:
    """Loads a contract and binds it to the plugins that it pins.

    Raises:
        PolicyError: with file, line and column.
    """
    return Bound(bind(load_model(path, TaskContract), registry))


@dataclass(frozen=True, slots=True)
class Bound:
    """A contract with the plugins of each step."""

    contract: BoundContract

    def _made(self, step: str) -> list[tuple[str, Any]]:
        return [(plugin.name, plugin.create()) for plugin in self.contract.step(step).plugins]

    def readers(self) -> list[Reader]:
        """The contract's readers, in its order."""
        return [reader for _, reader in self._made("intake")]

    def proposals(self, case: CaseFile, files: PackFiles) -> tuple[Retrieved, Extraction]:
        """Retrieval and extraction outside a run, each proposal checked as in a run.

        Raises:
            StepError: when a proposal cites what is not there.
        """
        retrieved = Retrieved(authorised=tuple(d.name for d in case.documents))
        for _, retriever in self._made("retrieve"):
            retrieved = retriever.retrieve(case)
            check_retrieved(retrieved, case)
        operations, rejected, producers = [], [], []
        for name, extractor in self._made("extract"):
            if name.startswith("certificate "):
                continue  # figures are not asked for
            given = extractor.extract(ExtractRequest(case=case, retrieved=retrieved))
            check_proposal(given, case, retrieved.authorised)
            operations += given.operations
            rejected += given.rejected
            producers.append(name)
        return retrieved, Extraction(operations=tuple(operations), rejected=tuple(rejected), producer=" + ".join(producers))

    def workflow(self, files: PackFiles, question: Question, progress: Progress) -> Workflow:
        """The steps of a run on some files."""
        readers = self.readers()
        tables = _Tables(files, readers)
        contract = self.contract.contract
        alert = contract.headroom_alert
        retrievers = self._made("retrieve")
        if len(retrievers) != 1:
            raise UsageError("The contract names more than one retriever.", "Name one under the step retrieve.")

        def read() -> CaseFile:
            return case_of_files(files, question, readers, progress)

        def work(effective: Effective, extraction: Extraction, case: CaseFile) -> Calculated:
            return _calculated(effective, extraction, case, alert)

        steps = (
            intake_step(read, digest=files.evidence.digest, readers=tuple(p.name for p in self.contract.step("intake").plugins)),
            retrieve_step(retrievers[0][1], plugin=retrievers[0][0]),
            extract_step(self._made("extract"), tables=tables),
            precedence_step(decide),
            calculate_step(work),
            claim_check_step(),
            draft_step(self._made("draft")),
        )
        return workflow_of(contract, self.contract.digest, steps, assemble, Decision)


class _Tables:
    """Tables of a document on demand, from the bytes that were gathered."""

    def __init__(self, files: PackFiles, readers: Sequence[Reader]) -> None:
        self._data = {f.name: f.data for f in files.evidence.files}
        self._readers = readers

    def __call__(self, case: CaseFile, name: str, pages: Sequence[int]) -> tuple[Table, ...]:
        document, data = case.document(name), self._data.get(name)
        if data is None:
            return ()
        for reader in self._readers:
            if reader.accepts(name, data[:4096]):
                return reader.tables(document, data, list(pages))
        return ()


def _calculated(effective: Effective, extraction: Extraction, case: CaseFile, alert: Any) -> Calculated:
    """The calculation against the governing covenant; where readings remain open, the ratio alone, compared with none of them."""
    facts = CaseFacts(test_date=case.question.test_date, home=_home(case), alert_headroom=alert)
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
    against = {"level", "headroom_debt", "headroom_ebitda", "carried", "tested"}
    ratio_only = found.calculation.model_copy(update={
        "figures": tuple(f for f in found.calculation.figures if f.name != "level"),
        "steps": tuple(s for s in found.calculation.steps if s.name not in against),
        "comparison": open_level, "headroom_debt": None, "headroom_ebitda": None, "codes": (),
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
