"""What a bundle of a short answer holds: the record, the task, the raw responses, and what was made of each."""

from __future__ import annotations

from conformed.app.bundles.gathering import Contents, keep
from conformed.app.bundles.part import Part
from conformed.engine.answering.slots import ANSWERS, CHECKED_ANSWERS, RESPONSES, ROUTE, SELECTION
from conformed.engine.history import History
from conformed_audit import AuditLog

__all__ = ["ANSWER_PART"]

_FILES = {
    ROUTE.name: "trace/1-route.json",
    RESPONSES.name: "responses.json",
    ANSWERS.name: "trace/2-answers.json",
    CHECKED_ANSWERS.name: "trace/3-checked.json",
    SELECTION.name: "trace/4-selection.json",
}
"""What each step gave, by the name of its place."""


def _gather(log: AuditLog, found: Contents, history: History, _documents: bool) -> None:  # noqa: FBT001 - the shape of a part
    keep(log, found, "record.json", history.record)
    keep(log, found, "task.json", history.request)
    for move in history.moves:
        if move.slot in _FILES:
            keep(log, found, _FILES[move.slot], move.commit)


ANSWER_PART = Part(
    gather=_gather,
    checkers=("verify.py", "verify.sh"),
    named="the task as it was asked, every response, what was taken from each,\nwhat its check found, and the record",
    committed="task, responses and record",
    again="""4. To follow the choice: responses.json has the raw responses; trace/2-answers.json what was taken from each, in the same
   order; trace/3-checked.json what the check found of each; record.json which one was chosen, on what ground, or why none was.
""",
    not_proved="""- That the answer is right. It says on what it rests: "verified" means that the check named in trace/3-checked.json found it
  right, "single" that nothing could check it. Hold it against the task yourself.
- That a model would say the same again: the responses are those that were recorded.
- That anybody approved the answer: an approval is a record of its own in log/records.jsonl, by a person.
""",
    paperwork=("a short answer has no source documents", "a short answer has no source documents"),
    what={
        "record.json": "the record: the answer and on what it rests, or why there is none",
        "responses.json": "every response of the backend, word for word",
        "task.json": "what was asked, and under which contract",
        "trace/1-route.json": "who answers, by the rule of the router",
        "trace/2-answers.json": "the final field of each response, and its normal form",
        "trace/3-checked.json": "what the check found of each answer",
        "trace/4-selection.json": "the answer that was chosen, or why none was",
    },
)
"""The short-answer application's part."""
