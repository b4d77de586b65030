"""Documents written as plain text, read into blocks.

Blocks are parted by blank lines. ``# `` begins a title, ``= `` a centred line, ``## number | caption | text`` a section,
``| cell | cell`` the rows of a table (``|: 5 2`` before them gives the shares of the width), ``@ `` a signature block and
``~ 12`` empty room. Two spaces of indent are one level; `` // `` breaks a line. Everything else is a paragraph.
"""

from __future__ import annotations

import textwrap
from pathlib import Path

from .blocks import Block, centre, para, section, signature, space, table, title

__all__ = ["read", "words"]

FOLDER = Path(__file__).parent / "texts"


def words(place: str) -> str:
    """The raw text of a file under texts/."""
    return (FOLDER / f"{place}.txt").read_text(encoding="utf-8")


def read(place: str, **marks: str) -> list[Block]:
    """The blocks of a file under texts/, with ``{name}`` replaced by each mark."""
    text = words(place)
    for name, value in marks.items():
        text = text.replace("{" + name + "}", value)
    return [block_of(piece) for piece in text.strip("\n").split("\n\n") if piece.strip()]


def flat(piece: str) -> str:
    """One line of wrapped text, with its breaks."""
    return " ".join(piece.split()).replace(" // ", "\n")


def block_of(piece: str) -> Block:
    """One block of the text form."""
    lines = textwrap.dedent(piece).splitlines()
    first = lines[0]
    if first.startswith("## "):
        number, caption, text = (*(part.strip() for part in flat(piece)[3:].split(" | ", 2)), "", "")[:3]
        return section(number, caption.removesuffix(" ^"), text, run_in=not caption.endswith(" ^"))
    if first.startswith("# "):
        return title(flat(piece)[2:])
    if first.startswith("= "):
        return centre(flat(piece)[2:])
    if first.startswith("~ "):
        return space(int(first[2:]))
    if first.startswith("@ "):
        return signature(*(line.removeprefix("@ ").strip() for line in lines))
    if first.startswith("|"):
        shares = tuple(int(share) for share in first[2:].split()) if first.startswith("|:") else ()
        rows = [tuple(cell.strip().replace(" // ", "\n") for cell in line[1:].split("|")) for line in lines[1 if shares else 0 :]]
        return table(rows, shares)
    return para(flat(piece), (len(piece) - len(piece.lstrip(" "))) // 2)
