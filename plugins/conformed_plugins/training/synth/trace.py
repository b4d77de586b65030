"""Items of the task ``trace``: a ratio worked out step by step and compared with its level; amounts are in millions."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import cache
from typing import Any, NamedTuple

from conformed_plugins.training.items import Split, Task, TrainingItem
from conformed_plugins.training.synth.fields import item_id
from conformed_plugins.training.synth.steps import decimal_of, written_trace
from conformed_plugins.training.synth.values import Draw

__all__ = ["TraceWording", "make_trace", "trace_wordings"]

_SCHEMES = (
    ("debt", "earnings"), ("debt", "more", "earnings"), ("debt", "cash", "earnings"), ("debt", "more", "cash", "earnings"),
    ("debt", "earnings", "added"), ("debt", "cash", "earnings", "added"),
)  # fmt: skip
_DIVISORS = (10, 20, 25, 40, 50, 80, 100, 125, 200)
"""A quotient by one of them ends within four decimals."""
_HOLDS: Mapping[str, Callable[[Fraction, Fraction], bool]] = {"le": operator.le, "lt": operator.lt}


class _Bank(NamedTuple):
    openings: tuple[str, ...]
    sentences: Mapping[str, tuple[str, ...]]
    """By part of the calculation; ``{v}`` is its amount."""
    tests: tuple[tuple[str, str], ...]
    """Sentences with the level, and the comparator of each."""
    test_first: bool
    rounds: int


_BANKS: Mapping[str, _Bank] = {
    "sft": _Bank(
        ("On the test date:", "From the accounts:", "In millions:", "For the year:", "Figures:"),
        {
            "debt": ("Term debt is {v}.", "Senior debt is {v}.", "Loans of {v} are owed."),
            "more": ("Revolving debt is {v}.", "Further debt is {v}."),
            "cash": ("Cash of {v} is netted.", "Less cash of {v}."),
            "earnings": ("EBITDA is {v}.", "EBITDA came to {v}."),
            "added": ("Add back costs of {v}.", "Savings of {v} are added."),
        },
        (
            ("The ratio shall not exceed {v}.", "le"),
            ("The level is not more than {v}.", "le"),
            ("The ratio shall be less than {v}.", "lt"),
        ),
        test_first=False,
        rounds=8,
    ),
    "grpo": _Bank(
        ("Worked from:", "Numbers given:"),
        {
            "debt": ("The group borrowed {v}.",),
            "more": ("Notes add {v} to it.",),
            "cash": ("Deduct cash, {v}.",),
            "earnings": ("It earned {v}.",),
            "added": ("To this comes {v} of synergies.",),
        },
        (("Test: at most {v}.", "le"), ("Test: below {v}.", "lt")),
        test_first=True,
        rounds=2,
    ),
    "unseen": _Bank(
        ("What is known:", "Data:"),
        {
            "debt": ("Outstanding are {v}.",),
            "more": ("{v} came on top as leases.",),
            "cash": ("{v} in cash is set off.",),
            "earnings": ("Profit before interest, tax and depreciation is {v}.",),
            "added": ("One-off items of {v} raise it.",),
        },
        (("A figure above {v} fails.", "le"), ("A figure of {v} or above fails.", "lt")),
        test_first=True,
        rounds=2,
    ),
    "final": _Bank(
        ("Reported:", "Per the books:"),
        {
            "debt": ("A principal of {v} is unpaid.",),
            "more": ("Overdrafts make {v} more.",),
            "cash": ("Bank balances, {v}, come off.",),
            "earnings": ("The year's EBITDA: {v}.",),
            "added": ("Restructuring of {v} goes back in.",),
        },
        (("Only up to {v} is good.", "le"), ("Only under {v} is good.", "lt")),
        test_first=False,
        rounds=2,
    ),
}


class TraceWording(NamedTuple):
    """How a calculation is put."""

    name: str
    bank: str
    opening: str
    sentences: tuple[tuple[str, str], ...]
    """Part of the calculation and its sentence; the test among them."""
    comparator: str


@cache
def trace_wordings(bank: str) -> tuple[TraceWording, ...]:
    """The wordings of a bank."""
    parts = _BANKS[bank]
    found = []
    for turn in range(parts.rounds):
        for number, scheme in enumerate(_SCHEMES):
            at = turn + number
            sentences = [(part, parts.sentences[part][at % len(parts.sentences[part])]) for part in scheme]
            words, comparator = parts.tests[at % len(parts.tests)]
            test = ("level", words)
            sentences = [test, *sentences] if parts.test_first else [*sentences, test]
            opening = parts.openings[at % len(parts.openings)]
            found.append(TraceWording(f"trace/{bank}/{'_'.join(scheme)}.{turn}", bank, opening, tuple(sentences), comparator))
    return tuple(found)


def make_trace(wording: TraceWording, split: Split, draw: Draw) -> TrainingItem:
    """An item of a wording. In two of three the ratio is near its level, and now and then equal to it."""
    parts = [part for part, _ in wording.sentences]
    divisor = draw.pick(_DIVISORS)
    level = Fraction(draw.hundredths(), 100)
    amounts = _debts(parts, level * divisor, draw)
    amounts["added"] = 1 + draw.below(divisor - 5) if "added" in parts else 0
    amounts["earnings"] = divisor - amounts["added"]
    debt = amounts["debt"] + amounts.get("more", 0) - amounts.get("cash", 0)
    ratio = Fraction(debt, divisor)
    passes = _HOLDS[wording.comparator](ratio, level)
    shown = {part: str(amounts[part]) for part in parts if part != "level"}
    shown["level"] = _two_places(level)
    clause = " ".join(text.format(v=shown[part]) for part, text in wording.sentences)
    prompt = f"Steps:\n{wording.opening} {clause}"
    answer = written_trace(shown, wording.comparator)
    facts: dict[str, Any] = {
        "comparator": wording.comparator,
        "inputs": [shown[part] for part in parts],
        "parts": shown,
        "ratio": decimal_of(ratio),
        "result": "pass" if passes else "breach",
    }
    tags = (
        f"scheme:{'_'.join(part for part in parts if part != 'level')}",
        f"values:{draw.ranges.name}",
        f"boundary:{'equal' if ratio == level else 'apart'}",
    )
    return TrainingItem(item_id(Task.TRACE, prompt, answer), Task.TRACE, split, wording.name, prompt, answer, facts, tags)


def _debts(parts: Sequence[str], limit: Fraction, draw: Draw) -> dict[str, int]:
    """Debt, further debt and cash; in two items of three their sum is within a twentieth of what the level allows, where amounts can be."""
    low, high = draw.ranges.amounts
    amounts = {"debt": draw.amount()}
    if "more" in parts:
        amounts["more"] = 1 + draw.below(80)
    if "cash" in parts:
        amounts["cash"] = 1 + draw.below(low)
    spread = int(limit / 20)
    near = int(limit) - spread + draw.below(2 * spread + 1) if draw.below(2) else int(limit)
    near += amounts.get("cash", 0) - amounts.get("more", 0)
    if draw.below(3) and low <= near <= high and near > amounts.get("cash", 0):
        amounts["debt"] = near
    return amounts


def _two_places(level: Fraction) -> str:
    hundredths = int(level * 100)
    return f"{hundredths // 100}.{hundredths % 100:02d}"
