"""The members of a zip, walked by hand: nothing is ever unpacked to disk, and every cap holds while bytes come out.

Refused as a whole: paths that are absolute or lead upwards, links, two members of one name, more members or bytes than
a pack may hold, a ratio that only bombs have, a broken directory. Refused alone: a member that is encrypted or damaged.
"""

from __future__ import annotations

import io
import lzma
import stat
import struct
import unicodedata
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass

from conformed.engine.limits import Limits

__all__ = ["ArchiveError", "Member", "is_archive", "members"]

_MAGIC = (b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08")
_END = b"PK\x05\x06"
_OFFICE = frozenset({b"[Content_Types].xml", b"mimetype"})
_CHUNK = 65536
_SMALL = 1024 * 1024
_DIRECTORY_ENTRY = 46
_MOST_LOOKED_AT = 4000
_BROKEN = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    EOFError,
    OSError,
    ValueError,
    RuntimeError,
    NotImplementedError,
    struct.error,
    OverflowError,
)


class ArchiveError(Exception):
    """An archive is refused as a whole.

    Args:
        code: short constant name.
        found: what was found in it.
        mend: the mend.
    """

    def __init__(self, code: str, found: str, mend: str) -> None:
        self.code, self.found, self.mend = code, found, mend
        super().__init__(f"{found} {mend}")


@dataclass(frozen=True, slots=True)
class Member:
    """One file of an archive."""

    name: str
    """Path inside the archive, with forward slashes."""
    data: bytes | None
    """Its bytes, or None where it is refused."""
    refusal: tuple[str, str] | None = None
    """Code and sentence (without the name) where it is refused."""


def is_archive(data: bytes) -> bool:
    """Whether bytes are a zip of files, and not a document that is a zip inside (DOCX, ODT)."""
    return data.startswith(_MAGIC) and _OFFICE.isdisjoint(_names(data))


def _names(data: bytes) -> Iterator[bytes]:
    """Names in the directory at the end, read without unpacking.

    A document stored inside has a directory of its own, so looking for a name anywhere in the bytes would take a zip of
    documents for one of them.
    """
    end = data.rfind(_END, max(0, len(data) - 65557))
    if end < 0 or end + 22 > len(data):
        return
    (size,) = struct.unpack_from("<I", data, end + 12)
    at = end - size
    for _ in range(_MOST_LOOKED_AT):
        if at < 0 or at + _DIRECTORY_ENTRY > end or data[at : at + 4] != b"PK\x01\x02":
            return
        name, extra, comment = struct.unpack_from("<HHH", data, at + 28)
        yield data[at + _DIRECTORY_ENTRY : at + _DIRECTORY_ENTRY + name]
        at += _DIRECTORY_ENTRY + name + extra + comment


def members(data: bytes, limits: Limits, most: int) -> Iterator[Member]:
    """The files of a zip, in the order of their names.

    Args:
        data: the zip.
        limits: most members, bytes and ratio.
        most: bytes that may still come out.

    Raises:
        ArchiveError: when the archive as a whole is refused.
    """
    _look_at_directory(data, limits)
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
    except _BROKEN as problem:
        raise ArchiveError("broken", "The archive's directory cannot be read.", "Pack it again.") from problem
    with archive:
        infos = _checked(archive.infolist(), limits)
        for name, info in infos:
            if info.flag_bits & 0x1:
                yield Member(name, None, ("encrypted", "is encrypted inside its archive. Put it in without a password."))
                continue
            try:
                body = _read(archive, info, name, limits, most)
            except _BROKEN:
                yield Member(name, None, ("broken", "is damaged inside its archive. Pack it again."))
                continue
            most -= len(body)
            yield Member(name, body)


def _look_at_directory(data: bytes, limits: Limits) -> None:
    """Caps the directory before it is parsed: parsing makes an object of every entry."""
    at = data.rfind(_END, max(0, len(data) - 65557))
    if at < 0 or at + 22 > len(data):
        raise ArchiveError("broken", "The archive has no directory at its end.", "Copy or pack it again.")
    entries, size = struct.unpack_from("<HI", data, at + 10)
    if entries > 4 * limits.files or size > 4 * limits.files * 1024:
        raise ArchiveError("bomb", f"The archive lists more than {limits.files} files.", "Put only the documents into it.")


def _checked(infos: list[zipfile.ZipInfo], limits: Limits) -> list[tuple[str, zipfile.ZipInfo]]:
    seen: dict[str, str] = {}
    found = []
    for info in infos:
        name = _safe_name(info)
        if stat.S_ISLNK(info.external_attr >> 16):
            raise ArchiveError("link", f"The archive holds the link {name!r}.", "Pack the document itself.")
        if info.is_dir() or info.filename.endswith("\\"):
            continue
        key = unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())
        if key in seen:
            raise ArchiveError(
                "same_name",
                f"The archive holds two documents with the same name: {seen[key]!r} and {name!r}.",
                "Rename one or take it out.",
            )
        seen[key] = name
        found.append((name, info))
    if len(found) > limits.files:
        raise ArchiveError(
            "bomb", f"The archive holds {len(found)} files; a pack may have {limits.files}.", "Put only the documents into it."
        )
    return sorted(found, key=lambda pair: pair[0])


def _safe_name(info: zipfile.ZipInfo) -> str:
    raw = info.orig_filename
    shown = ascii(raw)
    if any(unicodedata.category(c) in {"Cc", "Cs"} for c in raw):
        raise ArchiveError(
            "bad_name", f"The archive holds a name with characters that cannot be shown: {shown}.", "Rename it and pack again."
        )
    parts = raw.replace("\\", "/").split("/")
    if not parts[0] or ":" in parts[0] or ".." in parts:
        raise ArchiveError(
            "path", f"The archive holds {shown}, a path that leads out of it.", "Pack the documents by plain relative names."
        )
    name = "/".join(part for part in parts if part not in {"", "."})
    if not name:
        raise ArchiveError("bad_name", f"The archive holds a file without a name ({shown}).", "Pack it again.")
    return name


def _read(archive: zipfile.ZipFile, info: zipfile.ZipInfo, name: str, limits: Limits, most: int) -> bytes:
    cap = min(limits.file_bytes, most)
    packed = max(info.compress_size, 1)
    parts, size = [], 0
    with archive.open(info) as stream:
        while chunk := stream.read(_CHUNK):
            size += len(chunk)
            if size > cap:
                raise ArchiveError(
                    "bomb",
                    f"The archive holds {name!r}, which unpacks to more than {cap} bytes.",
                    "Take it out, or split the pack.",
                )
            if size > _SMALL and size > packed * limits.ratio:
                raise ArchiveError(
                    "bomb",
                    f"The archive holds {name!r}, which unpacks to more than {limits.ratio} times its size.",
                    "Take it out.",
                )
            parts.append(chunk)
    return b"".join(parts)
