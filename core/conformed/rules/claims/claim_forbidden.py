"""What no draft may say: advice, legal conclusions, invented causes, and absence or effect asserted outright (CC-11 to CC-20)."""

from __future__ import annotations

import re

__all__ = ["ABSENCE", "CAUSE", "EFFECT", "LEGAL", "RECOMMENDATION"]


def _any(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(rf"\b(?:{pattern})\b" for pattern in patterns), re.IGNORECASE)


RECOMMENDATION = _any(
    r"recommend\w*", r"advis(?:e|es|ed|able)", r"suggest\w*", r"propos(?:e|es|ed)", r"should", r"ought", r"approv\w+",
    r"declin(?:e|es|ed|ing)(?! by)", r"reject(?:s|ed)?", r"consider(?:s|ed|ing)?", r"accelerat\w+", r"repric\w+", r"reset(?:s|ting)?",
    r"extend(?:s|ed)?", r"(?<!must )(?<!shall )hold", r"sell", r"buy", r"comfortabl\w+", r"acceptable", r"adequate", r"ample", r"thin", r"tight",
    r"strong", r"weak\w*", r"healthy", r"concern\w*", r"worr\w+", r"prudent", r"favou?rabl\w+", r"lend(?:ing)? more",
    r"grant(?:ed|ing)? (?:the |a )?(?:loan|credit|waiver)", r"satisfactory", r"risk\w*",
)  # fmt: skip
"""Advice and judgment of the credit (CC-13)."""

LEGAL = _any(
    r"(?:event of )?default(?:s|ed)?", r"breach(?:es|ed)? (?:of|the|its)", r"has breached", r"in breach", r"void", r"invalid",
    r"valid", r"unenforceable", r"enforceable", r"binding", r"binds", r"entitled", r"waived?", r"waives", r"cured?", r"cures",
    r"in compliance", r"compl(?:y|ies|ied|iant)", r"non-?compliance", r"violat\w+", r"lawful\w*", r"illegal", r"liable", r"guilty",
    r"remed(?:y|ies|ied)", r"continuing",
)  # fmt: skip
"""Legal conclusions (CC-14)."""

CAUSE = _any(
    r"because", r"due to", r"owing to", r"as a result of", r"driven by", r"caused? by", r"caus(?:e|es|ed|ing)", r"thanks to",
    r"on account of", r"reflect(?:s|ed|ing)?", r"attributable", r"stem(?:s|med|ming)? from", r"result(?:s|ed|ing)? from", r"led to",
    r"explained by", r"since",
)  # fmt: skip
"""Business causes (CC-15)."""

ABSENCE = _any(
    r"no \w+(?: \w+)? (?:was|were|has been|have been|is|are|exists?)", r"never", r"none of", r"nothing",
    r"there (?:is|are|was|were) no",
)  # fmt: skip
"""Absence said outright; only "the pack contains no ..." is allowed (CC-20)."""

EFFECT = _any(
    r"amend(?:s|ed)?", r"chang(?:es|ed)", r"rais(?:es|ed)", r"lower(?:s|ed)", r"replac(?:es|ed)", r"increas(?:es|ed)",
    r"reduc(?:es|ed)", r"sets?", r"moves?", r"fix(?:es|ed)?", r"impos(?:es|ed)", r"establish(?:es|ed)?", r"stipulat(?:es|ed)",
    r"prescrib(?:es|ed)", r"specif(?:y|ies|ied)", r"provid(?:es|ed)", r"caps?", r"capped", r"limits?", r"limited", r"requires?",
    r"govern(?:s|ed|ing)?",
)  # fmt: skip
"""Words that say that an instrument takes effect (CC-11)."""
