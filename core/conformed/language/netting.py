"""Cash that a definition takes off debt, and the ceiling on it: an amount, a share of earnings, or the greater of both (4.5)."""

from __future__ import annotations

import re
from fractions import Fraction

from conformed.language.amounts import Amount, Convention, find_amounts
from conformed.language.caps import CEILING, limb_of
from conformed.language.support import cash_rules
from conformed.model.base import Exact, Frozen

__all__ = ["Netting", "is_unrestricted", "read_netting"]


class Netting(Frozen):
    """What the words of one definition say of cash."""

    kind: str
    """``uncapped`` or ``capped``."""
    amount: Amount | None = None
    """Fixed ceiling."""
    share: Exact | None = None
    """Ceiling as a share of earnings; with an amount the greater of the two counts."""
    unclear: bool = False
    """Whether there is a ceiling that these words do not fix."""
    unrestricted: bool = False
    """Whether only cash that is not restricted counts."""
    rules: tuple[str, ...] = ()
    """What else is asked of the cash: ``domestic``, ``controlled``."""


_NETS = re.compile(r"\b(?:less|minus|net of|reduced by|excess of|deducting|after deducting|netting)\b", re.IGNORECASE)
_CASH = re.compile(r"\bcash\b(?! flow)", re.IGNORECASE)
_UNRESTRICTED = re.compile(
    r"\bunrestricted\b|(?:excluding|other than|not including|exclusive of|free of)\s+(?:any\s+)?restricted|\bnot restricted\b",
    re.IGNORECASE,
)
_SHARE = re.compile(r"(?P<share>\d{1,3}(?:\.\d{1,3})?)\s*(?:%|per\s?cent\.?)\s+of\b(?P<what>[^.;,()]{0,60})", re.IGNORECASE)


def is_unrestricted(text: str) -> bool:
    """Whether words leave restricted cash out."""
    return _UNRESTRICTED.search(text) is not None


def read_netting(text: str, convention: Convention | None, home: str) -> Netting | None:
    """What a definition takes off debt as cash; None where it takes none off.

    Args:
        text: its words on one line.
        convention: how the agreement writes its numbers.
        home: what a bare ``$`` means.
    """
    for match in _CASH.finditer(text):
        left, right = limb_of(text, match.start(), match.end())
        if not _NETS.search(text[max(0, left - 200) : match.start()]):
            continue
        limb = text[left:right]
        part = [m for m in _SHARE.finditer(limb) if "cash" in m["what"].lower() and Fraction(m["share"]) != 100]
        base = Netting(kind="uncapped", unclear=bool(part), unrestricted=is_unrestricted(limb), rules=cash_rules(limb))
        return _capped(base, limb, convention, home) if CEILING.search(limb) else base
    return None


def _capped(base: Netting, limb: str, convention: Convention | None, home: str) -> Netting:
    amounts = [a for _, _, a in find_amounts(limb, convention=convention, home=home) if isinstance(a, Amount)]
    shares = list(_SHARE.finditer(limb))
    amount = amounts[0] if len({a.value for a in amounts}) == 1 else None
    of_earnings = [m for m in shares if re.search(r"EBITDA|earnings", m["what"], re.IGNORECASE)]
    share = Fraction(of_earnings[0]["share"]) / 100 if len(of_earnings) == 1 else None
    whole = [m for m in shares if m not in of_earnings and not (m["share"] == "100" and "cash" in m["what"].lower())]
    both = amount is not None and share is not None
    unclear = (
        base.unclear
        or (amount is None and share is None)
        or (bool(amounts) and amount is None)
        or bool(whole)
        or len(of_earnings) > 1
    )
    unclear = unclear or (both and re.search(r"\bgreater of\b", limb, re.IGNORECASE) is None)
    return base.model_copy(update={"kind": "capped", "amount": amount, "share": share, "unclear": unclear})
