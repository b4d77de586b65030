"""Text that remembers where every character came from.

A view of a document drops what is not live (struck, hidden, page furniture) and folds typography (smart quotes, no-break
spaces, ligatures, line-end hyphens), so that one grammar reads all formats; every stretch of it still maps to exact slices
of the canonical text. Pieces of several documents can be joined, which is how a conformed copy is built.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass

from conformed.model.document import Document
from conformed.model.span import Run, Span

__all__ = ["Segment", "Traced", "join", "live_view"]


@dataclass(frozen=True, slots=True)
class Segment:
    """A stretch of a traced text that stands for one stretch of one document.

    ``length`` code points from ``start`` in the traced text stand for ``width`` code points from ``origin`` in the
    canonical text. Where both are equal the mapping is one to one; otherwise the whole stretch maps to the whole.
    ``hard`` says that words were left out (struck, hidden, furniture) just before it.
    """

    start: int
    length: int
    document: Document
    origin: int
    width: int
    hard: bool = False


class Traced:
    """A text and the origin of each of its characters. Immutable."""

    __slots__ = ("_starts", "segments", "text")

    def __init__(self, text: str, segments: Iterable[Segment]) -> None:
        self.text = text
        self.segments = tuple(segments)
        self._starts = [s.start for s in self.segments]

    def __len__(self) -> int:
        return len(self.text)

    def __bool__(self) -> bool:
        return bool(self.text)

    def slice(self, start: int, end: int) -> Traced:
        """The part between two offsets of this text."""
        start, end = max(0, start), min(len(self.text), end)
        if start >= end:
            return Traced("", ())
        return Traced(self.text[start:end], self._cut(start, end))

    def _cut(self, start: int, end: int) -> list[Segment]:
        parts: list[Segment] = []
        for segment in self.segments[max(0, bisect_right(self._starts, start) - 1) :]:
            if segment.start >= end:
                break
            low, high = max(start, segment.start), min(end, segment.start + segment.length)
            if low >= high:
                continue
            if segment.length == segment.width:
                origin, width = segment.origin + (low - segment.start), high - low
            else:
                origin, width = segment.origin, segment.width
            parts.append(Segment(low - start, high - low, segment.document, origin, width, segment.hard and low == segment.start))
        return parts

    def spans(self, start: int = 0, end: int | None = None) -> tuple[Span, ...]:
        """Exact slices of the canonical texts behind a stretch, outer white space left out, one a piece.

        Two pieces of one document are one span unless words were left out between them.
        """
        end = len(self.text) if end is None else end
        while start < end and self.text[start].isspace():
            start += 1
        while end > start and self.text[end - 1].isspace():
            end -= 1
        merged: list[tuple[Document, int, int]] = []
        for part in self._cut(start, end):
            first, last = part.origin, part.origin + part.width
            if merged and not part.hard and merged[-1][0] is part.document and 0 <= first - merged[-1][2] <= 3:
                merged[-1] = (part.document, merged[-1][1], max(last, merged[-1][2]))
            else:
                merged.append((part.document, first, last))
        return tuple(document.span(first, last) for document, first, last in merged)

    def offset_of(self, document: str, position: int) -> int:
        """The offset in this text of a code point of a document's canonical text (or the next live one after it)."""
        best = len(self.text)
        for segment in self.segments:
            if segment.document.name != document or segment.origin + segment.width <= position:
                continue
            inside = position - segment.origin
            at = segment.start + (inside if inside > 0 and segment.length == segment.width else 0)
            best = min(best, at)
        return best

    def origin_of(self, offset: int) -> tuple[Document, int] | None:
        """Document and code point behind one character; None past the end of an empty text."""
        if not self.segments:
            return None
        segment = self.segments[max(0, bisect_right(self._starts, offset) - 1)]
        inside = offset - segment.start
        if segment.length == segment.width:
            return segment.document, segment.origin + min(inside, segment.width)
        return segment.document, segment.origin


def join(parts: Iterable[Traced]) -> Traced:
    """Joins traced texts in order. What follows from another place is kept apart as a span of its own."""
    texts: list[str] = []
    segments: list[Segment] = []
    at = 0
    for part in parts:
        for position, s in enumerate(part.segments):
            hard = s.hard or position == 0
            segments.append(Segment(at + s.start, s.length, s.document, s.origin, s.width, hard))
        texts.append(part.text)
        at += len(part.text)
    return Traced("".join(texts), segments)


_FOLD = str.maketrans(
    {
        "\u00a0": " ", "\u2007": " ", "\u202f": " ", "\u2009": " ", "\u2002": " ", "\u2003": " ", "\u3000": " ",
        "\u2018": "'", "\u2019": "'", "\u201b": "'", "\u2032": "'", "\u0092": "'", "\u0091": "'",
        "\u201c": '"', "\u201d": '"', "\u201f": '"', "\u2033": '"', "\u0093": '"', "\u0094": '"',
        "\u2010": "-", "\u2011": "-", "\u2012": "-", "\u2013": "-", "\u2014": "-", "\u2212": "-", "\u0096": "-", "\u0097": "-",
        "\u2236": ":", "\ufe55": ":", "\uff1a": ":", "\f": "\n", "\r": " ", "\v": "\n", "\u2028": "\n", "\u2029": "\n",
    }
)  # fmt: skip

_UNEVEN = re.compile("\u00ad|\ufffe|\u0002|\ufb00|\ufb01|\ufb02|\ufb03|\ufb04|(?<=[a-z])-[ \\t\\r]*\\n[ \\t]*(?=[a-z])")
_LIGATURES = {"\ufb00": "ff", "\ufb01": "fi", "\ufb02": "fl", "\ufb03": "ffi", "\ufb04": "ffl"}
_WORD_BEFORE = re.compile(r"[A-Za-z]+$")
_WORD_AFTER = re.compile(r"[A-Za-z]+")


def _removed(document: Document) -> list[Run]:
    runs = sorted((*document.struck, *document.hidden, *document.furniture), key=lambda r: (r.start, r.end))
    merged: list[Run] = []
    for run in runs:
        if merged and run.start <= merged[-1].end:
            if run.end > merged[-1].end:
                merged[-1] = Run(start=merged[-1].start, end=run.end)
        elif run.end > run.start:
            merged.append(run)
    return merged


def _hyphen(canon: str, at: int, end: int, words: set[str]) -> str:
    # A line-end hyphen is joined only if the joined word occurs elsewhere in the document; otherwise it is kept.
    before = _WORD_BEFORE.search(canon[max(0, at - 40) : at])
    after = _WORD_AFTER.match(canon[end : end + 40])
    if before and after and (before[0] + after[0]).lower() in words:
        return ""
    return "-" if before and after else ""


def live_view(document: Document) -> Traced:
    """The live text of a document, folded, with its origins. Struck, hidden and furniture runs are left out."""
    canon = document.text
    removed = _removed(document)
    texts: list[str] = []
    segments: list[Segment] = []
    at, position, hard = 0, 0, False
    words: set[str] | None = None

    def put(piece: str, origin: int, width: int) -> None:
        nonlocal at, hard
        if piece:
            segments.append(Segment(at, len(piece), document, origin, width, hard))
            texts.append(piece)
            at += len(piece)
            hard = False

    for run in [*removed, Run(start=len(canon), end=len(canon))]:
        cursor = position
        for match in _UNEVEN.finditer(canon, position, run.start):
            put(canon[cursor : match.start()].translate(_FOLD), cursor, match.start() - cursor)
            mark = match[0]
            if mark in _LIGATURES:
                piece = _LIGATURES[mark]
            elif mark == "\u00ad":
                piece = ""
            else:
                if words is None:
                    words = {w.lower() for w in re.findall(r"[A-Za-z]+", canon)}
                piece = _hyphen(canon, match.start(), match.end(), words)
            put(piece, match.start(), match.end() - match.start())
            cursor = match.end()
        put(canon[cursor : run.start].translate(_FOLD), cursor, run.start - cursor)
        hard = hard or run.end > run.start
        position = run.end
    return Traced("".join(texts), segments)
