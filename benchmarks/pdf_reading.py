"""Reading a 200-page text PDF down to 30 cited facts, against raw pdfium and against pdfplumber on every page.

    python benchmarks/pdf_reading.py [--pages 200] [--no-plumber] [--messy FOLDER]

The file is made here. Each part runs in a process of its own; CPU time is that process and its children, without the
import of the libraries. What counts is the ratios of one run.

raw      pypdfium2: the text of every page, pages closed
ours     PdfReader: text and marks of every page, 30 facts by regular expression, their boxes, tables on the pages hit
plumber  pdfplumber: text, words and tables of every page, pages closed
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

FACT = re.compile(r"Ratio marked (F\d{3}) shall\s+not\s+exceed\s+(\d\.\d\d to 1\.00)")
ROW = re.compile(r"Fiscal Quarter (R\d{3}) (\d\.\d\d):1\.00")
FACTS, TABLE_PAGES = 24, 3
PROSE = (
    "the Borrower shall not permit any of its Subsidiaries to create incur assume or suffer to exist any Lien upon any of its "
    "property whether now owned or hereafter acquired except as set forth on the schedule delivered to the Administrative Agent "
    "on or before the Closing Date and each extension renewal or refinancing thereof in the ordinary course of business"
)
WORDS = PROSE.split()


def make(path: Path, pages: int) -> None:
    """Writes the file: prose with running heads, facts spread over it, ruled and unruled tables near its end."""
    from reportlab.lib.pagesizes import letter
    from reportlab.pdfgen import canvas

    sheet = canvas.Canvas(str(path), pagesize=letter, invariant=1)
    where = {round((place + 0.5) * (pages - 10) / FACTS): place for place in range(FACTS)}
    word = 0
    for page in range(pages):
        sheet.setFont("Times-Italic", 9)
        sheet.drawCentredString(306, 760, "Amended and Restated Credit Agreement")
        sheet.drawCentredString(306, 30, f"- {page + 1} -")
        sheet.setFont("Times-Roman", 10.5)
        lines = 46
        table = pages - 8 <= page < pages - 8 + TABLE_PAGES
        if table:
            lines = 20
        for line in range(lines):
            text = " ".join(WORDS[(word + 7 * step) % len(WORDS)] for step in range(14))
            word += 5
            if line == 17 and page in where:
                place = where[page]
                text = f"(a) The Ratio marked F{place:03} shall not exceed {2 + place / 20:.2f} to 1.00 on a quarter's last day."
            sheet.drawString(72, 730 - 14.6 * line, text)
        if table:
            _table(sheet, page - (pages - 8))
        sheet.showPage()
    sheet.save()


def _table(sheet: Any, number: int) -> None:
    ruled = number % 2 == 0
    for row in range(10):
        height = 420 - 18 * row
        sheet.drawString(90, height, f"Fiscal Quarter R{number * 10 + row:03}")
        sheet.drawString(300, height, f"{3 + row / 20:.2f}:1.00")
        if ruled:
            sheet.rect(80, height - 5, 200, 18)
            sheet.rect(280, height - 5, 120, 18)


def _cpu() -> float:
    import resource

    mine, theirs = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    return mine.ru_utime + mine.ru_stime + theirs.ru_utime + theirs.ru_stime


def _peak() -> dict[str, float]:
    import resource

    return {
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "child_mb": resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024,
    }


def _raw(path: Path) -> dict[str, Any]:
    import pypdfium2

    wall, cpu = time.perf_counter(), _cpu()
    document = pypdfium2.PdfDocument(path)
    length = 0
    for index in range(len(document)):
        page = document[index]
        text = page.get_textpage()
        length += len(text.get_text_range())
        text.close()
        page.close()
    return {"cpu": _cpu() - cpu, "wall": time.perf_counter() - wall, "characters": length, **_peak()}


def _ours(path: Path) -> dict[str, Any]:
    from conformed.model.document import Document
    from conformed_plugins.readers.pdf import PdfReader

    reader = PdfReader()
    wall, cpu = time.perf_counter(), _cpu()
    steps: dict[str, float] = {}

    def lap(name: str, since: float) -> float:
        now = time.perf_counter()
        steps[name] = now - since
        return now

    data = path.read_bytes()
    document = reader.read(path.name, data)
    assert isinstance(document, Document)
    now = lap("read", wall)
    hits = [document.span(hit.start(), hit.end()) for hit in FACT.finditer(document.text)]
    rows = [document.span(hit.start(), hit.end()) for hit in ROW.finditer(document.text)]
    cited = (hits + rows)[: FACTS + 6]
    now = lap("facts", now)
    boxed = reader.boxes(document, data, cited)
    now = lap("boxes", now)
    tables = reader.tables(document, data, sorted({span.page for span in rows if span.page}))
    end = lap("tables", now)
    del reader  # ends the child, whose time and memory are counted only then
    return {
        "cpu": _cpu() - cpu, "wall": end - wall, "steps": steps,
        "facts": len(boxed), "boxed": sum(bool(span.boxes) for span in boxed),
        "tables": [[len(table.rows), sum(bool(cell.span) for row in table.rows for cell in row)] for table in tables], **_peak(),
    }  # fmt: skip


def _plumber(path: Path) -> dict[str, Any]:
    import pdfplumber

    wall, cpu = time.perf_counter(), _cpu()
    words = tables = 0
    with pdfplumber.open(path) as document:
        for page in document.pages:
            page.extract_text()
            words += len(page.extract_words())
            tables += len(page.extract_tables())
            page.close()
    return {"cpu": _cpu() - cpu, "wall": time.perf_counter() - wall, "words": words, "tables": tables, **_peak()}


def _messy(path: Path) -> dict[str, Any]:
    from conformed.model.document import Refusal
    from conformed_plugins.readers.pdf import PdfReader

    reader = PdfReader()
    wall = time.perf_counter()
    found = reader.read(path.name, path.read_bytes())
    seconds = time.perf_counter() - wall
    if isinstance(found, Refusal):
        verdict = f"refused {found.code}"
    else:
        notes = ", ".join(sorted({note.code for note in found.notes})) or "no notes"
        verdict = f"read, {len(found.pages)} pages, {len(found.text):,} characters, {notes}"
    del reader  # ends the child, whose memory is counted only then
    return {"wall": seconds, "verdict": verdict, **_peak()}


PARTS = {"raw": _raw, "ours": _ours, "plumber": _plumber, "messy": _messy}


def _run(part: str, path: Path) -> dict[str, Any]:
    done = subprocess.run([sys.executable, __file__, "--part", part, str(path)], capture_output=True, check=True, text=True)
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def main() -> None:
    """Runs the parts and prints the ratios."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pages", type=int, default=200)
    parser.add_argument("--no-plumber", action="store_true")
    parser.add_argument("--messy", type=Path)
    parser.add_argument("--part", choices=sorted(PARTS))
    parser.add_argument("file", nargs="?", type=Path)
    asked = parser.parse_args()
    if asked.part:
        print(json.dumps(PARTS[asked.part](asked.file)))
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "agreement.pdf"
        make(path, asked.pages)
        _compare(path, plumber=not asked.no_plumber)
    if asked.messy:
        for file in sorted(asked.messy.glob("*.pdf")):
            got = _run("messy", file)
            print(f"{got['wall']:7.2f} s {max(got['peak_mb'], got['child_mb']):6.0f} MB  {file.name:42} {got['verdict']}")


def _compare(path: Path, *, plumber: bool) -> None:
    raw = min((_run("raw", path) for _ in range(3)), key=lambda got: float(got["cpu"]))
    ours = min((_run("ours", path) for _ in range(3)), key=lambda got: float(got["cpu"]))
    print(f"raw      {raw['cpu']:7.3f} s CPU {raw['wall']:7.3f} s wall  {raw['characters']:,} characters")
    print(
        f"ours     {ours['cpu']:7.3f} s CPU {ours['wall']:7.3f} s wall  {ours['facts']} facts, {ours['boxed']} with boxes, "
        f"tables (rows, certified cells) {ours['tables']}; wall: "
        + ", ".join(f"{name} {seconds:.3f}" for name, seconds in ours["steps"].items())
    )
    print(
        f"         {ours['cpu'] / raw['cpu']:.2f} x raw (CPU), {ours['wall'] / raw['wall']:.2f} x raw (wall); gate 3.5, aim 2.5"
    )
    print(f"         peak {ours['peak_mb']:.0f} MB, largest child {ours['child_mb']:.0f} MB; gate 200 MB")
    if plumber:
        other = _run("plumber", path)
        print(f"plumber  {other['cpu']:7.3f} s CPU {other['wall']:7.3f} s wall  peak {other['peak_mb']:.0f} MB")
        print(f"         ours is {other['cpu'] / ours['cpu']:.1f} times faster (CPU); gate 15, aim 20")


if __name__ == "__main__":
    main()
