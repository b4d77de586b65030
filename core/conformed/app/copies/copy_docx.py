"""The conformed copy as a Word document: words in force with numbered origins, superseded words struck through."""

from __future__ import annotations

import datetime as dt
import io
import re
import zipfile
from collections.abc import Sequence
from typing import Any

from conformed.app.answer import CovenantAnswer
from conformed.app.copies.copy_diff import Change, CopyDiff
from conformed.app.copies.copy_html import MarkedProvision, MarkedRun, covenant_name, marked
from conformed.app.copies.copy_text import instruments_of
from conformed.app.pages import shown
from conformed.model.decision import Conformed

__all__ = ["copy_docx"]

_COLOURS = ("1B4F91", "8A4406", "2B642F", "6D2C72", "5E520A", "0A5F64")
"""One an instrument, dark enough for white paper; the number behind the words says the same without colour."""
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_EPOCH = (1980, 1, 1, 0, 0, 0)


def copy_docx(copies: Sequence[Conformed], answer: CovenantAnswer, diff: CopyDiff | None = None) -> bytes:
    """The bytes of a DOCX file. Its dates are the knowledge date, never the clock: same copy, same bytes.

    Args:
        copies: provisions and definitions as they read on the test date.
        answer: what governs, with the dates that were asked.
        diff: what changed against another copy; shown before the copy.
    """
    from docx import Document
    from docx.shared import Pt

    document = Document()
    document.styles["Normal"].font.size = Pt(10.5)
    properties = document.core_properties
    title = _xml(f"{covenant_name(copies, answer)} as it reads on {shown.day(answer.test_date)}")
    properties.title, properties.author, properties.comments, properties.revision = title[:250], "Conformed", "", 1
    properties.last_modified_by = "Conformed"
    properties.created = properties.modified = dt.datetime.combine(answer.known_at, dt.time(12), tzinfo=dt.UTC)
    document.add_heading(title, level=1)
    known = f"Pack {answer.pack}. Test date {shown.day(answer.test_date)}, as known on {shown.day(answer.known_at)}."
    document.add_paragraph(_xml(f"{known} Precedence says: {answer.result.replace('_', ' ')}."))
    for reason in answer.reasons:
        if reason.code.startswith("review"):
            document.add_paragraph(_xml(f"Open: {reason.sentence}"), style="List Bullet")
    document.add_heading("Instruments", level=2)
    for number, one in enumerate(instruments_of(copies), 1):
        paragraph = document.add_paragraph()
        _coloured(paragraph.add_run(f"{number}  "), number).bold = True
        paragraph.add_run(_xml(one))
    if diff is not None:
        _changes(document, diff)
    document.add_paragraph("A small number behind words is their origin: 2.5 is the fifth run of words of instrument 2.")
    for provision in marked(copies):
        _provision(document, provision)
    to = io.BytesIO()
    document.save(to)
    return _fixed(to.getvalue())


def _changes(document: Any, diff: CopyDiff) -> None:
    """What changed: words put in underlined, words taken out struck through, each with its instrument."""
    before, after = (f"{shown.day(a.test_date)} (as known on {shown.day(a.known_at)})" for a in (diff.before, diff.after))
    document.add_heading(f"Changes from {before} to {after}", level=2)
    if not diff.changed:
        document.add_paragraph(f"No word differs in {len(diff.provisions)} provisions and definitions.")
    for one in diff.changed:
        title = f"“{one.section}”" if one.definition else " ".join(part for part in (one.section, one.heading) if part)
        document.add_heading(_xml(f"{title}: {one.change.value}, {one.count}"), level=3)
        paragraph = document.add_paragraph()
        for piece in one.pieces:
            run = paragraph.add_run(_xml(piece.text))
            if piece.change is Change.SAME:
                continue
            run.font.underline, run.font.strike = piece.change is Change.ADDED, piece.change is Change.REMOVED
            paragraph.add_run(_xml(f" [{piece.document}]")).font.superscript = True


def _xml(text: str) -> str:
    """Text without what XML cannot hold."""
    return _NOT_XML.sub("", shown.clean(text))


def _coloured(run: Any, instrument: int) -> Any:
    from docx.shared import RGBColor

    run.font.color.rgb = RGBColor.from_string(_COLOURS[(instrument - 1) % len(_COLOURS)])
    return run


def _words(paragraph: Any, one: MarkedRun, *, struck: bool) -> None:
    run = _coloured(paragraph.add_run(_xml(one.text)), one.instrument)
    if struck:
        run.font.strike = True
    mark = _coloured(paragraph.add_run(one.mark), one.instrument)
    mark.font.superscript = True
    paragraph.add_run(one.tail)


def _provision(document: Any, provision: MarkedProvision) -> None:
    from docx.shared import Pt

    document.add_heading(_xml(provision.title), level=2)
    paragraph = document.add_paragraph()
    for one in provision.runs:
        _words(paragraph, one, struck=False)
    if provision.struck:
        paragraph = document.add_paragraph()
        paragraph.add_run("No longer counts: ").italic = True
        for one in provision.struck:
            _words(paragraph, one, struck=True)
            paragraph.add_run(" ")
    for one in (*provision.runs, *provision.struck):
        note = document.add_paragraph()
        note.paragraph_format.space_after = Pt(0)
        run = note.add_run(_xml(f"{one.mark}  {one.note}"))
        run.font.size = Pt(8)


def _fixed(raw: bytes) -> bytes:
    """The same members in a fixed order with a fixed date."""
    to = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(raw)) as old, zipfile.ZipFile(to, "w") as new:
        for name in sorted(old.namelist(), key=lambda name: (name != "[Content_Types].xml", name)):
            info = zipfile.ZipInfo(name, _EPOCH)
            info.compress_type, info.create_system = zipfile.ZIP_DEFLATED, 3
            new.writestr(info, old.read(name), compresslevel=9)
    return to.getvalue()
