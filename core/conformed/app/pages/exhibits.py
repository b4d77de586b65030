"""Evidence as exhibits of a report: a page cut to the region around the words, or the words in their context."""

from __future__ import annotations

import base64
import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from conformed.app.face import Evidence
from conformed.app.pages import shown
from conformed.app.pages.facts import Fact
from conformed.model.span import Box, Span

__all__ = ["Crop", "Exhibit", "Mark", "Piece", "SpanKey", "exhibits_of", "key_of"]

DPI = 120
"""Resolution of the page images: legible at the width of a report and on paper."""
POINTS = 7_200
"""Units of a box in one inch."""
AROUND = 4_000
"""What is shown above and below the words, in hundredths of a point."""
TALLEST = 45_000
"""Height of a cut at most; where the words go on below it, the report says so."""
SNAP = 2_000
"""How far an edge may move to fall between two lines and not through one."""
INK = 200
"""Shades darker than this are ink."""
RULES = 150
"""A row with less ink than one pixel in this many is between lines: the rules at the sides of a table are no words."""
MARGIN = 18
"""Pixels of white kept beside the words."""
CONTEXT = 280
"""Characters of context on each side of a quote."""
NEAR = 400
"""Spans of one fact that lie no farther apart than this are one exhibit."""

SpanKey = tuple[str, int, int]
"""Document, first code point, one past the last."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A rectangle over the words, in pixels of its crop."""

    x: int
    """Left edge."""
    y: int
    """Top edge."""
    width: int
    """Width."""
    height: int
    """Height."""


@dataclass(frozen=True, slots=True)
class Crop:
    """A region of a page as an image, with the rectangles to be drawn over it."""

    page: int
    """1-based page."""
    data: str
    """A PNG as a data URI."""
    width: int
    """Pixels."""
    height: int
    """Pixels."""
    marks: tuple[Mark, ...]
    """Rectangles over the words."""
    goes_on: bool
    """Whether words stand below the cut."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of a text, marked or not."""

    text: str
    """Cleaned for display."""
    marked: bool
    """Whether it is evidence, and not context."""


@dataclass(slots=True)
class Exhibit:
    """One place in a document, and the facts that it shows."""

    id: str
    """``E1`` and so on, in the order of the facts."""
    spans: list[Span]
    """Its stretches, in reading order."""
    shows: list[str] = field(default_factory=list)
    """The facts that it shows."""
    crops: tuple[Crop, ...] = ()
    """Regions of pages; empty where there is no image."""
    pieces: tuple[Piece, ...] = ()
    """The words in their context, for an exhibit without image."""

    @property
    def place(self) -> str:
        """Document and page."""
        first = self.spans[0]
        return shown.place(first) if first.page is not None else shown.one_line(first.document)

    @property
    def text(self) -> str:
        """The exact words, cleaned for display; interruptions are dots."""
        return " … ".join(shown.clean(span.text).strip() for span in self.spans)

    @property
    def range(self) -> str:
        """Ranges of code points in the document's canonical text."""
        return ", ".join(f"{span.start}–{span.end}" for span in self.spans)


def key_of(span: Span) -> SpanKey:
    """What makes a span one place."""
    return (span.document, span.start, span.end)


def exhibits_of(facts: Sequence[Fact], evidence: Evidence) -> dict[SpanKey, Exhibit]:
    """The exhibit of each place, in the order of the facts. Near spans of one fact share one.

    A document that cannot be shown, for whatever reason, never stops a report: its exhibit has the words alone.
    """
    found: dict[SpanKey, Exhibit] = {}
    exhibits: list[Exhibit] = []
    for fact in facts:
        last: Exhibit | None = None  # only what this fact began is widened: else a table's lines would grow into one
        for span in fact.spans:
            exhibit = found.get(key_of(span))
            if exhibit is not None:
                last = None
            elif last is not None and _near(last.spans[-1], span):
                exhibit = last
                exhibit.spans.append(span)
            else:
                exhibit = last = Exhibit(id=f"E{len(exhibits) + 1}", spans=[span])
                exhibits.append(exhibit)
            found[key_of(span)] = exhibit
            label = f"{fact.what} {fact.shown}".strip()
            if label not in exhibit.shows:
                exhibit.shows.append(label)
    boxed = _boxed([span for exhibit in exhibits for span in exhibit.spans], evidence)
    pages: dict[tuple[str, int], bytes | None] = {}
    for exhibit in sorted(exhibits, key=lambda one: one.spans[0].document):  # a reader keeps one document open at a time
        boxes = [box for span in exhibit.spans for box in boxed.get(key_of(span), span).boxes]
        exhibit.crops = _crops(exhibit.spans[0].document, boxes, evidence, pages)
        if not exhibit.crops:
            exhibit.pieces = _pieces(exhibit.spans, evidence)
    return found


def _near(before: Span, after: Span) -> bool:
    return before.document == after.document and before.page == after.page and 0 <= after.start - before.end <= NEAR


def _boxed(spans: Sequence[Span], evidence: Evidence) -> dict[SpanKey, Span]:
    try:
        answered = evidence.boxes(spans)
    except Exception:  # noqa: BLE001 - a reader's fault must not cost the person the report; the words stand without boxes
        return {}
    asked = {key_of(span): span.text for span in spans}
    return {key_of(span): span for span in answered if asked.get(key_of(span)) == span.text}


def _pieces(spans: Sequence[Span], evidence: Evidence) -> tuple[Piece, ...]:
    """The words among the words around them; the words alone where the text at those places is not what is quoted."""
    try:
        text = evidence.text(spans[0].document)
    except Exception:  # noqa: BLE001 - as above
        text = None
    if text is None or any(text[span.start : span.end] != span.text for span in spans):
        alone = [piece for span in spans for piece in (Piece(" … ", marked=False), Piece(shown.clean(span.text), marked=True))]
        return tuple(alone[1:])
    start, end = max(0, spans[0].start - CONTEXT), min(len(text), spans[-1].end + CONTEXT)
    before, after = text[start : spans[0].start], text[spans[-1].end : end]
    found = [Piece(shown.clean("… " + before.partition(" ")[2] if start > 0 else before), marked=False)]
    for number, span in enumerate(spans):
        if number:
            found.append(Piece(shown.clean(text[spans[number - 1].end : span.start]), marked=False))
        found.append(Piece(shown.clean(span.text), marked=True))
    found.append(Piece(shown.clean(after.rpartition(" ")[0] + " …" if end < len(text) else after), marked=False))
    return tuple(piece for piece in found if piece.text)


def _crops(
    document: str, boxes: Sequence[Box], evidence: Evidence, pages: dict[tuple[str, int], bytes | None]
) -> tuple[Crop, ...]:
    found = []
    for page in sorted({box.page for box in boxes}):
        key = (document, page)
        if key not in pages:
            try:
                pages[key] = evidence.image(document, page, DPI)
            except Exception:  # noqa: BLE001 - as above
                pages[key] = None
        data = pages[key]
        crop = _cut(page, [box for box in boxes if box.page == page], data) if data else None
        if crop is not None:
            found.append(crop)
    return tuple(found)


def _cut(page: int, boxes: Sequence[Box], data: bytes) -> Crop | None:
    from PIL import Image

    top = min(box.top for box in boxes) - AROUND
    wanted = max(box.bottom for box in boxes) + AROUND
    bottom = min(wanted, top + TALLEST)
    try:
        with Image.open(io.BytesIO(data)) as picture:
            grey = picture.convert("L")
        first, last = max(0, _pixels(top)), min(grey.height, _pixels(bottom))
        if last <= first:
            return None

        def blank(row: int) -> bool:
            shades = grey.crop((0, row, grey.width, row + 1)).histogram()
            return sum(shades[:INK]) <= grey.width // RULES

        first = _between_lines(blank, first, -1, grey.height)
        last = _between_lines(blank, last - 1, 1, grey.height) + 1
        sides = grey.crop((0, first, grey.width, last)).point(lambda shade: 255 if shade < INK else 0).getbbox()
        left = max(0, min(sides[0] if sides else 0, _pixels(min(b.left for b in boxes))) - MARGIN)
        right = min(grey.width, max(sides[2] if sides else grey.width, _pixels(max(b.right for b in boxes))) + MARGIN)
        cut = grey.crop((left, first, right, last))
        to = io.BytesIO()
        cut.quantize(16).save(to, "PNG", optimize=True)
    except Exception:  # noqa: BLE001 - a broken image is no image
        return None
    marks = tuple(
        Mark(_pixels(b.left) - left - 2, _pixels(b.top) - first - 1, _pixels(b.right - b.left) + 4, _pixels(b.bottom - b.top) + 2)
        for b in boxes
        if _pixels(b.bottom) <= last
    )
    uri = "data:image/png;base64," + base64.b64encode(to.getvalue()).decode("ascii")
    return Crop(page=page, data=uri, width=cut.width, height=cut.height, marks=marks, goes_on=len(marks) < len(boxes))


def _between_lines(blank: Callable[[int], bool], start: int, step: int, height: int) -> int:
    """The nearest row without ink from ``start`` on, or ``start`` where there is none within reach."""
    for distance in range(_pixels(SNAP) + 1):
        row = start + step * distance
        if not 0 <= row < height:
            return max(0, min(height - 1, row))
        if blank(row):
            farther = max(0, min(height - 1, row + 3 * step))
            return farther if blank(farther) else row
    return start


def _pixels(length: int) -> int:
    return (length * DPI + POINTS // 2) // POINTS
