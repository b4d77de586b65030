"""The walk over a tree of HTML that writes the canonical text node by node."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any

from lxml import etree

from conformed_plugins.readers.canon import Canon, Gap, Grid, Mark
from conformed_plugins.readers.html_colour import near
from conformed_plugins.readers.html_rules import Rules
from conformed_plugins.readers.html_style import NOTHING, Style, declarations, over

__all__ = ["DeepError", "Underline", "Walk"]

_PARAGRAPHS = frozenset(
    {"p", "div", "h1", "h2", "h3", "h4", "h5", "h6", "li", "ul", "ol", "dl", "dt", "dd", "blockquote", "center", "pre", "form"}
    | {"fieldset", "section", "article", "header", "footer", "main", "aside", "nav", "address", "figure", "figcaption", "table"}
    | {"caption", "body", "html", "hgroup", "details", "summary", "text", "document"}
)
_LINES = frozenset({"tr", "br", "thead", "tbody", "tfoot", "legend", "option"})
_SKIPPED = frozenset(
    {
        "script",
        "noscript",
        "style",
        "head",
        "title",
        "template",
        "noframes",
        "object",
        "applet",
        "svg",
        "math",
        "iframe",
        "datalist",
    }
)
_GRID = frozenset({"table", "thead", "tbody", "tfoot", "tr", "colgroup"})
_STRUCK = frozenset({"s", "strike", "del"})
_SPACE = re.compile(r"[ \t\r\n\f]+")
_EDGE_DIGIT = re.compile(r"[\d*†‡]")
_NOTE = re.compile(r"\(?(?:\d{1,2}|[a-z]|\*{1,3}|[†‡])\)?")
_DEEPEST = 10_000
_NO_WIDTH = "\u200b\u200c\u200d\u2060\ufeff\u00ad"
_WIDTH = re.compile(r"(\d+(?:\.\d+)?)\s*(%|pt|px|in|em)?")


_BLACK, _WHITE = "#000000", "#ffffff"


class DeepError(Exception):
    """Elements are nested deeper than any person would write."""


@dataclass(slots=True)
class Underline:
    """A stretch with a line under it: an insertion if the document turns out to be a redline."""

    start: int
    end: int
    coloured: bool
    double: bool


@dataclass(frozen=True, slots=True)
class _State:
    mark: Mark = Mark.PLAIN
    gone: bool = False
    visible: bool = True
    colour: str = _BLACK
    ground: str = _WHITE
    lost: bool = False
    underlined: bool = False
    double: bool = False
    pre: bool = False
    raised: bool = False


class Walk:
    """Walks a tree without recursion, so that depth costs memory and never the stack."""

    def __init__(self, rules: Rules) -> None:
        self.canon = Canon()
        """The text under construction."""
        self.grids: list[Grid] = []
        """Every table, in order of its first cell."""
        self.underlines: list[Underline] = []
        """Underlined stretches."""
        self.struck_colours: list[int] = [0, 0]
        """Struck code points in black, and in another colour."""
        self.written = 0
        """Elements before or after which the style writes figures of its own."""
        self._rules = rules
        self._filing: set[Any] = set()
        self._open: list[Grid] = []
        self._cells: list[int] = []

    def run(self, root: Any) -> None:
        """Writes everything under an element.

        Raises:
            DeepError: when elements are nested too deeply.
        """
        self._filing = _filing_tags(root)
        stack = [(root, _State(), NOTHING)]
        state, style = self._enter(root, _State())
        stack[0] = (root, state, style)
        for event, element in etree.iterwalk(root, events=("start", "end", "comment", "pi")):
            if event == "comment" or event == "pi":
                self._tail(element, root, stack)
                continue
            if element is root:
                if event == "start":
                    self._words(element.text, state)
                continue
            if event == "start":
                if len(stack) > _DEEPEST:
                    raise DeepError
                state, style = self._enter(element, stack[-1][1])
                stack.append((element, state, style))
                if not state.gone or element.tag not in _SKIPPED:
                    self._words(element.text, state)
            else:
                _, state, style = stack.pop()
                self._leave(element, style)
                self._tail(element, root, stack)

    def _tail(self, element: Any, root: Any, stack: list[tuple[Any, _State, Style]]) -> None:
        # White space between the cells and rows of a table is the writer's, not the reader's.
        if element is not root and not (stack[-1][0].tag in _GRID and (element.tail or "").isspace()):
            self._words(element.tail, stack[-1][1])

    def _style(self, element: Any, tag: str) -> Style:
        own = element.get("style")
        style = declarations(own) if own else NOTHING
        if self._rules:
            for rule in reversed(self._rules.of(element, tag)):
                style = over(rule, style)
        return style

    def _enter(self, element: Any, state: _State) -> tuple[_State, Style]:
        tag = element.tag.rpartition(":")[2]
        style = self._style(element, tag)
        if tag in _SKIPPED:
            return replace(state, gone=True), style
        self._break(element, tag, style, page=style.before)
        if tag == "hr":
            self.canon.gap(Gap.PAGE if style.before or style.after or _wide(element, style) else Gap.PARAGRAPH)
        elif tag == "page":
            self.canon.gap(Gap.PAGE)
        elif tag in {"td", "th"}:
            self._open_cell()
        elif tag == "table":
            self._open.append(Grid(start=-1))
        elif tag == "tr" and self._open:
            self._open[-1].rows.append([])
        elif style.laid_over and tag not in {"td", "tr", "table"}:
            self.canon.gap(Gap.LINE)
        elif tag in {"input", "textarea"} and element.get("type", "text") in {"text", "number", "date"} and element.get("value"):
            self._words(element.get("value"), state)
        if self._rules.writes:
            self.written += any(rule.fits(element) for rule in self._rules.writes)
        if style is NOTHING and not element.attrib and tag in {"font", "span", "b", "i", "tr", "tbody", "p", "div"}:
            return state, style
        return self._inherit(element, tag, style, state), style

    def _inherit(self, element: Any, tag: str, style: Style, state: _State) -> _State:
        struck = style.struck or (tag in _STRUCK and element not in self._filing)
        inserted = tag == "ins"
        colour = style.colour or _attribute(element.get("color")) or state.colour
        ground = state.ground
        behind = style.ground or _attribute(element.get("bgcolor"))
        if behind:
            ground = behind
        raised = state.raised or style.raised or tag == "sup"
        if raised and not state.raised:
            self._set_apart(element)
        mark = state.mark | (Mark.STRUCK if struck else 0) | (Mark.INSERTED if inserted else 0)
        mark |= Mark.FURNITURE if style.laid_over else 0
        return _State(
            mark=mark,
            gone=state.gone or style.vanishes or element.get("hidden") is not None,
            visible=state.visible if style.visible is None else style.visible,
            colour=colour,
            ground=ground,
            lost=near(colour, ground),
            underlined=state.underlined or style.underlined or tag == "u",
            double=state.double or style.double,
            pre=state.pre or tag == "pre" or element in self._filing if style.pre is None else style.pre,
            raised=raised,
        )

    def _set_apart(self, element: Any) -> None:
        """A raised mark after a digit is no digit of it: a space keeps 3.50 and note 1, or 3 and 1/2, from running together."""
        inner = "".join(element.itertext()).strip()
        if inner and _EDGE_DIGIT.match(inner) and self.canon.last.isdigit() and not self.canon.at_break:
            self.canon.write(" ")

    def _words(self, text: str | None, state: _State) -> None:
        if not text:
            return
        canon = self.canon
        if state.pre:
            words = text.replace("\r\n", "\n").replace("\f", "\n")
        else:
            words = _SPACE.sub(" ", text)
            if canon.at_break or not canon.length:
                words = words.lstrip(" ")
        if not words:
            return
        # Spaces and marks without width are neither seen nor missed: alone they are no deletion and nothing hidden.
        shown = words.strip().strip(_NO_WIDTH)
        mark = state.mark if shown else state.mark & ~Mark.STRUCK
        if shown and (state.gone or not state.visible or state.lost):
            mark |= Mark.HIDDEN
        start = canon.write(words, mark)
        if state.raised and _NOTE.fullmatch(words.strip()):
            canon.notes.append((start, canon.length))
        if mark & Mark.STRUCK:
            self.struck_colours[state.colour != _BLACK] += len(words)
        if state.underlined and not mark & Mark.HIDDEN:
            self.underlines.append(Underline(start, canon.length, state.colour != _BLACK, state.double))

    def _break(self, element: Any, tag: str, style: Style, *, page: bool) -> None:
        if page:
            self.canon.gap(Gap.PAGE)
        block = (tag in _PARAGRAPHS) if style.block is None or tag in {"table", "tr", "td", "th"} else style.block
        if block:
            self.canon.gap(Gap.PARAGRAPH)
        elif tag in _LINES:
            self.canon.gap(Gap.LINE)
        elif style.inset and not self.canon.at_break and tag not in {"td", "th"} and element.tag != "hr":
            self.canon.gap(Gap.TAB)

    def _open_cell(self) -> None:
        grid = self._open[-1] if self._open else None
        self.canon.open_cell(first=not grid or not grid.rows or not grid.rows[-1])
        self._cells.append(self.canon.next_start)

    def _leave(self, element: Any, style: Style) -> None:
        tag = element.tag.rpartition(":")[2]
        if tag in _SKIPPED:
            return
        if tag in {"td", "th"} and self._cells:
            start = min(self._cells.pop(), self.canon.length)
            if self._open:
                grid = self._open[-1]
                if not grid.rows:
                    grid.rows.append([])
                grid.rows[-1].append((start, self.canon.length, _columns(element)))
                grid.start = start if grid.start < 0 else grid.start
            self.canon.close_cell()
        elif tag == "table" and self._open:
            grid = self._open.pop()
            if any(end > start for row in grid.rows for start, end, _ in row):
                self.grids.append(grid)
        if tag != "br" and tag != "hr":
            self._break(element, tag, replace(style, inset=False) if style.inset else style, page=style.after)


def _filing_tags(root: Any) -> set[Any]:
    """Elements of the filing system's own table marks, which share their names with HTML.

    There <S> and <C> open columns and are never closed, so that <S> would strike a table of live levels; and rows are
    parted by line ends, so that the white space of such a table counts.
    """
    found: set[Any] = set()
    for column in root.iter("c"):
        element = column
        while element is not None and element not in found:
            found.add(element)
            element = element.getparent() if element.tag != "table" else None
    return found


def _attribute(value: str | None) -> str | None:
    return declarations(f"color:{value}").colour if value else None


def _columns(element: Any) -> int:
    raw = element.get("colspan") or "1"
    return min(max(int(raw), 1), 100) if raw.isascii() and raw.isdigit() else 1


def _wide(element: Any, style: Style) -> bool:
    """Whether a rule goes over most of the page; a short one is a signature line or an ornament."""
    found = _WIDTH.match(style.width or element.get("width") or "100%")
    if not found:
        return True
    size, unit = float(found[1]), found[2] or "px"
    return size >= {"%": 60, "pt": 300, "px": 400, "in": 4, "em": 25}[unit]
