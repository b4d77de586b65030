"""Dates as answers write them, by the grammar of contract language."""

from __future__ import annotations

import re

from conformed.evaluation.normalise.characters import plain
from conformed.language.dates import MONTH, parse_date

__all__ = ["normalise_date"]

_TWO_READINGS = re.compile(r"(?:0?[1-9]|1[0-2])/(?:0?[1-9]|1[0-2])/[0-9]{4}")
_SHAPED = re.compile(
    rf"[0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}}|[0-9]{{1,2}}/[0-9]{{1,2}}/[0-9]{{4}}|{MONTH}\s+[0-9]{{1,2}}\D.*|[0-9]{{1,2}}\D{{0,10}}{MONTH}.*[0-9]{{4}}",
    re.IGNORECASE | re.DOTALL,
)
_LONGEST = 64


def normalise_date(text: str) -> tuple[str | None, str]:
    """A date as ISO 8601 writes it: ``2026-03-31`` for ``31 March 2026``, ``March 31, 2026`` and ``31/03/2026``.

    Args:
        text: an answer.

    Returns:
        The normal form and ``date``; or None and ``ambiguous_date`` (03/04/2026 is a day of March or of April),
        ``no_such_date`` (30 February) or ``unsupported_date_form``.

    Raises:
        TypeError: when the answer is no text.
    """
    ready = plain(text)
    if ready is None or len(ready) > _LONGEST:
        return None, "unsupported_date_form"
    day = parse_date(ready)
    if day is not None:
        return day.isoformat(), "date"
    if _TWO_READINGS.fullmatch(ready):
        return None, "ambiguous_date"
    return None, "no_such_date" if _SHAPED.fullmatch(ready) else "unsupported_date_form"
