"""Money: an exact amount that never travels without its currency."""

from __future__ import annotations

from conformed.model.base import Exact, Frozen

__all__ = ["Money"]


class Money(Frozen):
    """An amount of one currency, in whole units (dollars, not thousands)."""

    amount: Exact
    """Whole units of the currency."""
    currency: str
    """ISO 4217 code, e.g. ``USD``; ``XXX`` where the text gives none."""
    raw: str = ""
    """As written, e.g. ``$50,000,000``."""
