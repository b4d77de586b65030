"""SIGKILL: between the effect of a step and its record, at every place and at any instant; and of a clerk at any instant."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from fault_clerk import forked, judge, life
from fault_told import Told

__all__ = ["effects", "instants"]

_SCRIPT = Path(__file__).parents[1] / "killing.py"


def effects(folder: Path, seed: int, runs: int) -> Told:
    """Runs of two contracts, killed again and again until they come through; effects are counted in the outside world.

    Args:
        folder: an empty folder.
        seed: of the first run; each run has one of its own.
        runs: how many; each is killed about seven times.
    """
    told = Told("SIGKILL between a step's effect and its record, and at every other boundary of a step")
    if not hasattr(os, "fork"):
        told.skipped = "kills need a system that can fork"
        return told
    command = [sys.executable, str(_SCRIPT), "random", str(folder / "effects"), str(runs), str(seed)]
    (folder / "effects").mkdir()
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        told.bad("alarms", f"seed {seed}: {done.stderr.strip()[-400:]}")
        return told
    for name, one in json.loads(done.stdout).items():
        told.injected += one["kills"]
        _weigh(told, name, one)
    return told


def _weigh(told: Told, name: str, one: dict[str, Any]) -> None:
    """One run that was killed and resumed, as `killing.outcome` gives it."""
    if not one["valid"]:
        told.bad("alarms", f"{name}: the log does not verify")
    if one["baked"] > 1 or one["baked"] != one["keys"]:
        told.bad("lost", f"{name}: an effect was done {one['baked']} times")
    if (one["begun"], one["ended"], one["unfinished"]) != (1, 1, 0):
        told.bad("lost", f"{name}: begun {one['begun']} times, ended {one['ended']} times")
    if len(one["outcomes"]) != len(set(one["outcomes"])):
        told.bad("forks", f"{name}: a step has two outcomes")
    if one["record"].get("baked") and not one["baked"]:
        told.bad("lost", f"{name}: an effect was supposed that was never done")


def instants(folder: Path, seed: int, kills: int, until: Callable[[], bool] = lambda: False) -> Told:
    """Clerks killed at any instant of their work, several lives on one log, each time judged.

    Args:
        folder: an empty folder.
        seed: of the instants.
        kills: how many.
        until: whether to stop now.
    """
    told, chance = Told("SIGKILL at any instant"), random.Random(seed)
    one, number = folder / "instants", 0
    said: list[str] = []
    while number < kills and not until():
        if number % 10 == 0:
            shutil.rmtree(one, ignore_errors=True)
            one.mkdir()
            said = []
        words, ended = forked(life(one, f"life-{number}"), _strike(chance.random() ** 2 * 0.08))
        said += words
        told.injected += not ended
        judge(one, said, told, f"seed {seed}, kill {number}")
        said = [line for line in said if not line.startswith(("refused", "foreign"))]
        number += 1
    return told


def _strike(seconds: float) -> Callable[[int], Callable[[], None]]:
    """Kills a child after some time, through a handle that never means another process."""

    def begin(child: int) -> Callable[[], None]:
        handle = os.pidfd_open(child)

        def strike() -> None:
            time.sleep(seconds)
            with suppress(ProcessLookupError):
                signal.pidfd_send_signal(handle, signal.SIGKILL)

        killer = threading.Thread(target=strike)
        killer.start()

        def end() -> None:
            killer.join()
            os.close(handle)

        return end

    return begin
