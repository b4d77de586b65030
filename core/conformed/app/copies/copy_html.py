"""The conformed copy as one HTML file: every run of words in its instrument's colour and with its number, struck words beside it."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from conformed.app.answer import CovenantAnswer
from conformed.app.copies.copy_diff import CopyDiff
from conformed.app.copies.copy_text import instruments_of
from conformed.app.pages import shown
from conformed.model.decision import Conformed, ConformedRun

__all__ = ["MarkedProvision", "MarkedRun", "covenant_name", "marked", "render_copy"]

_TEMPLATES = Path(__file__).parents[1] / "templates"


@dataclass(frozen=True, slots=True)
class MarkedRun:
    """A run of words with the mark under which its origin is told."""

    mark: str
    """``2.5``: the fifth run of instrument 2."""
    instrument: int
    """Number of the instrument, from 1."""
    text: str
    """The words, without white space at their end."""
    tail: str
    """That white space; it comes after the mark."""
    note: str
    """Instrument, place and operation."""


@dataclass(frozen=True, slots=True)
class MarkedProvision:
    """A provision or definition with its marked runs."""

    title: str
    """For people."""
    runs: tuple[MarkedRun, ...]
    """Words in force."""
    struck: tuple[MarkedRun, ...]
    """Words that no longer count."""


def covenant_name(copies: Sequence[Conformed], answer: CovenantAnswer) -> str:
    """What to call the covenant of a copy: the governing one's name, else the provision that the copy begins with."""
    if answer.covenant is not None:
        return shown.one_line(answer.covenant.name)
    first = next((copy for copy in copies if not copy.definition), None)
    return shown.one_line(f"{first.section} {first.heading}") if first else "Covenant"


def marked(copies: Sequence[Conformed]) -> tuple[MarkedProvision, ...]:
    """Numbers every run, so that paper shows its origin without colour: shared by the HTML and the DOCX.

    Args:
        copies: provisions and definitions as they read on the test date.
    """
    numbers = {name: number for number, name in enumerate(instruments_of(copies), 1)}
    counts = dict.fromkeys(numbers, 0)

    def mark(run: ConformedRun) -> MarkedRun:
        counts[run.document] += 1
        number = numbers[run.document]
        places = ", ".join(shown.unique(shown.place(span) for span in run.spans)) or shown.one_line(run.document)
        operation = f"; operation {shown.one_line(run.operation)}" if run.operation else ""
        text = shown.clean(run.text)
        words = text.rstrip()
        return MarkedRun(f"{number}.{counts[run.document]}", number, words, text[len(words) :], places + operation)

    found = []
    for copy in copies:
        title = f"“{copy.section}”" if copy.definition else " ".join(part for part in (copy.section, copy.heading) if part)
        runs = tuple(mark(run) for run in copy.runs)
        found.append(MarkedProvision(shown.one_line(title), runs, tuple(mark(run) for run in copy.superseded)))
    return tuple(found)


def render_copy(copies: Sequence[Conformed], answer: CovenantAnswer, diff: CopyDiff | None = None) -> str:
    """The conformed copy as one HTML document. No clock, no script, nothing from a network: same copy, same bytes.

    Args:
        copies: provisions and definitions as they read on the test date.
        answer: what governs, with the dates that were asked.
        diff: what changed against another copy; shown before the copy.
    """
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(_TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=lambda value: shown.clean(value) if isinstance(value, str) and not hasattr(value, "__html__") else value,
    )
    style = "".join((_TEMPLATES / name).read_text(encoding="utf-8") for name in ("report.css", "copy.css"))
    digest = base64.b64encode(hashlib.sha256(style.encode("utf-8")).digest()).decode("ascii")
    names = instruments_of(copies)
    known = {name: number for number, name in enumerate(names, 1)}
    extra = [name for name in diff.instruments if name not in known] if diff else []
    known |= {name: len(names) + number for number, name in enumerate(extra, 1)}
    return environment.get_template("copy.html.j2").render(
        style=style, style_hash=digest, title=covenant_name(copies, answer), a=answer, show=shown, instruments=known, provisions=marked(copies), diff=diff,
    )  # fmt: skip
