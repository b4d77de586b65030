"""The size that a defined event must have, read from its definition ("for consideration of at least $50,000,000")."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction

from conformed.language.amounts import Amount, Convention, read_amount

__all__ = ["EventSize", "read_event_size"]

_MONEY = r"[A-Z]{0,3}[$\u20ac\u00a3]\s?\d[\d,.]*\d(?:\s+(?:million|billion))?"
_SIZE = re.compile(
    rf"\bconsideration\b(?:[^.;$\u20ac\u00a3]|\.\d){{0,60}}?\b(?P<words>(?:of\s+)?(?:at\s+least|not\s+less\s+than|equal\s+to\s+or\s+(?:greater|more)\s+than)|(?:of\s+)?(?:more\s+than|in\s+excess\s+of|exceed(?:ing|s)|greater\s+than))\s+(?P<money>{_MONEY})",
    re.IGNORECASE,
)
_MORE = re.compile(r"\b(?:unless|provided|except|so\s+long\s+as|if|ratio|pro\s+forma|designat\w+|or\s+series)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class EventSize:
    """A least size.

    Attributes:
        amount: whole units.
        currency: ISO 4217 code, ``XXX`` for a bare ``$``.
        strict: whether the amount itself is not enough.
    """

    amount: Fraction
    currency: str
    strict: bool

    def met_by(self, size: Fraction) -> bool:
        """Whether a size in the same currency is enough."""
        return size > self.amount if self.strict else size >= self.amount


def read_event_size(definition: str) -> EventSize | None:
    """The size in a definition; None where it gives none, more than one amount, or conditions of another kind.

    Args:
        definition: the words of the definition.
    """
    found = list(_SIZE.finditer(definition))
    if len(found) != 1 or _MORE.search(definition) or len(re.findall(_MONEY, definition)) != 1:
        return None
    amount = read_amount(found[0]["money"], convention=Convention.POINT, home="XXX")
    if not isinstance(amount, Amount):
        return None
    strict = re.search(r"\b(?:at\s+least|not\s+less|equal)\b", found[0]["words"], re.IGNORECASE) is None
    return EventSize(amount.value, amount.currency or "", strict)
