"""Files that stand as coded text inside a text, as the filing systems of the past put pictures and PDFs."""

from __future__ import annotations

import re

from conformed.model.document import Note

__all__ = ["encoded_blocks"]

# Only lines in the code's own letters belong to a block: words after a block that was never closed stay live.
_BLOCK = re.compile(
    r"^begin(?:-base64)? [0-7]{3,4} (?P<name>\S[^\r\n]*?)[ \t]*\r?\n"
    r"(?:(?:[ -`]{1,100}|[A-Za-z0-9+/=]{20,100})\r?\n)+(?:end|====)?",
    re.MULTILINE,
)


def encoded_blocks(text: str) -> tuple[list[tuple[int, int]], list[Note]]:
    """Stretches that hold a file coded as text, which nobody reads, and a note that names each."""
    found = list(_BLOCK.finditer(text))
    notes = [
        Note(code="encoded_block", sentence=f"The text holds the encoded file '{block['name']}', which was not read.")
        for block in found
    ]
    return [block.span() for block in found], notes
