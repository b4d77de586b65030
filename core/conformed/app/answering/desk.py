"""What the command line asks about a short answer: one task through the machine, with its record in the log."""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path

from conformed.app.answering.course import AnswerCourse
from conformed.app.binding import Bound
from conformed.app.keeping.operational import Event, say, watching
from conformed.app.options import Progress, RunOptions
from conformed.app.people.standing import standing_after
from conformed.app.service import Service
from conformed.engine.answering.slots import AnswerRequest
from conformed.engine.canonical import canonical_bytes
from conformed.engine.journal import Journal
from conformed.engine.kept import keep_contract
from conformed.engine.log import Identity, case_of, find_unfinished
from conformed.engine.machine import Machine
from conformed.errors import JournalError, UsageError
from conformed.evaluation.jsonlines import read_bytes, validated
from conformed.model.answered import AnswerRecord, Task
from conformed.policy.may import Action
from conformed.policy.schema import Application

__all__ = ["AnswerDesk", "read_task"]

MOST_BYTES = 1 << 20
"""Largest task file."""
_FIELDS = f"Fields: {', '.join(Task.model_fields)}; docs/short-answers.md says what each is."


def read_task(path: Path) -> Task:
    """Reads a task from a JSON file.

    Raises:
        UsageError: when it cannot be read, or is no task, naming the field.
    """
    return validated(read_bytes(path, "task", MOST_BYTES), Task, f"The task {path}", _FIELDS)


class AnswerDesk(Service):
    """Answers tasks."""

    def bound(self, policy: str) -> Bound:
        """A contract with the plugins that it pins.

        Raises:
            ConformedError: when there is none of that name, or it is refused.
        """
        return self._bound(RunOptions(policy=policy), Application.SHORT_ANSWER)

    def answer(self, task: Task, *, policy: str, resume: bool, progress: Progress) -> AnswerRecord:
        """Runs a contract for short answers on a task, writes the log, and gives the record.

        Args:
            task: what is asked.
            policy: name or file of the contract.
            resume: go on with the last run of this very task that has no end.
            progress: told of each step.

        Raises:
            ConformedError: when it is denied, the log cannot be written, there is nothing to resume, or the contract is none
                for short answers.
        """
        course = AnswerCourse(self.bound(policy), task)
        bound, registry = course.bound.contract, self._loaded()
        workflow = course.workflow()
        case = case_of(task.id, canonical_bytes(task).hex())
        with self._log() as log:
            guard = self._guard(log, bound.contract, bound.digest)
            open_runs = find_unfinished(log, case=case) if resume else ()
            if resume and not open_runs:
                raise UsageError(f"No unfinished run of the task {task.id} is in the log.", "Ask it without --resume.")
            run = open_runs[-1].run if resume else self._ids()
            identity = Identity(
                case=case, run=run, engine=f"conformed {version('conformed')}", contract=workflow.digest,
                plugins=f"sha256:{registry.manifest_digest()}",
            )  # fmt: skip
            permit = guard.permit(Action.RESUME if resume else Action.RUN, case, run=run)
            machine = Machine(workflow, Journal(guard.writer(permit), identity), progress=watching(progress, run, case))
            if resume:
                record = machine.resume(AnswerRequest).record
            else:
                record = machine.begin(course.request(), registry.manifest(), (keep_contract(bound.data),)).record
            if not isinstance(record, AnswerRecord):
                raise JournalError("The record of the run is no answer.", "Verify the log: conformed log verify.")
            say(Event.RUN_ENDED, run=run, result=record.result)
            self.standing = standing_after(log, guard, case, run, self.publish_log(log))
        return record
