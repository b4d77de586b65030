"""The step verify: each answer is held against what the task brings. A verifier that fails has not found anything right."""

from __future__ import annotations

from collections.abc import Mapping

from conformed.engine.answering.route import asked
from conformed.engine.answering.slots import ANSWERS, CHECKED_ANSWERS
from conformed.engine.context import Inputs, StepContext
from conformed.engine.workflow import ACCEPT, REVIEW, StepSpec
from conformed.model.answer import AnswerCheck, AnswerVerdict, Outcome
from conformed.model.answered import Answer, Checked, CheckedAnswer, Task
from conformed.model.base import Missing
from conformed.policy.guard import settle_answer
from conformed.ports import AnswerVerifier

__all__ = ["verify_step"]


def verify_step(verifiers: Mapping[str, tuple[str, AnswerVerifier]], *, default: str, on_error: str) -> StepSpec:
    """Binds verification.

    Args:
        verifiers: by registered name, which is the answer form too: name and version, and itself.
        default: the verifier of tasks that name no form.
        on_error: what a failed verifier counts as: review, or reject for incorrect.
    """

    def run(inputs: Inputs, context: StepContext) -> Checked:
        task = asked(context)
        return Checked(answers=tuple(CheckedAnswer(answer=one, verdict=verdict(task, one)) for one in inputs[ANSWERS].answers))

    def verdict(task: Task, answer: Answer) -> AnswerVerdict | Missing:
        if answer.answer is None or answer.normal is None:
            return Missing(reason="There is no answer to check.", code=answer.code)
        if not task.checkable:
            return Missing(reason="The task brings nothing to hold an answer against.", code="nothing_to_check")
        form = task.form or default
        if form not in verifiers:
            return Missing(reason="The contract has no verifier of this form.", code="no_verifier")
        name, verifier = verifiers[form]
        asks = AnswerCheck(candidate=answer.answer, reference=task.check, item=task.id, prompt=task.prompt, facts=task.facts)
        return settle_answer(on_error, lambda: verifier.check(asks), verifier=name)

    def outcome(given: Checked) -> str:
        open_ = [one for one in given.answers if isinstance(one.verdict, AnswerVerdict) and one.verdict.outcome is Outcome.REVIEW]
        return REVIEW if open_ else ACCEPT

    return StepSpec(
        name="verify",
        gives=CHECKED_ANSWERS,
        run=run,
        needs=(ANSWERS,),
        plugins=tuple(name for name, _verifier in verifiers.values()),
        outcome=outcome,
    )
