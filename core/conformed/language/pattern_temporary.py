"""A level that takes the place of another for named periods only, as data; afterwards the permanent text counts again (rule PR-41)."""

from __future__ import annotations

import itertools
import re

from conformed.language.dates import DateToken, find_dates
from conformed.language.limits import LimitToken, find_limits
from conformed.language.pattern_instruction import finish, label_of, target_of
from conformed.language.pattern_words import PatternReading, Value, level_fields, masked, sentence_around

__all__ = ["read_temporary"]

_PERIODS = re.compile(
    r"\b(?:(?P<only>solely|only|exclusively)\s+)?(?:for|in\s+respect\s+(?:(?:only|solely)\s+)?of|with\s+respect\s+(?:(?:only|solely)\s+)?to|in\s+relation\s+(?:(?:only|solely)\s+)?to|as\s+(?:of|at)|on)\s+"
    r"(?:only\s+)?(?:(?:each|every|any)\s+of\s+)?(?:the\s+)?(?:\w+\s+){0,3}?(?:quarters?|periods?|dates?)\s+(?:(?:ending|ended|end|falling|expiring)\s+)?(?:on\s+)?$",
    re.IGNORECASE,
)
_BARE = re.compile(r"\b(?:at|on|as\s+(?:of|at))\s+$", re.IGNORECASE)
_ONLY = re.compile(r"\s*,?\s*(?:\(?\s*and\s+(?:for\s+)?no\s+others?(?:\s+\w+)?\s*\)?|only|alone)\b", re.IGNORECASE)
_ALONE = re.compile(r"\b(?:solely|only|exclusively|alone|no\s+others?)\b", re.IGNORECASE)
_ONWARD = re.compile(
    r"\s*,?\s*(?:and|or)\s+(?:(?:for|in\s+respect\s+of|on)\s+)?(?:each|every|any|all|thereafter|later|subsequent|after|the\s+following)\b|\s*(?:through|to|until|onwards?)\b",
    re.IGNORECASE,
)
_LIST = re.compile(r"\s*,?\s*(?:and\s+|or\s+)?(?:on\s+)?$", re.IGNORECASE)
_QUOTED = re.compile(r"\"[^\"]{1,60}\"")
_FOR = re.compile(
    r"\b(?:for|in\s+place\s+of|instead\s+of|in\s+lieu\s+of|rather\s+than)\s+(?:the\s+)?(?:(?:reference|figure|ratio|words|level)s?\s+)?(?:to\s+|of\s+)?$",
    re.IGNORECASE,
)
_SWAP = re.compile(
    r"\b(?:read|construed|deemed|treated|replac\w+|substitut\w+|delet\w+|becomes?|chang\w+|amended|increas\w+|rais\w+|relax\w+|reset|shall\s+be|will\s+be|is\s+to\s+be|taken|applies|apply)\b",
    re.IGNORECASE,
)
_BACK = re.compile(
    r"\b(?:as\s+(?:if|though)\b[^.;]*\b(?:not|never)\b|revert\w*|ceas\w+|laps\w+|returns?\b|again\b|original\s+(?:words|level|ratio|figure)|no\s+longer|falls?\s+away|without\s+(?:regard\s+to|effect\s+being\s+given))",
    re.IGNORECASE,
)
_PIECE = re.compile(
    r"[.;](?=\s|$)|,\s+(?=(?:and|but|following|after|whereupon|thereafter|at\s+the\s+end)\b)|\s+and\s+(?=(?:this|the|that|such|it)\b)"
)


def read_temporary(text: str) -> PatternReading | None:
    """A swap of levels for periods that are named by their ends; None where the clause makes none."""
    for start, end, days in _windows(text):
        sentence = sentence_around(text, start)
        swap = _swap(text, *sentence)
        if swap is None:
            continue
        old, new, at = swap
        target = target_of(text, at)
        quoted = all(t is not None and text[t.start - 1 : t.start] == '"' for t in (old, new))
        if not quoted and (target is None or not _ALONE.search(text[start:end])):
            continue  # a level for a period may be a row of a schedule
        windows: list[Value] = [d.date for d in days]
        fields: dict[str, Value] = {
            "op": "substitute_level_temporary",
            "target": label_of(target),
            "windows": windows,
            **level_fields(new),
        }
        fields |= {"find": old.raw, "replace": new.raw} if old is not None else {}
        fields["on_end"] = "permanent_text_as_amended"
        spans = {"windows": (start, end), "temporary": _around(text, new)}
        if old is not None:
            spans["underlying"] = _around(text, old)
        if target is not None:
            spans["target"] = (target.start, target.end)
        back = next((p for p in _pieces(text) if _BACK.search(text, *p) and not p[0] <= new.start < p[1]), None)
        if back is not None:
            spans["on_end"] = back
        # What is said of the end is no word about the beginning.
        plain = text if back is None else text[: back[0]] + " " * (back[1] - back[0]) + text[back[1] :]
        return finish(plain, fields, spans, sentence, unstated=set())
    return None


def _windows(text: str) -> list[tuple[int, int, list[DateToken]]]:
    """Lists of ends of periods for which alone something counts: start, end, days."""
    dates = find_dates(text)
    found = []
    for index, first in enumerate(dates):
        m = _PERIODS.search(text[max(0, first.start - 110) : first.start])
        bare = None if m else _BARE.search(text[max(0, first.start - 110) : first.start])
        if m is None and bare is None:
            continue
        run = [first]
        for following in dates[index + 1 :]:
            if not _LIST.match(text[run[-1].end : following.start]):
                break
            run.append(following)
        if _ONWARD.match(text, run[-1].end):
            continue
        only = _ONLY.match(text, run[-1].end)
        m = m or (bare if only else None)
        if m is None:
            continue
        start = first.start - (min(110, first.start) - m.start())
        found.append((start, only.end() if only else run[-1].end, run))
    return found


def _pieces(text: str) -> list[tuple[int, int]]:
    edges = [0, *(m.start() for m in _PIECE.finditer(text)), len(text)]
    return [(a, b) for a, b in itertools.pairwise(edges) if b > a]


def _around(text: str, token: LimitToken) -> tuple[int, int]:
    """A level with the quotation marks around it."""
    quoted = text[max(0, token.start - 1) : token.start] == '"' and text[token.end : token.end + 1] == '"'
    return (token.start - 1, token.end + 1) if quoted else (token.start, token.end)


def _swap(text: str, start: int, end: int) -> tuple[LimitToken | None, LimitToken, int] | None:
    """The level that is replaced (where it is named), the one that counts meanwhile, and where the first of them stands."""
    plain = masked(text)
    tokens = [t for t in find_limits(plain, start, end, "ratio") if t.form != "percent"]
    back = [p for p in _pieces(text) if _BACK.search(text, *p)]
    tokens = [t for t in tokens if not any(a <= t.start < b and _leads_back(text, a, t.start) for a, b in back)]
    if len(tokens) == 2 and _SWAP.search(text, start, tokens[1].end + 30):
        one, two = tokens
        if _FOR.search(text[max(start, one.end) : two.start].rstrip('"')):
            return two, one, one.start
        return one, two, one.start
    if len(tokens) == 1 and _SWAP.search(text, start, tokens[0].start) and not _QUOTED.search(text, start, tokens[0].start):
        return None, tokens[0], tokens[0].start
    return None


def _leads_back(text: str, start: int, at: int) -> bool:
    """Whether a level stands in words about the end ("on and from 1 July the reference to 4.25:1 applies again")."""
    return _SWAP.search(text, start, at) is None
