"""The step precedence: which text governed on the test date, by rule."""

from __future__ import annotations

from collections.abc import Callable

from conformed.engine.checks import check_spans
from conformed.engine.context import Inputs, StepContext
from conformed.engine.slots import CASE, EFFECTIVE, EXTRACTION, RETRIEVED
from conformed.engine.workflow import ACCEPT, REVIEW, StepSpec
from conformed.model.decision import Effective
from conformed.model.operation import Extraction
from conformed.model.pack import CaseFile

__all__ = ["precedence_step"]


def precedence_step(decide: Callable[[CaseFile, Extraction], Effective]) -> StepSpec:
    """Binds precedence.

    Args:
        decide: the rules' decision procedure.
    """

    def run(inputs: Inputs, _context: StepContext) -> Effective:
        return decide(inputs[CASE], inputs[EXTRACTION])

    return StepSpec(
        name="precedence",
        gives=EFFECTIVE,
        run=run,
        needs=(CASE, RETRIEVED, EXTRACTION),
        outcome=lambda effective: REVIEW if effective.result == "review" else ACCEPT,
        verify=lambda effective, inputs: check_spans(effective, inputs[CASE]),
    )
