"""The conformed copy, the timeline and the answer of ``conformed covenant`` as text."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Sequence
from fractions import Fraction

from conformed.app.answer import CovenantAnswer, CovenantShape
from conformed.app.pages import shown
from conformed.app.pages.pen import Pen
from conformed.model.covenant import Comparator, TimelineEntry
from conformed.model.decision import Conformed, ConformedRun

__all__ = ["answer_text", "copy_text", "instruments_of", "timeline_text"]

_ROW = re.compile(r"^\W?[A-Z0-9].*\d\s*(?:to|:)\s*1(?:\.0+)?\W?$")
"""A line that ends in a ratio: a row of a schedule."""


def instruments_of(copies: Sequence[Conformed]) -> tuple[str, ...]:
    """The instruments whose words a conformed copy holds, in their first order. Their place, from 1, is their mark."""
    return shown.unique(run.document for copy in copies for run in (*copy.runs, *copy.superseded))


def copy_text(copies: Sequence[Conformed], *, width: int = 100, colour: bool = False) -> str:
    """A conformed copy: the words in force in order, each run with the mark of its instrument, then superseded words.

    Args:
        copies: provisions and definitions as they read on the test date.
        width: columns of the terminal.
        colour: whether to colour.
    """
    pen = Pen(width, colour=colour)
    marks = {name: number for number, name in enumerate(instruments_of(copies), 1)}
    for name, number in marks.items():
        pen.item(f"[{number}]", name)
    for copy in copies:
        pen.heading(f"“{copy.section}”" if copy.definition else " ".join(part for part in (copy.section, copy.heading) if part))
        for run in copy.runs:
            _run(pen, f"[{marks[run.document]}]", run, "")
        for run in copy.superseded:
            _run(pen, f"[{marks[run.document]}]", run, "no longer counts: ")
    if not copies:
        pen.say("There is no conformed copy: no provision of that covenant was found in the pack.")
    return pen.text()


def _run(pen: Pen, mark: str, run: ConformedRun, before: str) -> None:
    """The words of a run; rows of a table stay rows, lines that a page happened to break are joined."""
    first, *rest = _paragraphs(run.text) or [""]
    rest = [*rest, f"({_where(run)})"] if rest else []
    pen.item(mark, f"{before}{first}" if rest else f"{before}{first}  ({_where(run)})")
    for words in rest:
        pen.say(words, indent=7)


def _paragraphs(text: str) -> list[str]:
    found: list[str] = []
    row_before = False
    for line in text.splitlines():
        row = "\t" in line.strip() or _ROW.search(line.strip()) is not None
        words = " ".join(line.split())
        if words and found and not (row or row_before):
            found[-1] += f" {words}"
        elif words:
            found.append(words)
        row_before = row
    return found


def _where(run: ConformedRun) -> str:
    places = ", ".join(shown.unique(shown.place(span) for span in run.spans)) or run.document
    return f"{places}; operation {shown.one_line(run.operation)}" if run.operation else places


def timeline_text(
    entries: Sequence[TimelineEntry], *, test_date: dt.date | None = None, width: int = 100, colour: bool = False
) -> str:
    """Levels over time, a line each, with an arrow at the test date."""
    pen = Pen(width, colour=colour)
    rows = []
    for entry in entries:
        start, end = shown.window(entry.window)
        here = " ←" if test_date is not None and entry.window.holds(test_date) else ""
        where = shown.place(entry.spans[0]) if entry.spans else entry.document
        rows.append((start, end, f"{entry.level}{here}", where, entry.reason))
    if rows:
        pen.table(("From", "To", "Level", "Where it stands", "Why"), rows)
    else:
        pen.say("No level was found in the pack.")
    return pen.text()


def answer_text(answer: CovenantAnswer, *, width: int = 100, colour: bool = False) -> str:
    """Which covenant governs, or why none does, or what remains open."""
    pen = Pen(width, colour=colour)
    word = answer.result.replace("_", " ").upper() + (f": {answer.reason.replace('_', ' ')}" if answer.reason else "")
    pen.line((word, "bold"), (f"   test date {shown.day(answer.test_date)}, as known on {shown.day(answer.known_at)}", ""))
    if answer.overlay != "none":
        pen.say(f"{answer.overlay.upper()}: stands beside the result and does not change it.", style="bold magenta")
    if answer.covenant is not None:
        pen.gap()
        _shape(pen, answer.covenant)
    for number, candidate in enumerate(answer.candidates, 1):
        pen.heading(f"Reading {number}")
        _shape(pen, candidate)
    which = shown.unique(f"{one.name} ({one.section or 'no section'})" for one in answer.candidates)
    if len(which) > 1:
        pen.gap()
        pen.say(f"Which is meant? Name it with --covenant or --section: {'; '.join(which)}.", style="bold")
    if answer.reasons:
        pen.heading("Codes")
        for reason in answer.reasons:
            pen.item(f"{reason.code} [{reason.subject}]" if reason.subject else reason.code, reason.sentence)
    return pen.text()


def _shape(pen: Pen, shape: CovenantShape) -> None:
    sign = Comparator(shape.comparator).sign
    if shape.amount is not None:
        value = shown.money(Fraction(shape.amount.value), shape.amount.currency)
    else:
        value = shown.level(Fraction(shape.level or "0"))
    rows = [("Covenant", f"{shape.name} {sign} {value}"), ("Section", shape.section or "without a number")]
    if shape.reading:
        rows.insert(0, ("If", shape.reading))
    rows.append(("Set by", f"{shape.instrument} ({shape.document})" if shape.instrument else shape.document))
    if shape.row:
        rows.append(("Row", shape.row))
    told: dict[str, None] = {}
    for span in shape.spans:  # two facts may stand on the same words, and a stretch between two struck ones may be blank
        where = f"p. {span.page}" if span.page is not None else f"characters {span.start}–{span.end}"
        if span.text.strip():
            told[f"{span.document} {where}: “{shown.quote(span.text)}”"] = None
    rows += [("Shown by", place) for place in told]
    pen.pairs(rows)
