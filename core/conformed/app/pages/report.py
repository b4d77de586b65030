"""The decision as one HTML file: offline, no script, evidence highlighted on the pages it stands on."""

from __future__ import annotations

import base64
import datetime as dt
import hashlib
from dataclasses import dataclass
from fractions import Fraction
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from conformed.app.copies.copy_text import instruments_of
from conformed.app.face import Evidence
from conformed.app.keeping.published import PublicationNote, sentence_of
from conformed.app.pages import shown
from conformed.app.pages.exhibits import Exhibit, exhibits_of, key_of
from conformed.app.pages.facts import facts_of, near_definitions
from conformed.app.pages.screen import CHECK_NAMES, RESULT_WORDS, headroom_sentences
from conformed.app.people.standing import Standing, approval_sentence
from conformed.model.base import Missing
from conformed.model.calculation import Calculation
from conformed.model.covenant import Covenant, TimelineEntry
from conformed.model.decision import CheckOutcome, Decision
from conformed.model.span import Span

__all__ = ["render_report"]

_TEMPLATES = Path(__file__).parents[1] / "templates"
_SIGNS = {"pass": "✓", "breach": "✕", "not_tested": "–", "review": "?"}
_CHECK_WORDS = {
    CheckOutcome.PASS: ("✓", "Pass"),
    CheckOutcome.FAIL: ("✕", "Fail"),
    CheckOutcome.REVIEW: ("?", "Review"),
    CheckOutcome.NOT_RUN: ("–", "Not run"),
}
_SHORTEST_BAR = dt.timedelta(days=45)
_OPEN_END = dt.timedelta(days=365)


@dataclass(frozen=True, slots=True)
class _Bar:
    """One stretch of the timeline's strip, in per mille of its width."""

    left: int
    """Where it begins."""
    width: int
    """How wide it is."""
    level: str
    """Level as shown."""
    label: str
    """Its days in words."""
    here: bool
    """Whether the test date lies in it."""


def render_report(
    decision: Decision,
    evidence: Evidence | None = None,
    published: PublicationNote | None = None,
    standing: Standing | None = None,
) -> str:
    """The report as one HTML document.

    The same decision and the same evidence give the same bytes: there is no clock in it.

    Args:
        decision: the record.
        evidence: where page images, rectangles and texts come from; without it quotes stand alone.
        published: what became of its publication; None leaves it out.
        standing: where it stands with people; None leaves it out.

    Returns:
        HTML with a content security policy that forbids scripts, frames, forms and everything from the network.
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
    style = (_TEMPLATES / "report.css").read_text(encoding="utf-8")
    digest = base64.b64encode(hashlib.sha256(style.encode("utf-8")).digest()).decode("ascii")
    context = _context(decision, evidence or Evidence())
    context |= {"published": sentence_of(published) if published else ""}
    context |= {"approval": approval_sentence(standing) if standing else ""}
    return environment.get_template("report.html.j2").render(style=style, style_hash=digest, **context)


def _context(decision: Decision, evidence: Evidence) -> dict[str, Any]:
    facts = facts_of(decision)
    exhibits = exhibits_of(facts, evidence)

    def refs(spans: tuple[Span, ...]) -> list[Exhibit]:
        cited = [exhibits[key_of(span)] for span in spans if key_of(span) in exhibits]
        return list({exhibit.id: exhibit for exhibit in cited}.values())

    copies = decision.conformed
    bars, at = _bars(decision.timeline, decision.test_date)
    covenant = decision.covenant if isinstance(decision.covenant, Covenant) else None
    calculation = None if isinstance(decision.calculation, Missing) else decision.calculation
    return {
        "d": decision,
        "show": shown,
        "refs": refs,
        "near": near_definitions,
        "covenant": covenant,
        "deciding": refs((*covenant.limit.spans, *covenant.spans))[:2] if covenant else [],
        "calculation": calculation,
        "comparison": None if calculation is None or isinstance(calculation.comparison, Missing) else calculation.comparison,
        "headroom": _headroom(calculation),
        "gauge": _gauge(calculation),
        "missing": shown.missing_or,
        "result_word": RESULT_WORDS[decision.result][0],
        "result_sentence": RESULT_WORDS[decision.result][1],
        "sign": _SIGNS[decision.result.value],
        "check_words": _CHECK_WORDS,
        "check_names": CHECK_NAMES,
        "exhibits": list({exhibit.id: exhibit for exhibit in exhibits.values()}.values()),
        "bars": bars,
        "at": at,
        "marks": {name: number for number, name in enumerate(instruments_of(copies), 1)},
        "titles": {document.name: document.title or document.kind.replace("_", " ") for document in decision.documents},
        "pages": sum(document.pages for document in decision.documents),
        "program": _version(),
    }


def _version() -> str:
    try:
        return version("conformed")
    except PackageNotFoundError:
        return "not installed"


def _headroom(calculation: Calculation | None) -> tuple[str, ...]:
    if calculation is None or isinstance(calculation.comparison, Missing):
        return ()
    return headroom_sentences(calculation, calculation.comparison.comparator)


def _gauge(calculation: Calculation | None) -> dict[str, int] | None:
    """Ratio and level on one scale from 0, in per mille; only a picture of figures that stand beside it."""
    if calculation is None or isinstance(calculation.comparison, Missing):
        return None
    left, right = calculation.comparison.left, calculation.comparison.right
    if left < 0 or right <= 0:
        return None
    top = max(left, right) * Fraction(5, 4)
    return {"ratio": int(left * 1000 / top), "level": int(right * 1000 / top)}


def _bars(entries: tuple[TimelineEntry, ...], test_date: dt.date) -> tuple[list[_Bar], int]:
    """Where each stretch, and the test date, stand on a strip from the first day to a year past the last."""
    days = [day for entry in entries for day in (entry.window.start, entry.window.end) if day is not None] + [test_date]
    if not entries:
        return [], 0
    first, last = min(days), max(days)
    last = max(last, first + _SHORTEST_BAR)
    if any(entry.window.end is None for entry in entries):
        last = min(last, dt.date(9998, 1, 1)) + _OPEN_END
    if any(entry.window.start is None for entry in entries):
        first = max(first, dt.date(2, 1, 1)) - _OPEN_END
    whole = (last - first).days + 1
    found = []
    for entry in entries:
        start, end = entry.window.start or first, entry.window.end or last
        left = (start - first).days * 1000 // whole
        width = max(4, ((end - start).days + 1) * 1000 // whole)
        found.append(_Bar(left, width, entry.level, shown.stretch(entry.window), entry.window.holds(test_date)))
    return found, (test_date - first).days * 1000 // whole
