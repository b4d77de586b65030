"""The document that every format is made from: a list of blocks of marked text.

Text may carry ``<b>``, ``<i>``, ``<u>`` (inserted words) and ``<s>`` (deleted words); straight quotation marks become
curly ones. Nothing else is markup.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

__all__ = [
    "Block",
    "article",
    "break_page",
    "centre",
    "educate",
    "para",
    "paras",
    "section",
    "signature",
    "space",
    "table",
    "title",
    "toc",
]

Kind = Literal["title", "centre", "article", "section", "para", "table", "break", "body", "toc", "signature", "space"]


@dataclass(frozen=True, slots=True)
class Block:
    """One piece of a document."""

    kind: Kind
    text: str = ""
    level: int = 0
    label: str = ""
    """What a table of contents shows for this block; empty for none."""
    rows: tuple[tuple[str, ...], ...] = ()
    widths: tuple[int, ...] = ()
    """Shares of the text width, for tables."""
    header: bool = True
    lines: tuple[str, ...] = ()


def educate(text: str) -> str:
    """Curly quotation marks and apostrophes for straight ones."""
    text = re.sub(r'(^|[\s(\[<>/—-])"', r"\1“", text)
    text = text.replace('"', "”")
    text = re.sub(r"(^|[\s(\[“])'", r"\1‘", text)
    return text.replace("'", "’")


def title(text: str) -> Block:
    """A large centred line."""
    return Block("title", educate(text))


def centre(text: str, label: str = "", *, level: int = 0) -> Block:
    """A centred line, in the table of contents if it has a label."""
    return Block("centre", educate(text), level=level, label=educate(label))


def article(number: str, caption: str) -> Block:
    """The head of an article, or of a clause in the British manner."""
    gap = " " if number.endswith(".") else "\n"
    return Block("article", educate(f"{number}{gap}{caption}"), label=educate(f"{number} {caption}"))


def section(number: str, caption: str, text: str = "", *, run_in: bool = True) -> Block:
    """The head of a section, with its first words running on (or a line of its own)."""
    head = f"<b>{number}</b>  <b>{caption}.</b>" if run_in else f"<b>{number}</b>  <b>{caption}</b>"
    return Block("section", educate(f"{head} {text}".strip()), level=1, label=educate(f"{number} {caption}"))


def para(text: str, level: int = 0) -> Block:
    """A paragraph; level is its indent."""
    return Block("para", educate(text), level=level)


def paras(text: str) -> list[Block]:
    """Paragraphs of a text with blank lines between; one that opens with (a) is indented, one that opens with > more."""
    found = []
    for piece in re.split(r"\n\s*\n", text.strip()):
        flat = " ".join(piece.split())
        if flat.startswith("> "):
            found.append(para(flat[2:], 2))
        else:
            found.append(para(flat, 1 if re.match(r"\([a-z]{1,2}\) ", flat) else 0))
    return found


def table(rows: list[tuple[str, ...]], widths: tuple[int, ...] = (), *, header: bool = True) -> Block:
    """A ruled table."""
    cells = tuple(tuple(educate(cell) for cell in row) for row in rows)
    return Block("table", rows=cells, widths=widths or (1,) * len(cells[0]), header=header)


def signature(*lines: str) -> Block:
    """A signature block: lines that stay together."""
    return Block("signature", lines=tuple(educate(line) for line in lines))


def space(points: int = 24) -> Block:
    """Empty room."""
    return Block("space", level=points)


def break_page(*, body: bool = False) -> Block:
    """A new page; with ``body`` the page numbers start again at 1."""
    return Block("body" if body else "break")


def toc() -> Block:
    """The table of contents."""
    return Block("toc")
