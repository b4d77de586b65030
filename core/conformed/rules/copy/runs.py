"""Runs of words of a conformed copy: which operation of which instrument put each there, and which words went."""

from __future__ import annotations

from collections.abc import Iterable

from conformed.language.traced import Segment, Traced
from conformed.model.decision import ConformedRun
from conformed.model.operation import Operation
from conformed.model.span import Span

__all__ = ["Origins", "once"]


class Origins:
    """Tells which operation put words into a text: the one whose new words, most narrowly, hold the place they come from."""

    def __init__(self, operations: Iterable[Operation]) -> None:
        self._places: dict[str, list[tuple[int, int, str]]] = {}
        for operation in operations:
            for span in _new_words(operation):
                self._places.setdefault(span.document, []).append((span.start, span.end, operation.id))

    def _of(self, segment: Segment) -> str:
        start, end = segment.origin, segment.origin + segment.width
        holding = [(b - a, a, name) for a, b, name in self._places.get(segment.document.name, ()) if a <= start and end <= b]
        return min(holding)[2] if holding else ""

    def runs(self, text: Traced) -> tuple[ConformedRun, ...]:
        """Runs of words by document and operation; the whole text is covered, so that the runs joined are the text."""
        runs: list[ConformedRun] = []
        start, key = 0, ("", "")
        for segment in (*text.segments, None):
            now = (segment.document.name, self._of(segment)) if segment is not None else ("", "")
            if now == key and segment is not None:
                continue
            end = segment.start if segment is not None else len(text.text)
            if key[0] and end > start:
                runs.append(
                    ConformedRun(text=text.text[start:end], document=key[0], operation=key[1], spans=text.spans(start, end))
                )
            start, key = end, now
        return tuple(runs)

    def gone(self, old: Traced, now: Traced) -> tuple[ConformedRun, ...]:
        """The words of an older text that are no longer there; words that stayed are not superseded."""
        held: dict[str, list[tuple[int, int]]] = {}
        for segment in now.segments:
            held.setdefault(segment.document.name, []).append((segment.origin, segment.origin + segment.width))
        runs: list[ConformedRun] = []
        for segment in old.segments:
            name = self._of(segment)
            at, end = segment.origin, segment.origin + segment.width
            for a, b in sorted(held.get(segment.document.name, [])):
                if b <= at or a >= end:
                    continue
                if a > at:
                    runs += _part(old, segment.start + (at - segment.origin), segment.start + (a - segment.origin), name)
                at = max(at, b)
            if at < end:
                first = segment.start + (at - segment.origin) if segment.length == segment.width else segment.start
                runs += _part(old, first, segment.start + segment.length, name)
        return tuple(runs)


def once(runs: Iterable[ConformedRun]) -> tuple[ConformedRun, ...]:
    """Runs without those that stand at a place already told: words carried through several texts go once."""
    seen: dict[tuple[object, ...], ConformedRun] = {}
    for run in runs:
        seen.setdefault(tuple((s.document, s.start, s.end) for s in run.spans), run)
    return tuple(seen.values())


def _new_words(operation: Operation) -> tuple[Span, ...]:
    limit = operation.limit.spans if operation.limit is not None else ()
    return (*operation.replace_spans, *operation.payload, *limit, *operation.instruction)


def _part(text: Traced, start: int, end: int, operation: str) -> list[ConformedRun]:
    spans = text.spans(start, end)
    words = text.text[start:end]
    return (
        [ConformedRun(text=words, document=spans[0].document, operation=operation, spans=spans)]
        if spans and words.strip()
        else []
    )
