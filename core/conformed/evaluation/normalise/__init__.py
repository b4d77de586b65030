"""Normalisers: the representation of an answer may change, its value may not. Whatever is not read whole is refused with a code.

Each takes a text and returns its normal form and what kind it is, or None and why it was refused.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from conformed.evaluation.normalise.dates import normalise_date
from conformed.evaluation.normalise.money import normalise_money
from conformed.evaluation.normalise.numbers import normalise_number
from conformed.evaluation.normalise.percentages import normalise_percentage
from conformed.evaluation.normalise.ratios import normalise_ratio

__all__ = [
    "NORMALISERS",
    "VERSION",
    "normalise_date",
    "normalise_money",
    "normalise_number",
    "normalise_percentage",
    "normalise_ratio",
]

VERSION = "1.0.0"
"""Version of what the normalisers do; every result carries it."""

NORMALISERS: Mapping[str, Callable[[str], tuple[str | None, str]]] = MappingProxyType(
    {
        "number": normalise_number,
        "ratio": normalise_ratio,
        "money": normalise_money,
        "percentage": normalise_percentage,
        "date": normalise_date,
    }
)
"""Normaliser by answer form."""
