"""Whether a deciding number may be believed as it was read (rule G7): OCR and a suspect text layer need a person's eye."""

from __future__ import annotations

from conformed.model.codes import sentence_of
from conformed.model.covenant import Covenant
from conformed.model.decision import Reason
from conformed.model.pack import CaseFile

__all__ = ["unwitnessed"]

_SUSPECT = frozenset({"ocr", "text_layer_suspect", "marks_unchecked"})
"""Notes of a reader after which the characters of a page may not be what the page shows."""


def unwitnessed(case: CaseFile, covenant: Covenant | None) -> list[Reason]:
    """A reason for each place of the level that a person must look at; none for a level that stands on plain text."""
    if covenant is None:
        return []
    reasons = []
    for span in covenant.limit.spans:
        notes = case.document(span.document).notes
        if any(n.code in _SUSPECT and (n.page is None or span.page is None or n.page == span.page) for n in notes):
            code = "review_number_not_witnessed"
            reasons.append(Reason(code=code, sentence=sentence_of(code), subject=span.document, spans=(span,)))
    return reasons
