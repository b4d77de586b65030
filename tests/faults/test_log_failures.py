"""A log that cannot be written: the run stops with one clear sentence, the log stays valid, and the run can be resumed."""

from __future__ import annotations

import os
import resource
from collections.abc import Callable
from pathlib import Path
from typing import Any

import engine_toy as toy
import pytest
from engine_toy import Bakery

from conformed.engine.context import Inputs, StepContext
from conformed.engine.log import find_unfinished
from conformed.engine.workflow import Limits
from conformed.errors import JournalError
from conformed_audit import AuditLog, CommitError, DiskFullError, verify


class Failing:
    """The log, whose n-th append fails: lost, or stored although it reported failure."""

    def __init__(self, log: AuditLog, number: int, *, stored: bool) -> None:
        self._log, self._left, self._stored = log, number, stored

    def __getattr__(self, name: str) -> Any:
        return getattr(self._log, name)

    def append(self, drafts: Any, *, blobs: Any = ()) -> Any:
        self._left -= 1
        if self._left:
            return self._log.append(drafts, blobs=blobs)
        if self._stored:
            self._log.append(drafts, blobs=blobs)
            raise CommitError("The log could not be synced.", "Reopen it.")
        raise DiskFullError("There is no room left for the log; nothing was kept.", "Free space, then resume.")


@pytest.mark.parametrize("stored", [False, True])
@pytest.mark.parametrize("number", range(1, 6))
def test_each_append_may_fail_lost_or_stored(log: AuditLog, bakery: Bakery, tmp_path: Path, number: int, stored: bool) -> None:
    """Whichever write fails, and whether or not it was kept, the resumed run ends as if it had not, with one bread."""
    with pytest.raises(JournalError, match=r"^The log could not be written: "):
        toy.bake(Failing(log, number, stored=stored), bakery.workflow())
    assert verify(tmp_path / "log.db").ok
    began = any(record.run == "run-1" for record in log.records())
    assert began is (number > 1 or stored)
    ended = toy.resume(log, bakery.workflow()) if began else toy.bake(log, bakery.workflow())
    # The one that is not certain: told to bake, and the process ended before the oven was asked.
    if (number, stored) == (3, True):
        assert ended.record.model_dump()["failures"] == ("bake:review_step_failed",)
        assert bakery.count("oven") == 0
    else:
        assert ended.record.model_dump()["label"] == "1600 g"
        assert bakery.count("oven") == 1
    assert verify(tmp_path / "log.db").ok
    assert find_unfinished(log) == ()


def limited(folder: Path, extra: int) -> int:
    """A run in a child that may write only so many bytes more to any file. 7 for a JournalError."""
    child = os.fork()
    if child == 0:
        try:
            with toy.open_log(folder / "log.db") as log:
                size = max(file.stat().st_size for file in folder.glob("log.db*"))
                resource.setrlimit(resource.RLIMIT_FSIZE, (size + extra, size + extra))
                toy.bake(log, Bakery(folder).workflow(weigh={"run": heavy}))
            os._exit(0)
        except JournalError:
            os._exit(7)
        except BaseException:  # noqa: BLE001 - told to the parent by the exit code
            os._exit(1)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def heavy(_inputs: Inputs, _context: StepContext) -> toy.Dough:
    """Gives an output that needs room."""
    return toy.Dough(grams=int("9" * 4000))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs a system that can fork")
def test_a_disk_that_fills_during_a_run(tmp_path: Path) -> None:
    """The system refuses the write itself: a clear error, a valid log, and the run goes on from there when there is room."""
    with toy.open_log(tmp_path / "log.db"):
        pass
    codes = [limited(tmp_path, extra) for extra in (0, 16_000, 24_000)]
    assert 7 in codes
    assert set(codes) <= {0, 7}
    assert verify(tmp_path / "log.db").ok


def test_two_processes_with_one_run(log: AuditLog, bakery: Bakery, tmp_path: Path) -> None:
    """When another process has finished a step meanwhile, the slower one stops: one outcome is in the log."""
    once: list[str] = []

    def overtaken(step: str, when: str) -> None:
        if (step, when) == ("weigh", "after") and not once:
            once.append(step)
            with toy.open_log(tmp_path / "log.db") as other:
                toy.resume(other, bakery.workflow())

    bakery.hook = overtaken
    with pytest.raises(JournalError, match="Another process has taken up this run"):
        toy.bake(log, bakery.workflow())
    assert bakery.count("oven") == 1
    assert [record.step for record in log.records(kind="step.outcome")] == ["order", "weigh", "bake", "label"]
    assert verify(tmp_path / "log.db").ok


def _cut(step: str, times: list[int]) -> Callable[[str, str], None]:
    def hook(name: str, when: str) -> None:
        if (name, when) == (step, "before"):
            times[0] += 1
            raise KeyboardInterrupt

    return hook


def test_a_read_step_that_is_cut_off_each_time_ends_with_a_person(log: AuditLog, bakery: Bakery) -> None:
    """A step that ends its process at each attempt is begun five times and then no more; each attempt is in the log."""
    times = [0]
    bakery.hook = _cut("order", times)
    with pytest.raises(KeyboardInterrupt):
        toy.bake(log, bakery.workflow())
    for _ in range(4):
        with pytest.raises(KeyboardInterrupt):
            toy.resume(log, bakery.workflow())
    ended = toy.resume(log, bakery.workflow())
    assert ended.record.model_dump()["failures"] == ("order:review_step_failed",)
    assert times == [5]
    assert [(record.step, record.attempt) for record in log.records(kind="step.unknown")] == [("order", n) for n in range(1, 6)]


def test_what_was_spent_before_a_kill_still_counts(log: AuditLog, bakery: Bakery) -> None:
    """Budgets are of the run, not of the process."""

    def two(_inputs: Inputs, context: StepContext) -> toy.Dough:
        context.meter.spend(eggs=2)
        return toy.Dough(grams=1600)

    def two_more(_inputs: Inputs, context: StepContext) -> toy.Label:
        context.meter.spend(eggs=2)
        return toy.Label(text="never")

    def interrupt(_inputs: Inputs, _context: StepContext) -> toy.Label:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        toy.bake(log, bakery.workflow(weigh={"run": two}, label={"run": interrupt}))
    ended = toy.resume(log, bakery.workflow(weigh={"run": two}, label={"run": two_more}))
    assert ended.record.model_dump()["failures"] == ("label:review_budget_exceeded",)


def test_time_worked_before_a_kill_still_counts(log: AuditLog, bakery: Bakery) -> None:
    """A run does not get its time again by being killed; the time between two processes is not worked."""
    seconds = iter(range(0, 10_000, 7))

    def interrupt(_inputs: Inputs, _context: StepContext) -> toy.Label:
        raise KeyboardInterrupt

    limits = Limits(wall_ms=25_000)
    with pytest.raises(KeyboardInterrupt):
        toy.bake(log, bakery.workflow(limits=limits, label={"run": interrupt}), monotonic=lambda: float(next(seconds)))
    ended = toy.resume(log, bakery.workflow(limits=Limits(wall_ms=21_000)))
    assert ended.record.model_dump()["failures"] == ("label:review_budget_exceeded",)
