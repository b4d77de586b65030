"""Running heads, page numbers and stamps, found by votes over pages and never by fixed margins.

A line at the edge of a page's text (in the order in which it was drawn) is furniture when the same words come back on
enough pages, or when it differs from page to page only by a number that counts the pages. A repeated line that shows a
figure needs far more votes, so that the same row of a table on three pages stays a row.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence

__all__ = ["furniture"]

EDGE = 4
"""Lines looked at from either end of a page."""
_BREAK = re.compile(r"\r\n|\n|\ufffe")
_NUMBER = re.compile(r"\d+")
_FIGURE = re.compile(r"[$£€%]|\d[.,:]\d")
_HEADING = re.compile(
    r"\W*(?:section|article|schedule|exhibit|annex|appendix|part|clause|paragraph|item|step|note|year)\s+#|\W*#\s*[.):]\s*\w|\(#\)",
    re.IGNORECASE,
)
"""Numbered headings and list items count as pages do; they are the text itself."""
_LABEL = re.compile(r"\W*(?:page\s*)?#\W*(?:(?:of|/)\s*#\W*)?", re.IGNORECASE)
_ROMAN = re.compile(r"(\W*)([ivxl]{1,6})(\W*)")
_ROMANS = {"i": 1, "v": 5, "x": 10, "l": 50}

_Line = tuple[int, int, int, str]  # page, start, end (code points of the page), words
_Key = tuple[str, ...]


def furniture(texts: Sequence[str]) -> list[list[tuple[int, int]]]:
    """Stretches of each page that are furniture, sorted, each with the line break that belongs to it.

    Args:
        texts: the text of each page.
    """
    votes: dict[_Key, list[_Line]] = defaultdict(list)
    for page, text in enumerate(texts):
        for line in _edges(page, text):
            for key in _keys(page, line[3]):
                votes[key].append(line)
    total = len(texts)
    chosen: set[_Line] = set()
    for key, lines in votes.items():
        if _elected(key, sorted({line[0] for line in lines}), total):
            chosen.update(lines)
    result: list[list[tuple[int, int]]] = [[] for _ in texts]
    for page, start, end, _ in sorted(chosen):
        result[page].append(_with_break(texts[page], start, end))
    return [_joined(runs) for runs in result]


def _edges(page: int, text: str) -> Iterator[_Line]:
    """The first and the last lines of a page that hold words."""
    forward = _lines(text, 0, EDGE)
    tail = max(0, len(text) - 2_000)
    backward = _lines(text, tail, None)[-EDGE:] if text else []
    seen: set[int] = set()
    for start, end in forward + backward:
        if start not in seen:
            seen.add(start)
            yield page, start, end, " ".join(text[start:end].split())


def _lines(text: str, begin: int, most: int | None) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    start = begin
    if begin:  # a tail begins inside a line: skip to the next one
        first = _BREAK.search(text, begin)
        start = first.end() if first else len(text)
    for match in _BREAK.finditer(text, start):
        if text[start : match.start()].strip():
            found.append((start, match.start()))
            if most is not None and len(found) == most:
                return found
        start = match.end()
    if text[start:].strip():
        found.append((start, len(text)))
    return found


def _keys(page: int, words: str) -> Iterator[_Key]:
    """What a line votes for: its own words, and the same words with one number counting the pages."""
    if len(words) > 200:
        return
    yield ("same", words)
    numbers = _NUMBER.findall(words)
    if 0 < len(numbers) <= 8:
        shape = _NUMBER.sub("#", words)
        for place, number in enumerate(numbers):
            if len(number) <= 6:
                others = (*numbers[:place], "#", *numbers[place + 1 :])
                yield ("counts", shape, str(int(number) - page), *others)
    roman = _ROMAN.fullmatch(words)
    if roman:
        yield ("counts", f"{roman.group(1)}@{roman.group(3)}", str(_roman(roman.group(2)) - page))


def _roman(letters: str) -> int:
    values = [_ROMANS[letter] for letter in letters]
    return sum(-value if value < max(values[place:]) else value for place, value in enumerate(values))


def _elected(key: _Key, pages: list[int], total: int) -> bool:
    """Whether the votes are enough."""
    count, stretch = len(pages), pages[-1] - pages[0] + 1
    if key[0] == "counts":
        label = _LABEL.fullmatch(key[1]) is not None or "@" in key[1]
        if label:
            return count >= 3 or count == total == 2
        return count >= max(3, 0.3 * total, 0.45 * stretch) and not _HEADING.match(key[1])
    if count < 3 or count < 0.45 * stretch:
        return False
    return count >= (0.6 if _FIGURE.search(key[1]) else 0.2) * total


def _with_break(text: str, start: int, end: int) -> tuple[int, int]:
    """The line with the break after it, or with the one before it where it is the last of its page."""
    after = _BREAK.match(text, end)
    if after and text[end] != "\ufffe":
        return start, after.end()
    if end >= len(text.rstrip()):
        while start > 0 and text[start - 1] in "\r\n":
            start -= 1
        return start, len(text)
    return start, end


def _joined(runs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    merged: list[tuple[int, int]] = []
    for start, end in sorted(runs):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        elif end > start:
            merged.append((start, end))
    return merged
