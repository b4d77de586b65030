"""The step answer: takes the final field from each response and puts it into its normal form. Solves nothing."""

from __future__ import annotations

from collections.abc import Callable

from conformed.engine.answering.route import asked
from conformed.engine.answering.slots import ANSWERS, RESPONSES
from conformed.engine.context import Inputs, StepContext
from conformed.engine.workflow import ACCEPT, REVIEW, StepSpec
from conformed.model.answered import Answer, Answers

__all__ = ["Extract", "Normalise", "answer_step"]

Extract = Callable[[str], tuple[str | None, str]]
"""The answer in a response and ``ok``, or None and why there is none."""
Normalise = Callable[[str, str], tuple[str | None, str]]
"""The normal form of an answer of a form, and its kind; or None and why it has none."""


def answer_step(extract: Extract, normalise: Normalise, *, form: str) -> StepSpec:
    """Binds the taking of answers.

    Args:
        extract: takes the final field.
        normalise: puts an answer into its normal form.
        form: the answer form of tasks that name none.
    """

    def run(inputs: Inputs, context: StepContext) -> Answers:
        task = asked(context)
        taken = [extract(response.text) for response in inputs[RESPONSES].responses]
        return Answers(answers=tuple(_answer(at, *one, task.form or form) for at, one in enumerate(taken)))

    def _answer(sample: int, answer: str | None, code: str, form: str) -> Answer:
        if answer is None:
            return Answer(sample=sample, answer=None, normal=None, code=code)
        normal, kind = normalise(answer, form)
        return Answer(sample=sample, answer=answer, normal=normal, code="ok" if normal is not None else kind)

    return StepSpec(
        name="answer",
        gives=ANSWERS,
        run=run,
        needs=(RESPONSES,),
        outcome=lambda given: ACCEPT if any(one.normal is not None for one in given.answers) else REVIEW,
    )
