"""What a waiver asks in return: a ceiling of its own for the ratio, or another condition that must be shown (rule book PR-44)."""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass

from conformed.language.comparators import find_governed, trailing_comparator
from conformed.language.limits import find_limits
from conformed.language.subjects import find_subject, metric_of
from conformed.language.terms import limit_of
from conformed.language.traced import Traced
from conformed.model.covenant import Comparator, Doubt, Limit

__all__ = ["WaiverTerms", "waiver_terms", "with_surroundings"]

_ONLY_IF = re.compile(
    r"\b(?:provided(?:\s*,?\s*(?:however|further)\s*,?)?(?:\s*,?\s+that)?|so\s+long\s+as|as\s+long\s+as|(?:only|but)\s+if|only\s+(?:to\s+the\s+extent|where|when)|"
    r"(?:on|upon)\s+(?:the\s+)?conditions?\s+that|if\s+(?:and\s+only\s+if\s+)?|subject\s+to|unless|conditional\s+(?:on|upon)|to\s+the\s+extent\s+that)\b",
    re.IGNORECASE,
)
_LIMITS_ITSELF = re.compile(
    r"\s*,?\s*(?:that\s+)?(?:(?:such|this|the\s+foregoing|the|these|no|nothing\b[^.;]{0,60}?)\s+)?(?:\w+\s+){0,3}?"
    r"(?:waivers?|consents?|herein|hereof|contained\s+in\s+this\s+\w+)\b[^.;]{0,80}?\b(?:shall|will|is|are|do|does|may)\s+(?:not\b|only\b|be\s+(?:limited|effective\s+only|deemed|construed)|apply\s+(?:only|solely)|limited|strictly)|"
    r"\s*,?\s*(?:the\s+)?(?:terms|provisions|limitations)\b",
    re.IGNORECASE,
)
_ITS_RATIO = re.compile(
    r"\b(?:such|that|the|said|its)\s+(?:actual\s+|calculated\s+|reported\s+)?(?:ratio|leverage)\b|\bit\b", re.IGNORECASE
)
_TURNED = re.compile(
    r"\b(?:not\s+(?:apply|extend|have\s+effect|be\s+effective)|cease[sd]?|terminat\w+|void|withdrawn|lapse[sd]?)\b", re.IGNORECASE
)
_AHEAD = re.compile(
    r"\b(?:provided(?:\s+that)?|so\s+long\s+as|as\s+long\s+as|if|unless|(?:on|upon)\s+(?:the\s+)?condition\s+that)\b",
    re.IGNORECASE,
)
_THE_WAIVER = re.compile(
    r"\b(?:this|the|such|that|foregoing|above|limited)\s+(?:limited\s+|foregoing\s+)?waivers?\b", re.IGNORECASE
)
_SENTENCE = re.compile(r"(?<=[A-Za-z0-9)\"])(?<!\b[Nn]o)\.\s+(?=[A-Z(\"\d])|\n[ \t]*\n")


@dataclass(frozen=True, slots=True)
class WaiverTerms:
    """What was read: the ceiling, what the ratio must be against it, whose ratio, and what stays open."""

    ceiling: Limit | None = None
    comparator: Comparator | None = None
    metric: str = ""
    doubts: tuple[Doubt, ...] = ()


def waiver_terms(view: Traced, start: int, end: int) -> WaiverTerms:
    """Reads the words of a waiver behind the provision that it excuses.

    Args:
        view: live text of the instrument.
        start: where these words begin.
        end: one past their last.
    """
    text = view.text
    conditions = [m for m in _ONLY_IF.finditer(text, start, end) if not _LIMITS_ITSELF.match(text, m.end(), end)]
    tokens = find_limits(text, start, end, "ratio")
    if not tokens:
        return WaiverTerms(doubts=tuple(_unmet(view, m, end) for m in conditions[:1]))
    asked = [m for m in conditions if m.end() <= tokens[-1].start]
    if len(tokens) > 1:
        return WaiverTerms(doubts=(_unread(view, start, end),) if asked else ())
    ceiling, after = limit_of(tokens[0], view), [m for m in conditions if m.start() >= tokens[0].end]
    if not asked or ceiling is None:
        return WaiverTerms(ceiling=ceiling)  # a ratio that is told: never judged, and never passed over
    lead = asked[-1]
    doubts = tuple(_unmet(view, m, end) for m in [*asked[:-1], *after][:1])
    governed = find_governed(text, lead.end(), tokens[0].start, lead.end())
    subject = find_subject(text, lead.end(), tokens[0].start)
    own = subject is None and _ITS_RATIO.search(text, lead.end(), tokens[0].start) is not None
    negated = lead[0].lower() == "unless"
    if governed is None or negated or not (own or subject) or re.search(r"[.;]", text[lead.end() : tokens[0].start]):
        return WaiverTerms(ceiling=ceiling, doubts=doubts)
    behind = trailing_comparator(text, tokens[0].end)
    turned = behind is not None and behind[0] is not governed.comparator
    # A ceiling lets through what is not above it: other words ("shall not apply if the ratio exceeds") are left to a person.
    ceiling_words = governed.comparator in {Comparator.LE, Comparator.LT} and not _TURNED.search(text, start, lead.end())
    comparator = governed.comparator if ceiling_words and not turned else None
    metric = metric_of(subject.name, subject.upper, subject.lower) if subject is not None else ""
    return WaiverTerms(ceiling=ceiling, comparator=comparator, metric=metric, doubts=doubts)


def with_surroundings(view: Traced, terms: WaiverTerms, start: int, tail: int, end: int) -> WaiverTerms:
    """The same with conditions that stand before the waiver, or in a sentence of their own about it.

    Args:
        view: live text of the instrument.
        terms: what stands behind the provision that it excuses.
        start: where the sentence of the waiver begins.
        tail: where the words behind the provision begin.
        end: one past their last.
    """
    doubts = list(terms.doubts)
    ahead = _AHEAD.search(view.text, start, tail)
    if ahead is not None:
        doubts.append(_unmet(view, ahead, tail))
    edges = [0, *(m.end() for m in _SENTENCE.finditer(view.text)), len(view.text)]
    for a, b in itertools.pairwise(edges):
        apart = b <= start or a >= end
        if not apart or not _THE_WAIVER.search(view.text, a, b) or not find_limits(view.text, a, b, "ratio"):
            continue
        own = waiver_terms(view, a, b)
        if own.ceiling is None or terms.ceiling is not None:
            doubts += own.doubts or ([_unread(view, a, b)] if own.ceiling is not None else [])
            continue
        terms = own
        doubts += own.doubts
    return WaiverTerms(terms.ceiling, terms.comparator, terms.metric, tuple(dict.fromkeys(doubts)))


def _unmet(view: Traced, lead: re.Match[str], end: int) -> Doubt:
    stop = re.compile(r"[.;]\s").search(view.text, lead.start(), end)
    spans = view.spans(lead.start(), stop.start() if stop else end)
    said = "The waiver holds only under a condition; that it was met is not shown."
    return Doubt(code="review_cp_evidence_missing", sentence=said, spans=spans)


def _unread(view: Traced, start: int, end: int) -> Doubt:
    said = "The waiver holds only within a ratio, and its words give more than one."
    return Doubt(code="review_clause_not_fully_read", sentence=said, spans=view.spans(start, min(end, start + 500)))
