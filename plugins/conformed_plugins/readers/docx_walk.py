"""The walk over the body of a Word document that writes the canonical text."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import Any

from conformed_plugins.readers.canon import Canon, Gap, Grid, Mark
from conformed_plugins.readers.docx_numbering import Numbering
from conformed_plugins.readers.docx_package import PackageError, local
from conformed_plugins.readers.docx_styles import PLAIN, Look, Styles, attribute, child, number_of, on, shaded

__all__ = ["Body"]

_DELETED = frozenset({"del", "moveFrom"})
_ADDED = frozenset({"ins", "moveTo"})
_THROUGH = frozenset(
    {"smartTag", "hyperlink", "fldSimple", "customXml", "bdo", "dir", "sdtContent", "sdt", "AlternateContent", "Choice"}
)
_SKIPPED = frozenset(
    {"pPr", "rPr", "tblPr", "tblGrid", "trPr", "tcPr", "sdtPr", "sdtEndPr", "sectPr", "instrText", "delInstrText", "Fallback"}
)
_PLAIN_TABLES = frozenset({"TableGrid", "TableNormal", "Table Grid"})
_BREAKS = {"nextPage", "oddPage", "evenPage"}
_DEEPEST = 200


@dataclass(frozen=True, slots=True)
class _Here:
    """What holds for the words that come."""

    mark: Mark = Mark.PLAIN
    look: Look = PLAIN
    ground: bool = False
    depth: int = 0


class Body:
    """Walks blocks, paragraphs and runs."""

    def __init__(self, styles: Styles, numbering: Numbering, notes: dict[str, dict[str, Any]]) -> None:
        self.canon = Canon()
        """The text under construction."""
        self.grids: list[Grid] = []
        """Every table, in order of its first cell."""
        self.underlines: list[tuple[int, int, Look]] = []
        """Underlined stretches that are not tracked."""
        self.struck_colours = [0, 0]
        """Code points struck by format, in black and in another colour."""
        self.seen: Counter[str] = Counter()
        """How often something worth a note was met."""
        self._styles = styles
        self._numbering = numbering
        self._notes = notes
        self._pending: list[tuple[str, str]] = []
        self._boxes: list[tuple[Any, _Here]] = []
        self._open: list[Grid] = []
        self._count = 0

    def blocks(self, parent: Any, here: _Here | None = None) -> None:
        """Writes the blocks under an element.

        Raises:
            PackageError: when elements are nested more deeply than any document does.
        """
        here = here or _Here()
        here = replace(here, depth=here.depth + 1)
        if here.depth > _DEEPEST:
            raise PackageError(
                "hostile", "nests elements more deeply than any document does. Save it again from a word processor."
            )
        for element in parent:
            tag = local(element)
            if tag == "p":
                self._paragraph(element, here)
            elif tag == "tbl":
                self._table(element, here)
            elif tag in _DELETED or tag in _ADDED:
                self.blocks(element, self._revised(tag, here))
            elif tag in _THROUGH:
                self.blocks(element, here)
            elif tag == "altChunk":
                self.seen["altChunk"] += 1

    def _revised(self, tag: str, here: _Here) -> _Here:
        self.seen["revision"] += 1
        return replace(here, mark=here.mark | (Mark.STRUCK if tag in _DELETED else Mark.INSERTED))

    def _paragraph(self, element: Any, here: _Here) -> None:
        properties = child(element, "pPr")
        style = child(properties, "pStyle")
        name = (attribute(style, "val") if style is not None else None) or self._styles.default
        here = replace(here, look=self._styles.look(name), ground=here.ground or shaded(properties))
        self.canon.gap(Gap.PAGE if on(child(properties, "pageBreakBefore")) else Gap.PARAGRAPH)
        own: Any = child(properties, "rPr")
        revised = set(map(local, own)) if own is not None else set()
        if revised & (_DELETED | _ADDED):
            self.seen["revision"] += 1
        if not revised & _DELETED and not here.mark & Mark.STRUCK:
            self._number(properties, name, here, inserted=bool(revised & _ADDED))
        self._inline(element, here)
        self.canon.gap(Gap.PARAGRAPH)
        self._after(here)
        section = child(properties, "sectPr")
        if section is not None:
            kind = child(section, "type")
            if kind is None or attribute(kind, "val") in _BREAKS:
                self.canon.gap(Gap.PAGE)

    def _number(self, properties: Any, style: str | None, here: _Here, *, inserted: bool) -> None:
        listed = child(properties, "numPr")
        own = (number_of(child(listed, "numId")), number_of(child(listed, "ilvl")))
        if own[0] == 0:
            return
        found = self._numbering.next(style, own)
        if found:
            mark = here.mark | (Mark.INSERTED if inserted else Mark.PLAIN)
            if here.look.hidden:
                mark |= Mark.HIDDEN
            self.canon.write(found[0], mark)
            if found[1]:
                self.canon.write(found[1])

    def _after(self, here: _Here) -> None:
        """Text boxes and notes that hang on the paragraph just written."""
        boxes, self._boxes = self._boxes, []
        for box, state in boxes:
            self.blocks(box, replace(state, look=PLAIN))
            self.canon.gap(Gap.PARAGRAPH)
        pending, self._pending = self._pending, []
        for kind, key in pending:
            note = self._notes.get(kind, {}).pop(key, None)
            if note is not None:
                self._count += 1
                self.seen["note"] += 1
                start = self.canon.write(str(self._count))
                self.canon.notes.append((start, self.canon.length))
                self.canon.write("\t")
                self.canon.seal()
                self.blocks(note, replace(here, mark=Mark.PLAIN, look=PLAIN))
                self.canon.gap(Gap.PARAGRAPH)

    def _inline(self, parent: Any, here: _Here) -> None:
        here = replace(here, depth=here.depth + 1)
        if here.depth > _DEEPEST:
            raise PackageError(
                "hostile", "nests elements more deeply than any document does. Save it again from a word processor."
            )
        for element in parent:
            tag = local(element)
            if tag == "r":
                self._run(element, here)
            elif tag in _DELETED or tag in _ADDED:
                self._inline(element, self._revised(tag, here))
            elif tag in _THROUGH:
                self._inline(element, here)
            elif tag == "oMath" or tag == "oMathPara":
                self._words("".join(element.itertext()), here)
                self.seen["formula"] += 1

    def _run(self, element: Any, here: _Here) -> None:
        properties = child(element, "rPr")
        if properties is not None:
            style = child(properties, "rStyle")
            under = self._styles.look(attribute(style, "val")) if style is not None else PLAIN
            here = replace(here, look=Look.of(properties).over(under).over(here.look))
        self._pieces(element, here)

    def _pieces(self, element: Any, here: _Here) -> None:
        for piece in element:
            tag = local(piece)
            if tag in {"t", "delText"}:
                text = piece.text or ""
                self._words(text if attribute(piece, "space") == "preserve" else text.strip(" \t\r\n"), here)
            elif tag in {"tab", "ptab"}:
                self._words("\t", here)
            elif tag == "br" and attribute(piece, "type") == "page":
                self.canon.gap(Gap.FEED)
            elif tag in {"br", "cr"}:
                self._words("\n", here)
            elif tag == "lastRenderedPageBreak":
                self.seen["laid_out"] += 1
                self.canon.gap(Gap.FEED)
            elif tag in {"noBreakHyphen", "softHyphen"}:
                self._words("\u2011" if tag == "noBreakHyphen" else "\u00ad", here)
            elif tag == "sym":
                self._symbol(attribute(piece, "char"), here)
            elif tag in {"footnoteReference", "endnoteReference"}:
                self._reference(tag.removesuffix("Reference"), piece)
            elif tag in {"AlternateContent", "Choice"}:
                self._pieces(piece, here)
            elif tag in {"drawing", "pict", "object"}:
                self._drawing(piece, here)

    def _drawing(self, piece: Any, here: _Here) -> None:
        boxes = [box for box in piece.iter() if local(box) == "txbxContent"]
        self._boxes += [
            (box, here) for box in boxes if not any(local(up) == "txbxContent" for up in box.iterancestors() if up is not piece)
        ]
        if not boxes:
            self.seen["picture"] += 1

    def _symbol(self, code: str | None, here: _Here) -> None:
        try:
            self._words(chr(int(code or "", 16)), here)
        except (ValueError, OverflowError):
            self.seen["symbol"] += 1

    def _reference(self, kind: str, piece: Any) -> None:
        """A note's number, set apart from the figure before it."""
        key = attribute(piece, "id") or ""
        if key not in self._notes.get(kind, {}) or attribute(piece, "customMarkFollows") in {"1", "true"}:
            return
        if self.canon.last.isdigit() and not self.canon.at_break:
            self.canon.write(" ")
        start = self.canon.write(str(self._count + len(self._pending) + 1))
        self.canon.notes.append((start, self.canon.length))
        self._pending.append((kind, key))

    def _words(self, text: str, here: _Here) -> None:
        if not text:
            return
        look, mark = here.look, here.mark
        tracked = bool(mark & (Mark.STRUCK | Mark.INSERTED))
        coloured = look.colour not in {None, "auto", "000000"}
        if look.struck:
            mark |= Mark.STRUCK
            if not tracked:
                self.struck_colours[coloured] += len(text)
        if look.hidden or (look.colour == "ffffff" and not here.ground and not look.ground):
            mark |= Mark.HIDDEN
        if look.raised and text[0].isdigit() and self.canon.last.isdigit() and not self.canon.at_break:
            self.canon.write(" ")
        start = self.canon.write(text, mark)
        if look.raised and text.strip().isdigit() and len(text.strip()) <= 2:
            self.canon.notes.append((start, self.canon.length))
        if look.underline not in {None, "none"} and not tracked:
            self.underlines.append((start, self.canon.length, look))

    def _table(self, element: Any, here: _Here) -> None:
        properties = child(element, "tblPr")
        style = child(properties, "tblStyle")
        # A table style may set a dark head that no cell names: white words there are seen.
        banner = style is not None and (attribute(style, "val") or "") not in _PLAIN_TABLES
        grid = Grid(start=-1)
        self._open.append(grid)
        self.canon.gap(Gap.PARAGRAPH)
        for row, state in _through(element, "tr", here):
            self._row(row, replace(state, ground=state.ground or banner, depth=here.depth + 1), grid)
        self._open.pop()
        self.canon.gap(Gap.PARAGRAPH)
        if any(end > start for row in grid.rows for start, end, _ in row):
            self.grids.append(grid)

    def _row(self, row: Any, here: _Here, grid: Grid) -> None:
        properties = child(row, "trPr")
        for tag in ("del", "ins"):
            if child(properties, tag) is not None:
                here = self._revised(tag, here)
        if on(child(properties, "hidden")):
            here = replace(here, mark=here.mark | Mark.HIDDEN)
        self.canon.gap(Gap.LINE)
        grid.rows.append([])
        for cell, state in _through(row, "tc", here):
            self._cell(cell, state, grid)
        self.canon.gap(Gap.LINE)

    def _cell(self, cell: Any, here: _Here, grid: Grid) -> None:
        properties = child(cell, "tcPr")
        for tag, kind in (("cellDel", "del"), ("cellIns", "ins")):
            if child(properties, tag) is not None:
                here = self._revised(kind, here)
        span = number_of(child(properties, "gridSpan")) or 1
        self.canon.open_cell(first=not grid.rows[-1])
        start = self.canon.next_start
        self.blocks(cell, replace(here, ground=here.ground or shaded(properties)))
        self.canon.close_cell()
        start = min(start, self.canon.length)
        grid.start = start if grid.start < 0 else grid.start
        grid.rows[-1].append((start, self.canon.length, min(max(span, 1), 100)))


def _through(parent: Any, wanted: str, here: _Here) -> list[tuple[Any, _Here]]:
    """Rows or cells of a table, also those inside content controls."""
    found: list[tuple[Any, _Here]] = []
    waiting = [iter(parent)]
    while waiting:
        element = next(waiting[-1], None)
        if element is None:
            waiting.pop()
        elif local(element) == wanted:
            found.append((element, here))
        elif local(element) in _THROUGH:
            waiting.append(iter(element))
    return found
