"""Roman numerals as articles are numbered with."""

from __future__ import annotations

__all__ = ["ROMAN"]

ROMAN = (
    *("I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X"),
    *("XI", "XII", "XIII", "XIV", "XV", "XVI", "XVII", "XVIII", "XIX", "XX"),
)
"""The numerals of 1 to 20, in order: the numeral of ``n`` stands at ``n - 1``."""
