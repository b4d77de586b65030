"""Units: a small closed table with exact factors. A unit outside it is refused, never guessed.

Dimensions are powers of metre, kilogram, second, dollar, and of per cent, which is kept apart from plain numbers.
"""

from __future__ import annotations

from fractions import Fraction

__all__ = ["LETTERS", "UNITS", "WORDS", "Unit", "combine"]

Unit = tuple[Fraction, tuple[int, int, int, int, int]]
"""What one of it is in base units, and the powers of the base units."""

_LENGTH, _MASS, _TIME = (1, 0, 0, 0, 0), (0, 1, 0, 0, 0), (0, 0, 1, 0, 0)
_VOLUME = (3, 0, 0, 0, 0)


def _unit(factor: str, dimension: tuple[int, int, int, int, int]) -> Unit:
    return Fraction(factor), dimension


UNITS: dict[str, Unit] = {
    "m": _unit("1", _LENGTH), "mm": _unit("1/1000", _LENGTH), "cm": _unit("1/100", _LENGTH), "km": _unit("1000", _LENGTH),
    "kg": _unit("1", _MASS), "g": _unit("1/1000", _MASS), "mg": _unit("1/1000000", _MASS),
    "s": _unit("1", _TIME), "ms": _unit("1/1000", _TIME), "min": _unit("60", _TIME), "h": _unit("3600", _TIME),
    "hr": _unit("3600", _TIME), "L": _unit("1/1000", _VOLUME), "mL": _unit("1/1000000", _VOLUME), "ml": _unit("1/1000000", _VOLUME),
    "ft": _unit("0.3048", _LENGTH), "yd": _unit("0.9144", _LENGTH), "mi": _unit("1609.344", _LENGTH),
    "lb": _unit("0.45359237", _MASS), "lbs": _unit("0.45359237", _MASS),
    "N": _unit("1", (1, 1, -2, 0, 0)), "J": _unit("1", (2, 1, -2, 0, 0)), "W": _unit("1", (2, 1, -3, 0, 0)),
    "Pa": _unit("1", (-1, 1, -2, 0, 0)), "Hz": _unit("1", (0, 0, -1, 0, 0)), "kPa": _unit("1000", (-1, 1, -2, 0, 0)),
    "kJ": _unit("1000", (2, 1, -2, 0, 0)), "kW": _unit("1000", (2, 1, -3, 0, 0)),
    "dollar": _unit("1", (0, 0, 0, 1, 0)), "cent": _unit("1/100", (0, 0, 0, 1, 0)), "percent": _unit("1", (0, 0, 0, 0, 1)),
}  # fmt: skip
"""Units by symbol. ``%`` and ``$`` are entered by the reader as percent and dollar."""
_SPELT = {
    "metre": "m", "meter": "m", "millimetre": "mm", "millimeter": "mm", "centimetre": "cm", "centimeter": "cm",
    "kilometre": "km", "kilometer": "km", "kilogram": "kg", "gram": "g", "milligram": "mg", "second": "s", "minute": "min",
    "hour": "h", "litre": "L", "liter": "L", "millilitre": "mL", "milliliter": "mL", "yard": "yd", "mile": "mi",
    "pound": "lb", "newton": "N", "joule": "J", "watt": "W", "pascal": "Pa", "dollar": "dollar", "cent": "cent",
}  # fmt: skip
for _name, _symbol in _SPELT.items():
    UNITS[_name] = UNITS[f"{_name}s"] = UNITS[_symbol]
UNITS["foot"] = UNITS["feet"] = UNITS["ft"]
UNITS["inch"] = UNITS["inches"] = _unit("0.0254", _LENGTH)
UNITS["day"] = UNITS["days"] = _unit("86400", _TIME)
del UNITS["pound"], UNITS["pounds"]  # of weight or of money

LETTERS = frozenset(name for name in UNITS if len(name) == 1)
"""Units of one letter: read as units only inside text commands and behind another unit."""
WORDS = frozenset(UNITS) - LETTERS - {"min", "ms", "ml"}
"""Units that plain text may name behind a number; ``min`` is also a function and ``ms`` a product."""


def combine(one: Unit, other: Unit, power: int) -> Unit:
    """One unit times another to some power."""
    factor = one[0] * other[0] ** power
    first, second = one[1], other[1]
    return factor, (
        first[0] + power * second[0], first[1] + power * second[1], first[2] + power * second[2],
        first[3] + power * second[3], first[4] + power * second[4],
    )  # fmt: skip
