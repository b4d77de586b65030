"""The step select: which answer is given. What a check did not find right is never given in place of what it could not tell."""

from __future__ import annotations

from collections import Counter

from conformed.engine.answering.route import asked
from conformed.engine.answering.slots import CHECKED_ANSWERS, ROUTE, SELECTION
from conformed.engine.context import Inputs, StepContext
from conformed.engine.workflow import ACCEPT, REVIEW, StepSpec
from conformed.model.answer import AnswerVerdict, Outcome
from conformed.model.answered import Basis, Checked, CheckedAnswer, Selection
from conformed.model.base import Missing

__all__ = ["select_step"]


def select_step() -> StepSpec:
    """Binds the choice: of what was found right the form that most samples gave; where nothing can be checked the one answer."""

    def run(inputs: Inputs, context: StepContext) -> Selection:
        checked = inputs[CHECKED_ANSWERS]
        if (right := _most_given(checked)) is not None:
            return _selection(checked, *right, Basis.VERIFIED)
        if asked(context).checkable:
            return _none("No answer was found right by its check.", "no_answer_verified", checked)
        normal = checked.answers[0].answer.normal if len(checked.answers) == 1 else None
        if normal is None:
            return _none("There is no answer that can be read.", "no_answer", checked)
        return _selection(checked, normal, 1, Basis.SINGLE)

    return StepSpec(
        name="select",
        gives=SELECTION,
        run=run,
        needs=(ROUTE, CHECKED_ANSWERS),
        outcome=lambda given: REVIEW if isinstance(given.answer, Missing) else ACCEPT,
    )


def _most_given(checked: Checked) -> tuple[str, int] | None:
    """The form in which most samples gave an answer that was found right, the earliest of equals, and how many did."""
    right = Counter(one.answer.normal for one in checked.answers if one.answer.normal is not None and _right(one))
    return right.most_common(1)[0] if right else None  # of equals the one counted first


def _right(one: CheckedAnswer) -> bool:
    return isinstance(one.verdict, AnswerVerdict) and one.verdict.outcome is Outcome.CORRECT


def _selection(checked: Checked, answer: str, votes: int, basis: Basis) -> Selection:
    return Selection(answer=answer, basis=basis, votes=votes, valid=_valid(checked), total=len(checked.answers))


def _none(reason: str, code: str, checked: Checked) -> Selection:
    why = Missing(reason=reason, code=code)
    return Selection(answer=why, basis=why, votes=0, valid=_valid(checked), total=len(checked.answers))


def _valid(checked: Checked) -> int:
    return sum(one.answer.normal is not None for one in checked.answers)
