"""What may leave for a tracking service: names of series and exact numbers. A text is neither, whatever it says."""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction

from conformed.errors import GivenTypeError, GivenValueError, InexactError
from conformed.model.base import exact

__all__ = ["as_text", "checked"]

_NAME = re.compile(r"[a-z][A-Za-z0-9_.:-]{0,119}")


def as_text(figures: Mapping[str, float | int | str]) -> dict[str, str]:
    """Figures of a series as a tracker takes them: each number exact, as text. Words stay here."""
    return {name: str(Fraction(value)) for name, value in sorted(figures.items()) if not isinstance(value, str)}


def checked(step: int, figures: Mapping[str, str]) -> dict[str, float]:
    """The figures as the services take them, rounded once.

    Args:
        step: the update, a whole number from 0.
        figures: exact numbers as text, by name.

    Raises:
        GivenTypeError: for a step that is no whole number, or a figure that is no text.
        GivenValueError: for a name that is none of a series, or a figure that is no number.
    """
    if type(step) is not int or step < 0:
        raise GivenTypeError(f"The step is {step!r}.", "Give a whole number from 0.")
    found: dict[str, float] = {}
    for name, value in sorted(figures.items()):
        if not _NAME.fullmatch(name):
            raise GivenValueError(f"A figure's name of {len(name)} characters is none of a series.", "See docs/training-runs.md.")
        if not isinstance(value, str):
            raise GivenTypeError(f"The figure {name} is a {type(value).__name__}.", "Give an exact number as text.")
        try:
            found[name] = float(exact(value))
        except (InexactError, OverflowError) as problem:
            # The value is not repeated: it might be a text of a document.
            raise GivenValueError(f"The figure {name} is no number.", "A tracker is given figures, never texts.") from problem
    return found
