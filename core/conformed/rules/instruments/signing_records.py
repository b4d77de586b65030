"""Completed records of electronic signing: execution of an instrument whose own signature lines are empty (rule book PR-05).

The record must say that it is completed, name the instrument, and show for every party with an empty line that it signed.
"""

from __future__ import annotations

import datetime as dt
import re

from conformed.language.dates import find_dates
from conformed.language.names import find_named
from conformed.language.traced import Traced
from conformed.model.pack import Execution, Instrument, InstrumentKind

__all__ = ["apply_signing_records"]

K = InstrumentKind
_RECORD = re.compile(
    r"\b(?:certificate\s+of\s+completion|completion\s+certificate|signing\s+(?:completion\s+)?(?:certificate|record)|e-?signature\s+(?:certificate|record))\b",
    re.IGNORECASE,
)
_DONE = re.compile(r"\bstatus\s*:?\s*completed\b|\ball\s+(?:signatories|signers|parties)\s+(?:have\s+)?signed\b", re.IGNORECASE)
_OPEN = re.compile(
    r"\b(?:pending|declined|voided|awaiting|not\s+(?:yet\s+)?signed|expired|sent|delivered|viewed\s*$)\b",
    re.IGNORECASE | re.MULTILINE,
)
_EMPTY = re.compile(r"\bBy\s*:?\s*(?:_{3,}|\n\s*(?:Name|Title)\s*:)", re.IGNORECASE)
_ROLE = re.compile(
    r"\b(?:borrower|administrative\s+agent|collateral\s+agent|agent|guarantor|parent|lender|company|issuing\s+bank)\b",
    re.IGNORECASE,
)
_SIGNED = re.compile(r"\b(?:signed|completed)\b", re.IGNORECASE)
_ABOVE = 200


def apply_signing_records(instruments: tuple[Instrument, ...], views: dict[str, Traced]) -> tuple[Instrument, ...]:
    """Gives unsigned instruments the execution that a completed record of the pack shows; what is attested stays.

    Args:
        instruments: instruments as read.
        views: live text of each document.
    """
    records = [
        i for i in instruments if i.kind in {K.OTHER, K.NOTICE, K.AMENDMENT} and _RECORD.search(views[i.document].text[:600])
    ]
    result = []
    for instrument in instruments:
        if instrument.execution is Execution.UNSIGNED and not instrument.execution_attested and instrument not in records:
            shown = [
                (r, day) for r in records if (day := _shows(views[r.document].text, instrument, views[instrument.document].text))
            ]
            if len(shown) == 1:
                record, day = shown[0]
                view = views[record.document]
                spans = {**instrument.spans, "execution": view.spans(0, min(len(view.text), 300))}
                instrument = instrument.model_copy(update={"execution": Execution.EXECUTED, "signed_on": day, "spans": spans})
        result.append(instrument)
    return tuple(result)


def _shows(record: str, instrument: Instrument, text: str) -> dt.date | None:
    """The day of the last signature, where a record shows every party of an instrument as having signed it."""
    if _DONE.search(record) is None or _OPEN.search(record) is not None:
        return None
    if instrument.number is None or {n.number for n in find_named(record)} != {instrument.number}:
        return None
    needed = []
    last = 0
    for blank in _EMPTY.finditer(text):
        roles = _ROLE.findall(text[max(last, blank.start() - _ABOVE) : blank.start()])
        if not roles:
            return None
        needed.append(" ".join(roles[-1].lower().split()))
        last = blank.end()
    lines = [line for line in record.splitlines() if _SIGNED.search(line)]
    days = []
    for role in needed:
        own = [line for line in lines if role in {" ".join(r.lower().split()) for r in _ROLE.findall(line)}]
        dates = [t.date for line in own for t in find_dates(line)]
        if len(own) < needed.count(role) or not dates:
            return None
        days += dates
    return max(days) if days else None
