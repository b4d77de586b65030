"""A run that is killed and taken up again makes the very updates of one that never stopped."""

from __future__ import annotations

import random
import shutil
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

SETTINGS = {
    "updates": 5, "prompts": 1, "steps_per_generation": 3, "kl_beta": 0.05, "evaluate_every": 2, "best_split": "held",
}  # fmt: skip
Apart = Callable[..., dict[str, Any]]


@pytest.fixture(scope="module")
def whole(run_apart: Apart, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What the run leaves when nothing happens to it."""
    answer = run_apart(tmp_path_factory.mktemp("whole") / "run", settings=SETTINGS, count=True)
    assert answer["signal"] == 0
    found: dict[str, Any] = answer["said"]
    assert "window.safetensors" in found["left"], "the run must end inside a window for this to prove anything"
    return found


def points(whole: dict[str, Any]) -> list[tuple[str, int]]:
    """Twenty calls drawn with a fixed seed, of every stage in its turn."""
    numbers = random.Random(20)
    ends = [start for start, _ in whole["stages"][1:]] + [whole["calls"]]
    spans = {
        stage: [
            call for (start, its), end in zip(whole["stages"], ends, strict=True) if its == stage for call in range(start, end)
        ]
        for stage in ("rollout", "update", "save")
    }
    return [(stage, numbers.choice(spans[stage])) for stage in (["rollout", "update", "save"] * 7)[:20]]


def test_bug_24_killed_at_twenty_points_of_rollout_update_and_save(
    run_apart: Apart, whole: dict[str, Any], tmp_path: Path
) -> None:
    """Bug report 24: killed by SIGKILL at random calls of each stage, resumed in a new process: weights, optimiser, rollout to the bit."""
    for number, (stage, call) in enumerate(points(whole)):
        folder = tmp_path / str(number)
        assert run_apart(folder, settings=SETTINGS, die=call)["signal"] == signal.SIGKILL, (stage, call)
        answer = run_apart(folder, settings=SETTINGS, resume=True)
        assert answer["signal"] == 0, (stage, call)
        assert answer["said"]["left"] == whole["left"], (stage, call)
        assert answer["said"]["diary"] == whole["diary"], (stage, call)


def test_killed_while_it_is_taken_up_again(run_apart: Apart, whole: dict[str, Any], tmp_path: Path) -> None:
    """A second and a third death, each of the run that went on after the one before, change no bit either."""
    folder, numbers = tmp_path / "run", random.Random(3)
    deaths = 0
    for part in (0.5, 0.5, 0.4):
        answer = run_apart(folder, settings=SETTINGS, resume=True, die=int(whole["calls"] * part * numbers.uniform(0.8, 1)))
        deaths += answer["signal"] == signal.SIGKILL
    assert deaths >= 2
    assert run_apart(folder, settings=SETTINGS, resume=True)["said"]["left"] == whole["left"]


def test_bug_24_stopped_at_every_update_and_phase(run_apart: Apart, tmp_path: Path) -> None:
    """Bug report 24: four steps a generation, gone through twice: taken up after any update, in any phase, the rest is the same."""
    settings = {"updates": 11, "steps_per_generation": 4, "num_iterations": 2, "prompts": 1, "keep_checkpoints": 20}
    whole = run_apart(tmp_path / "whole", settings=settings)["said"]
    for update in range(1, 12):
        folder = tmp_path / str(update)
        shutil.copytree(tmp_path / "whole", folder)
        for later in range(update + 1, 12):
            shutil.rmtree(folder / "checkpoints" / f"update-{later:08d}")
        said = run_apart(folder, settings=settings, resume=True)["said"]
        assert said["left"] == whole["left"], update
        assert said["diary"] == whole["diary"], update


def test_a_torn_checkpoint_is_passed_over(run_apart: Apart, whole: dict[str, Any], tmp_path: Path) -> None:
    """One flipped bit in any file of the last checkpoint, or a file less: the one before it is taken, and the end is the same."""
    kept = tmp_path / "kept"
    run_apart(kept, settings={**SETTINGS, "updates": 2})
    names = sorted(one.name for one in (kept / "checkpoints" / "update-00000002").iterdir())
    assert len(names) == 6
    for number, name in enumerate(names):
        folder = tmp_path / name
        shutil.copytree(kept, folder)
        file = folder / "checkpoints" / "update-00000002" / name
        data = bytearray(file.read_bytes())
        data[len(data) // 2] ^= 1
        file.write_bytes(data) if number % 2 else file.unlink()
        assert run_apart(folder, settings=SETTINGS, resume=True)["said"]["left"] == whole["left"], name
