"""Page furniture of texts that flow: page numbers and running heads that stand inside sentences.

Conservative by design: a line is taken for furniture only beside a page mark and only where other pages agree. A table
row, a heading, an enumerator or a signature line is never taken; a page number that is left over does less harm than a
level that is lost.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

__all__ = ["edge_furniture", "lone_numbers"]

_ROMAN = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100}
_NUMBER = re.compile(
    r"(?P<word>(?i:page)\s+)?(?P<dash>[-–—]\s?)?(?P<prefix>[A-Z]{1,3}-)?(?P<value>\d{1,4}|[ivxlc]{1,7})(?(dash)\s?[-–—])(?P<of>\s+(?i:of)\s+\d{1,4})?",
)
_HEAD_NO = re.compile(
    r"[$£€%:_/]|\d[.,]\d{2}|^(?:section|article|clause|schedule|part|chapter)\b|\bsignature\b|\t|   ", re.IGNORECASE
)
_LONE = re.compile(
    r"(?<=\n)[ \t\xa0]*\r?\n[ \t\xa0]*(?P<number>(?P<dash>-[ ]?)?(?P<value>\d{1,3})(?(dash)[ ]?-))"
    r"[ \t\xa0]*\r?\n[ \t\xa0]*(?=\r?\n)",
)
_RULE = re.compile(r"(?:[ \t\xa0]*\r?\n){1,8}[ \t]*[-_=]{20,}(?=[ \t]*\r?\n)")
_NUMBERED = re.compile(r"(?:section|article|clause|schedule|exhibit|annex|part)\b", re.IGNORECASE)
_CHAIN_LEAST = 5
_CHAIN_DISTANCE = 600


@dataclass(frozen=True, slots=True)
class _Line:
    start: int
    end: int
    text: str


def _value(digits: str) -> int:
    if digits.isdigit():
        return int(digits)
    total = 0
    for this, following in zip(digits, [*digits[1:], ""], strict=True):
        total += -_ROMAN[this] if following and _ROMAN[following] > _ROMAN[this] else _ROMAN[this]
    return total


def _lines(text: str, start: int, end: int) -> Iterator[_Line]:
    for found in re.compile(r"[^\r\n\f]+").finditer(text, start, end):
        raw = found.group()
        inner = raw.strip()
        if inner:
            first = found.start() + len(raw) - len(raw.lstrip())
            yield _Line(first, first + len(inner), inner)


def _edges(text: str, start: int, end: int) -> tuple[list[_Line], list[_Line]]:
    """The first and the last three lines with words; looks at a bounded stretch only."""
    top: list[_Line] = []
    for line in _lines(text, start, min(end, start + 2000)):
        top.append(line)
        if len(top) == 3:
            break
    bottom = list(_lines(text, max(start, end - 2000), end))[-3:]
    return top, bottom


def edge_furniture(text: str, pages: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Finds page numbers and running heads at the edges of pages.

    Args:
        text: canonical text.
        pages: stretches of the pages, in order.

    Returns:
        Stretches of furniture, unsorted.
    """
    if len(pages) < 2:
        return []
    edges = [_edges(text, start, end) for start, end in pages]
    return [*_numbers(edges), *_heads(edges)]


def _numbers(edges: Sequence[tuple[list[_Line], list[_Line]]]) -> list[tuple[int, int]]:
    """Numbers alone on the outermost line, or beside a constant on it, that count on with the pages."""
    seen: dict[tuple[int, str, int], _Line] = {}
    sure: list[tuple[int, int]] = []
    for index, (top, bottom) in enumerate(edges):
        for line in (*top[:1], *bottom[-1:]):
            for part in dict.fromkeys((line.text, re.split(r"\s{2,}|\t", line.text)[0], re.split(r"\s{2,}|\t", line.text)[-1])):
                found = _NUMBER.fullmatch(part)
                if found is None:
                    continue
                rest = " ".join(line.text.replace(part, "", 1).split())
                kind = f"{found['prefix'] or ''}|{found['value'].isdigit()}|{rest}"
                if (found["word"] or found["dash"] or found["of"]) and not rest:
                    sure.append((line.start, line.end))
                seen[(index, kind, _value(found["value"]))] = line
    for (index, kind, value), line in seen.items():
        if any((index + step, kind, value + step) in seen for step in (-2, -1, 1, 2)):
            sure.append((line.start, line.end))
    return sure


def _heads(edges: Sequence[tuple[list[_Line], list[_Line]]]) -> list[tuple[int, int]]:
    """Lines that open or close at least four pages, and at least half of all, word for word."""
    places: dict[str, list[_Line]] = {}
    votes: Counter[str] = Counter()
    for top, bottom in edges:
        keys = set()
        for line in (*top[:2], *bottom[-2:]):
            key = line.text
            if len(key) > 100 or sum(c.isalpha() for c in key) < 4 or _HEAD_NO.search(key):
                continue
            places.setdefault(key, []).append(line)
            keys.add(key)
        votes.update(keys)
    least = max(4, (len(edges) + 1) // 2)
    return [(line.start, line.end) for key, count in votes.items() if count >= least for line in places[key]]


@dataclass(frozen=True, slots=True)
class _Link:
    """A number alone on a line, blank lines around it."""

    start: int
    end: int
    value: int
    dashed: bool
    inside: bool
    """Whether the sentence before it goes on behind it."""
    caption: bool
    """Whether a short line follows, as after the number of a clause."""
    apart: bool
    """Whether four line ends or more stand on both sides."""


def lone_numbers(text: str) -> list[tuple[int, int]]:
    """Page numbers of a text that has lost its page marks: a chain of numbers alone on a line that count on by one.

    A chain needs five links, hundreds of characters apart, and a sign that they are no clause numbers: two links stand
    inside a sentence; or of ten links and more nine in ten stand far from other lines and few are followed by a caption. A rule
    of dashes that follows a link belongs to it.
    """
    links = [_link(text, found) for found in _LONE.finditer(text)]
    best: dict[tuple[int, bool], list[int]] = {}
    longest: list[int] = []
    for index, link in enumerate(links):
        earlier = best.get((link.value - 1, link.dashed), [])
        follows = bool(earlier) and link.start - links[earlier[-1]].start >= _CHAIN_DISTANCE
        chain = [*earlier, index] if follows else [index]
        if len(chain) > len(best.get((link.value, link.dashed), [])):
            best[link.value, link.dashed] = chain
        if len(chain) > len(longest):
            longest = chain
    taken = [links[index] for index in longest]
    if len(taken) < _CHAIN_LEAST:
        return []
    many = len(taken)
    apart = many >= 2 * _CHAIN_LEAST and 10 * sum(x.apart for x in taken) >= 9 * many and 3 * sum(x.caption for x in taken) < many
    if sum(x.inside for x in taken) < 2 and not apart:
        return []
    return [(link.start, link.end) for link in taken]


def _link(text: str, found: re.Match[str]) -> _Link:
    start, end = found.span("number")
    rule = _RULE.match(text, end)
    before = text[max(0, start - 400) : start]
    behind = rule.end() if rule else end
    after = text[behind : behind + 400]
    left, right = before.rstrip(), after.lstrip()
    line = right.partition("\n")[0].strip()
    return _Link(
        start=start,
        end=behind,
        value=int(found["value"]),
        dashed=found["dash"] is not None,
        inside=bool(left and right) and left[-1] not in ".;:!?" and right[0].islower(),
        caption=len(line) < 60 and line[:1].isupper() and not _NUMBERED.match(line),
        apart=before[len(left) :].count("\n") >= 4 and after[: len(after) - len(right)].count("\n") >= 4,
    )
