"""Amounts of money with their currency and scale, by the grammar of contract language."""

from __future__ import annotations

import re

from conformed.evaluation.normalise.characters import LONGEST, plain
from conformed.evaluation.normalise.exact_text import written
from conformed.language.amounts import Convention, read_amount
from conformed.language.currency import UNKNOWN
from conformed.model.base import Missing

__all__ = ["normalise_money"]

_SIGNS = "€£¥₹"
_PLUS = re.compile(r"\+(?=[^\s+-])")
_MOST_DIGITS = 300


def normalise_money(text: str, *, home: str = UNKNOWN) -> tuple[str | None, str]:
    """An amount in whole units behind its ISO 4217 code: ``USD 2500000`` for ``US$2.5 million`` and ``USD 2,500,000.00``.

    A comma stands between groups and a point before decimals. A bare ``$`` is ``XXX`` (ISO 4217 for no currency) unless
    the caller says which dollar it is; so ``$5`` and ``US$5`` stay apart until then.

    Args:
        text: an answer.
        home: the currency that a bare ``$`` or ``dollars`` means, as ISO 4217.

    Returns:
        The normal form and ``money``; or None and ``unsupported_money_form``, ``no_currency``, ``number_too_long``, or the
        code under which the grammar refused it (``review_scale_unknown`` for ``$5M``, ``review_currency_mismatch`` ...).

    Raises:
        TypeError: when the answer is no text.
    """
    ready = plain(text, signs=_SIGNS)
    if ready is None:
        return None, "number_too_long" if len(text) > LONGEST else "unsupported_money_form"
    if sum(mark.isdigit() for mark in ready) > _MOST_DIGITS:
        return None, "number_too_long"
    amount = read_amount(
        _PLUS.sub("", ready, count=1) if ready.startswith("+") else ready, convention=Convention.POINT, home=home
    )
    if isinstance(amount, Missing):
        malformed = amount.code == "review_numeric_token_malformed"
        return None, "unsupported_money_form" if malformed else amount.code
    if amount.note:
        return None, "unsupported_money_form"
    if amount.currency is None:
        return None, "no_currency"
    return f"{amount.currency} {written(amount.value)}", "money"
