"""Reads a drafted sentence back into typed tokens: nothing is skipped, and what is not understood stays visible."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from conformed.language.amounts import Amount, Convention, find_amounts
from conformed.language.dates import find_dates
from conformed.language.ratios import find_ratios
from conformed.rules import claim_words as words

__all__ = ["Token", "fold_space", "lex", "quotes_in"]


@dataclass(frozen=True, slots=True)
class Token:
    """A stretch of a sentence and what it is.

    Attributes:
        kind: quote, name, text, date, section, money, ratio, percent, fraction, number, comparator, negator, modal, require, cue,
            hedge, operator, result, filler, break, unknown.
        value: code of a word, or the ISO date, section number or name.
        number: exact value of money (whole units), ratio, share or fraction.
        unit: ``x``, ``share`` or a currency code.
        step: what the last digit shown stands for (1/100 for 3.50x); 0 where nothing was rounded.
        start: first offset.
        end: one past the last.
        raw: the words.
    """

    kind: str
    start: int
    end: int
    raw: str
    value: str = ""
    number: Fraction | None = None
    unit: str = ""
    step: Fraction = Fraction(0)


_QUOTE = re.compile('[“"](?P<inner>[^“”"]*)[”"]')
_SECTION = re.compile(
    r"(?:\b(?:sections?|clauses?|articles?|schedules?|paragraphs?)|"
    r"§)\s*(?P<number>[0-9A-Z][0-9A-Za-z]*(?:\.[0-9A-Za-z]+)*(?:\([0-9A-Za-z]{1,5}\))*)",
    re.IGNORECASE,
)
_PERCENT = re.compile(r"-?\d+(?:\.\d+)?\s?(?:%|per\s?cent\.?|percent)")
_NEGATIVE = re.compile(r"(?<![\w.])(?P<value>-\d+(?:\.(?P<decimals>\d+))?)x(?!\w)")
_FRACTION = re.compile(r"(?<![\w/.])-?\d+/\d+(?![\w/])")
_NUMBER = re.compile(r"-?\d[\d,.]*")
_WORD = re.compile(r"[A-Za-z][A-Za-z'’-]*|[^\sA-Za-z]")
_ORDER = (
    ("negator", ((words.NEGATORS, "not"),)),
    ("result", words.RESULTS),
    ("comparator", words.COMPARATORS),
    ("modal", words.MODALS),
    ("require", ((words.REQUIRE, "require"),)),
    ("operator", words.OPERATORS),
    ("cue", words.CUES),
    ("hedge", ((words.HEDGES, "about"),)),
)


def _bounded(pattern: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![A-Za-z])(?:{pattern})(?![A-Za-z])", re.IGNORECASE)


_LEXICON = tuple((kind, _bounded(pattern), code) for kind, table in _ORDER for pattern, code in table)


def fold_space(text: str) -> str:
    """Line breaks joined and white space collapsed: the only tolerance for a quotation (CC-07)."""
    return " ".join(text.split())


def quotes_in(text: str) -> list[tuple[int, int, str]]:
    """Quotations in double marks: start, end, words inside."""
    return [(m.start(), m.end(), m["inner"]) for m in _QUOTE.finditer(text)]


def _fixed(text: str, home: str) -> dict[int, Token]:
    """Quotes, dates, sections and numbers, by where they start; longer readings first."""
    found: list[Token] = [Token("quote", s, e, text[s:e], inner) for s, e, inner in quotes_in(text)]
    found += [Token("date", d.start, d.end, text[d.start : d.end], d.date.isoformat()) for d in find_dates(text)]
    found += [Token("section", m.start(), m.end(), m[0], m["number"].rstrip(".")) for m in _SECTION.finditer(text)]
    for start, end, amount in find_amounts(text, convention=Convention.POINT, home=home):
        if isinstance(amount, Amount):
            step = Fraction(amount.scale, 10**amount.places)
            sign = -1 if re.search(r"(?:^|\s)-$", text[:start]) else 1
            found.append(Token("money", start, end, text[start:end], "", sign * amount.value, amount.currency or "", step))
    for ratio in find_ratios(text):
        if ratio.value is not None and ratio.form != "percent":
            step = Fraction(1, 10 ** (ratio.places or 0))
            found.append(Token("ratio", ratio.start, ratio.end, ratio.raw, "", ratio.value, "x", step))
    for match in _NEGATIVE.finditer(text):
        step = Fraction(1, 10 ** len(match["decimals"] or ""))
        found.append(Token("ratio", match.start(), match.end(), match[0], "", Fraction(match["value"]), "x", step))
    for match in _PERCENT.finditer(text):
        digits = re.match(r"-?\d+(?:\.(\d+))?", match[0])
        assert digits is not None
        step = Fraction(1, 100 * 10 ** len(digits[1] or ""))
        found.append(Token("percent", match.start(), match.end(), match[0], "", Fraction(digits[0]) / 100, "share", step))
    for match in _FRACTION.finditer(text):
        top, _, bottom = match[0].partition("/")
        if int(bottom):
            found.append(Token("fraction", match.start(), match.end(), match[0], "", Fraction(int(top), int(bottom))))
    rank = ("quote", "date", "section", "money", "ratio", "percent", "fraction")
    chosen: dict[int, Token] = {}
    covered: list[tuple[int, int]] = []
    for token in sorted(found, key=lambda t: (rank.index(t.kind), t.start)):
        if not any(s < token.end and token.start < e for s, e in covered):
            covered.append((token.start, token.end))
            chosen[token.start] = token
    return chosen


def lex(text: str, names: Mapping[str, str], texts: tuple[str, ...] = (), home: str = "") -> list[Token]:
    """The tokens of a sentence, in order, to its last character.

    Args:
        text: the sentence.
        names: names of the run (metric, borrower, documents) and what each stands for.
        texts: words of the cited claims that may stand verbatim.
        home: what a bare ``$`` means.
    """
    fixed = _fixed(text, home)
    phrases = sorted(
        {(fold_space(t), "text", t) for t in texts if t} | {(fold_space(n), "name", v) for n, v in names.items() if n},
        key=lambda p: (-len(p[0]), p),
    )
    patterns = [
        (
            re.compile(r"(?<![A-Za-z])" + re.sub(r"\\?\s+", r"\\s+", re.escape(p)) + r"(?:['’]s)?(?![A-Za-z])", re.IGNORECASE),
            kind,
            value,
        )
        for p, kind, value in phrases
    ]
    tokens: list[Token] = []
    at = 0
    while at < len(text):
        if text[at].isspace():
            at += 1
            continue
        token = _next(text, at, patterns, fixed)
        tokens.append(token)
        at = token.end
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
    if best is not None:
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
    elif plain.lower() in words.FILLER or raw in ".()?–—":
        kind = "filler"
    else:
        kind = "unknown"
    return Token(kind, at, at + len(raw), raw, plain.lower())
