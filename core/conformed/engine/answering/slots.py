"""The places of a run for a short answer, and what it is asked."""

from __future__ import annotations

from conformed.engine.workflow import Slot
from conformed.model.answered import Answers, Checked, Responses, Routed, Selection, Task
from conformed.model.base import Frozen

__all__ = ["ANSWERS", "CHECKED_ANSWERS", "RESPONSES", "ROUTE", "SELECTION", "AnswerRequest"]

ROUTE: Slot[Routed] = Slot("route", Routed)
RESPONSES: Slot[Responses] = Slot("responses", Responses)
ANSWERS: Slot[Answers] = Slot("answers", Answers)
CHECKED_ANSWERS: Slot[Checked] = Slot("checked_answers", Checked)
SELECTION: Slot[Selection] = Slot("selection", Selection)


class AnswerRequest(Frozen):
    """The task, and the contract by digest: recorded when a run begins."""

    task: Task
    """What is asked."""
    contract: str
    """Name and version of the contract."""
    contract_digest: str
    """SHA-256 of its exact bytes."""
