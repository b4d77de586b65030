"""The step calculate: figures, ratio, comparison, exactly and by rule."""

from __future__ import annotations

from collections.abc import Callable

from conformed.engine.checks import check_spans
from conformed.engine.context import Inputs, StepContext
from conformed.engine.slots import CALCULATED, CASE, EFFECTIVE, EXTRACTION, Calculated
from conformed.engine.workflow import ACCEPT, REVIEW, StepSpec
from conformed.model.base import Missing
from conformed.model.decision import Effective
from conformed.model.operation import Extraction
from conformed.model.pack import CaseFile

__all__ = ["calculate_step"]


def calculate_step(work: Callable[[Effective, Extraction, CaseFile], Calculated]) -> StepSpec:
    """Binds the calculation.

    Args:
        work: the rules' calculation.
    """

    def run(inputs: Inputs, _context: StepContext) -> Calculated:
        return work(inputs[EFFECTIVE], inputs[EXTRACTION], inputs[CASE])

    return StepSpec(
        name="calculate",
        gives=CALCULATED,
        run=run,
        needs=(CASE, EXTRACTION, EFFECTIVE),
        outcome=lambda given: REVIEW if isinstance(given.calculation, Missing) else ACCEPT,
        verify=lambda given, inputs: check_spans(given, inputs[CASE]),
    )
