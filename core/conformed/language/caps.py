"""Ceilings on items added to earnings: how much, of what, before or after, and over which items (rule book 4.6)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction

from conformed.language.amounts import Amount, Convention, find_amounts
from conformed.language.labels import addback_words
from conformed.model.base import Exact, Frozen
from conformed.model.covenant import Definition, Doubt
from conformed.model.span import Span

__all__ = ["CEILING", "Cap", "limb_of", "read_caps"]


class Cap(Frozen):
    """A ceiling on items added to earnings (rule book 4.6)."""

    kind: str
    """``percent``, ``fixed`` or ``greater_of``."""
    basis: str
    """``before``, ``after`` or ``unstated``: whether the share is of earnings before or after the items."""
    others: str = ""
    """Whether items under other caps are in what the share is taken of: ``included``, ``excluded``, or empty for silence."""
    share: Exact | None = None
    """Share of earnings."""
    fixed: Exact | None = None
    """Fixed amount, whole units."""
    words: tuple[str, ...] = ()
    """What a line under it is known by: stems of the items of its clause, and the clause's letter, as ``(iv)``."""
    elsewhere: tuple[str, ...] = ()
    """Words of the rest of the definition: a line known by these is under another clause."""
    raw: str = ""
    """The words of the cap."""
    term: str = ""
    """Definition that says so."""
    spans: tuple[Span, ...] = ()
    """Where."""


CEILING = re.compile(
    r"\b(?:up to|not (?:to )?exceed(?:ing)?|without exceeding|not in excess of|no(?:t)? (?:be )?(?:more|greater|higher|larger) than|not (?:be )?(?:above|over)|"
    r"at most|lesser of|lower of|maximum(?: aggregate)? (?:amount )?of|cap(?:ped)? (?:at|of)|limit(?:ed)? (?:to|of)|ceiling of|restricted to)\b",
    re.IGNORECASE,
)
"""Words of a ceiling."""

_SHARE = re.compile(
    r"(?P<share>\d{1,2}(?:\.\d{1,3})?)\s*(?:%|per\s?cent\.?|percent)\s+of\s+(?:the\s+|"
    r"such\s+)?(?:[A-Z][\w-]*\s+){0,4}?(?:EBITDA\w*|[Ee]arnings)",
    re.ASCII,
)
_ITEM = r"(?:this|such|these|those|the|any such|the relevant|said) (?:items?|clauses?|paragraphs?|add-?backs?|adjustments?|amounts?|additions?|limbs?)"
_BEFORE = re.compile(
    r"\b(?:before|prior to|without)\s+(?:giving\s+(?:pro forma\s+)?effect|taking\s+(?:\w+\s+)?(?:in)?to account|inclu|"
    rf"the addition|adding|{_ITEM})",
    re.IGNORECASE,
)
_AFTER = re.compile(
    rf"\bafter\s+(?:giving\s+(?:pro forma\s+)?effect|taking\s+(?:\w+\s+)?(?:in)?to account|inclu|the addition|adding|{_ITEM})",
    re.IGNORECASE,
)
_OTHERS_OUT = re.compile(
    r"\b(?:before|prior to|without)\s+giving\s+(?:pro forma\s+)?effect\s+to\s+(?:any|all)\s+(?:such\s+|capped\s+|of the\s+)?(?:add-?backs?|adjustments?|amounts?|items|clauses)",
    re.IGNORECASE,
)
_OTHERS_IN = re.compile(
    r"\bafter\s+(?:giving\s+effect\s+to\s+)?(?:all|any)\s+other\s+(?:add-?backs?|adjustments?|items|clauses)", re.IGNORECASE
)
_MARK = re.compile(r"(?:^|[;,:]|\band\b|\bor\b|\bplus\b|\bof\b)\s*\((?P<letter>[a-z]{1,4})\)\s")
_REFERENCE = re.compile(r"\b(?:clause|paragraph)s?\s+((?:\([a-z]{1,4}\)(?:\s*(?:,|and|or|through|to)\s*)*)+)")
_COMMON = frozenset(
    {"amount", "calculated", "calculating", "charge", "charges", "clause", "consolidated", "costs", "expense", "expenses"}
    | {"extent", "giving", "group", "income", "other", "paragraph", "period", "provided", "without"}
)


def limb_of(text: str, start: int, end: int) -> tuple[int, int]:
    """The limb of a clause around a match: from the last ``;`` or sentence end to the next ("per cent." ends nothing)."""
    left = max([0, *(m.end() for m in _STOP.finditer(text, 0, start))])
    right = next((m.start() for m in _STOP.finditer(text, end)), len(text))
    return left, right


_STOP = re.compile(r";|(?<!per cent)(?<!No)(?<!U\.S)\. ")


def read_caps(
    definition: Definition, text: str, convention: Convention | None, home: str
) -> tuple[tuple[Cap, ...], tuple[Doubt, ...]]:
    """The ceilings of a definition of earnings, and a doubt for each that its words do not settle.

    Args:
        definition: the definition.
        text: its text on one line.
        convention: how the agreement writes its numbers.
        home: what a bare ``$`` means.
    """
    caps, read = [], []
    for match in _SHARE.finditer(text):
        left, right = limb_of(text, match.start(), match.end())
        head, tail = text[left : match.start()], text[match.end() : _own_end(text, match.end(), right)]
        greater = re.search(r"greater of\b", head, re.IGNORECASE)
        if not CEILING.search(head) and greater is None:
            continue
        fixed = None
        if greater:
            found = [a for _, _, a in find_amounts(text[left:right], convention=convention, home=home) if isinstance(a, Amount)]
            fixed = found[0].value if len(found) == 1 else None
        kind = "greater_of" if greater else "percent"
        caps.append(
            _cap(definition, text, (left, match.start(), right), kind, _basis(head, tail), Fraction(match["share"]) / 100, fixed)
        )
        read.append((left, right))
    for start, end, amount in find_amounts(text, convention=convention, home=home):
        left, right = limb_of(text, start, end)
        if (
            isinstance(amount, Amount)
            and CEILING.search(text, max(left, start - 80), start)
            and not any(a <= start < b for a, b in read)
        ):
            caps.append(_cap(definition, text, (left, start, right), "fixed", "before", None, amount.value))
            read.append((left, right))
    return tuple(caps), tuple(_unread(definition, text, read))


def _own_end(text: str, at: int, right: int) -> int:
    """Where the words of one ceiling end: at the next item of the list, or with the limb."""
    return next((m.start() for m in _MARK.finditer(text, at, right)), right)


def _unread(definition: Definition, text: str, read: list[tuple[int, int]]) -> Iterator[Doubt]:
    """Words of a ceiling with a number behind them that were not read as one: never passed over."""
    for match in CEILING.finditer(text):
        follows = re.match(r"[^.;]{0,60}?(?:\d|[$€£])", text[match.end() :])
        if follows and not any(a <= match.start() < b for a, b in read):
            sentence = f"The definition of {definition.term} sets a ceiling that could not be read."
            yield Doubt(code="review_cap_basis_ambiguous", sentence=sentence, spans=definition.spans)


def _basis(head: str, tail: str) -> str:
    """Before or after, by the words behind the share; else by "giving effect" before it; else unstated."""
    for words in (
        tail,
        " ".join(re.findall(r"\b(?:before|prior to|after)\s+giving\s+(?:pro forma\s+)?effect", head, re.IGNORECASE)),
    ):
        own = _OTHERS_IN.sub(" ", words)  # says what else is inside, and nothing of the items themselves
        before, after = bool(_BEFORE.search(own)), bool(_AFTER.search(own))
        if before != after:
            return "before" if before else "after"
    return "unstated"


def _cap(
    definition: Definition,
    text: str,
    place: tuple[int, int, int],
    kind: str,
    basis: str,
    share: Fraction | None,
    fixed: Fraction | None,
) -> Cap:
    left, at, right = place
    clauses = _clauses(text, at, text[left:right])
    inside = " ".join(text[start:end] for _, start, end in clauses) if clauses else text[left:at]
    rest = text
    for _, start, end in reversed(clauses):
        rest = rest[:start] + " " + rest[end:]
    limb = text[at : _own_end(text, at, right)]
    others = "included" if _OTHERS_IN.search(limb) else "excluded" if _OTHERS_OUT.search(limb) else ""
    words = dict.fromkeys((*addback_words(inside), *(f"({letter})" for letter, _, _ in clauses)))
    elsewhere = {w for w in re.findall(r"[a-z]{5,}", rest.lower()) if w not in _COMMON} if clauses else set()
    return Cap(
        kind=kind, basis=basis, others=others, share=share, fixed=fixed, words=tuple(words), elsewhere=tuple(sorted(elsewhere)),
        raw=" ".join(text[left:right].split()), term=definition.term, spans=definition.spans,
    )  # fmt: skip


def _clauses(text: str, at: int, limb: str) -> list[tuple[str, int, int]]:
    """The clauses that a ceiling is over: those that it refers to by letter, else the one in which it stands."""
    marks = [(m["letter"], m.end()) for m in _MARK.finditer(text)]
    ends = [*(m.start() for m in _MARK.finditer(text)), len(text)][1:]
    whole = [(letter, start, end) for (letter, start), end in zip(marks, ends, strict=True)]
    letters: list[str] = []
    for reference in _REFERENCE.finditer(limb):
        named = re.findall(r"\(([a-z]{1,4})\)", reference[1])
        letters += named
        order = [letter for letter, _, _ in whole]
        if re.search(r"through|\bto\b", reference[1]) and len(named) >= 2 and named[-2] in order and named[-1] in order:
            letters += order[order.index(named[-2]) : order.index(named[-1])]
    if letters:
        return [clause for clause in whole if clause[0] in letters]
    return [clause for clause in whole if clause[1] <= at][-1:]
