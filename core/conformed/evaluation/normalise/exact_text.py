"""Exact numbers as text, for the normalisers that have to calculate."""

from __future__ import annotations

from fractions import Fraction

__all__ = ["written"]


def written(value: Fraction) -> str:
    """A decimal where it ends, else a reduced fraction: one text for each value.

    Args:
        value: any exact number of up to some thousand digits.
    """
    places, rest = 0, value.denominator
    for prime in (2, 5):
        power = 0
        while rest % prime == 0:
            rest, power = rest // prime, power + 1
        places = max(places, power)
    if rest != 1:
        return str(value)
    digits = str(abs(value.numerator) * 10**places // value.denominator).rjust(places + 1, "0")
    sign = "-" if value < 0 else ""
    return f"{sign}{digits[:-places]}.{digits[-places:]}" if places else f"{sign}{digits}"
