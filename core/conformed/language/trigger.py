"""The condition of a springing covenant, and which of its parts count: read from the clause's own words (rule book P06, C20)."""

from __future__ import annotations

import re
from fractions import Fraction

from conformed.language.amounts import fold
from conformed.language.words import number_in_words
from conformed.model.covenant import Comparator, Trigger
from conformed.model.span import Span

__all__ = ["PARTS", "letters_counted", "part_of", "read_trigger"]

_COMPARE = (
    (
        Comparator.GE,
        r"(?:equals?\s+or\s+exceeds?|is\s+(?:equal\s+to\s+or\s+(?:greater|more)\s+than|at\s+least)|(?:are|is)\s+at\s+least|not\s+less\s+than)",
    ),
    (
        Comparator.GT,
        r"(?:exceeds?|(?:is|are|were|was)?\s*(?:then\s+outstanding\s+)?(?:is|are)?\s*(?:greater|more|higher)\s+than|in\s+excess\s+of|above|over)",
    ),
)
_SHARE = r"(?P<share>\d{1,3}(?:\.\d{1,4})?\s*(?:%|per\s?cent\.?)|[a-z]+(?:[\s-][a-z]+)?\s+per\s?cent\.?(?:\s*\(\s*\d{1,3}(?:\.\d+)?%\s*\))?)"
_TRIGGER = tuple(
    (
        comparator,
        re.compile(
            rf"(?P<upper>[^.;]{{10,420}}?)\b(?P<words>{words})\s+{_SHARE}\s+of\s+(?:the\s+)?(?P<lower>[^.;,()]{{4,140}})",
            re.IGNORECASE,
        ),
    )
    for comparator, words in _COMPARE
)
_CONDITION = re.compile(
    r"\b(?:only\s+if|only\s+to\s+the\s+extent|if\s+and\s+only\s+if|only\s+(?:when|where)|if|where|when)\b", re.IGNORECASE
)


def read_trigger(text: str, spans: tuple[Span, ...] = ()) -> Trigger | None:
    """The trigger of a clause: what is used, of what, beyond which share; None where the clause states none.

    The comparator is of the trigger's own words, not of the covenant's. A share in words and figures must agree.

    Args:
        text: the clause.
        spans: where it stands.
    """
    line = fold(" ".join(text.split()))
    for comparator, pattern in _TRIGGER:
        for match in pattern.finditer(line):
            conditions = list(_CONDITION.finditer(line, match.start(), match.end("upper")))
            share = _share(match["share"])
            if not conditions or share is None:
                continue
            upper = line[conditions[-1].end() : match.start("words")].strip(" ,")
            upper = re.sub(r"\s+(?:is|are|then|outstanding)$", "", upper)
            if not re.search(r"\b(?:revolv|loan|facilit|utili[sz]|credit|exposure|draw|outstanding)", upper, re.IGNORECASE):
                continue
            return Trigger(
                numerator=upper, denominator=match["lower"].strip(), comparator=comparator, level=share,
                raw=line[_core(line, match.start("words")) : match.end("lower")].strip(), spans=spans,
            )  # fmt: skip
    return None


def _core(line: str, at: int) -> int:
    """Where the words of comparison begin, auxiliaries left out."""
    found = re.compile(r"\b(?:equal|exceed|more|greater|higher|in excess|above|over|at least|not less)", re.IGNORECASE).search(
        line, at
    )
    return found.start() if found else at


def _share(words: str) -> Fraction | None:
    digits = re.search(r"(\d{1,3}(?:\.\d{1,4})?)\s*(?:%|per\s?cent)", words)
    spoken = re.match(r"([a-z]+(?:[\s-][a-z]+)?)\s+per\s?cent", words, re.IGNORECASE)
    figure = Fraction(digits[1]) / 100 if digits else None
    if spoken is None:
        return figure
    value = number_in_words(spoken[1])
    share = None if value is None else value / 100
    return share if figure is None or share == figure else None


PARTS: tuple[tuple[str, str], ...] = (
    ("closing_draws", r"\bclosing\b.*\b(?:draw|loan|borrow)|\b(?:draw|loan|borrow)\w*\b.*\bclosing\b"),
    (
        "cash_covered_lc",
        r"\bcash[- ]?(?:collaterali[sz]ed|covered|backed)\b.*\bletters?\b|\bletters?\b.*\bcash[- ]?(?:collaterali[sz]ed|covered|backed)\b|\bcash[_ -]?(?:covered|collateralised|collateralized)[_ ]lc",
    ),
    ("undrawn_lc", r"\bundrawn\b.*\b(?:letters?|lc|l/c)\b|\b(?:letters?|lc)\b.*\bundrawn\b|\bundrawn_lc"),
    ("drawn_lc", r"\bdrawn\b.*\b(?:letters?|lc|l/c)\b|\b(?:letters?|lc)\b.*\b(?:drawn|reimbursement)\b|\bdrawn_lc"),
    ("swingline", r"\bswing\s?-?line"),
    ("commitments", r"\bcommitments?\b"),
    ("revolver", r"\brevolv\w*|\butili[sz]ation\b"),
)
"""Parts of use and the names by which facts and certificate lines give them; the first that fits counts."""


def part_of(label: str) -> str | None:
    """Which part of use a name or a label gives; None where it is none of them."""
    plain = label.replace("_", " ")
    return next(
        (name for name, pattern in PARTS if re.search(pattern, plain, re.IGNORECASE) or re.search(pattern, label, re.IGNORECASE)),
        None,
    )


def letters_counted(upper: str) -> tuple[dict[str, bool | None], bool]:
    """Whether drawn, undrawn and cash-covered letters of credit count by a trigger's words, and whether swingline loans do.

    Returns:
        For each part: True, False, or None where the words do not say; and whether the words name swingline loans.
    """
    low = upper.lower()
    if not re.search(r"letters? of credit|\blcs?\b|l/c", low):
        return {"drawn_lc": False, "undrawn_lc": False, "cash_covered_lc": False}, "swing" in low
    out = r"(?:exclud\w+|other than|not including|except(?:ing)?)[^;]*?"
    drawn_only = bool(re.search(r"(?<!un)\bdrawn (?:letters?|lcs?)|(?:unreimbursed|amounts? drawn|reimbursement)", low))
    no_undrawn = drawn_only or bool(re.search(out + r"\bundrawn\b", low))
    with_undrawn = bool(
        re.search(r"(?:whether or not drawn|drawn (?:or|and) undrawn|drawn or not|(?:stated|face|undrawn) amount)", low)
    ) and not re.search(out + r"\bundrawn\b", low)
    covered = False if re.search(out + r"\bcash[- ]?(?:collaterali[sz]ed|covered|backed)", low) or no_undrawn else None
    return {
        "drawn_lc": True,
        "undrawn_lc": True if with_undrawn else False if no_undrawn else None,
        "cash_covered_lc": covered,
    }, "swing" in low
