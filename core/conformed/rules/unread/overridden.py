"""Where an agreement itself, outside of a covenant's provision, switches it off or puts another rule in its place."""

from __future__ import annotations

import re

from conformed.rules.unread.spoken_places import EASES, LEVEL, MOST, NEGATED, Stretch, covered, places, sentence_at
from conformed.rules.unread_bound import bound_title

__all__ = ["overridden"]

_OFF = re.compile(
    r"\b(?:shall|will|need)\s+not\s+(?:be\s+)?(?:apply|tested|measured|applicable|required|effective|in\s+effect)\b|\b(?:is|are|be)\s+(?:hereby\s+)?(?:temporarily\s+)?(?:suspended|waived|amended|deleted|replaced|increased|reduced|superseded)\b|\b(?:not\s+be\s+required\s+to\s+comply|relieved|excused)\b",
    re.IGNORECASE,
)
_NOT_BOUND = re.compile(
    r"\bnot\s+be\s+(?:required|obligated|obliged)\s+to\s+(?:comply|be\s+in\s+compliance)\s+with\s+(?:the\s+)?(?:\w+\s+){0,8}$",
    re.IGNORECASE,
)
_ROUND = re.compile(r"\b(?:notwithstanding|in\s+lieu\s+of|instead\s+of)\b", re.IGNORECASE)
_RAISES = re.compile(r"\b(?:increas|rais|step|adjust|elect|reduc|lower)\w*\b[^.;]{0,160}$", re.IGNORECASE)
_PROCEDURE = re.compile(
    r"\b(?:consent|approval|agreed?|vote|signed)\b[^.;]{0,120}\b(?:Lenders?|Banks?|Holders?|Agent|Bank)\b|\bRequired\s+(?:\w+\s+)?(?:Lenders|Banks)\b|\bmay\s+(?:not\s+)?(?:be\s+)?(?:amend|waive|modif)",
    re.IGNORECASE,
)


def overridden(text: str, section: str, own: list[Stretch]) -> Stretch | None:
    """Where an agreement itself, outside of the covenant's provision, switches it off, puts another rule in its place, or amends it.

    A file may hold an agreement together with its amendments; a later section may hold the relief. A covenant that stands
    behind the title of such an amendment is the amendment's: whether and when that took effect was not read.

    Args:
        text: live text of the agreement.
        section: the provision in normal form.
        own: the provision's own stretches.
    """
    bound = bound_title(text)
    if bound is not None and own and all(a > bound[0] for a, _ in own):
        return bound
    if "." not in section.partition("(")[0]:
        return None
    named = places(text, section)
    if len(named) > MOST:
        return named[0]
    for start, end in named:
        if covered((start, end), own) or re.match(
            r"\s*(?:of|to|in|under)\s+the\s+(?:Existing|Prior|Original|Note|Indenture|Senior)", text[end : end + 60]
        ):
            continue
        a, b = sentence_at(text, start, end)
        before, after = text[a:start], text[end:b][:220]
        if _PROCEDURE.search(text[a:b]):
            continue
        if _NOT_BOUND.search(before) or (_ROUND.search(before[-80:]) and (LEVEL.search(text, a, b) or EASES.search(text, a, b))):
            return a, b
        if _RAISES.search(before) and LEVEL.search(text, a, b):
            return a, b
        off = _OFF.search(after)
        if (
            off
            and not NEGATED.search(before)
            and not re.search(r"\b(?:if|unless|until|that\s+has|who|which)\b", after[: off.start()])
        ):
            return a, b
    return None
