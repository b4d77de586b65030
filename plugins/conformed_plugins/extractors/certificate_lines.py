"""Lines of a statement of figures: a label and the cells behind it, by offsets of the live text."""

from __future__ import annotations

import re
from dataclasses import dataclass

from conformed.language.amounts import find_amounts, is_dash, is_nil
from conformed.language.dates import find_dates
from conformed.language.labels import takes_part
from conformed.model.base import Missing

__all__ = ["Line", "is_blank", "read_line", "read_lines"]

_CURRENCY = r"(?:U\.S\. ?\$|US ?\$|CA?\$|Cdn\$|AU?\$|NZ\$|HK\$|S\$|[$€£¥₹]|USD|EUR|GBP|CAD|AUD|CHF)"
_NUMBER = r"\d(?:[\d,.']*\d)?"
_VALUE = re.compile(
    rf"(?P<value>(?:\(\s?)?(?:-\s?)?(?:{_CURRENCY}\s{{0,6}})?\(?-?{_NUMBER}(?:\s?(?:thousand|million|billion|MM|mm|mn|bn|"
    rf"m)\b)?\)?(?:\s(?:USD|EUR|GBP|CAD|AUD|CHF)\b)?"
    rf"|(?:{_CURRENCY}\s{{0,6}})?(?:nil|none|-0-|[-–—]{{1,3}}))(?P<note>\s?\(\d{{1,2}}\)|\*)?\s*$",
    re.IGNORECASE,
)
_NO_VALUE = re.compile(
    r"\b(?:section|sections|line|lines|item|no\.?|number|clause|page|schedule|exhibit|article|paragraph|annex|appendix|"
    r"rule|form|part|note|fiscal year|year|quarter|suite)\s*$",
    re.IGNORECASE,
)
_COUNTED = re.compile(
    r"(?:\b(?:19|20)\d\d|\b(?:tranche|facility|series|class|term|loan|step|tier|level|group|company|entity|unit|plant|fund|bank|lot|phase|"
    r"borrower|lender|member)s?\s+\d{1,3})\s+$",
    re.IGNORECASE,
)
"""A label that ends in a number of its own: a year, or which of several things it is about."""
_IN_PIECES = re.compile(r"(?<![\d.,'])\d{1,3}(?:[,']?\s{1,2}\d{3})*(?:[,']\s{1,6}|\s)$")
_GROUP = re.compile(r"\d{3}(?!\d)")
_SHARE = re.compile(r"(?<=\d)\)?\s+\(?-?\d{1,3}(?:\.\d+)?\s?%\)?\s*$")
_MONEY_WORDS = re.compile(r"\b(?:dollars|euros?|pounds(?:\s+sterling)?|cents|pence)\s*\(?$", re.IGNORECASE)
_SPELT = re.compile(
    r"[A-Za-z][A-Za-z\s-]*\b(?:dollars|euros?|pounds(?:\s+sterling)?)\b[A-Za-z\s/0-9-]{0,16}\([^()]*\d[^()]*\)", re.IGNORECASE
)
"""An amount in words with its digits in brackets."""
_LEADER = re.compile(r"[\s.·_…:=]+$")


@dataclass(frozen=True, slots=True)
class Line:
    """A label and its cells.

    Attributes:
        start: first offset of the line.
        end: one past its last.
        label: words of the label.
        label_start: where the label starts.
        label_end: where it ends.
        cells: stretches of the value cells, in order.
        broken: reason code where a number of the line is in pieces or is said twice, so that none of its numbers counts.
        tabular: whether tabs, a leader, a wide gap, a colon or a currency sign mark it as a line of a statement.
    """

    start: int
    end: int
    label: str
    label_start: int
    label_end: int
    cells: tuple[tuple[int, int], ...]
    tabular: bool
    broken: str = ""


def is_blank(text: str) -> bool:
    """Whether a stretch holds a blank to be filled in."""
    return re.search(r"_{3,}|\[\s*[•●]?\s*\]|\.{25,}\s*$", text) is not None


def _strip(text: str, start: int, end: int) -> tuple[int, int]:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end


def _is_cell(piece: str) -> bool:
    return bool(_VALUE.fullmatch(piece) or _SPELT.fullmatch(piece)) or is_dash(piece) or is_nil(piece)


def _tabbed(text: str, start: int, end: int) -> Line | None:
    pieces: list[tuple[int, int]] = []
    at = start
    for words in text[start:end].split("\t"):
        inner = _strip(text, at, at + len(words))
        at += len(words) + 1
        if inner[0] < inner[1]:
            pieces.append(inner)
    merged: list[tuple[int, int]] = []
    sign = re.compile(rf"\(?\s?{_CURRENCY}\s?\(?|\(")
    for piece in pieces:  # a web page puts the currency sign and the closing bracket into cells of their own
        words = text[piece[0] : piece[1]]
        if merged and (re.fullmatch(r"\)|%|x", words) or sign.fullmatch(text[merged[-1][0] : merged[-1][1]])):
            merged[-1] = (merged[-1][0], piece[1])
        else:
            merged.append(piece)
    labels = [p for p in merged if re.search(r"[A-Za-z]{2}", text[p[0] : p[1]]) and not _is_cell(text[p[0] : p[1]])]
    if not labels or not merged:
        return (
            Line(start, end, "", start, start, tuple(p for p in merged if _is_cell(_joined(text, p))), tabular=True)
            if merged
            else None
        )
    label = max(labels[:2], key=lambda p: (p[1] - p[0] > 4, -p[0]))
    cells = tuple(p for p in merged if p[0] >= label[1] and _is_cell(_joined(text, p)))
    broken = any(p[0] >= label[1] and _is_odd(_joined(text, p)) for p in merged)
    code = "review_numeric_token_malformed" if broken else ""
    return Line(start, end, text[label[0] : label[1]], label[0], label[1], cells, tabular=True, broken=code)


def _is_odd(piece: str) -> bool:
    """Whether a piece holds digits and nothing that says what they are: a number that is not written as one."""
    bare = re.sub(_CURRENCY, "", piece, flags=re.IGNORECASE)
    return not _is_cell(piece) and re.search(r"\d", bare) is not None and re.search(r"[A-Za-z%:/]", bare) is None


def _joined(text: str, piece: tuple[int, int]) -> str:
    return re.sub(r"\s+(?=\))", "", text[piece[0] : piece[1]].replace("\t", " "))


def read_line(text: str, start: int, end: int) -> Line | None:
    """A line of the text as label and cells; a line without a cell has none in ``cells``; an empty line is None."""
    start, end = _strip(text, start, end)
    if start == end:
        return None
    if "\t" in text[start:end]:
        return _tabbed(text, start, end)
    cells: list[tuple[int, int]] = []
    share = _SHARE.search(text, start, end)  # a share of something, in a column of its own behind the figure
    right, marked, broken = share.start() if share else end, False, ""
    while True:
        match = _VALUE.search(text, start, right)
        if match is None or not _allowed(text, start, match.start("value"), match):
            break
        if (
            cells
            and not re.search(rf"[,.]\d|[()]|{_CURRENCY}", match["value"])
            and not text[start : match.start()].endswith("  ")
        ):
            # "Notes due 2029  150,000": a whole number that belongs to the label is no figure; any other may be one
            own = _COUNTED.search(text, start, match.end("value") + 1) or _COUNTED.search(text, start, match.end())
            broken = "" if own or len(match["value"].strip()) > 3 else "review_numeric_token_malformed"
            break
        if (
            cells
            and re.fullmatch(r"\(\d{1,2}\)", match["value"])
            and re.search(r"[A-Za-z] $", text[start : match.start("value")])
        ):
            break  # "Total Debt (2)  300,000": a note mark behind the label
        before = text[start : match.start("value")]
        if _IN_PIECES.search(before) and _GROUP.match(match["value"]) and not _COUNTED.search(before):
            broken = "review_numeric_token_malformed"
            break
        if match["value"].startswith("(") and _MONEY_WORDS.search(before):
            said = [one for one in find_amounts(text[start:end]) if start + one[0] >= match.start("value")]
            read = said[0][2] if said else None
            if said and not isinstance(read, Missing):
                cells.insert(0, (start + said[0][0], start + said[0][1]))
            else:
                broken = read.code if isinstance(read, Missing) else "review_words_figures_conflict"
            right, marked = match.start("value"), True
            break
        gap = text[max(start, match.start() - 3) : match.start()]
        marked = marked or bool(re.search(r"[.:_…=]\s*$|\s{2}$", gap)) or bool(re.search(_CURRENCY, match["value"]))
        cells.insert(0, (match.start("value"), match.end("note") if match["note"] else match.end("value")))
        right = match.start("value")
        if right == start:
            break
    low, high = _strip(text, start, right)
    leader = _LEADER.search(text, low, high)
    if leader:
        marked = marked or len(leader[0].strip()) > 0
        high = leader.start()
    label = text[low:high]
    if cells and not re.search(r"[A-Za-z]{2}", label):
        return Line(start, end, "", start, start, () if broken else tuple(cells), tabular=True, broken=broken)
    return Line(start, end, label, low, high, () if broken else tuple(cells), tabular=marked, broken=broken)


def _allowed(text: str, start: int, at: int, match: re.Match[str]) -> bool:
    """Whether a number at the end of a line is a figure and not part of a date or of a reference."""
    before = text[start:at]
    if before and not before[-1].isspace() and before[-1] not in ".:_…=":
        return False
    words = match["value"].strip()
    if _NO_VALUE.search(before) or words.count("(") != words.count(")"):
        return False
    if (is_dash(words) or is_nil(words)) and not re.search(r"\s{2}$|[.:_…]\s*$", before) and not takes_part(before):
        return False
    return not any(token.start < match.end() and at < token.end for token in find_dates(text, start, match.end()))


def read_lines(text: str) -> list[Line]:
    """All lines with their cells. A label alone takes the cells of the line of bare cells that follows it."""
    found: list[Line] = []
    at = 0
    for raw in text.split("\n"):
        line = read_line(text, at, at + len(raw))
        at += len(raw) + 1
        if line is None:
            continue
        last = found[-1] if found else None
        if (
            line.cells
            and not line.label
            and last is not None
            and last.label
            and not last.cells
            and not is_blank(text[last.start : last.end])
        ):
            found[-1] = Line(
                last.start, line.end, last.label, last.label_start, last.label_end, line.cells, tabular=True, broken=last.broken
            )
        else:
            found.append(line)
    return found
