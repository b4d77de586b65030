"""Whether an instrument shows the share of lenders that its change needs (rule book PR-20).

The words are looked for, not the law behind them: an instrument that recites the required lenders, that every lender signs,
or that knows no group of lenders at all (one lender, who signs) shows its share. A class that is the wrong one is not seen here.
"""

from __future__ import annotations

import re

__all__ = ["shows_consent"]

_GROUP = r"(?:Lenders|Banks|Purchasers|Holders|Noteholders|Financial\s+Institutions)"
_MANY = re.compile(rf"\b{_GROUP}\b", re.IGNORECASE)
_SHARE = re.compile(
    rf"\b(?:Required|Majority|Requisite|Super-?\s?majority|Necessary)\s+(?:[\w-]+\s+){{0,3}}?{_GROUP}\b"
    rf"|\b(?:each|all|every)\s+(?:of\s+)?(?:the\s+)?(?:[\w-]+\s+)?(?:{_GROUP}|Lender|Bank)\b"
    rf"|\b{_GROUP}\s+(?:\w+\s+){{0,2}}?(?:party|parties|signatory|signatories)\s+(?:here)?to\b"
    rf"|\bundersigned\s+(?:\w+\s+){{0,2}}?{_GROUP}\b",
    re.IGNORECASE,
)
_SIGNS = re.compile(
    rf"\bas\s+(?:an?\s+)?(?:\w+\s+)?(?:Lender|Bank|Purchaser)\b|^[ \t]*(?:THE\s+)?{_GROUP}[ \t]*:?[ \t]*$",
    re.IGNORECASE | re.MULTILINE,
)
_END = 20_000


def shows_consent(text: str) -> bool:
    """Whether the needed share of lenders is recited, or lenders sign, or there is no group of lenders to ask.

    Args:
        text: live text of the instrument.
    """
    if _MANY.search(text) is None:
        return True
    return _SHARE.search(text) is not None or _SIGNS.search(text, max(0, len(text) - _END)) is not None
