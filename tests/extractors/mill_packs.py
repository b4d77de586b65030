"""A mill's agreement and its amendments, in the tests' own words: the pack that the amendment tests ask about."""

from __future__ import annotations

import datetime as dt

from conformed.model.decision import Effective
from conformed.model.pack import Execution, Manifest, ManifestDocument, Question
from conformed.model.retrieval import Retrieved
from conformed.ports import ExtractRequest
from conformed.rules.instruments.casefile import build_case
from conformed.rules.precedence.precedence import decide
from conformed_plugins.extractors.clauses import ClauseExtractor
from conformed_plugins.readers.text import TextReader

__all__ = ["FLAT", "TABLE", "agreement", "amendment", "ask", "shown"]

FLAT = """Section 7.11 Financial Covenants.

(a) Total Leverage Ratio. The Borrower shall not permit the Total Leverage Ratio as of the last day of any fiscal quarter to be greater than 4.00 to 1.00.

(b) Interest Cover Ratio. The Borrower shall not permit the Interest Cover Ratio as of the last day of any fiscal quarter to be less than 3.00 to 1.00.
"""
TABLE = """Section 7.11 Financial Covenants.

(a) Total Leverage Ratio. The Borrower shall not permit the Total Leverage Ratio as of the last day of any fiscal quarter set forth below to be greater than the ratio set forth opposite such fiscal quarter:

Fiscal Quarter Ending                      Maximum Ratio
March 31, 2023 through December 31, 2023   4.50 to 1.00
March 31, 2024 through December 31, 2024   4.00 to 1.00
March 31, 2025 and thereafter              3.50 to 1.00
"""


def agreement(covenants: str = FLAT, more: str = "") -> str:
    """The base agreement of March 1, 2022."""
    return f"""CREDIT AGREEMENT

dated as of March 1, 2022

among

Weir Mills, Inc., as Borrower, the Lenders party hereto and Ford Bank, as Agent

ARTICLE I
DEFINITIONS

Section 1.01 Defined Terms. As used in this Agreement:

"Total Leverage Ratio" means the ratio of (a) Funded Debt to (b) EBITDA.

"EBITDA" means net income plus interest and taxes.

ARTICLE VII
NEGATIVE COVENANTS

Section 7.06 Dividends. The Borrower shall not declare any dividend unless the Total Leverage Ratio is less than 2.50 to 1.00.

{covenants}
Section 7.12 Capital Spending. The Borrower shall not spend more than $10,000,000 in any fiscal year.

{more}
IN WITNESS WHEREOF, the parties have executed this Agreement.

By: /s/ A. Weaver
"""


def amendment(body: str, *, number: str = "FIRST", dated: str = "August 15, 2023", title: str = "", tail: str = "") -> str:
    """An instrument that changes it."""
    name = title or f"{number} AMENDMENT TO CREDIT AGREEMENT"
    return f"""{name}

This instrument (this "Amendment"), dated as of {dated}, is among Weir Mills, Inc. (the "Borrower"), the Lenders party hereto and Ford Bank, as Agent.

WHEREAS, the parties hereto are party to the Credit Agreement dated as of March 1, 2022 (the "Credit Agreement");

NOW, THEREFORE, the parties agree as follows:

{body}

IN WITNESS WHEREOF, the parties have executed this Amendment.

By: /s/ A. Weaver
By: /s/ C. Dyer
{tail}"""


def ask(base: str, *changes: str, on: str, section: str = "7.11(a)", met: tuple[str | None, ...] | None = None) -> Effective:
    """The answer for a test date; ``met`` gives the days on which conditions are attested to have been met."""
    days = met if met is not None else tuple("2023-08-15" for _ in changes)
    texts = [base, *changes]
    documents = [TextReader().read(f"{i}.txt", t.encode()) for i, t in enumerate(texts)]
    effective = ["2022-03-01", *days]
    listed = tuple(
        ManifestDocument(file=f"{i}.txt", execution=Execution.EXECUTED, effective_on=dt.date.fromisoformat(d) if d else None)
        for i, d in enumerate(effective)
    )
    manifest = Manifest(documents=listed, chain_complete=True, fiscal_year_end="12-31")
    question = Question(test_date=dt.date.fromisoformat(on), known_at=dt.date(2026, 1, 1), section=section)
    case = build_case(documents, pack="mill", digest="0", question=question, manifest=manifest)  # type: ignore[arg-type]
    extraction = ClauseExtractor().extract(ExtractRequest(case, Retrieved(authorised=tuple(d.name for d in case.documents))))
    return decide(case, extraction)


def shown(answer: Effective) -> str:
    """The level, or the result where there is none, with the overlay."""
    level = getattr(answer.covenant, "limit", None)
    text = f"{float(level.value):g}" if level is not None else answer.result
    return text if answer.overlay.value == "none" else f"{text}, {answer.overlay.value}"
