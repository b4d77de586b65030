"""Hostile length: no text makes the grammar backtrack, whatever it repeats."""

from __future__ import annotations

import time

import pytest

from conformed.language.clauses import read_clauses
from conformed.language.dates import find_dates
from conformed.language.ratios import find_ratios
from conformed.language.traced import live_view

PATTERNS = [
    " ",
    "a",
    "(",
    "7",
    '"',
    "\n",
    "\t",
    "a ",
    "Section 1.1 ",
    "1.1 to 1 ",
    "June 30, 2024 ",
    "The Leverage Ratio shall not exceed 1.1 to 1 on June 30, 2024 ",
    "shall not permit the Leverage Ratio to exceed ",
    "exceed the ratio set forth below ",
    "ratio of Aaa ",
    "one ",
    "ab-\n",
]
LENGTH = 200_000
SECONDS = 2


@pytest.mark.parametrize("pattern", PATTERNS)
def test_long_repetitions(document, pattern: str) -> None:
    """Two hundred thousand characters of anything are read within two seconds by each reader."""
    text = (pattern * (LENGTH // len(pattern) + 1))[:LENGTH]
    started = time.process_time()
    view = live_view(document(text))
    seen = [time.process_time() - started]
    for reader in (find_ratios, find_dates, lambda t: read_clauses(t, 0, len(t))):
        started = time.process_time()
        reader(view.text)
        seen.append(time.process_time() - started)
    assert max(seen) < SECONDS
