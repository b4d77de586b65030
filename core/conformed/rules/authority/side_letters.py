"""Side letters of which an agreement speaks, and what settles that one is absent (rule book PR-21).

A covenant may be subject to a letter that nobody put into the pack. The letter itself, recognised by its name, settles it; so
does a person who attests that the letters outside of the pack leave the covenant alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from conformed.model.pack import Instrument, InstrumentKind
from conformed.rules.unread.spoken_places import Stretch, places, sentence_at

__all__ = ["NOT_IN_PACK", "letter_there", "subject_to_letter"]

NOT_IN_PACK = "review_side_letter_not_in_pack"
_LETTER = re.compile(r"\b(?P<name>(?:(?!(?:The|Any|Each|This|That|Such|A|An|No)\s)[A-Z][\w'-]*\s+){0,4})[Ss]ide\s+[Ll]etter\b")
_BENDS = re.compile(
    r"\bsubject\s+to\b|\b(?:as\s+)?(?:amended|modified|varied|adjusted|supplemented|supplanted|overridden)\s+(?:by|in|pursuant|under)\b"
    r"|\bmay\s+(?:vary|change|amend|modify|adjust|set)\b|\b(?:set\s+(?:out|forth)|specified|agreed|provided)\s+in\b|\bnotwithstanding\b|\bprevails?\b|\bin\s+accordance\s+with\b",
    re.IGNORECASE,
)
_COVENANT = re.compile(r"\bfinancial\s+(?:covenants?|condition|undertakings?|ratios?)\b", re.IGNORECASE)
_NOTHING = frozenset({"the", "a", "any", "each", "confidential", "related"})
_HEAD = 1500


def _qualifiers(text: str) -> list[tuple[re.Match[str], frozenset[str]]]:
    return [(m, frozenset(m["name"].lower().split()) - _NOTHING) for m in _LETTER.finditer(text)]


def subject_to_letter(text: str, section: str, names: Iterable[str], own: Iterable[Stretch] = ()) -> Stretch | None:
    """Where an agreement says that a covenant bends to a side letter.

    Args:
        text: live text of the agreement.
        section: the covenant's provision in normal form.
        names: names of the covenant.
        own: stretches of the provision itself, whose own doubt its reading carries.
    """
    named = None
    stretches = tuple(own)
    for m, _ in _qualifiers(text):
        if any(a <= m.start() < b for a, b in stretches):
            continue
        a, b = sentence_at(text, *m.span())
        sentence = text[a:b]
        if _BENDS.search(sentence) is None:
            continue
        if named is None:
            named = places(text, section)
        spoken = any(a <= start < b for start, _ in named) or _COVENANT.search(sentence) is not None
        if spoken or any(n and re.search(rf"\b{re.escape(n)}\b", sentence, re.IGNORECASE) for n in names):
            return a, b
    return None


def letter_there(words: str, letters: Iterable[Instrument], heads: dict[str, str]) -> bool:
    """Whether the side letter of which some words speak is one of the pack's.

    Args:
        words: the sentence that names the letter.
        letters: instruments of the pack that can operate.
        heads: live text of each document.
    """
    wanted = [q for _, q in _qualifiers(words)]
    if not wanted:
        return False
    own = [i for i in letters if i.kind is InstrumentKind.SIDE_LETTER]
    return all(any(_answers(qualifiers, i, heads[i.document][:_HEAD]) for i in own) for qualifiers in wanted)


def _answers(qualifiers: frozenset[str], letter: Instrument, head: str) -> bool:
    """Whether a letter bears the name by which it is spoken of: every word of it, in its title or its opening."""
    if not qualifiers:
        return True
    known = set(re.findall(r"[\w'-]+", f"{letter.title} {head}".lower()))
    return qualifiers <= known
