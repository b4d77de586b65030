"""Changes that are shown by struck and underlined text, in a document whose text layer lost the marks (rule book PR-07)."""

from __future__ import annotations

import datetime as dt
import re

from conformed.model.decision import Reason
from conformed.model.document import Document
from conformed.model.pack import InstrumentKind
from conformed.rules.instruments.chains import Chain
from conformed.rules.precedence.ground import Ground
from conformed.rules.unread.spoken_places import Stretch

__all__ = ["formatting_lost", "lost_marks"]

_STRUCK = r"(?:stricken|struck(?:[\s-]*(?:through|out))?|strike[\s-]*(?:through|out)|strikethrough|crossed[\s-]+out|lined[\s-]+(?:through|out))"
_SHOWN = re.compile(
    rf"\b(?:delet\w+|remov\w+|omit\w+)\b[^.]{{0,160}}?\b(?:indicated|shown|marked|reflected|represented|displayed|denoted|set\s+forth|appears?|evidenced|by)\b[^.]{{0,120}}?\b{_STRUCK}\b"
    rf"|\b{_STRUCK}\s+(?:text|words?|language)\b[^.]{{0,120}}?\b(?:delet|remov)\w+"
    rf"|\bdelet\w+\s+(?:of\s+)?(?:the\s+)?{_STRUCK}\s+(?:text|words?|language)\b",
    re.IGNORECASE,
)


def formatting_lost(document: Document, live: str) -> Stretch | None:
    """Where an instrument says that deleted text is shown struck, though no struck word was read in it.

    Args:
        document: the document as a reader gave it.
        live: its live text, in which the place is told.
    """
    if document.struck:
        return None
    m = _SHOWN.search(live)
    return m.span() if m is not None else None


def lost_marks(ground: Ground, chain: Chain, test: dt.date) -> list[Reason]:
    """Instruments of a chain that show their changes by marks which were not read, unless they cannot count on the test date.

    Args:
        ground: the case.
        chain: the agreement and what changes it.
        test: legal date.
    """
    shown = [*chain.changes, *([chain.base] if chain.base is not None and chain.base.kind is InstrumentKind.RESTATEMENT else [])]
    reasons = []
    for instrument in shown:
        name = instrument.document
        mine = [o for o in ground.operations if o.document == name]
        waits = all(ground.standing(o, test).state == "not_yet" for o in mine) if mine else False
        later = not mine and instrument.dated is not None and instrument.dated > test
        if waits or later:
            continue
        view, document = ground.views[name], ground.case.document(name)
        place = ground.remembered((name, "marks"), lambda d=document, t=view.text: formatting_lost(d, t))  # type: ignore[misc]
        if place is not None:
            sentence = f"{name} shows its changes by struck text, and no struck word could be read in it."
            reasons.append(Reason(code="review_text_formatting_lost", sentence=sentence, subject=name, spans=view.spans(*place)))
    return reasons
