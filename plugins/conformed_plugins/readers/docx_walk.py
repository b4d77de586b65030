"""The walk over the body of a Word document that writes the canonical text."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

from conformed_plugins.readers.canon import Canon, Gap, Grid, Mark
from conformed_plugins.readers.docx_formula import in_one_line
from conformed_plugins.readers.docx_here import ADDED, BREAKS, DEEPEST, DELETED, PLAIN_TABLES, THROUGH, Here, through
from conformed_plugins.readers.docx_numbering import Numbering
from conformed_plugins.readers.docx_package import PackageError, local
from conformed_plugins.readers.docx_styles import PLAIN, SYMBOLS, Look, Styles, attribute, child, number_of, on, shaded
from conformed_plugins.readers.html_colour import near

__all__ = ["Body"]


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
        self._boxes: list[tuple[Any, Here]] = []
        self._open: list[Grid] = []
        self._count = 0
        self._apart = False
        self.own_fonts: frozenset[str] = frozenset()
        """Fonts that the file brings along and that other machines do not have."""

    def blocks(self, parent: Any, here: Here | None = None) -> None:
        """Writes the blocks under an element.

        Raises:
            PackageError: when elements are nested more deeply than any document does.
        """
        here = here or Here()
        here = replace(here, depth=here.depth + 1)
        if here.depth > DEEPEST:
            raise PackageError(
                "hostile", "nests elements more deeply than any document does. Save it again from a word processor."
            )
        for element in parent:
            tag = local(element)
            if tag == "p":
                self._paragraph(element, here)
            elif tag == "tbl":
                self._table(element, here)
            elif tag in DELETED or tag in ADDED:
                self.blocks(element, self._revised(tag, here))
            elif tag in THROUGH:
                self.blocks(element, self._prompted(element, here))
            elif tag == "altChunk":
                self.seen["altChunk"] += 1

    def _prompted(self, element: Any, here: Here) -> Here:
        """A content control that nobody has filled in shows its prompt, which is no part of the text."""
        if local(element) == "sdt" and on(child(child(element, "sdtPr"), "showingPlcHdr")):
            self.seen["prompt"] += 1
            return replace(here, mark=here.mark | Mark.FURNITURE)
        return here

    def _revised(self, tag: str, here: Here) -> Here:
        self.seen["revision"] += 1
        return replace(here, mark=here.mark | (Mark.STRUCK if tag in DELETED else Mark.INSERTED))

    def _paragraph(self, element: Any, here: Here) -> None:
        properties = child(element, "pPr")
        style = child(properties, "pStyle")
        name = (attribute(style, "val") if style is not None else None) or self._styles.default
        here = replace(here, look=self._styles.look(name), ground=shaded(properties) or here.ground)
        self.canon.gap(Gap.PAGE if on(child(properties, "pageBreakBefore")) else Gap.PARAGRAPH)
        own: Any = child(properties, "rPr")
        revised = set(map(local, own)) if own is not None else set()
        if revised & (DELETED | ADDED):
            self.seen["revision"] += 1
        if not revised & DELETED and not here.mark & Mark.STRUCK:
            self._number(properties, name, here, inserted=bool(revised & ADDED))
        self._inline(element, here)
        self.canon.gap(Gap.PARAGRAPH)
        self._after(here)
        section = child(properties, "sectPr")
        if section is not None:
            kind = child(section, "type")
            if kind is None or attribute(kind, "val") in BREAKS:
                self.canon.gap(Gap.PAGE)

    def _number(self, properties: Any, style: str | None, here: Here, *, inserted: bool) -> None:
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

    def _after(self, here: Here) -> None:
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

    def _inline(self, parent: Any, here: Here) -> None:
        here = replace(here, depth=here.depth + 1)
        if here.depth > DEEPEST:
            raise PackageError(
                "hostile", "nests elements more deeply than any document does. Save it again from a word processor."
            )
        for element in parent:
            tag = local(element)
            if tag == "r":
                self._run(element, here)
            elif tag in DELETED or tag in ADDED:
                self._inline(element, self._revised(tag, here))
            elif tag in THROUGH:
                self._inline(element, self._prompted(element, here))
            elif tag == "oMath" or tag == "oMathPara":
                self._formula(element, here)

    def _formula(self, element: Any, here: Here) -> None:
        """A formula in one line, set apart from a figure before or after it: 3 and a half is 3 1/2 and never 312."""
        self.seen["formula"] += 1
        words = in_one_line(element).strip()
        if words and self.canon.last.isalnum() and not self.canon.at_break:
            self.canon.write(" ")
        self._words(words, here)
        self._apart = bool(words) and words[-1].isalnum()

    def _run(self, element: Any, here: Here) -> None:
        properties = child(element, "rPr")
        if properties is not None:
            style = child(properties, "rStyle")
            under = self._styles.look(attribute(style, "val")) if style is not None else PLAIN
            here = replace(here, look=Look.of(properties).over(under).over(here.look))
        self._pieces(element, here)

    def _pieces(self, element: Any, here: Here) -> None:
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

    def _drawing(self, piece: Any, here: Here) -> None:
        boxes = [box for box in piece.iter() if local(box) == "txbxContent"]
        self._boxes += [
            (box, here) for box in boxes if not any(local(up) == "txbxContent" for up in box.iterancestors() if up is not piece)
        ]
        if not boxes:
            self.seen["picture"] += 1

    def _symbol(self, code: str | None, here: Here) -> None:
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

    def _words(self, text: str, here: Here) -> None:
        if not text:
            return
        look, mark = here.look, here.mark
        tracked = bool(mark & (Mark.STRUCK | Mark.INSERTED))
        coloured = look.colour not in {None, "auto", "000000"}
        if look.struck:
            mark |= Mark.STRUCK
            if not tracked:
                self.struck_colours[coloured] += len(text)
        if look.font in self.own_fonts and any(c.isdigit() for c in text):
            self.seen["own_font"] += 1
        if look.hidden or look.tiny or self._lost(look, here) or (look.font in SYMBOLS and any(c.isdigit() for c in text)):
            mark |= Mark.HIDDEN
        if (look.raised or self._apart) and text[0].isdigit() and self.canon.last.isdigit() and not self.canon.at_break:
            self.canon.write(" ")
        self._apart = False
        start = self.canon.write(text, mark)
        if look.raised and text.strip().isdigit() and len(text.strip()) <= 2:
            self.canon.notes.append((start, self.canon.length))
        if look.underline not in {None, "none"} and not tracked:
            self.underlines.append((start, self.canon.length, look))

    @staticmethod
    def _lost(look: Look, here: Here) -> bool:
        """Whether words have the colour of what lies behind them; an automatic colour is chosen so that it is seen."""
        return look.colour not in {None, "auto"} and near(f"#{look.colour}", look.ground or here.ground)

    def _table(self, element: Any, here: Here) -> None:
        properties = child(element, "tblPr")
        style = child(properties, "tblStyle")
        # A table style may set a dark head that no cell names: white words there are seen.
        banner = style is not None and (attribute(style, "val") or "") not in PLAIN_TABLES
        grid = Grid(start=-1)
        self._open.append(grid)
        self.canon.gap(Gap.PARAGRAPH)
        for row, state in through(element, "tr", here):
            self._row(row, replace(state, ground="picture" if banner else state.ground, depth=here.depth + 1), grid)
        self._open.pop()
        self.canon.gap(Gap.PARAGRAPH)
        if any(end > start for row in grid.rows for start, end, _ in row):
            self.grids.append(grid)

    def _row(self, row: Any, here: Here, grid: Grid) -> None:
        properties = child(row, "trPr")
        for tag in ("del", "ins"):
            if child(properties, tag) is not None:
                here = self._revised(tag, here)
        if on(child(properties, "hidden")):
            here = replace(here, mark=here.mark | Mark.HIDDEN)
        self.canon.gap(Gap.LINE)
        grid.rows.append([])
        for cell, state in through(row, "tc", here):
            self._cell(cell, state, grid)
        self.canon.gap(Gap.LINE)

    def _cell(self, cell: Any, here: Here, grid: Grid) -> None:
        properties = child(cell, "tcPr")
        for tag, kind in (("cellDel", "del"), ("cellIns", "ins")):
            if child(properties, tag) is not None:
                here = self._revised(kind, here)
        span = number_of(child(properties, "gridSpan")) or 1
        self.canon.open_cell(first=not grid.rows[-1])
        start = self.canon.next_start
        self.blocks(cell, replace(here, ground=shaded(properties) or here.ground))
        self.canon.close_cell()
        start = min(start, self.canon.length)
        grid.start = start if grid.start < 0 else grid.start
        grid.rows[-1].append((start, self.canon.length, min(max(span, 1), 100)))
