"""The step intake: from the pack to the case file, the only texts that the run may look at."""

from __future__ import annotations

from collections.abc import Callable

from conformed.engine.context import Inputs, StepContext
from conformed.engine.slots import CASE
from conformed.engine.workflow import ACCEPT, REVIEW, Kind, RefusedError, StepSpec
from conformed.errors import PackError, UsageError
from conformed.model.pack import CaseFile

__all__ = ["intake_step"]


def intake_step(read: Callable[[], CaseFile], *, digest: str, readers: tuple[str, ...] = ()) -> StepSpec:
    """Binds intake.

    Args:
        read: reads the pack. PackError and UsageError stop the run with their own sentence: they are bad input.
        digest: digest of the pack when the run was asked for. Files that changed since stop the run.
        readers: name and version of the readers.
    """

    def run(_inputs: Inputs, _context: StepContext) -> CaseFile:
        case = read()
        if isinstance(case, CaseFile) and case.digest != digest:
            raise PackError(f"The files of the pack {case.pack} changed since this run began.", "Begin a new run.")
        return case

    return StepSpec(
        name="intake",
        gives=CASE,
        run=run,
        kind=Kind.READ,
        plugins=readers,
        outcome=lambda case: REVIEW if case.refusals else ACCEPT,
        stops=(PackError, UsageError),
        verify=_verify,
    )


def _verify(case: CaseFile, _inputs: Inputs) -> None:
    """Names are unique and sorted, and trees and instruments stand in the order of the documents.

    Raises:
        RefusedError: review_step_malformed.
    """
    names = [document.name for document in case.documents]
    if names != sorted(set(names)):
        raise RefusedError("The documents of the case file are not sorted, or two bear one name.", code="review_step_malformed")
    if [tree.document for tree in case.trees] != names or [one.document for one in case.instruments] != names:
        raise RefusedError("A document of the case file lacks its tree or its instrument.", code="review_step_malformed")
