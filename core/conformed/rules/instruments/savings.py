"""Earlier amendments that a restatement keeps alive by name (rule book PR-08): the exception to its cut."""

from __future__ import annotations

import re

from conformed.language.names import find_named
from conformed.rules.unread.spoken_places import sentence_at

__all__ = ["saved_numbers"]

_SAVES = re.compile(
    r"\b(?:remains?|continues?|stays?|survives?|is\s+preserved|are\s+preserved|is\s+saved|are\s+saved|preserves?|saves?|keeps?)\b"
    r"|\b(?:is|are|shall|will)\s+not\s+(?:be\s+)?(?:superseded|affected|replaced|terminated|spent)\b",
    re.IGNORECASE,
)
_ENDS = re.compile(r"\b(?:no\s+longer|cease[sd]?|until|supersedes?|shall\s+not\s+(?:remain|continue|survive))\b", re.IGNORECASE)


def saved_numbers(text: str) -> tuple[int, ...]:
    """Numbers of the amendments that a restatement says remain in force beside it.

    Args:
        text: live text of the restatement.
    """
    found: set[int] = set()
    for named in find_named(text):
        a, b = sentence_at(text, named.start, named.end)
        verb = _SAVES.search(text, named.end, b) or _SAVES.search(text, a, named.start)
        if verb is not None and _ENDS.search(text, a, b) is None:
            # "The Credit Agreement, as amended by Amendment No. 1, remains": it is the agreement that remains.
            told = re.search(r"\bas\s+(?:further\s+)?(?:amended|modified)\b[^.;]{0,120}$", text[a : named.start], re.IGNORECASE)
            if told is None:
                found.add(named.number)
    return tuple(sorted(found))
