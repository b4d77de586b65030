"""Captions of provisions: short, mostly capitalised, ended by a stop or a line."""

from __future__ import annotations

import re

__all__ = ["read_caption"]

_VERBS = {"Permit", "Maintain", "Have", "Allow", "Suffer", "Fail", "Make", "Create", "Incur", "Keep", "Cause", "Declare", "Enter"}

_CAPTION = re.compile(
    r"[ \t]*\n?[ \t]*\"?(?P<caption>\[?[A-Z\"(][^.\n:;]{1,110}?)\"?(?:\s*\n\s*(?P<more>[A-Za-z][^.\n:;]{1,60}?))"
    r"?[ \t]*(?:(?P<stop>[.:])(?=\s|$|\")|(?P<line>\n))"
)


_GOES_ON = re.compile(
    r"[ \t]*\n[ \t]*[A-Z]\w*(?:\s+(?!(?:shall|will|must|may)\b)\w+){0,8}?\s+(?:at\s+least|n(?:ot?)\s+(?:at\s+any\s+time\s+)?(?:less|more|greater))\b"
)
"""After one word that ends its line: a measure whose name was broken between two lines, and its bound."""

_SENTENCE_WORDS = frozenset(
    [
        "the",
        "each",
        "if",
        "as",
        "no",
        "any",
        "all",
        "in",
        "shall",
        "will",
        "must",
        "may",
        "is",
        "are",
        "be",
        "of",
        "and",
        "or",
        "to",
        "a",
        "an",
        "for",
        "with",
        "by",
        "on",
        "at",
        "that",
    ]
)


def _uk_caption(words: list[str], *, alone: bool) -> bool:
    """UK captions have one capital and a line of their own ("Financial condition")."""
    if not alone or not 1 <= len(words) <= 5:
        return False
    lower = [w.lower().strip(",") for w in words]
    return (
        lower[0] not in _SENTENCE_WORDS
        and lower[-1] not in _SENTENCE_WORDS
        and not {"shall", "will", "must", "may", "is", "are"} & set(lower)
    )


def read_caption(text: str, at: int) -> tuple[str, int]:
    """The caption that starts at an offset, and the offset after it; empty where a sentence starts there."""
    match = _CAPTION.match(text, at)
    if match is None:
        return "", at
    caption = match["caption"].strip(" \"'")
    words = caption.split()
    if words and words[0].strip(",") in _VERBS:
        return "", at
    # A caption is short and mostly capitalised; a sentence is not one.
    capitals = sum(w[:1].isupper() or w[:1] in "[(&" or len(w) <= 4 for w in words)
    if (
        len(words) > 14
        or (capitals * 10 < len(words) * 8 and not _uk_caption(words, alone=match["line"] is not None and not match["more"]))
        or (words and words[0] in {"The", "Each", "If", "As", "No", "Any", "All", "In"} and len(words) > 3 and match["line"])
    ):
        return "", at
    end = match.end("caption")
    broken = _GOES_ON.match(text, end) if match["line"] and not match["more"] and len(words) == 1 else None
    if broken is not None and broken[0].split()[0] not in _VERBS | {"The", "A", "An", "Its"}:
        return "", at
    if match["stop"]:
        return caption if not match["more"] else f"{caption} {match['more'].strip()}", match.end()
    return caption, end
