"""A program that has imported everything and trained nothing: each run is a child of it, forked, and so a process of its own.

Reads one JSON object a line: ``folder``, ``settings``, ``resume``, and ``die``: the number of the call at which the child kills itself,
0 for never. Answers with how the child ended and, where it was not killed, what it left. A call is any call or return of Python or C that
the interpreter reports, so that a run may die between the writing of a file and its flush.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from collections import Counter
from pathlib import Path
from types import FrameType
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

import torch
from small_run import items_of, plan_of, settings_of

from conformed_plugins.training.grpo.trainer import GrpoTrainer
from conformed_plugins.training.state.checkpoint import checkpoints, latest

STAGES = {"/state/": "save", "/grpo/update": "update", "/shared/": "update", "/training/loss": "update", "/decoder/": "rollout"}


class Mortal:
    """Counts calls, remembers which stage each belongs to, and kills its process at one of them."""

    def __init__(self, die: int) -> None:
        self.die, self.calls = die, 0
        self.stages: list[tuple[int, str]] = []
        self.counts: Counter[str] = Counter()

    def __call__(self, frame: FrameType, event: str, argument: Any) -> None:
        self.calls += 1
        if self.calls == self.die:
            os.kill(os.getpid(), signal.SIGKILL)
        name = frame.f_code.co_filename
        for part, stage in STAGES.items():
            if part in name:
                if not self.stages or self.stages[-1][1] != stage:
                    self.stages.append((self.calls, stage))
                return


def train(asked: dict[str, Any]) -> dict[str, Any]:
    """Trains as asked, and says what was left."""
    torch.set_num_threads(1)
    folder = Path(asked["folder"])
    trainer = GrpoTrainer(settings_of(**asked["settings"]))
    plan = plan_of(folder, held_out={"held": items_of(2)})
    go = trainer.resume if asked["resume"] and checkpoints(folder / "checkpoints") else trainer.train
    mortal = Mortal(asked["die"])
    if asked["die"] or asked["count"]:
        sys.setprofile(mortal)
    diary = go(plan)
    sys.setprofile(None)
    last, _ = latest(folder / "checkpoints")
    assert last is not None
    left = {name: data.hex() for name, data in sorted(last.files.items())}
    return {
        "diary": {name: diary[name] for name in ("stopped", "updates", "best", "last", "evaluation", "skipped_steps")},
        "left": left, "calls": mortal.calls, "stages": mortal.stages,
    }  # fmt: skip


def main() -> None:
    """Answers until its input ends."""
    for line in sys.stdin:
        asked = json.loads(line)
        ours, theirs = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(ours)
            with os.fdopen(theirs, "w") as stream:
                json.dump(train({"die": 0, "count": False, "resume": False, "settings": {}, **asked}), stream)
            os._exit(0)
        os.close(theirs)
        with os.fdopen(ours) as stream:
            said = stream.read()
        _, status = os.waitpid(child, 0)
        answer = {"signal": os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0, "said": json.loads(said) if said else None}
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
