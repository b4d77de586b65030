"""Ratios that a certificate states: the one that it works out, and the level that it says it is tested against."""

from __future__ import annotations

import datetime
import re

from conformed.language.labels import ratio_kind
from conformed.language.ratios import RatioToken, find_ratios
from conformed.language.traced import Traced
from conformed.model.calculation import Figure

__all__ = ["read_ratios"]

_WORTH = re.compile(
    r"ratio|leverage|coverage|debt to|required|maximum|minimum|permitted|covenant|exceed|more than|greater than|less than",
    re.IGNORECASE,
)


def read_ratios(live: Traced, day: datetime.date | None) -> list[tuple[int, int, Figure]]:
    """Ratio tokens with the words that say what they are, as figures without currency; start and end of each token."""
    text = live.text
    found: list[tuple[int, int, Figure]] = []
    before_end, heading = 0, ""
    for token in find_ratios(text):
        start = max(before_end, token.start - 240, text.rfind("\n\n", 0, token.start) + 1)
        label_start, label = _label(text, start, token)
        follows = (
            text.count("\n", before_end, token.start) == 0 and before_end > 0
        )  # on the line of the last ratio: of the same metric
        heading = heading if follows else _heading(text, start, heading)
        before_end = token.end
        if token.value is None or token.form == "percent" or not (label or heading):
            continue
        name = ratio_kind(label, heading)
        spans = live.spans(token.start, token.end) + live.spans(label_start, token.start)
        figure = Figure(name=name, label=label or heading, value=token.value, raw=token.raw, as_of=day, spans=spans)
        found.append((token.start, token.end, figure))
        if re.search(r"ratio|leverage|cover", label, re.IGNORECASE):
            heading = label
    return found


def _label(text: str, start: int, token: RatioToken) -> tuple[int, str]:
    """The words before a token: of its own line where they say something, else from one of three lines above."""
    low = max(text.rfind("\n", 0, token.start) + 1, start)
    for _ in range(3):
        if _WORTH.search(text, low, token.start) or low <= start:
            break
        low = max(text.rfind("\n", 0, low - 1) + 1, start)
    sentence = max((text.rfind(mark, low, token.start) for mark in (". ", "; ")), default=-1)
    if sentence >= 0 and _WORTH.search(text, sentence, token.start):
        low = sentence + 2
    return low, " ".join(text[low : token.start].split()).rstrip(" .:_…(")


def _heading(text: str, at: int, last: str) -> str:
    """The nearest line above that names a ratio, within twenty lines; else the last one that was named."""
    lines = text[:at].split("\n")[-20:]
    for line in reversed(lines):
        if re.search(r"\bratio\b|\bleverage\b|\bcoverage\b", line, re.IGNORECASE) and len(line) < 160:
            return " ".join(line.split())
    return last
