"""Makes the demonstration of short answers: items.jsonl, and script.json with what a scripted backend says to them.

The responses are invented at stated rates of error. They show what an evaluation looks like, and say nothing of any model.

    python casefiles/short-answers/make.py
"""

from __future__ import annotations

import hashlib
import json
import random
from fractions import Fraction
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
SAMPLES = 8
SEED = 20260331
WORKED = "Work it out. Then write the answer alone on the last line"
TOOL = "You may write <calc>EXPRESSION</calc> alone on a line"


def arithmetic(rng: random.Random, number: int) -> dict[str, Any]:
    """A calculation as it is written."""
    a, b, c = rng.randint(11, 99), rng.randint(11, 99), rng.randint(2, 9)
    shape, value = rng.choice([
        (f"{a}*{b}", Fraction(a * b)),
        (f"({a} + {b}) * {c}", Fraction((a + b) * c)),
        (f"{a * c}/{c} - {b}", Fraction(a - b)),
        (f"{a}/{c} + {b}/{c}", Fraction(a + b, c)),
    ])  # fmt: skip
    return item(f"sum-{number:02d}", f"What is {shape}?", value, shape, "arithmetic", Fraction(1, 4))


def drawn(rng: random.Random, number: int) -> dict[str, Any]:
    """A question in words about a facility."""
    total, share, repaid = rng.randrange(80, 400, 10), rng.choice([(3, 8), (2, 5), (5, 8), (1, 4)]), rng.randrange(2, 9)
    value = Fraction(total * share[0], share[1]) - repaid
    words = (
        f"A facility of {total} million is drawn to {share[0]}/{share[1]} of its amount, and {repaid} million of that is repaid."
        " How many million stay drawn?"
    )
    return item(f"drawn-{number:02d}", words, value, f"{total}*{share[0]}/{share[1]} - {repaid}", "words", Fraction(1, 2))


def ratio(rng: random.Random, number: int) -> dict[str, Any]:
    """A ratio from three figures."""
    debt, cash, earnings = rng.randrange(200, 900, 5), rng.randrange(10, 90, 5), rng.choice([60, 75, 80, 100, 125])
    value = Fraction(debt - cash, earnings)
    words = (
        f"Debt is {debt}, cash {cash} and earnings over twelve months {earnings}. What is debt less cash over earnings, exactly?"
    )
    return item(f"ratio-{number:02d}", words, value, f"({debt} - {cash})/{earnings}", "ratio", Fraction(3, 4))


def item(name: str, prompt: str, value: Fraction, check: str, subject: str, difficulty: Fraction) -> dict[str, Any]:
    """One item; what a verifier may hold an answer against is the calculation, never its value."""
    return {
        "id": name,
        "prompt": prompt,
        "reference": str(value),
        "split": "test",
        "source": "make.py",
        "source_revision": hashlib.sha256(Path(__file__).read_bytes()).hexdigest(),
        "subject": subject,
        "difficulty": str(difficulty),
        "form": "symbolic",
        "check": check,
    }


def responses(rng: random.Random, one: dict[str, Any], right: float) -> list[str]:
    """Invented responses of which about a stated share is right."""
    value = Fraction(one["reference"])
    said = []
    for _ in range(SAMPLES):
        if rng.random() < right:
            said.append(f"Step by step.\n<final>{value}</final>")
        elif rng.random() < 0.15:
            said.append("I am not sure about this one.")
        else:
            said.append(f"Roughly.\n<final>{value + rng.choice([-10, -1, 1, 2, 10])}</final>")
    return said


def main() -> None:
    """Writes both files, the same bytes each time."""
    rng = random.Random(SEED)
    items = [make(rng, n) for make, count in ((arithmetic, 24), (drawn, 24), (ratio, 24)) for n in range(count)]
    lines = []
    for one in items:
        easy = 1 - float(Fraction(one["difficulty"]))
        # The more particular line comes first: with the calculator's value behind it, then each prompt, then the bare question.
        value, asks = Fraction(one["reference"]), f"<calc>{one['check']}</calc>"
        if rng.random() < 0.9:
            lines.append({"when": f"{asks} = {value}", "say": [f"<final>{value}</final>"]})
            lines.append({"when": f"{one['prompt']}\n{TOOL}", "say": [asks, *responses(rng, one, 0.5 + easy / 3)[1:]]})
        lines.append({"when": f"{one['prompt']}\n{WORKED}", "say": responses(rng, one, 0.45 + easy / 2)})
        lines.append({"when": one["prompt"], "say": responses(rng, one, 0.3 + easy / 2)})
    (HERE / "items.jsonl").write_text("".join(json.dumps(one, sort_keys=True) + "\n" for one in items))
    (HERE / "script.json").write_text("[\n" + ",\n".join(json.dumps(one, sort_keys=True) for one in lines) + "\n]\n")


if __name__ == "__main__":
    main()
