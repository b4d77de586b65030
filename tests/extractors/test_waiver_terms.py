"""Conditions of a waiver, from its words: a ceiling of its own, another condition, words that turn it round (P36, PR-44)."""

from __future__ import annotations

from fractions import Fraction

import mill_packs as packs
import pytest

from conformed.model.covenant import Comparator
from conformed.model.decision import Effective, Overlay

WAIVE = "1. The Lenders hereby waive the Event of Default arising from the failure to comply with Section 7.11(a) of the Credit Agreement for the fiscal quarter ended September 30, 2023"
CODES = {"accept_waiver_overlay", "review_cp_evidence_missing", "review_clause_not_fully_read"}


def asked(body: str) -> Effective:
    """The level question about the quarter that is waived."""
    waiver = packs.amendment(body, title="WAIVER UNDER CREDIT AGREEMENT", dated="October 20, 2023")
    return packs.ask(packs.agreement(), waiver, on="2023-09-30", met=("2023-10-20",))


CEILINGS = [
    (", provided that the Total Leverage Ratio for that quarter does not exceed 4.20 to 1.00.", Comparator.LE, "total_leverage"),
    (", so long as such ratio was not greater than 4.20 to 1.00.", Comparator.LE, ""),
    (", on the condition that the Total Leverage Ratio is less than 4.20 to 1.00.", Comparator.LT, "total_leverage"),
    (" but only if that ratio is 4.20 to 1.00 or less.", None, ""),
    (".\n\n2. This waiver applies only if the Total Leverage Ratio for that quarter is not more than 4.20 to 1.00.", Comparator.LE, "total_leverage"),
    (", provided that the Senior Leverage Ratio does not exceed 4.20 to 1.00.", Comparator.LE, "senior_leverage"),
]  # fmt: skip


@pytest.mark.parametrize(("words", "comparator", "metric"), CEILINGS)
def test_a_ceiling_waits_for_the_ratio(words: str, comparator: Comparator | None, metric: str) -> None:
    """The ceiling, its comparison and whose ratio it is; the level alone leaves the overlay open, and words behind the level are left to a person."""
    found = asked(WAIVE + words)
    assert found.overlay is Overlay.NONE
    got = [(w.ceiling.value, w.comparator, w.metric) for w in found.waivers]
    assert got == ([(Fraction("4.2"), comparator, metric)] if comparator else [])
    assert "review_cp_evidence_missing" in {r.code for r in found.overlay_reasons}


@pytest.mark.parametrize(
    "body",
    [
        WAIVE + ", provided that this waiver shall not apply if the Total Leverage Ratio exceeds 4.20 to 1.00.",
        WAIVE + ", unless the Total Leverage Ratio exceeds 4.20 to 1.00.",
        WAIVE + ", provided that the Total Leverage Ratio exceeds 4.20 to 1.00.",
        WAIVE + ", provided that the Total Leverage Ratio does not exceed 4.20 to 1.00 and subject to payment of the fee.",
        WAIVE + ", provided that the Total Leverage Ratio does not exceed 4.20 to 1.00 for that quarter and 4.10 to 1.00 for the next.",
        WAIVE + ", subject to receipt of the fee.",
        WAIVE + ", so long as the Borrower has paid the fee.",
        WAIVE.replace("The Lenders", "If the Borrower has paid the fee, the Lenders") + ".",
        WAIVE.replace("1. The Lenders", "1. So long as the Total Leverage Ratio does not exceed 4.20 to 1.00, the Lenders") + ".",
        WAIVE + ".\n\n2. This waiver shall not apply if the Total Leverage Ratio exceeds 4.20 to 1.00.",
        WAIVE + ", provided that the ratio does not exceed 4.20 to 1.00.\n\n2. This waiver applies only if the Total Leverage Ratio is not more than 4.10 to 1.00.",
    ],
)  # fmt: skip
def test_what_is_not_understood_is_never_a_waiver(body: str) -> None:
    """Turned words, a second ratio, another condition, a condition ahead: no overlay, no ceiling to judge, and a code that says so."""
    found = asked(body)
    assert (found.overlay, found.waivers) == (Overlay.NONE, ())
    told = {r.code for r in found.overlay_reasons} & CODES
    assert told
    assert "accept_waiver_overlay" not in told


@pytest.mark.parametrize(
    "words",
    [
        ".",
        ", provided that this waiver shall not be deemed a waiver of any other provision.",
        ", provided, however, that the foregoing waiver is limited to that quarter.",
        ".\n\n2. This waiver is limited to that quarter and is not an amendment of any provision.",
        ".\n\n2. Except as set out in this waiver, the Credit Agreement is unchanged.",
    ],
)
def test_words_that_only_keep_a_waiver_small(words: str) -> None:
    """A proviso that says what the waiver is not asks nothing in return."""
    found = asked(WAIVE + words)
    assert (found.overlay, found.waivers) == (Overlay.WAIVED, ())
    assert found.result == "determined"
