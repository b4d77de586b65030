"""The second application: a short answer that a program can check."""

from __future__ import annotations

from typing import Any

from conformed.app.answering.course import AnswerCourse
from conformed.app.applications.profile import Kept, Profile
from conformed.app.binding import Bound
from conformed.engine.answering.slots import AnswerRequest
from conformed.engine.history import History
from conformed.engine.log import Log
from conformed.engine.workflow import Workflow
from conformed.hooks import Registry
from conformed.model.answered import AnswerRecord
from conformed.model.base import Missing
from conformed.people.history import Outcome
from conformed.policy.schema import Application

__all__ = ["SHORT_ANSWER"]


def _kept(_log: Log, _history: History, request: AnswerRequest, _registry: Registry) -> Kept:
    """The request holds the whole task, so nothing else is needed. Of a backend that does not repeat, the recorded responses are."""

    def workflow(bound: Bound) -> Workflow:
        return AnswerCourse(bound, request.task).workflow()

    return Kept(workflow)


def _outcome(_request: AnswerRequest, record: AnswerRecord | None) -> Outcome:
    return Outcome(record.result if record else "review", overridden=False)


def _in_short(record: AnswerRecord) -> str:
    """Result and ground, and why there is no answer; never the answer's own text, which a model wrote."""
    if isinstance(record.answer, Missing):
        return f"{record.result}; {record.answer.code}"
    return f"{record.result}; {record.basis}; {record.votes} of {record.total}"


def _essence(record: AnswerRecord) -> tuple[Any, ...]:
    """Result, route, the answer or why there is none, and on what it rests. How many samples agreed is no part of it."""
    return record.result, *(one.code if isinstance(one, Missing) else one for one in (record.route, record.answer, record.basis))


SHORT_ANSWER: Profile[AnswerRequest, AnswerRecord] = Profile(
    Application.SHORT_ANSWER, AnswerRequest, AnswerRecord, _kept, _outcome, _in_short, _essence
)
"""The application of short answers."""
