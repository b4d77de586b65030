"""What counts as use of a facility, by the words of a trigger or of a line of figures: a closed grammar, read whole or not at all."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction

from conformed.language.amounts import Amount, Convention, fold, read_amount
from conformed.language.dates import find_dates

__all__ = ["LETTERS", "Use", "is_commitments", "line_part", "read_use"]

LETTERS = ("drawn_lc", "undrawn_lc", "cash_covered_lc")
"""Kinds of letters of credit that a trigger may count or leave out."""
_REVOLVING = r"(?:revolving|revolver|rcf)(?: credit| facility| line)*"
_CONTRACTED = r"(?:loan|advance|borrowing|drawing|draw|credit extension)s?"
_ITEMS: tuple[tuple[str, str], ...] = (
    ("loans", rf"{_REVOLVING} {_CONTRACTED}|{_CONTRACTED}(?: {_REVOLVING})?|revolver"),
    ("swing", r"swing ?-?line(?: (?:loan|advance)s?)?"),
    ("all", r"every lc|lc every"),
    ("drawn", r"drawn(?: lc)?|lc drawn|unreimbursed (?:drawing|amount|drawn)s?(?: lc)?|(?:lc )?reimbursement obligations?(?: lc)?"),
    ("undrawn", r"undrawn(?: portion)?(?: lc)?|lc undrawn"),
    ("covered", r"covered(?: lc)?|lc covered"),
    ("letters", r"lc(?: obligations?| usage)?"),
    ("exposure", rf"{_REVOLVING} (?:exposures?|outstandings?|usage|utili[sz]ations?)|utili[sz]ations? (?:{_REVOLVING}|facility)"),
)  # fmt: skip
_ITEM = tuple((name, re.compile(pattern)) for name, pattern in _ITEMS)
_FILL = frozenset(
    ["a", "aggregate", "all", "amount", "amounts", "any", "are", "as", "at", "balance", "been", "borrower", "borrowers", "by", "case", "company", "date", "day", "each", "exposure", "extent", "facilities", "facility", "has", "have", "hereunder", "in", "is", "issued", "made", "of", "on", "outstanding", "principal", "such", "sum", "test", "that", "the", "then", "thereunder", "time", "to", "total", "under", "unpaid", "were", "which"]
) - {"exposure", "facility"}  # fmt: skip
_LEFT_OUT = r"\b(?:excluding|exclusive of|other than|except(?:ing)?(?: for)?|not including|but not|disregarding|less)\b"
_TAKEN_IN = r"\b(?:but including|including|inclusive of|together with)\b"
_LIMITED = re.compile(
    r",? ?(?:in an? (?:aggregate )?(?:face |stated |principal )?amount )?(?:not (?:to exceed|exceeding|in excess of|more than)|up to)(?: an? (?:aggregate )?amount(?: of)?)? "
    r"(?P<money>(?:[a-z]{0,3}[$€£] ?|[a-z]{3} )\d[\d,.]*\d(?: (?:million|m))?)"
)
_CLOSING = re.compile(
    rf"(?:{_REVOLVING} )?{_CONTRACTED}(?: (?:drawn|made|borrowed|incurred|funded|used))? (?:on|at)(?: the| or about the)? closing(?: date)?(?P<tail> (?:to (?:fund|finance|pay)|for)\b[^;()]*)?"
)
_COMMITMENTS = re.compile(
    r"(?:the )?(?:then )?(?:aggregate |total )?(?:amount of )?(?:the |all )?(?:total |aggregate )?(?:revolving(?: credit| facility| loan)? |rcf )?commitments?(?: under the revolving(?: credit)? facility)?"
    r"(?: then in effect| in effect| at (?:that|such) time| (?:on|as of) (?:that|such) (?:day|date))*"
)


@dataclass(frozen=True, slots=True)
class Use:
    """Parts of use, by the words.

    Attributes:
        counted: parts that count, in a fixed order.
        silent: parts on which the words are silent.
        up_to: parts that are left out only up to an amount, whole units.
        closing: whether drawings of the closing date are left out.
    """

    counted: tuple[str, ...]
    silent: tuple[str, ...] = ()
    up_to: tuple[tuple[str, Fraction], ...] = ()
    closing: bool = False


_ADDS = {
    "loans": ("revolver",),
    "swing": ("swingline",),
    "all": ("drawn_lc", "undrawn_lc"),
    "drawn": ("drawn_lc",),
    "undrawn": ("undrawn_lc",),
    "covered": ("cash_covered_lc",),
    "letters": ("drawn_lc",),
    "exposure": ("revolver",),
}
_LEAVES_OPEN = {
    "all": ("cash_covered_lc",),
    "letters": ("undrawn_lc", "cash_covered_lc"),
    "exposure": ("swingline", *LETTERS),
}
_TAKES_OUT = {**_ADDS, "letters": LETTERS, "all": LETTERS, "undrawn": ("undrawn_lc", "cash_covered_lc")}
_ORDER = ("revolver", "swingline", *LETTERS)


def _normal(words: str) -> str:
    text = fold(" ".join(words.split())).lower().replace('"', "")
    text = re.sub(r"\((?:[ivx]{1,4}|[a-z]|\d)\)", ",", text)
    text = re.sub(r"\bletters? of credit\b|\bl/?cs?\b", "lc", text)
    text = re.sub(r"\(?,?\b(?:whether )?drawn (?:or|and|/) ?undrawn\)?|\(?,?\b(?:whether )?undrawn (?:or|and) drawn\)?|\(?,?\bwhether or not drawn\)?|\b(?:face|stated) amount of\b", " every ", text)  # fmt: skip
    text = re.sub(r"\bcash[- ]?(?:collaterali[sz]ed|covered|backed|secured)(?: or backstopped| or otherwise backstopped)?\b", "covered", text)  # fmt: skip
    return " ".join(text.replace("drawn but unreimbursed", "unreimbursed").split())


def _segments(text: str) -> list[tuple[bool, str]] | None:
    """Stretches that are counted or left out; None where brackets hold something else."""
    found: list[tuple[bool, str]] = []

    def bracketed(match: re.Match[str]) -> str:
        inner = match[1].strip()
        if re.match(_LEFT_OUT, inner) or re.match(_TAKEN_IN, inner):
            found.extend(_polar(inner))
            return " "
        return match[0]

    outer = re.sub(r"\(([^()]*)\)", bracketed, text)
    if "(" in outer or ")" in outer:
        return None
    return [*_polar(outer), *found]


def _polar(text: str) -> list[tuple[bool, str]]:
    parts = re.split(rf"({_LEFT_OUT}|{_TAKEN_IN})", text)
    result, counted = [], True
    for part in parts:
        if re.fullmatch(_LEFT_OUT, part):
            counted = False
        elif re.fullmatch(_TAKEN_IN, part):
            counted = True
        elif part.strip(" ,"):
            result.append((counted, part))
    return result


def _items(text: str) -> list[tuple[str, Fraction | None]] | None:
    """The items of one stretch, each with the amount up to which it goes; None where a word is not known."""
    limits: list[Fraction] = []

    def limit(match: re.Match[str]) -> str:
        amount = read_amount(match["money"].upper(), convention=Convention.POINT, home="XXX")
        limits.append(amount.value if isinstance(amount, Amount) else Fraction(-1))
        return f" upto{len(limits) - 1}"

    found: list[tuple[str, Fraction | None]] = []
    text = _LIMITED.sub(limit, text)
    closing = _CLOSING.search(text)
    if closing is not None:
        if re.search(r"\b(?:lc|swing|revolv|loan|commitment)", closing["tail"] or ""):
            return None
        found.append(("closing", None))
        text = f"{text[: closing.start()]},{text[closing.end() :]}"
    for raw in re.split(r"[,;]|\band\b|\bor\b|\bplus\b", text):
        words = raw.split()
        most = next((limits[int(w[4:])] for w in words if re.fullmatch(r"upto\d", w)), None)
        words = [w for w in words if w not in _FILL and not re.fullmatch(r"upto\d", w)]
        head = " ".join(words)
        if not head:
            continue
        name = next((n for n, pattern in _ITEM if pattern.fullmatch(head)), None)
        if name is None or most == -1:
            return None
        found.append((name, most))
    return found


def read_use(words: str) -> Use | None:
    """Which parts of use some words count, leave out or are silent on; None where a word of them is not understood.

    Args:
        words: the upper term of a trigger, or the label of a line.
    """
    segments = _segments(_normal(words))
    if segments is None:
        return None
    counted: set[str] = set()
    silent: set[str] = set()
    out: set[str] = set()
    up_to: dict[str, Fraction] = {}
    closing = False
    for positive, text in segments:
        items = _items(text)
        if items is None:
            return None
        for name, most in items:
            if name == "closing":
                if positive:
                    return None
                closing = True
            elif positive:
                if most is not None:
                    return None
                counted.update(_ADDS[name])
                silent.update(_LEAVES_OPEN.get(name, ()))
            elif most is not None:
                up_to |= dict.fromkeys(_ADDS[name], most)
            else:
                out.update(_TAKES_OUT[name])
    if "drawn_lc" in counted and "undrawn_lc" not in counted | silent:
        out |= {"undrawn_lc", "cash_covered_lc"}
    up_to = {part: most for part, most in up_to.items() if part in counted | silent}
    counted |= set(up_to)  # what goes beyond the amount counts
    counted -= out
    if not counted:
        return None
    silent = silent - counted - out
    return Use(
        tuple(p for p in _ORDER if p in counted), tuple(p for p in _ORDER if p in silent), tuple(sorted(up_to.items())), closing
    )


def is_commitments(words: str) -> bool:
    """Whether words name the commitments of the facility, and no part or other facility of them."""
    return _COMMITMENTS.fullmatch(" ".join(fold(words).lower().split())) is not None


def line_part(label: str, whole: Use | None = None, *, named: bool = False) -> str | None:
    """Which part of use a line of figures shows: one part, the commitments, or ``utilised`` for all that a trigger counts.

    Args:
        label: the line's label.
        whole: what the trigger counts.
        named: whether a line must name the revolving facility, because the trigger does: other loans and commitments are not meant.
    """
    text = label
    for token in reversed(find_dates(label)):
        head = re.sub(r"\b(?:as\s+(?:of|at)|on|at)\s*$", "", text[: token.start], flags=re.IGNORECASE)
        text = head + text[token.end :]
    text = re.sub(r"^\s*(?:\(?\w{1,3}[.)])+\s*|\s*\([A-Za-z]\)\s*$|[\s:=]+$", "", text)
    text = re.sub(r"\s+outstanding\s*$", "", text, flags=re.IGNORECASE)
    revolving = re.search(r"revolv|\brcf\b", text, re.IGNORECASE) is not None or not named
    if is_commitments(text):
        return "commitments" if revolving else None
    if _CLOSING.fullmatch(
        " ".join(w for w in _normal(text).split() if w not in {"aggregate", "total", "amount", "of", "principal"})
    ):
        return "closing_draws"
    found = read_use(text)
    if found is None or ("revolver" in found.counted and not revolving):
        return None
    if found == whole:
        return "utilised" if len(found.counted) > 1 else found.counted[0]
    return found.counted[0] if len(found.counted) == 1 and not found.silent and not found.up_to and not found.closing else None
