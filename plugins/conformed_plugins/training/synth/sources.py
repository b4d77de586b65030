"""Items of the task ``sources``: claims, each with the label of the paragraph that shows it, or nothing where none does."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import cache
from typing import Any, NamedTuple

from conformed_plugins.training.items import Split, Task, TrainingItem
from conformed_plugins.training.synth.fields import canonical, item_id
from conformed_plugins.training.synth.values import Draw, day_in

__all__ = ["SourceWording", "make_sources", "source_wordings"]

_KINDS = ("level", "debt", "earnings", "start", "cash")
_CLAIMS = ("A", "B", "C")


class _Bank(NamedTuple):
    openings: tuple[str, ...]
    shown: Mapping[str, tuple[str, ...]]
    """By kind of fact: paragraphs, ``{v}`` being the value."""
    claimed: Mapping[str, tuple[str, ...]]
    rounds: int


_BANKS: Mapping[str, _Bank] = {
    "sft": _Bank(
        ("Paragraphs:", "The file has:", "From the pack:"),
        {
            "level": ("The ratio shall not exceed {v}.", "The level is {v}.", "Leverage is limited to {v}."),
            "debt": ("Total debt was {v}.", "The group owed {v}.", "Borrowings of {v} are shown."),
            "earnings": ("EBITDA came to {v}.", "EBITDA for the year was {v}.", "The accounts show EBITDA of {v}."),
            "start": ("The amendment took effect on {v}.", "The effective date is {v}."),
            "cash": ("Cash stood at {v}.", "The group held cash of {v}."),
        },
        {
            "level": ("The limit is {v}.", "Leverage may reach {v}."),
            "debt": ("Debt is {v}.", "What is owed is {v}."),
            "earnings": ("EBITDA is {v}.", "Earnings are {v}."),
            "start": ("The change counts from {v}.", "It is effective from {v}."),
            "cash": ("Cash is {v}.", "There is cash of {v}."),
        },
        rounds=30,
    ),
    "grpo": _Bank(
        ("Extracts:", "On record:"),
        {
            "level": ("At most {v} is allowed.",),
            "debt": ("Loans and notes added up to {v}.",),
            "earnings": ("The business earned {v} before interest and tax.",),
            "start": ("Conditions were met on {v}.",),
            "cash": ("At the bank lay {v}.",),
        },
        {
            "level": ("{v} is the most.",),
            "debt": ("Liabilities come to {v}.",),
            "earnings": ("{v} was earned.",),
            "start": ("It started on {v}.",),
            "cash": ("Deposits are {v}.",),
        },
        rounds=12,
    ),
    "unseen": _Bank(
        ("Passages:", "Material:"),
        {
            "level": ("{v} is the highest figure the covenant admits.",),
            "debt": ("Creditors are due {v}.",),
            "earnings": ("Operations yielded {v}.",),
            "start": ("The new terms run since {v}.",),
            "cash": ("Liquid funds of {v} were at hand.",),
        },
        {
            "level": ("The covenant admits {v}.",),
            "debt": ("It owes {v}.",),
            "earnings": ("The yield is {v}.",),
            "start": ("New terms since {v}.",),
            "cash": ("Funds are {v}.",),
        },
        rounds=12,
    ),
    "final": _Bank(
        ("Quoted:", "Documents:"),
        {
            "level": ("Under the test {v} must not be passed.",),
            "debt": ("Financial debt, all told, is {v}.",),
            "earnings": ("Adjusted profit reached {v}.",),
            "start": ("It has been binding since {v}.",),
            "cash": ("In hand there was {v}.",),
        },
        {
            "level": ("{v} must not be passed.",),
            "debt": ("All debt is {v}.",),
            "earnings": ("Profit is {v}.",),
            "start": ("Binding since {v}.",),
            "cash": ("In hand is {v}.",),
        },
        rounds=12,
    ),
}


class SourceWording(NamedTuple):
    """How paragraphs and claims are put."""

    name: str
    bank: str
    opening: str
    shown: tuple[tuple[str, str], ...]
    """Kind of fact and paragraph, three of them."""
    claimed: Mapping[str, str]
    """Claim by kind of fact."""


@cache
def source_wordings(bank: str) -> tuple[SourceWording, ...]:
    """The wordings of a bank: three kinds of fact of five, in turning order."""
    parts = _BANKS[bank]
    found = []
    for turn in range(parts.rounds):
        step = 1 + turn // len(_KINDS) % 2
        kinds = tuple(_KINDS[(turn + step * place) % len(_KINDS)] for place in range(3))
        shown = tuple((kind, parts.shown[kind][turn % len(parts.shown[kind])]) for kind in kinds)
        claimed = {kind: texts[(turn // 3) % len(texts)] for kind, texts in parts.claimed.items()}
        opening = parts.openings[turn % len(parts.openings)]
        found.append(SourceWording(f"sources/{bank}/{'_'.join(kinds)}.{turn}", bank, opening, shown, claimed))
    return tuple(found)


def _value(kind: str, style: str, taken: Collection[str], draw: Draw) -> str:
    """A value of a kind of fact that no other fact of the item has."""
    value = _drawn(kind, style, draw)
    while value in taken:
        value = _drawn(kind, style, draw)
    return value


def _drawn(kind: str, style: str, draw: Draw) -> str:
    if kind == "level":
        return draw.level(draw.hundredths())
    if kind == "start":
        return day_in(style, draw.date())
    return f"{draw.pick(('USD', 'EUR', 'GBP'))} {draw.amount()},000,000"


def make_sources(wording: SourceWording, split: Split, draw: Draw) -> TrainingItem:
    """An item of a wording. In half of the items one claim is shown by no paragraph: its value is another, or nothing states it."""
    style = draw.pick(("us", "uk"))
    labels = draw.pick((("(1)", "(2)", "(3)"), ("(a)", "(b)", "(c)"), ("(i)", "(ii)", "(iii)")))
    values: dict[str, str] = {}
    for kind, _ in wording.shown:
        values[kind] = _value(kind, style, values.values(), draw)
    paragraphs = draw.shuffled(wording.shown)
    shown = [f"{label} {text.format(v=values[kind])}" for label, (kind, text) in zip(labels, paragraphs, strict=True)]
    label_of = {kind: label for label, (kind, _) in zip(labels, paragraphs, strict=True)}
    asked: list[tuple[str, str, str]] = [(kind, values[kind], f" {label_of[kind]}") for kind, _ in draw.shuffled(wording.shown)]
    unshown = draw.below(4)
    if unshown == 0:
        other = draw.pick([kind for kind in _KINDS if kind not in values])
        asked[0] = (other, _value(other, style, values.values(), draw), "")
    elif unshown == 1:
        kind = asked[0][0]
        asked[0] = (kind, _value(kind, style, values.values(), draw), "")
    asked = draw.shuffled(asked)
    claims = [f"{name} {wording.claimed[kind].format(v=value)}" for name, (kind, value, _) in zip(_CLAIMS, asked, strict=True)]
    found = {name: label for name, (_, _, label) in zip(_CLAIMS, asked, strict=True)}
    prompt = f"Source of each claim:\n{wording.opening} {' '.join(shown)} Claims: {' '.join(claims)}"
    answer = canonical(found)
    facts: dict[str, Any] = {
        "claims": [{"kind": kind, "name": name, "value": value} for name, (kind, value, _) in zip(_CLAIMS, asked, strict=True)],
        "fields": found,
        "paragraphs": [{"kind": kind, "label": label_of[kind], "value": values[kind]} for kind, _ in paragraphs],
    }
    tags = (f"unshown:{('absent', 'other_value')[unshown] if unshown < 2 else 'none'}", f"values:{draw.ranges.name}")
    return TrainingItem(item_id(Task.SOURCES, prompt, answer), Task.SOURCES, split, wording.name, prompt, answer, facts, tags)
