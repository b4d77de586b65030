"""Where a quotation ends."""

from __future__ import annotations

import re

__all__ = ["closing"]


def closing(text: str, body: int, stop: int) -> int:
    """The quotation mark that closes a quotation: inner pairs are passed over; 0 where none closes it.

    Args:
        text: text with straight quotation marks.
        body: first offset behind the opening mark.
        stop: where to give up.
    """
    depth = 1
    for m in re.compile('"').finditer(text, body, stop):
        before, after = text[m.start() - 1 : m.start()], text[m.end() : m.end() + 1]
        opening = (not before or before.isspace() or before in "([-") and after and (after.isalnum() or after in "([$€£")
        depth += 1 if opening else -1
        if depth == 0:
            return m.start()
    return 0
