"""Rates of exchange that a certificate states: a rate counts only with its direction, which is part of its unit."""

from __future__ import annotations

import datetime
import re

from conformed.language.amounts import Convention, read_number
from conformed.language.conversion import direction_of
from conformed.language.traced import Traced
from conformed.model.base import Missing
from conformed.model.calculation import Figure
from conformed_plugins.extractors.certificate_lines import Line

__all__ = ["read_rate"]

_SAYS = re.compile(r"\brates?\b|\bexchange\b|=|\bper\b", re.IGNORECASE)
_NUMBER = re.compile(r"\d[\d.,']*")


def read_rate(live: Traced, line: Line, convention: Convention | None, home: str, day: datetime.date | None) -> Figure | None:
    """The rate of a line such as ``Average rate of the period, US dollars per euro: 1.0850`` or ``€1.00 = $1.0850``; None for others.

    Args:
        live: the certificate's live text.
        line: label and cells.
        convention: how the document writes numbers.
        home: what a bare ``$`` means.
        day: the certificate's test date.
    """
    if len(line.cells) != 1 or not _SAYS.search(live.text, line.start, line.cells[0][0]):
        return None
    words = " ".join(live.text[line.start : line.end].split())
    direction = direction_of(words, home)
    cell = line.cells[0]
    number = _NUMBER.search(live.text, *cell)
    if direction is None or number is None:
        return None
    value = read_number(number[0], convention)
    if isinstance(value, Missing) or value <= 0:
        return None
    label = live.text[line.start : cell[0]].strip(" .:_=\t")
    return Figure(name=direction.name, label=label, value=value, raw=number[0], as_of=day, spans=live.spans(line.start, line.end))
