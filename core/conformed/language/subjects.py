"""What a covenant tests: the name of the figure, its normal name, and the two sides of a ratio."""

from __future__ import annotations

import re
from dataclasses import dataclass

__all__ = ["Subject", "expected_direction", "find_subject", "metric_of", "name_tokens", "slug"]

_CAP = r"[A-Z][\w&'/-]*"
_LINK = r"(?:\s+(?:to|of|and|or|the|&|plus|for|in|on|over|from|less|minus|a)\b)?"
_HEADS = (
    r"Ratio|Leverage|Coverage|Cover|EBITDAX?|EBITDAR?|Net\s+Worth|Networth|Liquidity|Balance|Gearing|Cash\s+Equivalents|Cash|Income|Expenditures?|Capital|Debt|"
    r"Indebtedness|Borrowings|Liabilities|Earnings|Equity|Assets|Funds|Margin|Availability|Investments|Loss(?:es)?|Cashflow"
)
_MORE = r"(?:\s+(?:[A-Z][\w-]*|coverage|cover|leverage|charges?|service|worth|flow)){0,4}?\s+(?:[Rr]atio|Flow|Coverage|Leverage|coverage\s+ratio)\b"
"""Behind a head that is not the last word of the name: "Debt Service coverage Ratio", "Net Cash Flow"."""
_NAMED = re.compile(rf"\b((?:{_CAP}{_LINK}\s+){{0,9}}(?:{_HEADS})\b(?:{_MORE})?)(?!\w)(?:\s*\([^)]{{0,40}}\))?")
_END = (
    r"(?=\s*[,;(]|\s+(?:to\s+be|as\s+(?:of|at|in)|at\b|for\b|of\s+(?:not|no|at|less|more|greater)|not\b|no\b|is\b|"
    r"be\b|shall\b|will\b|must\b|on\b|in\s+respect|calculated|determined|measured|to\s+(?:exceed|fall|be|not|at)|"
    r"which|that|computed|during|equal|in\s+a\s+ratio|less\s+than|greater\s+than|more\s+than|exceeding)|\s*$)"
)
_RATIO_OF = re.compile(
    rf"\b(?:[Rr]atio|RATIO|relationship|proportion)\s+(?:\([^)]{{0,60}}\)\s*,?\s*)?of\s*(?:\(?[aiAx1]\)\s*)?(?P<upper>(?:(?!\bratio\b)[^;:.]){{2,260}}?)\s*,?\s+(?:to|over)\s+(?:\(?(?:b|ii|B|y|2)\)\s*)?(?P<lower>[A-Z](?:[^;:.,]){{1,140}}?){_END}"
)
_DIVIDED = re.compile(
    rf"(?P<upper>{_CAP}(?:\s+(?:of\s+|and\s+)?{_CAP}){{0,7}})\s*,?\s+divided\s+by\s+(?P<lower>{_CAP}(?:\s+{_CAP}){{0,6}})"
)
_X_TO_Y = re.compile(
    rf"\b(?P<upper>(?:{_CAP}\s+){{0,5}}(?:Debt|Indebtedness|Liabilities|Borrowings|Leverage|EBITDAX?))\s+to\s+(?P<lower>(?:{_CAP}\s+){{0,5}}(?:EBITDA[XR]?|Net\s+Worth|Capitali[sz]ation|Capital|Equity|Cash\s*Flow|Earnings))(?P<ratio>\s+Ratio)?"
)


@dataclass(frozen=True, slots=True)
class Subject:
    """The tested figure in a text.

    Attributes:
        start: first offset of its name.
        end: one past the last.
        name: as written, white space collapsed.
        upper: numerator as written, for a ratio of two named things.
        lower: denominator as written.
    """

    start: int
    end: int
    name: str
    upper: str = ""
    lower: str = ""


_QUALIFIED = re.compile(
    (
        r"\s+(?:as\s+(?:at|of)|on\s+(?:such|any|the|that)|at\s+(?:the|any|such)|for\s+(?:the|any|such)|outstanding|"
        r"determined|calculated)\b.*$"
    ),
    re.DOTALL,
)


def _words(text: str) -> str:
    text = re.sub(r"^The\s+|\s+(?:to|of|at|not|be)$", "", " ".join(text.split()).strip(" ,;"))
    return re.sub(r"^\(?(?:a|i|x|A|1|b|ii|y|B|2)\)\s*", "", text)


def _side(text: str) -> str:
    return _QUALIFIED.sub("", _words(text)).strip(" ,;")


def find_subject(text: str, start: int, end: int) -> Subject | None:
    """The first named figure between two offsets."""
    found: list[Subject] = []
    m = _RATIO_OF.search(text, start, end)
    if m:
        found.append(Subject(m.start(), m.end(), _words(m[0]), _side(m["upper"]), _side(m["lower"])))
    m = _DIVIDED.search(text, start, end)
    if m:
        found.append(Subject(m.start(), m.end(), _words(m[0]), _side(m["upper"]), _side(m["lower"])))
    m = _X_TO_Y.search(text, start, end)
    if m:
        found.append(Subject(m.start(), m.end(), _words(m[0]), _side(m["upper"]), _side(m["lower"])))
    for m in _NAMED.finditer(text, start, end):
        name = re.sub(
            (
                r"^(?:The|A|An|Its|Each|Any|As|At|On|In|For|Permit|Maintain|Have|Allow|Suffer|Incur|Borrower|Company|Parent|"
                r"Holdings|Guarantor|Lender|Lenders|And|All)\s+(?:the\s+|its\s+|a\s+|an\s+)?"
            ),
            "",
            _words(m[1]),
        )
        # "during a Holiday Period the Leverage Ratio": a period is no part of the figure's name.
        name = re.sub(
            r"^.*\b(?:Period|Date|Quarter|Event|Year|Time|Day)s?\s+(?:the\s+|its\s+|and\s+|of\s+|an?\s+)*(?=[A-Z])", "", name
        )
        if name and name[0].isupper():
            at = text.find(name.split()[0], m.start(), m.end())
            found.append(Subject(at if at >= 0 else m.start(), m.end(1), name))
        break
    if not found:
        return None
    # The earliest; of several at one place the one that says most.
    return min(found, key=lambda s: (s.start - (8 if s.upper else 0), -(s.end - s.start)))


def slug(text: str) -> str:
    """Lower case, words joined by underscores."""
    return "_".join(re.findall(r"[a-z0-9]+", text.lower()))


_LEVERAGE = re.compile(
    r"leverage|gearing|debt\s+cover(?!age)|(?:debt|indebtedness|liabilities|borrowings)\b.{0,60}(?:\bto\b|divided\s+by|/|over)",
    re.IGNORECASE | re.DOTALL,
)
_SHARE = re.compile(r"\b(?:capital|cap|asset\s+values?)\b", re.IGNORECASE)
"""Lower terms that make debt a share of capital or of assets, another figure than leverage (4.1)."""
_COVER = re.compile(
    (
        r"(?:interest|fixed\s+charges?|debt\s+service|cash\s*flow|charge|ebitda|earnings|asset|"
        r"collateral)\s*(?:charges?\s+)?cover|coverage|cover\b|(?:ebitda|earnings|"
        r"cash\s+flow)[^.]{0,40}\bto\b[^.]{0,60}(?:interest|charges|service)"
    ),
    re.IGNORECASE,
)


def metric_of(name: str, upper: str = "", lower: str = "") -> str:
    """Normal name of a figure: total_leverage, net_leverage, senior_leverage, interest_cover ... or a slug of its name."""
    text = f"{name} {upper}"
    if re.search(r"interest|finance\s+(?:charges?|costs?)", name, re.IGNORECASE) and _COVER.search(name):
        return "interest_cover"
    if re.search(r"fixed\s+charge", name, re.IGNORECASE):
        return "fixed_charge_cover"
    if re.search(r"debt\s+service", name, re.IGNORECASE):
        return "debt_service_cover"
    if _COVER.search(name) and not re.search(r"leverage|debt\s+cover(?!age)", name, re.IGNORECASE):
        return slug(name)
    ratio_of_debt = bool(upper and re.search(r"debt|indebtedness|liabilities|borrowings", upper, re.IGNORECASE))
    if not (_LEVERAGE.search(name) or ratio_of_debt):
        return slug(name)
    if re.search(r"net\s+worth|capitali[sz]ation|equity|assets", f"{name} {lower}", re.IGNORECASE) or _SHARE.search(lower):
        return slug(name) if not upper else slug(f"{upper} to {lower}")
    net = bool(re.search(r"\bnet\b(?!\s+worth)", text, re.IGNORECASE))
    if re.search(r"first[\s-]+lien", text, re.IGNORECASE):
        return "first_lien_net_leverage" if net else "first_lien_leverage"
    if re.search(r"\bsenior\b", text, re.IGNORECASE):
        secured = bool(re.search(r"secured", text, re.IGNORECASE))
        super_ = "super_" if re.search(r"\bsuper[\s-]+senior\b", text, re.IGNORECASE) else ""
        return f"{super_}senior_{'secured_' if secured else ''}{'net_' if net else ''}leverage"
    if re.search(r"\bsecured\b", text, re.IGNORECASE):
        return "secured_net_leverage" if net else "secured_leverage"
    return "net_leverage" if net else "total_leverage"


def expected_direction(name: str, upper: str = "", lower: str = "") -> str:
    """``max`` for debt over something, ``min`` for cover, earnings, liquidity and net worth; empty where neither is plain."""
    metric = metric_of(name, upper, lower)
    if metric.endswith("leverage") or (upper and re.search(r"debt|liabilit|indebted|borrowing", upper, re.IGNORECASE)):
        return "max"
    if re.search(r"leverage|(?:debt|liabilities|indebtedness)\s+(?:to|divided)", name, re.IGNORECASE):
        return "max"
    if re.search(
        r"cover|net\s+worth|liquidity|ebitda|cash\s+balance|current\s+ratio|net\s+income", name, re.IGNORECASE
    ) and not re.search(r"loss|expenditure", name, re.IGNORECASE):
        return "min"
    return ""


_STOP = {
    "ratio",
    "ratios",
    "of",
    "the",
    "to",
    "a",
    "an",
    "and",
    "by",
    "divided",
    "maximum",
    "minimum",
    "covenant",
    "test",
    "level",
    "or",
    "for",
}


def name_tokens(text: str) -> frozenset[str]:
    """The words of a name that tell it from others, for matching what a person types."""
    text = re.sub(r"\bebitda[xr]\b", "ebitda", text.lower()) if "ebitdax" not in text.lower() else text.lower()
    return frozenset(w for w in re.findall(r"[a-z0-9]+", text) if w not in _STOP)
