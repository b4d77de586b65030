"""One task through the machine with its record in the log, under the workspace's contract and the guard of people."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from conformed.app.answering.desk import AnswerDesk, read_task
from conformed.app.options import silent
from conformed.app.workspace import Workspace
from conformed.errors import DeniedError, ReplayError, UsageError
from conformed.model.answered import AnswerRecord, Task
from conformed.model.base import Missing
from conformed_audit import Kind, verify

TASK = Task(id="product", prompt="What is six times seven?", form="numeric", check="42", facts={})
SUM = TASK.model_copy(update={"prompt": "What is 6*7?"})


def desk(bank: Path) -> AnswerDesk:
    """A desk whose run ids count."""
    numbers = itertools.count(1)
    place = Workspace(root=bank, policies=bank / "policies", origin="flag")
    return AnswerDesk(place, ids=lambda: f"r-{next(numbers):04}", environment={})


def answer(at: AnswerDesk, task: Task = TASK, **named: Any) -> AnswerRecord:
    """Asks."""
    return at.answer(task, **{"policy": "short-answers", "resume": False, "progress": silent, **named})


def test_what_is_read_is_what_was_written(tmp_path: Path) -> None:
    """Every field of a task file, numbers exact."""
    path = tmp_path / "task.json"
    path.write_text('{"id": "a", "prompt": "p", "form": "code", "check": "c", "facts": {"x": [1, "2"]}, "difficulty": "1/3"}')
    task = read_task(path)
    assert (task.id, task.prompt, task.form, task.check, task.difficulty) == ("a", "p", "code", "c", Fraction(1, 3))
    assert task.facts == {"x": [1, "2"]}


def test_an_answer_is_in_the_log(bank: Path, scripted: Callable[..., Path]) -> None:
    """The record, every step, who began it and that it awaits a person; the log verifies."""
    scripted(six=["<final>41</final>", "<final>42</final>"])
    at = desk(bank)
    record = answer(at)
    assert (record.run, record.result, record.answer, record.votes) == ("r-0001", "answered", "42", 4)
    with at._log(create=False) as log:
        records = list(log.records(run="r-0001"))
        keys = at._opening_key(log.origin)
    assert [one.step for one in records if one.kind == Kind.STEP_OUTCOME] == ["route", "generate", "answer", "verify", "select"]
    assert records[-1].step == "awaiting_person"
    assert records[0].actor.kind == "person"
    assert verify(bank / ".conformed" / "log.sqlite", keys=keys).ok
    assert at.standing is not None
    assert (at.standing.state, at.standing.approvals) == ("open", ())


def test_each_step_is_told(bank: Path) -> None:
    """Whoever watches hears of every step, once begun and once ended."""
    heard: list[str] = []
    answer(desk(bank), progress=lambda step, done=0, total=0: heard.append(step))
    assert list(dict.fromkeys(heard)) == ["route", "generate", "answer", "verify", "select"]


def test_the_same_task_is_the_same_case(bank: Path) -> None:
    """Asked twice it is two runs of one case; another prompt under the same id is another case."""
    at = desk(bank)
    first, second = answer(at).run, answer(at).run
    other = answer(at, TASK.model_copy(update={"prompt": "What is 6*8?"})).run
    with at._log(create=False) as log:
        cases = [next(iter(log.records(run=run))).case for run in (first, second, other)]
    assert cases[0] == cases[1] != cases[2]


def test_only_whom_the_contract_lets_may_ask(bank: Path) -> None:
    """A contract that names roles for runs: whoever holds none is denied, nothing is generated, and the denial is in the log."""
    path = bank / "policies" / "short-answers.yaml"
    path.write_text(path.read_text(encoding="utf-8") + "may: {run: [credit_officer]}\n", encoding="utf-8")
    at = desk(bank)
    with pytest.raises(DeniedError, match="run"):
        answer(at)
    with at._log(create=False) as log:
        assert list(log.records(run="r-0001")) == []
        assert [one.kind for one in log.records("_access")] == [Kind.ACCESS_DENIED]


def test_a_task_of_a_form_without_a_verifier_is_for_a_person(bank: Path, scripted: Callable[..., Path]) -> None:
    """Nothing of it is found right, however many samples agree."""
    scripted(six=["<final>42</final>"])
    record = answer(desk(bank), TASK.model_copy(update={"form": "sonnet"}))
    assert record.result == "review"
    assert isinstance(record.answer, Missing)


def test_resume_is_for_this_very_task(bank: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An unfinished run of another task is none of this one; it goes on with its own task, and has the id that it had."""
    at = desk(bank)
    with monkeypatch.context() as patched:
        patched.setattr("conformed.app.answering.course.normal_form", _die)
        with pytest.raises(KeyboardInterrupt):
            answer(at, SUM)
    with pytest.raises(UsageError, match="No unfinished run of the task product"):
        answer(at, resume=True)
    record = answer(at, SUM, resume=True)
    assert (record.run, record.answer) == ("r-0001", "42")


def test_a_run_is_not_resumed_under_another_contract(bank: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was begun under one contract does not go on under another: it is said, and nothing is written."""
    at, path = desk(bank), bank / "policies" / "short-answers.yaml"
    with monkeypatch.context() as patched:
        patched.setattr("conformed.app.answering.course.normal_form", _die)
        with pytest.raises(KeyboardInterrupt):
            answer(at, SUM)
    with at._log(create=False) as log:
        before = len(list(log.records(run="r-0001")))
    path.write_text(path.read_text(encoding="utf-8").replace("years: 7", "years: 8"), encoding="utf-8")
    with pytest.raises(ReplayError, match="contract"):
        answer(desk(bank), SUM, resume=True)
    with at._log(create=False) as log:
        assert len(list(log.records(run="r-0001"))) == before


def _die(*_given: Any) -> Any:
    raise KeyboardInterrupt
