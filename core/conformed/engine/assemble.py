"""Puts the decision record together from what is known, whatever failed. The software never concludes: a person does."""

from __future__ import annotations

from conformed.engine.context import Conclusion
from conformed.engine.judge import Judgement, judge, overlays
from conformed.engine.next_steps import next_steps
from conformed.engine.request import RunRequest
from conformed.engine.slots import CALCULATED, CASE, CHECKED, DRAFTED, EFFECTIVE, Checked
from conformed.engine.vector import checks
from conformed.errors import StepError
from conformed.model.base import Missing
from conformed.model.claim import Claim, ClaimKind, Draft
from conformed.model.decision import Decision, DocumentSummary, Reason, Result
from conformed.model.pack import CaseFile

__all__ = ["assemble"]


def assemble(known: Conclusion) -> Decision:
    """The decision record.

    A draft or a result claim written for another result than the final one is left out: a run that turned to review after
    the words were written must not carry words that say something else.

    Args:
        known: the request (a RunRequest), what the steps gave, and which failed.

    Raises:
        StepError: when the request is not a RunRequest (a program's fault).
    """
    asked = known.request
    if not isinstance(asked, RunRequest):
        raise StepError(f"The request of run {known.run} is no RunRequest.", code="review_step_malformed")
    case, effective, calculated, drafted = known.get(CASE), known.get(EFFECTIVE), known.get(CALCULATED), known.get(DRAFTED)
    checked, judgement = known.get(CHECKED), judge(known)
    return Decision(
        run=known.run,
        pack=asked.pack,
        pack_digest=asked.pack_digest,
        borrower=case.borrower if case and case.borrower else asked.borrower,
        test_date=asked.question.test_date,
        known_at=asked.question.known_at,
        contract=asked.contract,
        contract_digest=asked.contract_digest,
        result=judgement.result,
        overlay=overlays(known).overlay,
        covenant=effective.covenant if effective else _not_reached("covenant", judgement),
        candidates=effective.candidates if effective else (),
        certificate=calculated.certificate if calculated else _not_reached("certificate", judgement),
        calculation=calculated.calculation if calculated else _not_reached("calculation", judgement),
        timeline=effective.timeline if effective else (),
        conformed=effective.conformed if effective else (),
        checks=checks(judgement, known),
        reasons=judgement.reasons,
        findings=judgement.findings,
        claims=_claims(checked, judgement.result),
        verdicts=(*(checked.verdicts if checked else ()), *(drafted.verdicts if drafted else ())),
        draft=_draft(drafted.draft, checked, judgement) if drafted else _not_reached("draft", judgement),
        documents=_documents(case),
        refusals=tuple(refusal.sentence for refusal in case.refusals) if case else (),
        next_steps=next_steps(judgement.result, judgement.reasons, judgement.findings),
    )


def _not_reached(what: str, judgement: Judgement) -> Missing:
    """Why a part is absent: the first failure stands for it."""
    failed: Reason | None = next(iter(judgement.parts["failures"]), None)
    if failed is None:
        return Missing(reason=f"The run did not come to the {what}.")
    return Missing(reason=f"The run did not come to the {what}. {failed.sentence}", code=failed.code)


def _claims(checked: Checked | None, result: Result) -> tuple[Claim, ...]:
    if checked is None:
        return ()
    return (
        checked.claims if checked.result == result else tuple(one for one in checked.claims if one.kind is not ClaimKind.RESULT)
    )


def _draft(draft: Draft | Missing, checked: Checked | None, judgement: Judgement) -> Draft | Missing:
    if isinstance(draft, Draft) and (checked is None or checked.result != judgement.result):
        return Missing(reason="The draft was written for another result and is not shown.", code="review_draft_refused")
    return draft


def _documents(case: CaseFile | None) -> tuple[DocumentSummary, ...]:
    if case is None:
        return ()
    return tuple(
        DocumentSummary(
            name=document.name,
            sha256=document.sha256,
            kind=instrument.kind.value,
            title=instrument.title,
            dated=instrument.dated,
            effective_on=instrument.effective_on,
            execution=instrument.execution.value,
            pages=len(document.pages),
            notes=tuple(note.sentence for note in document.notes),
        )
        for document, instrument in zip(case.documents, case.instruments, strict=True)
    )
