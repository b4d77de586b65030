"""Runs of words of a conformed copy: which instrument put each there, and which words went."""

from __future__ import annotations

from conformed.language.traced import Traced
from conformed.model.decision import ConformedRun

__all__ = ["gone_runs", "runs_of"]


def runs_of(text: Traced, operation: str) -> tuple[ConformedRun, ...]:
    """Runs of words by document; the whole text is covered, so that the runs joined are the text."""
    runs: list[ConformedRun] = []
    start, document = 0, ""
    for segment in (*text.segments, None):
        name = segment.document.name if segment is not None else ""
        if name == document and segment is not None:
            continue
        end = segment.start if segment is not None else len(text.text)
        if document and end > start:
            runs.append(
                ConformedRun(text=text.text[start:end], document=document, operation=operation, spans=text.spans(start, end))
            )
        start, document = end, name
    return tuple(runs)


def gone_runs(old: Traced, now: Traced, operation: str) -> tuple[ConformedRun, ...]:
    """The words of an older text that are no longer there; words that stayed are not superseded."""
    held: dict[str, list[tuple[int, int]]] = {}
    for segment in now.segments:
        held.setdefault(segment.document.name, []).append((segment.origin, segment.origin + segment.width))
    runs: list[ConformedRun] = []
    for segment in old.segments:
        at, end = segment.origin, segment.origin + segment.width
        for a, b in sorted(held.get(segment.document.name, [])):
            if b <= at or a >= end:
                continue
            if a > at:
                runs += _part(old, segment.start + (at - segment.origin), segment.start + (a - segment.origin), operation)
            at = max(at, b)
        if at < end:
            first = segment.start + (at - segment.origin) if segment.length == segment.width else segment.start
            runs += _part(old, first, segment.start + segment.length, operation)
    return tuple(runs)


def _part(text: Traced, start: int, end: int, operation: str) -> list[ConformedRun]:
    spans = text.spans(start, end)
    words = text.text[start:end]
    return (
        [ConformedRun(text=words, document=spans[0].document, operation=operation, spans=spans)]
        if spans and words.strip()
        else []
    )
