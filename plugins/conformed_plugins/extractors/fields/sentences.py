"""Which sentences a policy is shown: those of the retrieved passages that command something and in which a ratio stands as a figure.

Rows of tables, definitions and grids command nothing. A policy was trained on whole sentences and clauses, and is shown no others.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from dataclasses import dataclass

from conformed.language.limits import find_limits
from conformed_plugins.extractors.model.pieces import Piece

__all__ = ["Sentence", "sentences_of"]

_ENDS = re.compile(r"(?<=[a-z)\]0-9\"x])[.;]\s+(?=[\"'(A-Z\[\d])|\n[ \t]*\n|:\s*\n")
"""Where a sentence ends: the signs that the grammar of clauses looks for."""
_COMMANDS = re.compile(
    r"\b(?:shall|will|must|may|hereby|agrees?|undertakes?|covenants?|required?|ensures?|procures?|maintains?)\b", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Sentence:
    """A stretch of a piece's paper."""

    piece: Piece
    """What it is cut out of."""
    start: int
    """First offset of the paper's view."""
    end: int
    """One past the last."""

    @property
    def text(self) -> str:
        """The words."""
        return self.piece.paper.view.text[self.start : self.end]


def sentences_of(pieces: Iterable[Piece], characters: int) -> list[Sentence]:
    """The commanding sentences with a ratio in them, in order, none twice. One that begins before its piece is taken whole.

    Args:
        pieces: stretches of papers.
        characters: most characters of one; around a ratio in a longer sentence as many are cut out, between blanks.
    """
    found: list[Sentence] = []
    seen: set[tuple[str, int, int]] = set()
    ends: dict[str, list[int]] = {}
    for piece in pieces:
        text, name = piece.paper.view.text, piece.paper.instrument.document
        if name not in ends:
            ends[name] = [0, *(one.end() for one in _ENDS.finditer(text)), len(text)]
        for token in find_limits(text, piece.start, piece.end, "ratio"):
            low = ends[name][bisect_right(ends[name], token.start) - 1]
            high = ends[name][bisect_left(ends[name], token.end)]
            if not _COMMANDS.search(text, low, high):
                continue
            start, end = _trimmed(text, *_around(text, low, high, token.start, token.end, characters))
            if (name, start, end) not in seen:
                seen.add((name, start, end))
                found.append(Sentence(piece, start, end))
    return found


def _around(text: str, low: int, high: int, start: int, end: int, characters: int) -> tuple[int, int]:
    """The sentence, or what of it fits around the figure: three quarters before it, where the figure is named, and the rest behind."""
    if high - low <= characters:
        return low, high
    first = max(low, start - 3 * (characters - (end - start)) // 4)
    last = min(high, first + characters)
    first = max(low, min(first, last - characters))
    if first > low and (blank := text.find(" ", first, start)) >= 0:
        first = blank
    if last < high and (blank := text.rfind(" ", end, last)) >= 0:
        last = blank
    return first, max(last, end)


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    inner = text[start:end]
    return start + len(inner) - len(inner.lstrip()), end - (len(inner) - len(inner.rstrip()))
