"""The fields of a clause by the grammar of contract language alone: what a trained policy has to be better than.

It reads what the rules extractor reads (``conformed.language.clauses``) and copies the words in which it read it. Where the grammar
reads no maintenance covenant, or two different ones, it says that there is none.
"""

from __future__ import annotations

import json
import re

from conformed.language.clauses import ClauseReading, read_clauses
from conformed.language.dates import find_dates
from conformed.model.covenant import CovenantKind
from conformed_plugins.training.items import Task, TrainingItem
from conformed_plugins.training.synth.fields import KEYS, LEAD

__all__ = ["answer", "fields_of"]

_GOVERNS = re.compile(
    r".*\b(?:shall|will|must|may|to|of|at|see|then|again)\b(?!\s+(?:least|most)\b)(?:.*\d{4})?\s+", re.IGNORECASE | re.DOTALL
)
"""Up to the last word that only carries the comparison: "shall not permit the ratio to" before "exceed"."""
_BEHIND = re.compile(r"\s*,?\s*(or\s+\w+)")
_ENDS = re.compile(r"(?<=[a-z)\]0-9x])[.;]\s+(?=[A-Z(\"])")


def answer(item: TrainingItem) -> str:
    """What the rules answer to an item: JSON of the asked form, or nothing where the task is not theirs."""
    if item.task is not Task.FIELDS or not item.prompt.startswith(f"{LEAD}\n"):
        return ""
    return json.dumps(fields_of(item.prompt.removeprefix(f"{LEAD}\n")), ensure_ascii=False, separators=(",", ":"))


def fields_of(clause: str) -> dict[str, str]:
    """The four fields, each as it stands in the clause with a blank before it, or empty.

    Args:
        clause: the clause with what stands around it.
    """
    readings = [
        one
        for one in read_clauses(clause, 0, len(clause))
        if one.kind is CovenantKind.MAINTENANCE and one.unit == "ratio" and one.steps and one.comparator is not None
    ]
    if len({(one.subject.start, one.steps[0].limit.start) for one in readings}) != 1:
        return dict.fromkeys(KEYS, "")
    reading = readings[0]
    limit = reading.steps[0].limit
    found = (
        clause[reading.subject.start : reading.subject.end],
        _direction(clause, reading),
        clause[limit.start : limit.end],
        _date(clause, reading),
    )
    return {key: f" {value}" if value else "" for key, value in zip(KEYS, found, strict=True)}


def _direction(clause: str, reading: ClauseReading) -> str:
    """The words of comparison without those that only carry them; where they stand behind the level, those."""
    start, end = reading.comparator_at
    limit = reading.steps[0].limit
    if start <= limit.start and (behind := _BEHIND.match(clause, limit.end)):
        return behind[1]
    if start < reading.subject.end < end:
        start = reading.subject.end
    carried = _GOVERNS.match(clause, start, end)
    return clause[carried.end() if carried else start : end].strip()


def _date(clause: str, reading: ClauseReading) -> str:
    """The date in the sentence of the level; of several the one nearest before the level, else the nearest after it."""
    limit = reading.steps[0].limit
    cuts = [0, *(one.end() for one in _ENDS.finditer(clause)), len(clause)]
    low = max(cut for cut in cuts if cut <= limit.start)
    high = min(cut for cut in cuts if cut >= limit.end)
    dates = find_dates(clause, low, high)
    before = [one for one in dates if one.end <= limit.start]
    after = [one for one in dates if one.start >= limit.end]
    chosen = before[-1] if before else after[0] if after else None
    return clause[chosen.start : chosen.end] if chosen else ""
