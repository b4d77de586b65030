"""Run as a script: kills `conformed answer` with SIGKILL at every place, resumes it, and prints what came of it as JSON.

The desk, the contract and the plugins are the real ones; each life is a forked child that kills itself.

usage: killing_answers.py WORKSPACE_TO_COPY FOLDER
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from conformed.app.answering import course
from conformed.app.answering.desk import AnswerDesk
from conformed.app.options import silent
from conformed.app.workspace import Workspace
from conformed.engine.contract import workflow_of
from conformed.engine.history import fold
from conformed.engine.log import find_unfinished
from conformed.model.answered import Task
from conformed_audit import AuditLog, verify
from conformed_plugins.backends.scripted import ScriptedBackend

TASK = Task(id="product", prompt="What is six times seven?", form="numeric", check="42", facts={})
Strike = Callable[[str], None]


def desk_at(folder: Path) -> AnswerDesk:
    """The real desk, with one run id."""
    place = Workspace(root=folder, policies=folder / "policies", origin="flag")
    return AnswerDesk(place, ids=lambda: "r-0001", environment={})


def live(folder: Path, strike: Strike, *, resume: bool) -> None:
    """One life: asks the task, or resumes it."""
    append, generate = AuditLog.append, ScriptedBackend.generate

    def appending(self: AuditLog, drafts: Any, **named: Any) -> Any:
        of_the_run = any(draft.run is not None for draft in drafts)
        if of_the_run:
            strike("before append")
        written = append(self, drafts, **named)
        if of_the_run:
            strike("after append")
        return written

    def generating(self: ScriptedBackend, *given: Any, **named: Any) -> Any:
        with (folder / "generated").open("a") as file:
            file.write("once\n")
        return generate(self, *given, **named)

    def striking(contract: Any, digest: str, steps: Any, *more: Any) -> Any:
        return workflow_of(contract, digest, tuple(replace(step, run=around(step.name, step.run)) for step in steps), *more)

    def around(name: str, run: Callable[..., Any]) -> Callable[..., Any]:
        def work(inputs: Any, context: Any) -> Any:
            strike(f"before {name}")
            given = run(inputs, context)
            strike(f"after {name}")
            return given

        return work

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(AuditLog, "append", appending)
        patched.setattr(ScriptedBackend, "generate", generating)
        patched.setattr(course, "workflow_of", striking)
        desk_at(folder).answer(TASK, policy="short-answers", resume=resume, progress=silent)


def forked(folder: Path, strike: Strike, *, resume: bool) -> bool:
    """Lives one life in a child. Whether it came to its end; anything but SIGKILL or a clean end is an error."""
    child = os.fork()
    if child == 0:
        try:
            live(folder, strike, resume=resume)
            os._exit(0)
        except BaseException as problem:  # noqa: BLE001 - told to the parent
            (folder / "problem").write_text(f"{type(problem).__name__}: {problem}")
            os._exit(1)
    _pid, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        return False
    if os.WEXITSTATUS(status):
        raise SystemExit((folder / "problem").read_text())
    return True


def unfinished(folder: Path) -> int:
    """How many runs have begun and not ended; -1 where none has begun."""
    with desk_at(folder)._log() as log:
        return len(find_unfinished(log)) if next(log.records(run="r-0001"), None) is not None else -1


def outcome(folder: Path, kills: int) -> dict[str, Any]:
    """What came of it."""
    generated = folder / "generated"
    with desk_at(folder)._log(create=False) as log:
        records = list(log.records(run="r-0001"))
        history = fold(records, "r-0001")
        record = json.loads(log.get_blob(history.record)) if history.record else None
    done = [one.step for one in records if one.kind == "step.outcome"]
    return {
        "record": record,
        "kills": kills,
        "valid": verify(folder / ".conformed" / "log.sqlite", keys=desk_at(folder)._opening_key(log.origin)).ok,
        "outcomes": done,
        "begun": [one.note for one in records].count("Run begun."),
        "ended": [one.note for one in records].count("Run ended."),
        "generated": len(generated.read_text().splitlines()) if generated.exists() else 0,
    }


def struck(model: Path, folder: Path, number: int) -> dict[str, Any]:
    """A run killed at its n-th place, and resumed."""
    shutil.copytree(model, folder)
    count = 0

    def strike(_place: str) -> None:
        nonlocal count
        count += 1
        if count == number:
            os.kill(os.getpid(), signal.SIGKILL)

    assert not forked(folder, strike, resume=False)
    left = unfinished(folder)
    found_before = (folder / "generated").exists() and "generate" in outcome_steps(folder)
    if left:
        assert forked(folder, lambda _place: None, resume=left == 1)
    return {**outcome(folder, 1), "was_generated": found_before, "resumed": left == 1}


def outcome_steps(folder: Path) -> list[str]:
    """Steps that have an outcome in the log."""
    with desk_at(folder)._log(create=False) as log:
        return [one.step or "" for one in log.records(run="r-0001") if one.kind == "step.outcome"]


def main() -> None:
    """Kills at every place."""
    model, root = Path(sys.argv[1]), Path(sys.argv[2])
    places: list[str] = []
    shutil.copytree(model, root / "unharmed")
    live(root / "unharmed", places.append, resume=False)
    found = {"unharmed": outcome(root / "unharmed", 0)}
    for number, place in enumerate(places, 1):
        found[f"{number} {place}"] = struck(model, root / str(number), number)
    sys.stdout.write(json.dumps(found))


if __name__ == "__main__":
    main()
