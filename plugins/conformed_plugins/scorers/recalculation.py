"""A deterministic scorer: 1 where the answer is the value of the given calculation, worked exactly, and 0 where it is not."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from fractions import Fraction
from typing import Any

from conformed.evaluation.normalise import normalise_number
from conformed.model.base import Missing
from conformed_plugins.verifiers.expression import Refused, worked

__all__ = ["RecalculationScorer"]

_BITS = 4096


class _Every(AbstractSet[Fraction]):
    """All numbers: whatever the calculation writes out may be used."""

    def __contains__(self, value: object) -> bool:
        return True

    def __iter__(self) -> Any:
        return iter(())

    def __len__(self) -> int:
        return 0


class RecalculationScorer:
    """Scores an answer against a calculation of numbers."""

    def score(self, items: Sequence[dict[str, Any]]) -> tuple[float | Missing, ...]:
        """One score an item; Missing where there is no calculation, or none that can be worked, or no number was answered."""
        return tuple(self._one(item["calculation"], item["answer"]) for item in items)

    def _one(self, calculation: str, answer: str | None) -> float | Missing:
        number = None if answer is None else normalise_number(answer)[0]
        if number is None:
            return Missing(reason="No number was answered.", code="no_number")
        if not calculation:
            return Missing(reason="There is no calculation to hold the answer against.", code="no_calculation")
        try:
            value, _names = worked(calculation, {}, _Every(), bits=_BITS)
        except Refused:
            return Missing(reason="The calculation cannot be worked.", code="calculation_refused")
        return float(Fraction(number) == value)
