"""Times that stand in the words above a list of covenants: from when they are tested, and on which days."""

from __future__ import annotations

import datetime as dt
import re
from dataclasses import dataclass

from conformed.language.conditions import first_test, tested_when
from conformed.language.dates import find_dates

__all__ = ["LeadTimes", "lead_times"]

_STARTS = re.compile(r"\b(?:commencing|beginning|starting)\b", re.IGNORECASE)
_STATEMENTS = re.compile(
    r"\b(?P<start>(?:commencing|beginning|starting)\s+with\s+)(?:the\s+)?(?:[\w']+\s+){0,2}?(?:financial\s+)?statements\s+for\s+(?=the\b)",
    re.IGNORECASE,
)
_NAMED_DAY = re.compile(
    r"\b(?:from\s+and\s+after|on\s+and\s+after|(?<!from and )(?<!on and )after|following|prior\s+to|before)\s+the\s+"
    r"(?!(?:Closing|Effective|Signing|Execution|Restatement|Original|Initial|Agreement)\b)(?:[A-Z][\w-]*\s+){1,4}(?:Date|Period|Event|Time|Day)\b"
)
_INSTRUCTS = re.compile(r"\b(?:amended|restated|replaced|deleted|inserted|added|substitut\w+|to\s+read)\b", re.IGNORECASE)
"""An instruction above new text: its times are those of the change, and other readers take them."""
_BESIDE = re.compile(r"\b(?:dated|Agreement|Act|as\s+in\s+effect|amended|GAAP|statements?)\b[^,;]*$")


@dataclass(frozen=True, slots=True)
class LeadTimes:
    """What the words above say of time.

    Attributes:
        first: the first test date, where they give it.
        tested: when it is tested, in the words of the model; empty where they do not say.
        unread: reason code where they speak of a time that was not understood; empty where not.
        sentence: that in plain words.
    """

    first: dt.date | None = None
    tested: str = ""
    unread: str = ""
    sentence: str = ""


def lead_times(lead: str) -> LeadTimes:
    """Reads the last sentence above a list of covenants ("... shall, commencing with the quarter ending June 30, 2024: (a) ...").

    Args:
        lead: that sentence, up to the list.
    """
    if _INSTRUCTS.search(lead):
        return LeadTimes()
    lead = _STATEMENTS.sub(lambda m: m["start"], lead)
    first = first_test(lead, 0, len(lead))
    told = tested_when(lead, 0, len(lead)).what
    tested = "" if told == "unstated" else told
    rest = lead if first is None else lead[: first[1]] + " " * (first[2] - first[1]) + lead[first[2] :]
    if _STARTS.search(rest):
        return LeadTimes(
            None, tested, "review_input_missing", "The words above the list start its tests at a time that was not understood."
        )
    day = _NAMED_DAY.search(rest)
    loose = [d for d in find_dates(rest) if not _BESIDE.search(rest[: d.start])]
    if day or loose:
        words = "The words above the list name a time that was not understood."
        return LeadTimes(first[0] if first else None, tested, "review_trigger_evidence_missing", words)
    return LeadTimes(first[0] if first else None, tested)
