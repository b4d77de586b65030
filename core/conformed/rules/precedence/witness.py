"""Whether a deciding number may be believed as it was read (rule G7): OCR and a suspect text layer need a person's eye."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from conformed.language.dates import find_dates
from conformed.model.base import Missing
from conformed.model.calculation import Calculation
from conformed.model.codes import sentence_of
from conformed.model.covenant import Covenant
from conformed.model.decision import Effective, Reason
from conformed.model.document import Document
from conformed.model.operation import Extraction
from conformed.model.pack import CaseFile
from conformed.model.span import Span

__all__ = [
    "deciding_dates",
    "deciding_figures",
    "deciding_level",
    "held_against",
    "seen",
    "unseen",
    "unwitnessed",
    "unwitnessed_figures",
]

_SUSPECT = frozenset({"ocr", "text_layer_suspect", "marks_unchecked", "style_unread", "style_elsewhere", "fonts_own"})
"""Notes of a reader after which the characters of a page may not be what the page shows."""
_CODE = "review_number_not_witnessed"
_NUMBER = re.compile(r"\d|½|¼|¾|⅓|⅔|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\b", re.IGNORECASE)
_SHORT = 120
"""Code points: longer spans are clauses, in which the number has a span of its own."""


def deciding_level(covenant: Covenant | None) -> tuple[Span, ...]:
    """Where the numbers stand that make the level: the level's own, and the dates of the row that was chosen."""
    if covenant is None:
        return ()
    rows = [s for s in covenant.spans if s not in covenant.limit.spans and len(s.text) <= _SHORT and _NUMBER.search(s.text)]
    return (*covenant.limit.spans, *(rows if covenant.row else ()))


def deciding_dates(case: CaseFile, extraction: Extraction, covenant: Covenant | None) -> tuple[Span, ...]:
    """Where the days stand from which the instrument that sets the level counts, as its own words or a notice say; each once."""
    if covenant is None:
        return ()
    places = [s for o in extraction.operations if o.document == covenant.document and o.effective.date for s in o.effective.spans]
    places += [s for i in case.instruments if i.document == covenant.document for s in i.effective_evidence]
    days = [
        case.document(span.document).span(span.start + day.start, span.start + day.end)
        for span in places
        for day in find_dates(span.text)
    ]
    return tuple(dict.fromkeys(days))


def deciding_figures(calculation: Calculation | Missing) -> tuple[Span, ...]:
    """Where the numbers stand that a calculation uses, each once, in its order; the level's own are judged with the covenant."""
    if isinstance(calculation, Missing):
        return ()
    used = " ".join(step.expression for step in calculation.steps)
    names = set(re.findall(r"[A-Za-z_]\w*", used))
    found = [f.spans[0] for f in calculation.figures if f.spans and f.name != "level" and f.name in names]
    return tuple(dict.fromkeys(s for s in found if len(s.text) <= _SHORT and _NUMBER.search(s.text)))


def unwitnessed(case: CaseFile, covenant: Covenant | None) -> list[Reason]:
    """A reason for each place of the level that a person must look at; none for a level that stands on plain text."""
    return _not_plain(case, deciding_level(covenant))


def unwitnessed_figures(case: CaseFile, calculation: Calculation | Missing) -> list[Reason]:
    """The same for the figures of a calculation; one reason a document."""
    found: dict[str, Reason] = {}
    for reason in _not_plain(case, deciding_figures(calculation)):
        before = found.get(reason.subject)
        found[reason.subject] = reason if before is None else before.model_copy(update={"spans": (*before.spans, *reason.spans)})
    return list(found.values())


def _not_plain(case: CaseFile, spans: Iterable[Span]) -> list[Reason]:
    reasons = []
    for span in spans:
        document = case.document(span.document)
        noted = any(n.code in _SUSPECT and (n.page is None or span.page is None or n.page == span.page) for n in document.notes)
        if noted or not _live(document, span):
            reasons.append(Reason(code=_CODE, sentence=sentence_of(_CODE), subject=span.document, spans=(span,)))
    return reasons


def _live(document: Document, span: Span) -> bool:
    """Whether a person sees the words of a span as words that stand: none of them struck, hidden or apart from the text."""
    return not any(
        run.start < span.end and span.start < run.end
        for runs in (document.struck, document.hidden, document.furniture)
        for run in runs
    )


def held_against(spans: Sequence[Span], look: Callable[[Sequence[Span]], Sequence[str]]) -> list[Reason]:
    """Spans held against what their pages show: a reason for each that differs.

    Args:
        spans: the numbers that decide.
        look: says for each span what speaks against it; empty where nothing does.
    """
    if not spans:
        return []
    return [
        Reason(code=_CODE, sentence=f"{sentence_of(_CODE)} Of one number: {said}.", subject=span.document, spans=(span,))
        for span, said in zip(spans, look(spans), strict=True)
        if said
    ]


def seen(
    effective: Effective,
    look: Callable[[Sequence[Span]], Sequence[str]],
    days: Callable[[Covenant], Sequence[Span]] = lambda _covenant: (),
) -> Effective:
    """What precedence gives, brought to review where a page does not show the numbers that make its level.

    Args:
        effective: what precedence gives.
        look: says for each span what speaks against it; empty where nothing does.
        days: further places that decide, such as the day from which the level counts.
    """
    if isinstance(effective.covenant, Missing) or effective.result == "review":
        return effective
    places = dict.fromkeys((*deciding_level(effective.covenant), *days(effective.covenant)))
    reasons = held_against(tuple(places), look)
    return unseen(effective, reasons) if reasons else effective


def unseen(effective: Effective, reasons: Sequence[Reason]) -> Effective:
    """The same as a review: the level is shown as a candidate, and accept codes go."""
    covenant = effective.covenant
    shown = () if isinstance(covenant, Missing) else (covenant,)
    kept = [r for r in effective.reasons if not r.code.startswith(("accept", "not_tested")) or r.code == "accept_waiver_overlay"]
    return effective.model_copy(
        update={
            "result": "review",
            "not_tested": "",
            "covenant": Missing(reason=reasons[0].sentence, code=reasons[0].code),
            "candidates": (*shown, *effective.candidates),
            "reasons": (*reasons, *kept),
        }
    )
