"""Run as a script: kills runs with SIGKILL at every place, resumes them, and prints what came of it as JSON.

Each run lives in a forked child that kills itself; nothing of it survives but the log and the outside world. The parent
imports everything once, so that hundreds of kills take seconds.

usage: killing.py every FOLDER | random FOLDER RUNS [FIRST SEED] | once FOLDER
"""

from __future__ import annotations

import json
import os
import random
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "engine" / "support"))

import engine_parts as parts
import engine_toy as toy

from conformed.engine.canonical import canonical_bytes
from conformed.engine.journal import Journal
from conformed.engine.log import find_unfinished
from conformed.engine.machine import Ended, Machine
from conformed.engine.request import RunRequest
from conformed.engine.workflow import Workflow
from conformed_audit import AuditLog, verify

MOST = 60
"""More lives than any run here needs."""


def die() -> None:
    """Ends this process as nothing else would."""
    os.kill(os.getpid(), signal.SIGKILL)


class Killing:
    """The log, which kills the process before or after a given append."""

    def __init__(self, log: AuditLog, strike: Callable[[str], None]) -> None:
        self._log, self._strike = log, strike

    def __getattr__(self, name: str) -> Any:
        return getattr(self._log, name)

    def append(self, drafts: Any, *, blobs: Any = ()) -> Any:
        self._strike("before append")
        written = self._log.append(drafts, blobs=blobs)
        self._strike("after append")
        return written


def live(folder: Path, which: str, strike: Callable[[str], None]) -> bytes:
    """One life: begins the run, or resumes it when the log has it. Returns the record's bytes."""
    with toy.open_log(folder / "log.db") as opened:
        log = Killing(opened, strike)
        known = any(record.run == "run-1" for record in opened.records())
        ended = _bakery(folder, log, strike, known=known) if which == "toy" else _covenant(folder, log, strike, known=known)
        return canonical_bytes(ended.record)


def _bakery(folder: Path, log: Any, strike: Callable[[str], None], *, known: bool) -> Ended:
    bakery = toy.Bakery(folder, hook=lambda step, when: strike(f"{when} {step}"))
    machine = Machine(bakery.workflow(), Journal(log, toy.identity()))
    return machine.resume(toy.Wish) if known else machine.begin(toy.Wish(loaves=2), toy.REGISTRATIONS)


def _covenant(folder: Path, log: Any, strike: Callable[[str], None], *, known: bool) -> Ended:
    from dataclasses import replace

    def wrapped(name: str, run: Callable[..., Any]) -> Callable[..., Any]:
        def work(inputs: Any, context: Any) -> Any:
            strike(f"before {name}")
            with (folder / "done").open("a") as file:
                file.write(f"{name}\n")
            given = run(inputs, context)
            strike(f"after {name}")
            return given

        return work

    made = [replace(step, run=wrapped(step.name, step.run)) for step in parts.steps()]
    workflow: Workflow = parts.workflow(made)
    machine = Machine(workflow, Journal(log, parts.identity()))
    return machine.resume(RunRequest) if known else machine.begin(parts.request(), toy.REGISTRATIONS)


def forked(folder: Path, which: str, strike: Callable[[str], None]) -> bool:
    """Lives one life in a child. Whether it came to the end of the run; anything but SIGKILL or a clean end is an error."""
    child = os.fork()
    if child == 0:
        try:
            (folder / "record").write_bytes(live(folder, which, strike))
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


def outcome(folder: Path, kills: int) -> dict[str, Any]:
    """What came of a run that was killed and resumed."""
    with toy.open_log(folder / "log.db") as log:
        records = list(log.records())
        done = [record.step for record in records if record.kind == "step.outcome"]
        unfinished = len(find_unfinished(log))
    baked = (folder / "oven").read_text().splitlines() if (folder / "oven").exists() else []
    return {
        "record": json.loads((folder / "record").read_text()),
        "kills": kills,
        "valid": verify(folder / "log.db").ok,
        "outcomes": done,
        "begun": [record.note for record in records].count("Run begun."),
        "ended": [record.note for record in records].count("Run ended."),
        "unknown": sum(record.kind == "step.unknown" for record in records),
        "unfinished": unfinished,
        "baked": len(baked),
        "keys": len(set(baked)),
    }


def places(folder: Path, which: str) -> list[str]:
    """Every place at which an unharmed run can be struck, in order."""
    seen: list[str] = []
    folder.mkdir()
    live(folder, which, seen.append)
    return seen


def struck(folder: Path, which: str, number: int) -> dict[str, Any]:
    """A run killed at its n-th place and resumed."""
    folder.mkdir()
    count = 0

    def strike(_place: str) -> None:
        nonlocal count
        count += 1
        if count == number:
            die()

    ended = forked(folder, which, strike)
    kills = 0 if ended else 1
    if not ended:
        ended = forked(folder, which, lambda place: None)
    assert ended
    return outcome(folder, kills)


def striking(chance: random.Random) -> Callable[[str], None]:
    """Kills at one place in four."""

    def strike(_place: str) -> None:
        if chance.random() < 0.25:
            die()

    return strike


def tormented(folder: Path, which: str, seed: int) -> dict[str, Any]:
    """A run killed again and again, at places drawn by chance, until it has come to its end."""
    folder.mkdir()
    chance, kills = random.Random(seed), 0
    while kills < MOST:
        # Drawn in the parent, since each child would draw the same.
        if forked(folder, which, striking(random.Random(chance.random()))):
            break
        kills += 1
    return outcome(folder, kills)


def main() -> None:
    """Runs the mode asked for."""
    mode, root = sys.argv[1], Path(sys.argv[2])
    found: dict[str, Any] = {}
    if mode == "every":
        for which in ("toy", "covenant"):
            every = places(root / which, which)
            (root / which / "record").write_bytes(live(root / which, which, lambda place: None))
            found[f"{which}: unharmed"] = outcome(root / which, 0)
            for number, place in enumerate(every, 1):
                found[f"{which}: {number} {place}"] = struck(root / f"{which}-{number}", which, number)
    elif mode == "once":
        root.mkdir()
        sys.stdout.write(live(root, "covenant", lambda place: None).decode())
        return
    else:
        first = int(sys.argv[4]) if len(sys.argv) > 4 else 0
        for seed in range(first, first + int(sys.argv[3])):
            which = ("toy", "covenant")[seed % 2]
            found[f"{which}: {seed}"] = tormented(root / f"{which}-{seed}", which, seed)
    json.dump(found, sys.stdout)


if __name__ == "__main__":
    main()
