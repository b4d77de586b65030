"""A record of a short answer against the reference of its item."""

from __future__ import annotations

from conformed.app.evaluating.binding import Judges
from conformed.app.evaluating.golden.judged import Class, Judged, Part, PartClass
from conformed.evaluation.items import Item
from conformed.model.answer import AnswerCheck, Outcome
from conformed.model.answered import AnswerRecord, Task
from conformed.model.base import Missing

__all__ = ["judge_short", "task_of"]


def task_of(item: Item) -> Task:
    """An item as a run is asked it: without the reference, and without what only an evaluation may know."""
    return Task(id=item.id, prompt=item.prompt, form=item.form, check=item.check, facts=item.public, difficulty=item.difficulty)


def judge_short(case: str, record: AnswerRecord, item: Item, judges: Judges) -> Judged:
    """Judges a record."""
    if isinstance(record.answer, Missing):
        part = Part(name="decision_boundary", outcome=PartClass.OPEN, said=record.answer.reason, codes=record.codes)
        return Judged(case=case, outcome=Class.REVIEW, vector=(part,), actions=record.sentences)
    asks = AnswerCheck(candidate=record.answer, reference=item.reference, item=item.id, prompt=item.prompt, facts=item.all_facts)
    found = judges.check(asks, item.form)
    outcome = {Outcome.CORRECT: Class.RIGHT, Outcome.INCORRECT: Class.WRONG, Outcome.REVIEW: Class.MISSED}.get(found.outcome)
    if outcome is None:
        part = Part(name="decision_boundary", outcome=PartClass.OPEN, said="the check failed", codes=(found.code,))
        return Judged(case=case, outcome=Class.ERROR, vector=(part,), exceptions=(found.code,))
    right = {Class.RIGHT: PartClass.RIGHT, Class.WRONG: PartClass.WRONG}.get(outcome, PartClass.OPEN)
    said = "" if outcome is Class.RIGHT else f"{record.answer}: {found.code}"
    part = Part(name="decision_boundary", outcome=right, said=said, codes=(*record.codes, found.code))
    return Judged(case=case, outcome=outcome, vector=(part,))
