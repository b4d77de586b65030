"""Names of certificate lines: from the words of a label to a name of the calculation, by language alone.

Names with a prefix are parts of a sum: ``debt_`` of total debt, ``addback_`` of earnings, ``gain_`` is taken out of
earnings. A label that no line of the table knows keeps a slug of its own words: it is shown, and takes no part.
"""

from __future__ import annotations

import re

__all__ = ["STATUTORY", "addback_words", "is_flow", "is_named", "name_of", "ratio_kind", "sign_of", "slug", "takes_part"]

STATUTORY = ("interest", "taxes", "depreciation", "amortization", "depreciation_and_amortization")
"""Charges that earnings before interest, taxes, depreciation and amortization always adds back."""

_LEAD = re.compile(
    r"^\s*(?:(?:[A-Z]|[IVX]{1,4}|\d{1,2})[.)]\s+|[A-Z]\.\s?\d{1,2}(?:\.\d+)?\s+|\d{1,2}\([a-z]{1,4}\)\s*|\d{1,2}\s+(?=[A-Za-z(])"
    r"|\((?:[a-z]|[ivx]{1,4}|\d{1,2})\)\s*|(?:[a-z]|[ivx]{1,4})\)\s*|[-•*–]\s+|lines?\s+\d{1,2}[.:)]?\s+)"
    r"|^\s*(?:plus|minus|less|add|deduct|and|or)\b\s*:?\s*",
    re.IGNORECASE,
)
_ADDED = re.compile(
    r"^\W*(?:[A-Za-z]?\.?\d{0,2}(?:\([a-z]{1,4}\))?[.)]?\s+)?(?P<sign>plus|add|minus|less|deduct)\b", re.IGNORECASE
)
_ACCOUNTING = (
    r"(?=.*\b(?:reconcil(?:iation|ing)|adjust\w*|effect|impact|revers\w*|remov\w*|exclu\w*)\b)"
    r"(?=.*\b(?:(?:IFRS|FRS|IAS|ASC) ?\d+|frozen (?:GAAP|accounting)|previous accounting|original accounting|accounting change))"
)
_TABLE: tuple[tuple[str, str], ...] = (
    (r"\b(?:equity )?cure (?:amount|contribution)|\bequity cure\b|\bspecified equity contribution|\bnew shareholder injection", "cure_amount"),
    (rf"{_ACCOUNTING}.*\b(?:debt|indebtedness|borrowings|lease liabilit)", "recon_debt"),
    (rf"{_ACCOUNTING}.*\b(?:EBITDA|earnings|rent\w*|lease (?:expense|cost|payment)s?)", "recon_earnings"),
    ((r"\bpro forma (?:EBITDA|earnings)\b.*\b(?:acqui|target|purchased)|\b(?:acquired|target) (?:(?:business(?:es)?|compan(?:y|ies)|"
        r"entit(?:y|ies)|group)(?:'s)? )?(?:EBITDA|earnings|profits?)\b|\b(?:EBITDA|earnings|profits?) of (?:the )?(?:acquired|target)\b|"
            r"\bpre-?acquisition (?:EBITDA|earnings|profits?)"), "proforma_acquired"),
    ((r"\b(?:EBITDA|earnings|profits?) of (?:the |any )?(?:business(?:es)? |compan(?:y|ies) |entit(?:y|ies) )?(?:disposed|sold|divested)|"
        r"\b(?:disposed|divested) (?:business(?:es)?|compan(?:y|ies)|entit(?:y|ies))(?:'s)? (?:EBITDA|earnings|profits?)"), "proforma_disposed"),
    (r"\b(?:debt|indebtedness|borrowings)\b.*\b(?:less|minus|net of)\b.*\bcash\b", "stated_net_debt"),
    (r"\bcash\b.*\b(?:deducted|netted|applied|taken off)\b", "stated_eligible_cash"),
    (r"^(?:limit|cap|ceiling|maximum)\b|^\d+(?:\.\d+)?\s?% of\b", "stated_limit"),
    (r"\badded back\b|\bamount allowed\b", "stated_addbacks"),
    (r"\bEBITDA\b.*\b(?:before|prior to|excluding)\b", "stated_base_ebitda"),
    (r"\b(?:profit|loss)\b.*\b(?:after tax|for the (?:period|year))", "net_income"),
    (r"\bnetting cap\b|maximum (?:cash )?netting|cap on (?:cash )?netting", "stated_netting_cap"),
    (r"\b(?:headroom|cushion)\b", "stated_headroom"),
    (r"\bcommitments?\b|\bavailability\b|\bundrawn\b|\bunused\b", "stated_commitment"),
    (r"\b(?:in )?compliance\b|\bcomplied\b", "stated_compliance"),
    ((r"\b(?:netted|eligible|qualifying|qualified) cash\b|cash (?:that may be |to be |permitted to be )?netted|"
        r"\blesser of\b.*\bcash\b"), "stated_eligible_cash"),
    (r"\bcash\b.*\b(?:outside|not (?:held )?in) (?:the )?(?:United|US|U\.S|UK|England|Canada)|\bforeign cash\b|\bcash\b.*\bforeign\b", "foreign_cash"),
    (r"\bcash\b.*\b(?:not|without|other than)\b.*\bcontrol|\buncontrolled cash\b", "uncontrolled_cash"),
    (r"\b(?:ineligible|non-?qualifying|excluded) cash\b|\bcash\b.*\b(?:not eligible|ineligible)", "excluded_cash"),
    (r"(?<!un)\brestricted (?:cash|amounts?)|cash (?:held )?in escrow|blocked cash", "restricted_cash"),
    (r"\bunrestricted (?:domestic )?cash\b", "unrestricted_cash"),
    (r"\bcash interest\b|\binterest (?:charges?|expenses?|cost)|\bfinance (?:charges|costs)\b|^interest$", "interest"),
    (r"\binterest income\b", "gain_interest_income"),
    (r"\bgains?\b(?!.*\bloss)", "gain_"),
    (r"\bextraordinary (?:income|items of income)\b|non-?cash income", "gain_"),
    (r"\bdepreciation\b.*\bamorti[sz]ation\b", "depreciation_and_amortization"),
    (r"\bdepreciation\b", "depreciation"),
    (r"\bamorti[sz]ation\b", "amortization"),
    (r"\btax(?:es|ation)?\b", "taxes"),
    (r"\bnet (?:income|profit|earnings|loss)\b|\bprofit (?:after tax|for the period)\b", "net_income"),
    ((r"\bEBITDA\b.*\b(?:before|prior to|excluding)\b.*\b(?:add-?backs?|adjustments|synerg)|"
        r"\bbase EBITDA\b"), "stated_base_ebitda"),
    (r"(?:cap|limit|ceiling|maximum)\b.*\badd-?backs?|add-?backs?\b.*\b(?:cap|limit|ceiling)\b", "stated_addback_cap"),
    (r"(?:\btotal|\baggregate|\bsum of)\b.*\badd-?backs?", "stated_addbacks"),
    ((r"\badd-?backs?\b|\brestructuring\b|\bintegration\b|\bsynerg|cost savings?|run-?rate|non-?recurring|\bunusual\b|"
        r"\bextraordinary\b|\bimpairment\b|\bnon-?cash\b|(?:stock|share|equity)-?\s?based\b|\btransaction (?:costs|"
            r"expenses|fees)|\bseverance\b|business optimi[sz]ation|\bpro forma (?:adjustments?|cost)|\bexceptional\b|"
                r"\bmanagement fees?\b|\bone-?time\b|\bacquisition (?:costs|expenses)"), "addback_"),
    (r"\b(?:EBITDA|EBITDAX)\b", "ebitda"),
    ((r"\bnet (?:debt|indebtedness|borrowings)\b|\bnet (?:senior|first lien|secured) (?:debt|indebtedness)|(?:debt|"
        r"indebtedness) net of"), "stated_net_debt"),
    ((r"\b(?:total|consolidated|aggregate)\b.*\bfirst[- ]lien\b.*\b(?:debt|indebtedness|borrowings)|^first[- ]lien (?:debt|"
        r"indebtedness)"), "first_lien_debt"),
    ((r"\b(?:total|consolidated|aggregate)\b.*\bsecured\b.*\b(?:debt|indebtedness|borrowings)|^(?:senior )?secured (?:debt|"
        r"indebtedness)$"), "secured_debt"),
    ((r"\b(?:total|consolidated|aggregate)\b.*\bsenior\b.*\b(?:debt|indebtedness|borrowings)|^senior (?:debt|"
        r"indebtedness)$"), "senior_debt"),
    ((r"(?:\btotal\b|\bconsolidated\b|\baggregate\b|\bsum of\b).*\b(?:debt|indebtedness|borrowings)\b|^(?:funded|financial|"
        r"gross) (?:debt|indebtedness)\b|^(?:debt|indebtedness|borrowings)$"), "total_debt"),
    ((r"\bloans?\b|\bnotes?\b(?! \d)|\bbonds?\b|\bdebentures?\b|\b(?:finance|financing|capital) leases?|"
        r"\bcapitali[sz]ed lease|letters? of credit|\bborrowings?\b|\bindebtedness\b|\bdebt\b|\bguarant|\bpurchase money\b|"
            r"\boverdraft|\bearn-?outs?\b|\bdeferred purchase price\b|\bcommercial paper\b|\brevolv|\bterm (?:facility|"
                r"[A-C]\b)"), "debt_"),
    (r"\bcash\b", "cash"),
)  # fmt: skip
_COMPILED = tuple((re.compile(pattern, re.IGNORECASE), name) for pattern, name in _TABLE)
_RATIO = re.compile(r"\bratio\b|\bleverage\b|\bcoverage\b|\binterest cover\b|\bdebt to\b|\bto EBITDA\b", re.IGNORECASE)
_METRIC = re.compile(r"\bleverage\b|\bcover(?:age)?\b|\bdebt\b|\bindebtedness\b|\bEBITDA\b", re.IGNORECASE)
_LEVEL = re.compile(
    r"\b(?:required|requirement|maximum|minimum|permitted|limit|covenant level|covenant|not (?:to )?(?:be )?(?:more|"
    r"greater|less|exceed)\w*|shall not|may not|must not|no (?:more|greater|less)|at least|at most)\b",
    re.IGNORECASE,
)
_RANKS = (("first[- ]lien", "first_lien"), ("senior secured|secured", "secured"), ("senior", "senior"))


def slug(label: str) -> str:
    """Lower-case words joined by underscores, at most 60 characters; ``line`` where no letter is left."""
    words = re.findall(r"[a-z0-9]+", label.lower())
    return "_".join(words)[:60].strip("_") or "line"


def _bare(label: str) -> str:
    """The label without line numbers, lead words, cross-references in brackets and trailing marks."""
    before = ""
    while before != label:
        before, label = label, _LEAD.sub("", label, count=1)
    label = re.sub(r"\((?:[^()]*\b(?:lines?|sum|section|schedule|from|items?)\b[^()]*)\)", " ", label, flags=re.IGNORECASE)
    return re.sub(r"[\s.:_…·=]+$", "", " ".join(label.split()))


def _known(label: str) -> str | None:
    """The name that the table, or a lead word such as "plus", gives to a label; None where neither knows it."""
    bare = _bare(label)
    for pattern, name in _COMPILED:
        if pattern.search(bare):
            return name + slug(bare) if name.endswith("_") else name
    sign = sign_of(label)
    return {"+": "addback_", "-": "gain_"}[sign] + slug(bare) if sign else None


def name_of(label: str) -> str:
    """The name of an amount's line, from its label alone."""
    return _known(label) or slug(_bare(label))


def sign_of(label: str) -> str:
    """``+`` or ``-`` where a label starts with plus, add, minus, less or deduct; else empty."""
    match = _ADDED.match(label)
    return "" if match is None else "+" if match["sign"].lower() in ("plus", "add") else "-"


_FLOWS = (*STATUTORY, "net_income", "ebitda", "stated_base_ebitda")
_FLOW_PARTS = ("addback_", "gain_", "proforma_", "recon_earnings")


def is_flow(name: str) -> bool:
    """Whether a line, by its name, is of a period (earnings) and not of a day (debt, cash)."""
    return name in _FLOWS or name.startswith(_FLOW_PARTS)


def is_named(label: str) -> bool:
    """Whether the label is one of language that the table knows, also of lines that are only shown."""
    return _known(label) is not None


def takes_part(label: str) -> bool:
    """Whether the label of an amount names something that a calculation can use."""
    name = _known(label)
    return name is not None and not name.startswith("stated_")


def ratio_kind(label: str, before: str = "") -> str:
    """The name of a ratio's line: ``ratio`` or ``required_level``, with the ranking or ``cover`` where it is another metric.

    Args:
        label: the words before the figure, on its line.
        before: the nearest heading above, which says which ratio the line belongs to where the line does not.
    """
    text = label if _METRIC.search(label) else f"{before} {label}"
    kind = "required_level" if _LEVEL.search(label) else "ratio"
    if re.search(r"\bcover(?:age)?\b|\bEBITDA to\b", text, re.IGNORECASE):
        return f"{kind}_cover"
    if not re.search(r"\bleverage\b|\bdebt\b|\bindebtedness\b", text, re.IGNORECASE):
        return f"{kind}_other"
    for words, rank in _RANKS:
        if re.search(rf"\b(?:{words})\b", text, re.IGNORECASE):
            return f"{kind}_{rank}"
    return kind


def addback_words(text: str) -> tuple[str, ...]:
    """Words of capped items in a clause (``restructuring``, ``synergies``), lower case, sorted: they fit labels by stem."""
    stems = (
        "restructur",
        "integrat",
        "synerg",
        "saving",
        "run-rate",
        "non-recurring",
        "nonrecurring",
        "unusual",
        "extraordinary",
        "impairment",
        "transaction",
        "severance",
        "optimi",
        "exceptional",
        "one-time",
        "acquisition",
        "pro forma",
    )
    low = text.lower()
    return tuple(stem for stem in stems if stem in low)
