"""Puts the record of a short answer together from what is known, whatever failed."""

from __future__ import annotations

from conformed.engine.answering.slots import ANSWERS, CHECKED_ANSWERS, ROUTE, SELECTION, AnswerRequest
from conformed.engine.context import Conclusion
from conformed.errors import StepError
from conformed.model.answer import AnswerVerdict
from conformed.model.answered import AnswerRecord
from conformed.model.base import Missing

__all__ = ["assemble_answer"]


def assemble_answer(known: Conclusion) -> AnswerRecord:
    """The record.

    Args:
        known: the request (an AnswerRequest), what the steps gave, and which failed.

    Raises:
        StepError: when the request is no AnswerRequest (a program's fault).
    """
    asked = known.request
    if not isinstance(asked, AnswerRequest):
        raise StepError(f"The request of run {known.run} is no AnswerRequest.", code="review_step_malformed")
    routed, selection = known.get(ROUTE), known.get(SELECTION)
    not_reached = _not_reached(known)
    answer = selection.answer if selection else not_reached
    return AnswerRecord(
        run=known.run,
        task=asked.task.id,
        contract=asked.contract,
        contract_digest=asked.contract_digest,
        result="review" if isinstance(answer, Missing) or known.failures else "answered",
        route=routed.route if routed else not_reached,
        answer=answer,
        basis=selection.basis if selection else not_reached,
        votes=selection.votes if selection else 0,
        valid=selection.valid if selection else 0,
        total=selection.total if selection else 0,
        codes=_codes(known, answer),
        sentences=tuple(
            dict.fromkeys(
                [
                    *(failure.sentence for failure in known.failures),
                    *([answer.reason] if isinstance(answer, Missing) else []),
                ]
            )
        ),
    )


def _not_reached(known: Conclusion) -> Missing:
    """Why there is no choice: the first failure, or the router."""
    if known.failures:
        first = known.failures[0]
        return Missing(reason=f"The run did not come to a choice. {first.sentence}", code=first.code)
    routed = known.get(ROUTE)
    return Missing(reason=routed.reason if routed else "The run did not come to a choice.", code="human_review")


def _codes(known: Conclusion, answer: object) -> tuple[str, ...]:
    answers, checked = known.get(ANSWERS), known.get(CHECKED_ANSWERS)
    found = {one.code for one in answers.answers} if answers else set()
    if checked:
        found |= {one.verdict.code for one in checked.answers if isinstance(one.verdict, AnswerVerdict)}
    if isinstance(answer, Missing):
        found.add(answer.code)
    return tuple(sorted(found | {failure.code for failure in known.failures}))
