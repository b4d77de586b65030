"""Makes a candidate bank of invented responses to small calculations, with known outcomes and steps.

Five invented generators with habits of their own answer at stated rates of error. The bank shows how scorers are trained, judged
and compared; it says nothing of any model.

    python casefiles/short-answers/bank_make.py bank.jsonl
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

SEED = 20260401


@dataclass(frozen=True)
class Habit:
    """How a generator answers."""

    name: str
    wrong: float
    """Chance that a step goes wrong."""
    off: tuple[int, ...]
    """By how much."""
    begins: str
    ends: str
    silent: float = 0.03
    """Chance that no answer can be read."""


TRAINED = (
    Habit("careful 1", 0.08, (-2, -1, 1, 2), "Step by step.", ""),
    Habit("hasty 1", 0.25, (-3, -1, 1, 2, 10), "Roughly.", ""),
    Habit("wordy 1", 0.18, (-10, -1, 1, 3), "Let us think about this with great care, one part after the other.", "So it goes."),
)
JUDGED = (Habit("steady 1", 0.15, (-2, -1, 1, 2, 10), "Working:", ""),)
APART = (Habit("assured 1", 0.3, (-90, -9, 9, 90, 18), "This is easy, and there is no doubt.", "Final answer: certainly."),)
SPLITS = {"train": (TRAINED, 400), "development": (TRAINED, 150), "test": (JUDGED, 250), "shift": (APART, 150)}
"""Who answers the items of a split, and how many items there are at full size."""


def responses(rng: random.Random, habit: Habit, numbers: tuple[int, ...]) -> tuple[str, str | None, list[dict[str, Any]]]:
    """One response, its answer and its steps. After a wrong step the others go on from the wrong value."""
    a, b, c, d = numbers
    value = a
    steps: list[dict[str, Any]] = []
    for sign, other in (("*", b), ("+", c), ("-", d)):
        right = {"*": value * other, "+": value + other, "-": value - other}[sign]
        said = right + (rng.choice(habit.off) if rng.random() < habit.wrong else 0)
        steps.append({"text": f"{value} {sign} {other} = {said}", "sound": said == right})
        value = said
    lines = [habit.begins, *(str(step["text"]) for step in steps), *([habit.ends] if habit.ends else [])]
    if rng.random() < habit.silent:
        return "\n".join([*lines, "I leave the answer open."]), None, steps
    return "\n".join([*lines, f"<final>{value}</final>"]), str(value), steps


def candidates(scale: float = 1.0, samples: int = 6, seed: int = SEED) -> Iterator[dict[str, Any]]:
    """Every candidate.

    Args:
        scale: share of the full number of items.
        samples: candidates an item.
        seed: of everything that is drawn.
    """
    rng = random.Random(seed)
    for split, (habits, count) in SPLITS.items():
        for number in range(max(4, round(count * scale))):
            a, b, c, d = rng.randint(11, 99), rng.randint(2, 9), rng.randint(11, 99), rng.randint(2, 49)
            asked = f"{a}*{b} + {c} - {d}"
            truth = a * b + c - d
            for sample in range(samples):
                habit = habits[sample % len(habits)]
                response, answer, steps = responses(rng, habit, (a, b, c, d))
                outcome = "review" if answer is None else "correct" if int(answer) == truth else "incorrect"
                doubt = 0.5 if outcome == "correct" else 0.55
                logprobs = [round(-rng.expovariate(1 / doubt), 4) for _ in response.split()]
                yield {
                    "item": f"{split}-{number:03d}",
                    "sample": sample,
                    "split": split,
                    "generator": habit.name,
                    "prompt": f"What is {asked}?",
                    "response": response,
                    "answer": answer,
                    "outcome": outcome,
                    "check": outcome,
                    "calculation": asked,
                    "steps": steps,
                    "logprobs": logprobs,
                    "terminal_tokens": 0 if answer is None else 1,
                    "slices": {"size": "large" if truth >= 400 else "small"},
                }


def bank(scale: float = 1.0, samples: int = 6, seed: int = SEED) -> bytes:
    """The bank as JSON lines, the same bytes each time."""
    lines = (json.dumps(one, sort_keys=True) + "\n" for one in candidates(scale, samples, seed))
    return "".join(lines).encode()


if __name__ == "__main__":
    Path(sys.argv[1]).write_bytes(bank())
