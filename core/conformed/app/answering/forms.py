"""The normal form of an answer by its form: what counts as the same answer before any check."""

from __future__ import annotations

import unicodedata

from conformed.evaluation.normalise import normalise_number

__all__ = ["normal_form"]

MOST = 20_000
"""Longest answer, characters; a longer one is none."""


def normal_form(answer: str, form: str) -> tuple[str | None, str]:
    """The normal form of an answer, and its kind.

    Numbers are normalised by value. Of any other form only the spelling is: Unicode NFC, and white space around it, and inside
    it for everything but code, where white space has a meaning.

    Args:
        answer: the answer.
        form: ``numeric``, ``symbolic``, ``code`` ...

    Returns:
        The normal form and its kind; None and why there is none.
    """
    if len(answer) > MOST:
        return None, "answer_too_long"
    if form == "numeric":
        return normalise_number(answer)
    text = unicodedata.normalize("NFC", answer)
    text = text.strip("\n") if form == "code" else " ".join(text.split())
    return (text, form) if text.strip() else (None, "empty_answer")
