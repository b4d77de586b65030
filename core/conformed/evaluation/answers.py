"""Takes the one declared final answer out of a response. Whatever is not plainly declared is for a person, with its code."""

from __future__ import annotations

import re

__all__ = ["LONGEST_ANSWER", "VERSION", "extract_final"]

VERSION = "1.0.0"
"""Version of the extraction; every result carries it."""
LONGEST_ANSWER = 512
"""Most characters of an answer, the white space around it left out."""

_NAME = "[fF][iI][nN][aA][lL]"  # spelt out: a flag for case would also take the dotless i, and lose the fast search for "<"
_FIELD = re.compile(rf"<{_NAME}>([^<>\n\r\v\f\x1c-\x1e\x85\u2028\u2029]*)</{_NAME}>")
_TAG = re.compile(rf"<[\s/]*{_NAME}(?![\w-])")
_BREAK = re.compile(r"[\n\r]")


def extract_final(text: str) -> tuple[str | None, str]:
    """The answer in ``<final>…</final>``, alone on the last line that is not blank.

    The case of the tag does not matter; white space around tag and answer is left out. Of several faults the first in the
    list below is named. Work grows in proportion to the length of the text, whatever it holds.

    Args:
        text: a whole response.

    Returns:
        The answer and ``ok``, or None and a code: ``missing_final`` (no whole field on one line without ``<`` or ``>`` in
        it), ``multiple_final_fields``, ``malformed_final_fields`` (one field, and a further tag of that name in any
        spelling), ``final_not_terminal_single_line``, ``empty_final``, ``final_too_long``.

    Raises:
        TypeError: when the response is no text.
    """
    if not isinstance(text, str):
        raise TypeError(f"A response of type {type(text).__name__} is no text. Give a str.")
    found = _FIELD.search(text)
    if found is None:
        return None, "missing_final"
    if _FIELD.search(text, found.end()) is not None:
        return None, "multiple_final_fields"
    if len(_TAG.findall(text)) != 2:
        return None, "malformed_final_fields"
    before, after = text[: found.start()], text[found.end() :]
    above = before.rstrip()
    if after.strip() or (above and not _BREAK.search(before, len(above))):
        return None, "final_not_terminal_single_line"
    answer = found[1].strip()
    if not answer:
        return None, "empty_final"
    if len(answer) > LONGEST_ANSWER:
        return None, "final_too_long"
    return answer, "ok"
