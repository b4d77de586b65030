"""Guards the zip of a workbook before any library opens it: caps on everything, no macros, no document types, no links out."""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from dataclasses import dataclass, field
from typing import Any

from lxml import etree

__all__ = ["BROKEN", "Guarded", "WorkbookError", "guard"]

_MOST_PARTS = 2_000
_LARGEST_PART = 64 * 1024 * 1024
_LARGEST_TOTAL = 128 * 1024 * 1024
_RATIO = 400
_SMALL = 1024 * 1024
_MOST_CELLS = 200_000
_MOST_ROWS = 50_000
_MOST_COLUMNS = 512
_LARGEST_GRID = 2_000_000
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
BROKEN = (
    *(zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, RuntimeError, NotImplementedError, LookupError, TypeError),
    *(AttributeError, ArithmeticError, AssertionError, SyntaxError, etree.XMLSyntaxError, MemoryError),
)
"""What a damaged workbook makes libraries raise."""
_CELL = re.compile(rb"<(?:\w+:)?c[ >/]")
_PLACE = re.compile(rb'<(?:\w+:)?c\b[^>]*?\br="([A-Z]{1,3})\d')
_ROW = re.compile(rb'<(?:\w+:)?row\b[^>]*\br="(\d{1,9})"')


class WorkbookError(Exception):
    """A workbook is refused: a code and a sentence without the file's name."""

    def __init__(self, code: str, sentence: str) -> None:
        self.code, self.sentence = code, sentence
        super().__init__(sentence)


@dataclass(slots=True)
class Guarded:
    """What the guard learned of a workbook that it lets through.

    Attributes:
        hidden_rows: rows that are hidden, by sheet name.
        hidden_columns: columns that are hidden, by sheet name.
        comments: whether cells have comments.
        pictures: how many drawings or charts there are.
        linked: whether it has links to other files.
        columns: how many columns its widest sheet uses.
    """

    hidden_rows: dict[str, set[int]] = field(default_factory=dict)
    hidden_columns: dict[str, set[int]] = field(default_factory=dict)
    comments: bool = False
    pictures: int = 0
    linked: bool = False
    columns: int = 1


def guard(data: bytes) -> Guarded:
    """Checks every part of a workbook within limits.

    Raises:
        WorkbookError: with the code and sentence of the refusal.
    """
    if data.startswith(_OLE):
        if "EncryptedPackage".encode("utf-16-le") in data:
            raise WorkbookError("encrypted", "is encrypted. Save it without a password.")
        raise WorkbookError("unknown_format", "is in the Excel format of 1997. Save it as XLSX or PDF.")
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
        infos = archive.infolist()
    except BROKEN as problem:
        raise WorkbookError("broken", "is damaged: the archive inside it cannot be opened. Copy it again.") from problem
    names = [info.filename for info in infos]
    if len(infos) > _MOST_PARTS or len(set(names)) != len(names):
        raise WorkbookError("hostile", "lists too many parts, or one of them twice. Save it again from a spreadsheet program.")
    if any(info.flag_bits & 0x1 for info in infos):
        raise WorkbookError("encrypted", "is encrypted. Save it without a password.")
    if any(name.lower().endswith("vbaproject.bin") for name in names):
        raise WorkbookError("macros", "holds macros. Save it as a plain workbook (.xlsx).")
    if not any(name.lower().startswith("xl/workbook.") for name in names):
        raise WorkbookError("unknown_format", "is no workbook. Put the document itself into the pack.")
    found, left, parts = Guarded(), _LARGEST_TOTAL, dict[str, bytes]()
    for info in infos:
        part = _read(archive, info, left)
        left -= len(part)
        if info.filename.lower().endswith((".xml", ".rels")):
            _sound(info.filename, part)
            parts[info.filename] = part
    cells = sum(len(_CELL.findall(part)) for name, part in parts.items() if "/worksheets/" in name)
    rows = max((int(m[1]) for name, part in parts.items() if "/worksheets/" in name for m in _ROW.finditer(part)), default=0)
    letters = {m[1] for name, part in parts.items() if "/worksheets/" in name for m in _PLACE.finditer(part)}
    found.columns = max((_index(one) for one in letters), default=_MOST_COLUMNS)
    if cells > _MOST_CELLS or rows > _MOST_ROWS or found.columns > _MOST_COLUMNS or rows * found.columns > _LARGEST_GRID:
        said = f"has {cells} cells in {rows} rows and {found.columns} columns, more than a certificate needs. Put its sheet alone into the pack."
        raise WorkbookError("too_large", said)
    found.comments = any("comments" in name.lower() for name in names)
    found.pictures = sum(name.startswith(("xl/drawings/drawing", "xl/charts/chart")) and name.endswith(".xml") for name in names)
    found.linked = any("externallinks/" in name.lower() for name in names)
    try:
        _hidden(parts, found)
    except BROKEN as problem:
        raise WorkbookError("broken", "is damaged: its list of sheets is not sound. Save it again.") from problem
    return found


def _index(letters: bytes) -> int:
    """The number of a column: A is 1, AA is 27."""
    number = 0
    for letter in letters:
        number = number * 26 + letter - 64
    return number


def _read(archive: zipfile.ZipFile, info: zipfile.ZipInfo, left: int) -> bytes:
    cap, packed = min(_LARGEST_PART, left), max(info.compress_size, 1)
    chunks, size = [], 0
    try:
        with archive.open(info) as stream:
            while chunk := stream.read(65536):
                size += len(chunk)
                if size > cap or (size > _SMALL and size > packed * _RATIO):
                    raise WorkbookError(
                        "bomb", f"holds the part {info.filename!a}, which unpacks far beyond its size. Save it again."
                    )
                chunks.append(chunk)
    except BROKEN as problem:
        raise WorkbookError("broken", f"is damaged in its part {info.filename!a}. Copy it again.") from problem
    return b"".join(chunks)


def _sound(name: str, part: bytes) -> None:
    """No document type: a library that reads the part later might follow or expand it. Other encodings could hide one."""
    plain = part[3:] if part.startswith(b"\xef\xbb\xbf") else part
    declared = re.match(rb"""\s*<\?xml[^>]*encoding\s*=\s*["']([\w-]+)["']""", plain)
    odd = declared is not None and declared[1].lower() not in (b"utf-8", b"us-ascii", b"ascii")
    if b"<!DOCTYPE" in part or b"<!ENTITY" in part or odd or not plain.lstrip().startswith(b"<"):
        raise WorkbookError("hostile", f"declares a document type or an odd encoding in its part {name!a}. Save it again.")


def _parse(part: bytes) -> Any:
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
    return etree.fromstring(part, parser)


def _local(element: Any) -> str:
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""


def _hidden(parts: dict[str, bytes], found: Guarded) -> None:
    """Rows and columns that a person does not see, by the name of their sheet."""
    book = next(part for name, part in sorted(parts.items()) if name.lower() == "xl/workbook.xml")
    links = parts.get("xl/_rels/workbook.xml.rels", b"<none/>")
    aims = {one.get("Id"): one.get("Target") or "" for one in _parse(links)}
    for sheet in (one for one in _parse(book).iter() if _local(one) == "sheet"):
        name = sheet.get("name") or ""
        relation = next((value for key, value in sheet.attrib.items() if key.rpartition("}")[2] == "id"), "")
        aim = aims.get(relation, "").lstrip("/")
        part = parts.get(aim if aim.startswith("xl/") else f"xl/{aim}")
        if part is None:
            continue
        rows, columns = found.hidden_rows.setdefault(name, set()), found.hidden_columns.setdefault(name, set())
        for _, element in etree.iterparse(
            io.BytesIO(part), events=("start",), resolve_entities=False, no_network=True, huge_tree=False
        ):
            kind = _local(element)
            shut = element.get("hidden") in ("1", "true")
            if kind == "row" and shut:
                rows.add(int(element.get("r") or 0))
            elif kind == "col" and shut:
                first, last = int(element.get("min") or 0), int(element.get("max") or 0)
                columns.update(range(first, min(last, first + 512) + 1))
            if kind in ("c", "v"):
                element.clear()
