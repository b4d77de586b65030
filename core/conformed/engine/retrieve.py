"""The step retrieve: fixes the authorised documents and finds the passages that matter."""

from __future__ import annotations

from conformed.engine.checks import check_retrieved
from conformed.engine.context import Inputs, StepContext
from conformed.engine.slots import CASE, RETRIEVED
from conformed.engine.workflow import ACCEPT, REVIEW, Kind, StepSpec
from conformed.model.retrieval import Retrieved
from conformed.ports import Retriever

__all__ = ["retrieve_step"]


def retrieve_step(retriever: Retriever, *, plugin: str, kind: Kind = Kind.PURE) -> StepSpec:
    """Binds retrieval.

    Args:
        retriever: finds the passages.
        plugin: its name and version.
        kind: READ for one that may answer differently when asked again.
    """

    def run(inputs: Inputs, _context: StepContext) -> Retrieved:
        return retriever.retrieve(inputs[CASE])

    return StepSpec(
        name="retrieve",
        gives=RETRIEVED,
        run=run,
        needs=(CASE,),
        kind=kind,
        plugins=(plugin,),
        outcome=lambda found: REVIEW if any(doubt.code.startswith("review_") for doubt in found.coverage) else ACCEPT,
        verify=lambda found, inputs: check_retrieved(found, inputs[CASE]),
    )
