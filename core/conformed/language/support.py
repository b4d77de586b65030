"""What definitions ask of items that no account shows: pro forma earnings, synergies, cash that may be netted (4.5, 4.8)."""

from __future__ import annotations

import re

__all__ = ["CASH_RULES", "cash_rules", "cash_shown", "is_synergy", "pro_forma_named", "supports_asked", "supports_given"]

_SYNERGY = re.compile(r"\bsynerg|cost[- ]?savings?|run[- ]?rate|operating (?:expense )?reductions", re.IGNORECASE)
_PRO_FORMA = re.compile(
    r"\bpro forma (?:basis|effect)\b|\bas if (?:such|the|that|it|each) [^.;]{0,60}(?:acqui|dispos|occurred|first day)|"
    r"\b(?:before|prior to)\b[^.;]{0,60}\b(?:acquired|acquisition|became)\b|\bacquired (?:entity|business|company|person)\b",
    re.IGNORECASE,
)
_ASKED = (
    ("certified", r"\bcertifi(?:ed|cate|cation)\b"),
    ("actions", r"\bactions?\b[^.;]{0,60}\b(?:taken|initiated|committed)\b|\b(?:taken|initiated) or (?:expected )?to be taken\b"),
    (
        "horizon",
        r"\bwithin\s+(?:\w+\s+)?(?:\(?\d{1,2}\)?|six|nine|twelve|eighteen|twenty[- ]four|thirty[- ]six)[\s-]*(?:\(\d{1,2}\)\s*)?months\b",
    ),
    (
        "net_realised",
        r"\bnet of\b[^.;]{0,60}\b(?:benefits|amounts?|savings)?\b[^.;]{0,30}\b(?:actually )?(?:realis|realiz|achieved)",
    ),
)
_GIVEN = (
    ("certified", r"\b(?:certif(?:y|ies|ied)|good faith)\b"),
    ("actions", r"\bactions?\b"),
    ("horizon", r"\bwithin\b[^.;]{0,40}\bmonths\b"),
    ("net_realised", r"\bnet of\b[^.;]{0,80}\b(?:realis|realiz|achieved)"),
)


def is_synergy(label: str) -> bool:
    """Whether a line is of savings that are expected and not yet in the accounts."""
    return _SYNERGY.search(label) is not None


def pro_forma_named(text: str) -> bool:
    """Whether a definition lets earnings be worked out as if a purchase or sale had come first."""
    return _PRO_FORMA.search(text) is not None


def supports_asked(text: str) -> tuple[str, ...]:
    """What a definition asks of projected savings, read from the words around them.

    Returns:
        Any of ``certified``, ``actions``, ``horizon``, ``net_realised``.
    """
    near = " ".join(text[max(0, m.start() - 250) : m.end() + 600].partition(";")[0] for m in _SYNERGY.finditer(text))
    return tuple(name for name, pattern in _ASKED if re.search(pattern, near, re.IGNORECASE))


def supports_given(text: str) -> tuple[str, ...]:
    """What a certificate states about its projected savings and its accounting, in sentences and not in figures.

    Returns:
        Any of ``certified``, ``actions``, ``horizon``, ``net_realised``, ``reconciliation``.
    """
    said = [s for s in re.split(r"(?<=[.;])\s+|\n\s*\n", text) if _SYNERGY.search(s)]
    near = " ".join(said)
    found = [name for name, pattern in _GIVEN if re.search(pattern, near, re.IGNORECASE)]
    if re.search(
        r"\breconciliation\b[^.]{0,120}\b(?:attached|enclosed|delivered|set out|accompan|below)|\b(?:attach|enclos|deliver)\w*[^.]{0,80}\breconciliation\b",
        text,
        re.IGNORECASE,
    ):
        found.append("reconciliation")
    return tuple(found)


CASH_RULES = ("domestic", "controlled")
"""What a definition may ask of cash beside that it is not restricted: where it is held, and under whose control."""
_RULES = {
    "domestic": r"\b(?:held|maintained|located|deposited)\s+in\s+(?:the\s+)?(?:United\s+States|US|U\.S\.|England|United\s+Kingdom|UK|Canada)|\bdomestic\s+cash\b|"
    r"\b(?:held|maintained)\s+in\s+(?:\w+\s+){0,3}accounts?\s+(?:located\s+)?in\s+(?:the\s+)?(?:United\s+States|US|England|United\s+Kingdom|Canada)",
    "controlled": r"\bcontrol\s+agreements?\b|\bcontrolled\s+accounts?\b|\b(?:perfected|first\s+priority)\b[^.;]{0,40}\b(?:lien|security\s+interest)\b",
}
_SHOWN = {
    "domestic": r"\bdomestic\b|\bin\s+(?:the\s+)?(?:United\s+States|US|U\.S\.|England|United\s+Kingdom|UK|Canada)\b",
    "controlled": r"\bcontrol(?:led)?\b",
}


def cash_rules(text: str) -> tuple[str, ...]:
    """What words that let cash be netted ask of it: ``domestic`` (place), ``controlled`` (an agreement over the account)."""
    return tuple(name for name in CASH_RULES if re.search(_RULES[name], text, re.IGNORECASE))


def cash_shown(rule: str, label: str) -> bool:
    """Whether the label of a line of cash says that it meets a rule."""
    return re.search(_SHOWN[rule], label, re.IGNORECASE) is not None and not re.search(
        r"\bnot\b|\boutside\b|\bother than\b", label, re.IGNORECASE
    )
