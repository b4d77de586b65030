"""Items of the task ``clause``: which of a few clauses sets the level on a date; the latest start that counts governs."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

from conformed_plugins.training.items import Split, Task, TrainingItem
from conformed_plugins.training.synth.fields import canonical, item_id
from conformed_plugins.training.synth.values import Draw, day_in

__all__ = ["ClauseWording", "clause_wordings", "governing", "make_clause"]

_SCHEMES = (
    ("from", "from"), ("from", "window"), ("from", "trap", "from"), ("from", "window", "trap"), ("from", "ended"),
    ("from", "from", "window"), ("from", "trap"), ("from", "ended", "from"),
)  # fmt: skip
_LABELS = (("(a)", "(b)", "(c)"), ("(i)", "(ii)", "(iii)"), ("(A)", "(B)", "(C)"), ("(1)", "(2)", "(3)"))


class _Bank(NamedTuple):
    openings: tuple[str, ...]
    starts: tuple[str, ...]
    """``{f}``: first day that counts; ``{l}``: level."""
    windows: tuple[str, ...]
    """``{f}`` and ``{t}``: first and last day that count."""
    ended: tuple[str, ...]
    """``{f}``: first day without a level."""
    traps: tuple[str, ...]
    """What sets no level: drafts, waivers, consents."""
    rounds: int


_BANKS: Mapping[str, _Bank] = {
    "sft": _Bank(
        ("Level:", "Of these clauses,", "The agreement reads:", "Leverage covenant:", "In the pack:"),
        ("From and including {f} the level is {l}.", "Starting on {f} the ratio shall not exceed {l}.",
         "Effective {f} the level is amended to {l}.", "With effect from {f}, {l} is the level."),
        ("From {f} to {t}, both included, the level is {l}.", "For the time from {f} through {t} the level is {l}."),
        ("The covenant is deleted on {f}.", "From {f} no ratio is tested."),
        ("A draft of {f} proposes {l}.", "The test of {f} is waived.", "The Lenders consent on {f} to a dividend at {l}.",
         "An unsigned letter of {f} names {l}."),
        rounds=5,
    ),
    "grpo": _Bank(
        ("What counts:", "The papers say:", "Read together:"),
        ("As of {f}, and later, {l} applies.", "On and after {f} the mark is {l}."),
        ("While the relief of {f} until and including {t} lasts, the mark is {l}.", "Between {f} and {t}, these days too, {l} applies."),
        ("The undertaking lapses on {f}.", "As of {f} the test is struck out."),
        ("A term sheet of {f} has {l}.", "The breach of {f} is excused."),
        rounds=2,
    ),
    "unseen": _Bank(
        ("Provisions:", "On file:", "Texts:"),
        ("The limit becomes {l} at the start of {f}.", "{l} is in force once {f} is reached."),
        ("{l} holds for the days {f} up to and with {t}.", "A relief runs from {f} and last counts on {t}: {l}."),
        ("No limit holds once {f} is reached.", "The limit is taken out at the start of {f}."),
        ("By a mail of {f} the {l} was talked about.", "Rights are reserved as to {f}."),
        rounds=2,
    ),
    "final": _Bank(
        ("Contents:", "The terms, in no order:", "Entries:"),
        ("Beginning with {f}, one may go up to {l}.", "{f} brings a ceiling of {l}."),
        ("A ceiling of {l} is lent for {f} to {t}, first and last day counted.", "Ceiling {l}: first day {f}, last day {t}."),
        ("{f} brings the end of the ceiling.", "Beginning with {f}, there is no ceiling."),
        ("A blank form of {f} shows {l}.", "For a merger on {f} the lenders asked for {l}."),
        rounds=2,
    ),
}  # fmt: skip


class ClauseWording(NamedTuple):
    """How a set of clauses is put."""

    name: str
    bank: str
    opening: str
    kinds: tuple[str, ...]
    texts: tuple[str, ...]


@cache
def clause_wordings(bank: str) -> tuple[ClauseWording, ...]:
    """The wordings of a bank."""
    parts = _BANKS[bank]
    found = []
    for turn in range(parts.rounds):
        for number, scheme in enumerate(_SCHEMES):
            texts = tuple(_text(parts, kind, turn + number + place) for place, kind in enumerate(scheme))
            opening = parts.openings[(turn + number) % len(parts.openings)]
            found.append(ClauseWording(f"clause/{bank}/{'_'.join(scheme)}.{turn}", bank, opening, scheme, texts))
    return tuple(found)


def _text(bank: _Bank, kind: str, at: int) -> str:
    choices = {"from": bank.starts, "window": bank.windows, "ended": bank.ended, "trap": bank.traps}[kind]
    return choices[at % len(choices)]


def governing(asked: dt.date, clauses: Sequence[Mapping[str, Any]]) -> str:
    """Label of the clause that sets the level on a date: of those that count on it, the one that starts last; empty for none.

    Args:
        asked: the date.
        clauses: label, kind, and first and last day as ISO 8601 (empty for no last day).
    """
    open_then = [
        one
        for one in clauses
        if one["kind"] != "trap"
        and dt.date.fromisoformat(one["from"]) <= asked
        and (not one["to"] or asked <= dt.date.fromisoformat(one["to"]))
    ]
    last = max(open_then, key=lambda one: str(one["from"]), default=None)
    return str(last["label"]) if last is not None and last["kind"] != "ended" else ""


def make_clause(wording: ClauseWording, split: Split, draw: Draw) -> TrainingItem:
    """An item of a wording."""
    style = draw.pick(("us", "uk"))
    days: list[dt.date] = []
    while len(days) < len(wording.kinds) + 1:
        if (day := draw.date()) not in days:
            days.append(day)
    asked, starts = days[0], sorted(days[1:])
    labels = draw.pick(_LABELS)
    numbers: list[int] = []
    rows: list[dict[str, str]] = []
    sentences: list[str] = []
    order = draw.shuffled(range(len(wording.kinds)))
    for label, at in zip(labels, order, strict=False):
        kind, first = wording.kinds[at], starts[at]
        last = first + dt.timedelta(days=90 + draw.below(400)) if kind == "window" else None
        number = draw.hundredths()
        while number in numbers:
            number = draw.hundredths()
        numbers.append(number)
        rows.append({"label": label, "kind": kind, "from": first.isoformat(), "to": last.isoformat() if last else ""})
        words = {"f": day_in(style, first), "t": day_in(style, last) if last else "", "l": draw.level(number)}
        sentences.append(f"{label} {wording.texts[at].format_map(words)}")
    label = governing(asked, rows)
    found = {"clause": f" {label}" if label else ""}
    prompt = f"Clause that governs on {day_in(style, asked)}:\n{wording.opening} {' '.join(sentences)}"
    answer = canonical(found)
    tags = (f"scheme:{'_'.join(wording.kinds)}", f"values:{draw.ranges.name}", f"states:{'clause' if label else 'none'}")
    facts: dict[str, Any] = {"asked": asked.isoformat(), "clauses": rows, "fields": found}
    return TrainingItem(item_id(Task.CLAUSE, prompt, answer), Task.CLAUSE, split, wording.name, prompt, answer, facts, tags)
