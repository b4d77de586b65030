"""Checks of what is given to a function: whole numbers, finite numbers, texts, and libraries of the extra ``evaluation``.

Strict on purpose: a bool is no number, NaN is no score, and the text "3" is no count.
"""

from __future__ import annotations

import importlib
import math
from collections.abc import Collection
from fractions import Fraction
from typing import Any

from conformed.errors import GivenTypeError, GivenValueError, UsageError

__all__ = ["finite", "needed", "one_of", "share", "truth", "whole"]


def whole(name: str, value: Any, *, least: int = 0, most: int | None = None) -> int:
    """Takes a whole number within its range.

    Raises:
        GivenTypeError: for anything that is not an int, a bool included.
        GivenValueError: when it is below ``least`` or above ``most``.
    """
    if isinstance(value, bool) or not isinstance(value, int):
        raise GivenTypeError(f"{name} is {value!r}, not a whole number.", "Give an int.")
    if value < least or (most is not None and value > most):
        upper = "" if most is None else f" and at most {most}"
        raise GivenValueError(f"{name} is {value}.", f"Give a whole number of at least {least}{upper}.")
    return value


def finite(name: str, value: Any, *, least: float | None = None, most: float | None = None) -> float | Fraction:
    """Takes a finite number within its range: an int, a float or a Fraction, handed back as it came.

    Raises:
        GivenTypeError: for anything else, a bool included.
        GivenValueError: for NaN, an infinity, or a number outside the range.
    """
    if isinstance(value, bool) or not isinstance(value, int | float | Fraction):
        raise GivenTypeError(f"{name} is {value!r}, not a number.", "Give an int, a float or a Fraction.")
    if isinstance(value, float) and not math.isfinite(value):
        raise GivenValueError(f"{name} is {value}.", "Give a finite number.")
    if (least is not None and value < least) or (most is not None and value > most):
        bounds = " and ".join(f"at {word} {bound}" for word, bound in (("least", least), ("most", most)) if bound is not None)
        raise GivenValueError(f"{name} is {value}.", f"Give a number of {bounds}.")
    return value


def share(name: str, value: Any) -> float | Fraction:
    """Takes a number from 0 to 1, both included.

    Raises:
        GivenTypeError: for anything that is not a number, a bool included.
        GivenValueError: for NaN, an infinity, or a number outside 0 to 1.
    """
    return finite(name, value, least=0, most=1)


def truth(name: str, value: Any) -> bool:
    """Takes True or False; 1 and 0 are neither.

    Raises:
        GivenTypeError: for anything but a bool.
    """
    if not isinstance(value, bool):
        raise GivenTypeError(f"{name} is {value!r}, not True or False.", "Give a bool.")
    return value


def one_of(name: str, value: Any, allowed: Collection[str]) -> str:
    """Takes one of a closed list of words.

    Raises:
        GivenTypeError: for anything but a text.
        GivenValueError: for a text that is not on the list.
    """
    if not isinstance(value, str):
        raise GivenTypeError(f"{name} is {value!r}, not a text.", f"Give one of {', '.join(sorted(allowed))}.")
    if value not in allowed:
        raise GivenValueError(f"{name} is {value!r}.", f"Give one of {', '.join(sorted(allowed))}.")
    return str(value)


def needed(module: str) -> Any:
    """Imports a library of the extra ``evaluation`` when it is first needed.

    Raises:
        UsageError: when it is not installed.
    """
    try:
        return importlib.import_module(module)
    except ImportError as problem:
        raise UsageError(
            f"{module} is not installed, and this part of the evaluation needs it.", "pip install 'conformed[evaluation]'"
        ) from problem
