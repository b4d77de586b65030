"""Opens the zip of a Word document with caps on everything, and parses its parts without entities or network."""

from __future__ import annotations

import io
import posixpath
import struct
import zipfile
import zlib
from typing import Any

from lxml import etree

__all__ = ["Package", "PackageError", "local"]

_MOST_PARTS = 20_000
_LARGEST_PART = 48 * 1024 * 1024
_LARGEST_TOTAL = 96 * 1024 * 1024
_RATIO = 400
_SMALL = 1024 * 1024
_CHUNK = 65536
_BROKEN = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    OSError,
    ValueError,
    RuntimeError,
    NotImplementedError,
    struct.error,
    KeyError,
)
_MAIN_TYPES = ("officeDocument",)


class PackageError(Exception):
    """A package is refused: a code and a sentence without the file's name."""

    def __init__(self, code: str, sentence: str) -> None:
        self.code, self.sentence = code, sentence
        super().__init__(sentence)


def local(element: Any) -> str:
    """Name of an element without its namespace; transitional and strict files differ only there."""
    tag = element.tag
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""


class Package:
    """The parts of a Word document."""

    def __init__(self, data: bytes) -> None:
        at = data.rfind(b"PK\x05\x06", max(0, len(data) - 65557))
        if at < 0 or at + 22 > len(data):
            raise PackageError("broken", "is cut off: the archive inside it has no directory. Copy it again.")
        entries, size = struct.unpack_from("<HI", data, at + 10)
        if entries > _MOST_PARTS or size > _MOST_PARTS * 256:
            raise PackageError("hostile", f"lists more than {_MOST_PARTS} parts. Save it again from a word processor.")
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(data))
        except _BROKEN as problem:
            raise PackageError("broken", "is damaged: the archive inside it cannot be opened. Copy it again.") from problem
        self._left = _LARGEST_TOTAL
        self._infos: dict[str, zipfile.ZipInfo] = {}
        for info in self._zip.infolist():
            if info.filename in self._infos:
                raise PackageError("hostile", f"holds the part {info.filename!a} twice. Save it again from a word processor.")
            self._infos[info.filename] = info
        if any(info.flag_bits & 0x1 for info in self._infos.values()):
            raise PackageError("encrypted", "is encrypted. Save it without a password.")
        types = self.read("[Content_Types].xml") or b""
        if any(name.lower().endswith("vbaproject.bin") for name in self._infos) or b"macroEnabled" in types:
            raise PackageError("macros", "holds macros. Save it as a plain Word document (.docx).")
        self.main = self._main()

    def _main(self) -> str:
        root = self.xml("_rels/.rels")
        for relation in root if root is not None else ():
            if (relation.get("Type") or "").rpartition("/")[2] in _MAIN_TYPES:
                return (relation.get("Target") or "").lstrip("/")
        return "word/document.xml"

    def read(self, name: str) -> bytes | None:
        """Bytes of a part, or None where there is none.

        Raises:
            PackageError: for a part that is damaged, or unpacks to more than any document needs.
        """
        info = self._infos.get(name)
        if info is None:
            return None
        cap, packed = min(_LARGEST_PART, self._left), max(info.compress_size, 1)
        parts, size = [], 0
        try:
            with self._zip.open(info) as stream:
                while chunk := stream.read(_CHUNK):
                    size += len(chunk)
                    if size > cap or (size > _SMALL and size > packed * _RATIO):
                        raise PackageError("bomb", f"holds the part {name!a}, which unpacks far beyond its size. Save it again.")
                    parts.append(chunk)
        except _BROKEN as problem:
            raise PackageError("broken", f"is damaged in its part {name!a}. Copy it again.") from problem
        self._left -= size
        return b"".join(parts)

    def xml(self, name: str) -> Any | None:
        """Root of a part, or None where there is none.

        Raises:
            PackageError: for a part that is no XML, declares a document type, or is nested too deeply.
        """
        data = self.read(name)
        if data is None:
            return None
        parser = etree.XMLParser(
            resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False, remove_comments=True, remove_pis=True
        )
        try:
            root = etree.fromstring(data, parser)
        except (etree.XMLSyntaxError, ValueError) as problem:
            raise PackageError("broken", f"is damaged: its part {name!a} is not sound XML. Save it again.") from problem
        info: Any = root.getroottree().docinfo
        if info.doctype:
            raise PackageError("hostile", f"declares a document type in its part {name!a}. Save it again from a word processor.")
        return root

    def related(self, part: str) -> dict[str, tuple[str, str]]:
        """Relations of a part: id to (last word of the type, name of the part aimed at). External aims are left out."""
        folder, _, name = part.rpartition("/")
        root = self.xml(f"{folder}/_rels/{name}.rels" if folder else f"_rels/{name}.rels")
        found = {}
        for relation in root if root is not None else ():
            if relation.get("TargetMode") == "External":
                continue
            target = relation.get("Target") or ""
            aim = target.lstrip("/") if target.startswith("/") else posixpath.normpath(posixpath.join(folder, target))
            found[relation.get("Id") or ""] = ((relation.get("Type") or "").rpartition("/")[2], aim)
        return found
