"""Automatic numbers of a Word document, counted as the word processor counts them.

In most agreements made with a word processor "7.11" is nowhere in the text: it is a level of a list. Without these
numbers no reference to a section can be followed.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from conformed_plugins.readers.docx_package import local
from conformed_plugins.readers.docx_styles import attribute, child, number_of, on

__all__ = ["Numbering", "formatted"]

_ROMAN = (
    (1000, "m"),
    (900, "cm"),
    (500, "d"),
    (400, "cd"),
    (100, "c"),
    (90, "xc"),
    (50, "l"),
    (40, "xl"),
    (10, "x"),
    (9, "ix"),
    (5, "v"),
    (4, "iv"),
    (1, "i"),
)
_ONES = [
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen"),
    *("fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
]
_TENS = ["zero", "ten", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
_ORDINALS = {
    "one": "first",
    "two": "second",
    "three": "third",
    "five": "fifth",
    "eight": "eighth",
    "nine": "ninth",
    "twelve": "twelfth",
}
_LEVELS = 9


@dataclass(frozen=True, slots=True)
class _Level:
    start: int = 1
    form: str = "decimal"
    text: str = ""
    suffix: str = "tab"
    legal: bool = False
    restart: int | None = None
    style: str | None = None


def _roman(value: int) -> str:
    out = []
    for size, letters in _ROMAN:
        out.append(letters * (value // size))
        value %= size
    return "".join(out)


def _cardinal(value: int) -> str:
    if value < 20:
        return _ONES[value]
    if value < 100:
        return _TENS[value // 10] + (f"-{_ONES[value % 10]}" if value % 10 else "")
    return str(value)


def _ordinal(value: int) -> str:
    head, dash, last = _cardinal(value).rpartition("-")
    if last.isdigit():
        return _suffixed(value)
    last = _ORDINALS.get(last) or (f"{last[:-1]}ieth" if last.endswith("y") else f"{last}th")
    return head + dash + last


def _suffixed(value: int) -> str:
    ending = "th" if value % 100 in {11, 12, 13} else {1: "st", 2: "nd", 3: "rd"}.get(value % 10, "th")
    return f"{value}{ending}"


def formatted(value: int, form: str) -> str | None:
    """A counter in a number format, or None where the format is not known.

    Args:
        value: the counter, at least 0.
        form: name of the format in the file (``decimal``, ``upperRoman`` ...).
    """
    if form in {"decimal", "none", "decimalZero"}:
        return {"decimal": str(value), "none": "", "decimalZero": f"{value:02d}"}[form]
    if not 0 < value < 4000:
        return str(value)
    if form in {"upperRoman", "lowerRoman"}:
        return _roman(value).upper() if form == "upperRoman" else _roman(value)
    if form in {"upperLetter", "lowerLetter"}:
        letter = chr(ord("a") + (value - 1) % 26) * ((value - 1) // 26 + 1)
        return letter.upper() if form == "upperLetter" else letter
    if form == "ordinal":
        return _suffixed(value)
    if form in {"cardinalText", "ordinalText"}:
        return (_cardinal(value) if form == "cardinalText" else _ordinal(value)).capitalize()
    return None


class Numbering:
    """The lists of a document and their counters."""

    def __init__(self, root: Any | None, styles: Any) -> None:
        self._styles = styles
        self._abstract: dict[int, dict[int, _Level]] = {}
        self._links: dict[int, str] = {}
        self._owners: dict[str, int] = {}
        self._nums: dict[int, tuple[int, dict[int, _Level], dict[int, int]]] = {}
        self._counters: dict[int, list[int | None]] = {}
        self._begun: set[int] = set()
        self.written = 0
        """Numbers written out so far."""
        self.unsure = False
        """Whether a format was met that is not known."""
        for element in root if root is not None else ():
            if local(element) == "abstractNum":
                self._read_abstract(element)
        for element in root if root is not None else ():
            if local(element) == "num":
                self._read_num(element)

    def _read_abstract(self, element: Any) -> None:
        key = int(attribute(element, "abstractNumId") or -1)
        self._abstract[key] = {n: level for n, level in map(_read_level, element) if level is not None}
        for inner in element:
            if local(inner) == "numStyleLink":
                self._links[key] = attribute(inner, "val") or ""
            elif local(inner) == "styleLink":
                self._owners[attribute(inner, "val") or ""] = key

    def _read_num(self, element: Any) -> None:
        key, abstract = int(attribute(element, "numId") or 0), number_of(child(element, "abstractNumId"))
        levels: dict[int, _Level] = {}
        starts: dict[int, int] = {}
        for override in element:
            if local(override) != "lvlOverride":
                continue
            at = int(attribute(override, "ilvl") or 0)
            start = number_of(child(override, "startOverride"))
            if start is not None:
                starts[at] = start
            for inner in override:
                _, level = _read_level(inner)
                if level is not None:
                    levels[at] = level
        self._nums[key] = (self._owner(-1 if abstract is None else abstract), levels, starts)

    def _owner(self, abstract: int) -> int:
        link = self._links.get(abstract)
        return self._owners.get(link, abstract) if link else abstract

    def next(self, style: str | None, own: tuple[int | None, int | None]) -> tuple[str, str] | None:
        """The number of the next paragraph and what follows it, or None where the paragraph has none.

        Args:
            style: id of the paragraph's style.
            own: list id and level that the paragraph itself names.
        """
        by_style, level_by_style, names = self._styles.numbering(style)
        number = by_style if own[0] is None else own[0]
        if not number or number not in self._nums:
            return None
        abstract, levels, starts = self._nums[number]
        table = {**self._abstract.get(abstract, {}), **levels}
        at = own[1] if own[1] is not None else level_by_style
        if at is None:
            at = next((n for n, level in sorted(table.items()) if level.style in names and level.style), 0)
        if at not in table or not 0 <= at < _LEVELS:
            return None
        counters = self._counters.setdefault(abstract, [None] * _LEVELS)
        if number not in self._begun:
            self._begun.add(number)
            for n, start in starts.items():
                if n < _LEVELS:
                    counters[n] = None
                    table[n] = replace(table.get(n, _Level()), start=start)
        current = counters[at]
        counters[at] = starts.get(at, table[at].start) if current is None else current + 1
        for deeper in range(at + 1, _LEVELS):
            restart = table[deeper].restart if deeper in table else None
            if restart is None or at + 1 <= restart:
                counters[deeper] = None
        return self._render(table, at, counters, starts)

    def _render(
        self, table: dict[int, _Level], at: int, counters: list[int | None], starts: dict[int, int]
    ) -> tuple[str, str] | None:
        level = table[at]
        if level.form == "bullet":
            text = "•" if any(0xE000 <= ord(c) <= 0xF8FF for c in level.text) else level.text
        else:
            text = level.text
            for n in range(_LEVELS):
                mark = f"%{n + 1}"
                if mark not in text:
                    continue
                of = table.get(n, _Level())
                value = counters[n]
                if value is None:
                    value = counters[n] = starts.get(n, of.start)
                shown = formatted(value, "decimal" if level.legal and of.form != "none" else of.form)
                if shown is None:
                    self.unsure = True
                    shown = str(value)
                text = text.replace(mark, shown)
        if not text.strip():
            return None
        self.written += level.form != "bullet"
        return text, {"tab": "\t", "space": " "}.get(level.suffix, "")


def _read_level(element: Any) -> tuple[int, _Level | None]:
    if local(element) != "lvl":
        return -1, None
    found = {local(inner): inner for inner in element}
    form = attribute(found["numFmt"], "val") if "numFmt" in found else None
    start = number_of(found.get("start"))
    return int(attribute(element, "ilvl") or 0), _Level(
        start=0 if start is None and "start" not in found else (start or 0),
        form=form or "decimal",
        text=(attribute(found["lvlText"], "val") or "") if "lvlText" in found else "",
        suffix=(attribute(found["suff"], "val") or "tab") if "suff" in found else "tab",
        legal=bool(on(found.get("isLgl"))),
        restart=number_of(found.get("lvlRestart")),
        style=attribute(found["pStyle"], "val") if "pStyle" in found else None,
    )
