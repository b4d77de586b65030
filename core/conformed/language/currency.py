"""Currency signs and codes, and what a bare dollar sign means in one document."""

from __future__ import annotations

import re

__all__ = ["CODES", "SIGNS", "UNKNOWN", "currency_of", "home_currency"]

UNKNOWN = "XXX"
"""ISO 4217 for "no currency": a dollar sign in a document that does not say which dollar."""

SIGNS: dict[str, str] = {
    "U.S. $": "USD", "U.S.$": "USD", "US$": "USD", "US $": "USD", "C$": "CAD", "CA$": "CAD", "Cdn$": "CAD", "Cdn.$": "CAD",
    "A$": "AUD", "AU$": "AUD", "NZ$": "NZD", "HK$": "HKD", "S$": "SGD", "€": "EUR", "£": "GBP", "¥": "JPY", "₹": "INR",
}  # fmt: skip
"""Signs that name one currency. A bare ``$`` is not among them."""

CODES = frozenset(
    [
        "AUD",
        "BGN",
        "BRL",
        "CAD",
        "CHF",
        "CNY",
        "CZK",
        "DKK",
        "EUR",
        "GBP",
        "HKD",
        "HUF",
        "INR",
        "JPY",
        "MXN",
        "NOK",
        "NZD",
        "PLN",
        "SEK",
        "SGD",
        "USD",
        "ZAR",
    ]
)
"""ISO 4217 codes that are read."""

_NAMES = (
    (
        (
            r"U\.?\s?S\.?\s+dollars?|United States dollars?|dollars? of the United States|lawful (?:money|"
            r"currency) of the United States"
        ),
        "USD",
    ),
    (r"Canadian dollars?|lawful (?:money|currency) of Canada", "CAD"),
    (r"Australian dollars?|lawful (?:money|currency) of Australia", "AUD"),
    (r"Pounds? Sterling|\bSterling\b", "GBP"),
    (r"\bEuros?\b", "EUR"),
)
_DOLLARS = {"USD", "CAD", "AUD", "NZD", "HKD", "SGD"}
_SIGN = re.compile("|".join(re.escape(sign) for sign in sorted(SIGNS, key=len, reverse=True)))
_CODE = re.compile(r"\b(?:" + "|".join(sorted(CODES)) + r")\b")


def currency_of(token: str, home: str = UNKNOWN) -> str | None:
    """The code of a sign or code as written; ``home`` for a bare ``$``; None where it is neither."""
    token = token.replace("\u00a0", " ").strip()
    if token in ("$", "Dollars", "dollars"):
        return home
    return SIGNS.get(token) or (token if token in CODES else None)


def home_currency(text: str) -> str:
    """What a bare ``$`` means in a document: the one dollar that its words, signs and codes name.

    A document that names no dollar, or more than one, leaves the sign open: UNKNOWN ("XXX").
    """
    text = text.replace("\u00a0", " ")
    named = {SIGNS[found] for found in _SIGN.findall(text)} | set(_CODE.findall(text))
    named |= {code for pattern, code in _NAMES if re.search(pattern, text, re.IGNORECASE)}
    dollars = named & _DOLLARS
    return dollars.pop() if len(dollars) == 1 else UNKNOWN
