"""A small covenant case, with stand-ins for rules and plugins: what the steps of the covenant run are tested with."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from datetime import date
from fractions import Fraction
from typing import Any

from engine_toy import DIGEST, REGISTRATIONS

from conformed.engine.assemble import assemble
from conformed.engine.calculate import calculate_step
from conformed.engine.claim_check import claim_check_step
from conformed.engine.draft import draft_step
from conformed.engine.extract import extract_step
from conformed.engine.intake import intake_step
from conformed.engine.journal import Journal
from conformed.engine.log import Identity
from conformed.engine.machine import Ended, Machine
from conformed.engine.precedence import precedence_step
from conformed.engine.request import RunRequest
from conformed.engine.retrieve import retrieve_step
from conformed.engine.slots import Calculated, Checked
from conformed.engine.workflow import Kind, Limits, StepSpec, Workflow
from conformed.model.base import Missing
from conformed.model.calculation import Calculation, Certificate, Comparison, Figure, Step
from conformed.model.claim import Claim, ClaimKind, Draft, Sentence, Verdict
from conformed.model.covenant import Comparator, Covenant, CovenantTerms, Limit, Row, Unit
from conformed.model.decision import Decision, Effective, Reason
from conformed.model.document import Document, Media, Page
from conformed.model.operation import EffectiveMode, Effectiveness, Extraction, Op, Operation, Target
from conformed.model.pack import CaseFile, Execution, Instrument, InstrumentKind, Manifest, Question
from conformed.model.provision import ProvisionTree
from conformed.model.retrieval import Passage, PassageKind, Retrieved
from conformed.model.span import Span
from conformed.ports import DraftRequest, ExtractRequest

TEXT = "7.1 Leverage. The ratio of Net Debt to EBITDA shall not exceed 3.50 to 1.00.\fNet Debt 300, EBITDA 100."
NAME = "agreement.txt"
PACK_DIGEST = "c" * 64
DAY = date(2025, 12, 31)


def document(name: str = NAME, text: str = TEXT, *, paged: bool = True) -> Document:
    """A document of two pages."""
    cut = text.index("\f")
    pages = (Page(number=1, start=0, end=cut), Page(number=2, start=cut + 1, end=len(text)))
    digest = hashlib.sha256(text.encode()).hexdigest()
    return Document(name=name, sha256=digest, media=Media.TEXT, reader="text 1.0.0", text=text, pages=pages, paged=paged)


def question(**changes: Any) -> Question:
    """What is asked."""
    return Question(**{"test_date": DAY, "known_at": date(2026, 2, 1), "covenant": "Leverage", **changes})


def case_file(*documents: Document, **changes: Any) -> CaseFile:
    """A case file of one agreement, or of some documents."""
    held = documents or (document(),)
    return CaseFile(
        **{
            "pack": "meadow",
            "digest": PACK_DIGEST,
            "borrower": "Meadow Mills Ltd",
            "question": question(),
            "manifest": Manifest(),
            "documents": held,
            "trees": tuple(ProvisionTree(document=one.name, provisions=()) for one in held),
            "instruments": tuple(
                Instrument(document=one.name, kind=InstrumentKind.FACILITY_AGREEMENT, execution=Execution.EXECUTED)
                for one in held
            ),
            **changes,
        }
    )


def span(words: str, case: CaseFile | None = None) -> Span:
    """The span of some words of the agreement."""
    held = (case or case_file()).documents[0]
    start = held.text.index(words)
    return held.span(start, start + len(words))


def level() -> Limit:
    """The level of the agreement."""
    return Limit(unit=Unit.RATIO, value=Fraction(7, 2), raw="3.50 to 1.00", places=2, spans=(span("3.50 to 1.00"),))


def covenant() -> Covenant:
    """The covenant that governs."""
    return Covenant(
        name="ratio of Net Debt to EBITDA",
        metric="net_leverage",
        section="7.1",
        comparator=Comparator.LE,
        limit=level(),
        document=NAME,
        spans=level().spans,
    )


class Retriever:
    def retrieve(self, case: CaseFile) -> Retrieved:
        names = tuple(one.name for one in case.documents)
        return Retrieved(authorised=names, passages=(Passage(document=NAME, start=0, end=40, kind=PassageKind.COVENANT),))


class Extractor:
    def extract(self, request: ExtractRequest) -> Extraction:
        terms = CovenantTerms(
            name="ratio of Net Debt to EBITDA",
            metric="net_leverage",
            section="7.1",
            comparator=Comparator.LE,
            rows=(Row(limit=level()),),
            spans={"metric": (span("ratio of Net Debt to EBITDA"),), "level": level().spans},
        )
        stated = Operation(
            id=f"{NAME}#1",
            op=Op.STATE_COVENANT,
            document=NAME,
            target=Target(section="7.1"),
            effective=Effectiveness(mode=EffectiveMode.ON_CLOSING),
            terms=(terms,),
            instruction=(span("shall not exceed"),),
        )
        figures = tuple(
            Figure(name=name, label=name, value=Fraction(value), currency="EUR", raw=str(value), spans=(span(words),))
            for name, value, words in (("net_debt", 300, "Net Debt 300"), ("ebitda", 100, "EBITDA 100"))
        )
        certificate = Certificate(document=NAME, figures=figures)
        return Extraction(operations=(stated,), certificates=(certificate,), producer="stand-in 1.0.0")


def decide(_case: CaseFile, extraction: Extraction) -> Effective:
    """Stands in for precedence."""
    assert extraction.operations
    reason = Reason(code="accept_base_statement", sentence="Level stated in the agreement in force.", spans=level().spans)
    return Effective(result="determined", covenant=covenant(), reasons=(reason,))


def work(effective: Effective, extraction: Extraction, _case: CaseFile) -> Calculated:
    """Stands in for the calculation."""
    certificate = extraction.certificates[0]
    assert isinstance(effective.covenant, Covenant)
    value = certificate.figures[0].value / certificate.figures[1].value
    right = effective.covenant.limit.value
    comparison = Comparison(
        left=value, comparator=Comparator.LE, right=right, met=value <= right, shown_left="3.00x", shown_right="3.50x"
    )
    step = Step(name="ratio", expression="net_debt / ebitda", value=value, unit="x")
    calculation = Calculation(
        figures=certificate.figures,
        steps=(step,),
        ratio=value,
        comparison=comparison,
        currency="EUR",
        codes=("accept_calculation_complete",),
    )
    return Calculated(calculation=calculation, certificate=certificate)


def compose(record: Decision, _case: CaseFile) -> Checked:
    """Stands in for the claims."""
    claim = Claim(id="c1", kind=ClaimKind.RESULT, subject="result", text=record.result.value, cites=("ratio",))
    fact = Claim(id="c2", kind=ClaimKind.FACT, subject="level", value=Fraction(7, 2), shown="3.50x", spans=level().spans)
    verdicts = tuple(Verdict(outcome="accept", subject=one.id, verifier="stand-in 1.0.0") for one in (claim, fact))
    return Checked(claims=(claim, fact), verdicts=verdicts, result=record.result)


def written(request: DraftRequest, text: str) -> Draft:
    """A draft of one sentence."""
    sentence = Sentence(text=text, kind=ClaimKind.RESULT, claims=("c1",))
    return Draft(sentences=(sentence,), run=request.run, pack_digest=request.pack_digest, producer="stand-in 1.0.0")


class Drafter:
    def draft(self, request: DraftRequest) -> tuple[Draft, ...]:
        return written(request, "The ratio of 3.00x meets the level of 3.50x."), written(request, "3.00x meets 3.50x.")


def check(draft: Draft, _claims: tuple[Claim, ...], _record: Decision, _case: CaseFile) -> tuple[Verdict, ...]:
    """Stands in for the claim checks."""
    fine = all("approve" not in sentence.text for sentence in draft.sentences)
    code = "" if fine else "claim_prohibited_recommendation"
    return (Verdict(outcome="accept" if fine else "reject", code=code, subject="draft", verifier="stand-in 1.0.0"),)


def steps(**parts: Any) -> list[StepSpec]:
    """The seven steps; ``parts`` replace what does single ones."""
    return [
        intake_step(parts.get("read", case_file), digest=PACK_DIGEST, readers=("text 1.0.0",)),
        retrieve_step(parts.get("retriever", Retriever()), plugin="index 1.0.0"),
        extract_step(parts.get("extractors", [("stand-in 1.0.0", Extractor())]), kind=parts.get("kind", Kind.PURE)),
        precedence_step(parts.get("decide", decide)),
        calculate_step(parts.get("work", work)),
        claim_check_step(parts.get("compose", compose)),
        draft_step(
            parts.get("drafters", [("stand-in 1.0.0", Drafter())]),
            check=parts.get("check", check),
            verifiers=parts.get("verifiers"),
        ),
    ]


def workflow(made: list[StepSpec] | None = None, **parts: Any) -> Workflow:
    """The contract."""
    return Workflow("leverage", "1.0.0", DIGEST, tuple(made or steps(**parts)), assemble, Decision, Limits())


def request(**changes: Any) -> RunRequest:
    """What the run is asked."""
    return RunRequest(
        **{
            "pack": "meadow",
            "pack_digest": PACK_DIGEST,
            "question": question(),
            "contract": "leverage 1.0.0",
            "contract_digest": "a" * 64,
            **changes,
        }
    )


def identity(run: str = "run-1") -> Identity:
    """Who runs it."""
    return Identity(case="meadow-1", run=run, engine="1.0.0", contract=DIGEST, plugins=DIGEST)


def decide_all(log: Any, *, run: str = "run-1", progress: Callable[..., None] | None = None, **parts: Any) -> Ended:
    """A whole run."""
    return Machine(workflow(**parts), Journal(log, identity(run)), progress=progress).begin(request(), REGISTRATIONS)


def decision(ended: Ended) -> Decision:
    """The record of a run."""
    assert isinstance(ended.record, Decision)
    return ended.record


def missing(reason: str = "It is not there.", code: str = "review_input_missing") -> Missing:
    """An absence."""
    return Missing(reason=reason, code=code)
