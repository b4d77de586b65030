"""Reads a drafted sentence back into typed tokens: nothing is skipped, and what is not understood stays visible."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from itertools import pairwise

from conformed.rules.claims import claim_words as words
from conformed.rules.claims.claim_figures import Token, fixed_tokens, quotes_in
from conformed.rules.claims.claim_said import fold_space, said_pattern

__all__ = ["CONTRAST", "Token", "fold_space", "lex", "quotes_in", "result_words"]

CONTRAST = ("whereas", "while", "but", "though", "although")
"""Words that begin another statement."""

_NUMBER = re.compile(r"-?\d[\d,.]*")
_WORD = re.compile(r"[A-Za-z][A-Za-z'’-]*|[^\sA-Za-z]")
_ORDER = (
    ("negator", ((words.NEGATORS, "not"),)),
    ("result", words.RESULTS),
    ("comparator", words.COMPARATORS),
    ("forbidden", ((words.FORBIDDEN, "forbidden"),)),
    ("modal", words.MODALS),
    ("require", ((words.REQUIRE, "require"),)),
    ("permit", ((words.PERMIT, "permit"),)),
    ("neutral", ((words.PHRASES, ""),)),
    ("operator", words.OPERATORS),
    ("cue", words.CUES),
    ("sign", words.SIGNS),
    ("hedge", ((words.HEDGES, "about"),)),
    ("cause", ((words.CAUSES, "because"),)),
)


def _bounded(pattern: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![A-Za-z])(?:{pattern})(?![A-Za-z])", re.IGNORECASE)


_LEXICON = tuple((kind, _bounded(pattern), code) for kind, table in _ORDER for pattern, code in table)


@lru_cache(maxsize=4096)
def _name_pattern(name: str) -> re.Pattern[str]:
    inner = re.sub(r"\\?\s+", r"\\s+", re.escape(fold_space(name)))
    return re.compile(rf"(?<![A-Za-z]){inner}(?:['’]s)?(?![A-Za-z])", re.IGNORECASE)


def result_words(text: str) -> str:
    """A text without the words that name a result ("no test was carried out"): what they deny is the run's own result."""
    for pattern, _ in words.RESULTS:
        text = _bounded(pattern).sub(" ", text)
    return text


def lex(text: str, names: Mapping[str, str], texts: tuple[str, ...] = (), home: str = "") -> list[Token]:
    """The tokens of a sentence, in order, to its last character.

    Args:
        text: the sentence.
        names: names of the run (metric, borrower, documents) and what each stands for.
        texts: words of the cited claims that may stand verbatim.
        home: what a bare ``$`` means.
    """
    fixed = fixed_tokens(text, home)
    phrases = sorted(
        {(fold_space(t), "text", t) for t in texts if t} | {(fold_space(n), "name", v) for n, v in names.items() if n},
        key=lambda p: (-len(p[0]), p),
    )
    patterns = [(said_pattern(p) if kind == "text" else _name_pattern(p), kind, value) for p, kind, value in phrases]
    tokens: list[Token] = []
    at = 0
    while at < len(text):
        if text[at].isspace():
            at += 1
            continue
        token = _next(text, at, patterns, fixed)
        tokens.append(token)
        at = token.end
    return _joined(tokens)


def _joined(tokens: list[Token]) -> list[Token]:
    """The tokens with the commas round a mere place or time ("..., on 30 June 2024, ...") made neutral: they part no statement."""
    dividing = [i for i, t in enumerate(tokens) if t.value == "dividing"][:1]
    by = [i for i, t in enumerate(tokens) if dividing and i > dividing[0] and t.value == "by"][:1]
    if by:  # "dividing A by B" is "A divided by B"
        tokens[by[0]] = replace(tokens[by[0]], kind="operator", value="/")
    commas = [i for i, t in enumerate(tokens) if t.raw == ","]
    for first, last in pairwise(commas):
        inside = tokens[first + 1 : last]
        aside = all(t.kind in ("text", "date", "section", "neutral") or t.value in ("test_date", "borrower") for t in inside)
        if inside and aside and any(t.kind != "neutral" for t in inside) and not any(t.value in CONTRAST for t in inside):
            for at in (first, last):
                tokens[at] = replace(tokens[at], kind="neutral")
    return tokens


def _next(text: str, at: int, patterns: list[tuple[re.Pattern[str], str, str]], fixed: dict[int, Token]) -> Token:
    for pattern, kind, value in patterns:
        match = pattern.match(text, at)
        if match:
            return Token(kind, at, match.end(), match[0], value)
    if at in fixed:
        return fixed[at]
    best: Token | None = None
    for kind, pattern, code in _LEXICON:
        match = pattern.match(text, at)
        if match and match.end() > at and (best is None or match.end() > best.end):
            best = Token(kind, at, match.end(), match[0], code)
    if best is not None and not (best.kind == "cause" and best.raw.lower() in words.NEUTRAL):
        return best
    number = _NUMBER.match(text, at)
    if number:
        raw = number[0].rstrip(".,")
        return Token("number", at, at + len(raw), raw, raw) if raw not in ("", "-") else Token("unknown", at, at + 1, text[at])
    word = _WORD.match(text, at)
    raw = word[0] if word else text[at]
    plain = re.sub(r"['’]s$", "", raw)
    if raw in ",;:":
        kind = "break"
    elif plain.lower() in words.NEUTRAL or raw in ".()?–—":
        kind = "neutral"
    else:
        kind = "unknown"
    return Token(kind, at, at + len(raw), raw, plain.lower())
