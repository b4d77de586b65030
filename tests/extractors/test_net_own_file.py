"""Reliefs and resets that stand in the agreement's own file: an amendment bound behind it, and covenants to be set anew."""

from __future__ import annotations

import mill_packs as packs
import pytest

FILLER = "".join(
    f"Section 8.{n:02d} Notices. Mail for the Agent is left at the mill gate before noon each week.\n\n" for n in range(1, 80)
)
OPENS = """WAIVER AND AMENDMENT NO. 1

WAIVER AND AMENDMENT NO. 1 (this "Waiver"), dated as of August 15, 2023, is among the parties to the Credit Agreement.

"""


@pytest.mark.parametrize(
    ("body", "answer"),
    [
        ("Section 2. The Required Lenders waive any failure to comply with Section 7.11(a) of the Credit Agreement for the quarter ending September 30, 2023; the ratio shall not exceed 4.60 to 1.00 for it.", "review"),
        ("Section 2. The Total Leverage Ratio covenant shall not be tested for the fiscal quarter ending September 30, 2023.", "review"),
        ("Section 2. The Required Lenders waive any failure to comply with Section 7.12 of the Credit Agreement.", "4"),
        ("Section 2. The Mill represents that it is in compliance with Section 7.11(a) of the Credit Agreement.", "4"),
    ],
)  # fmt: skip
def test_a_waiver_bound_behind_the_agreement_is_seen(body: str, answer: str) -> None:
    """What a waiver in the agreement's own file says of the covenant leaves the level open; what it says of others does not."""
    base = packs.agreement(more=f"{FILLER}\n{OPENS}{body}\n")
    assert packs.shown(packs.ask(base, on="2023-09-30")) == answer


@pytest.mark.parametrize(
    ("more", "answer"),
    [
        ("Section 7.14 Later Covenants. For the year 2023 and after, the Agent shall reset the foregoing Financial Covenants in its discretion.\n", "review"),
        ("Section 7.14 Later Covenants. The financial covenants for later years shall be set by the Agent on receipt of a budget.\n", "review"),
        ("Section 7.14 Rules. If GAAP changes, the parties shall reset the financial covenants so that they mean what they meant.\n", "4"),
        ("Section 7.14 Locks. The Mill shall reset the locks of the covenant room each year.\n", "4"),
    ],
)  # fmt: skip
def test_covenants_that_are_to_be_set_anew_leave_an_open_level_open(more: str, answer: str) -> None:
    """A lender's right to set the covenants for later periods may have spent the level; changed accounting rules have not."""
    assert packs.shown(packs.ask(packs.agreement(more=more), on="2023-09-30")) == answer


def test_a_row_with_its_own_end_stands_before_a_reset() -> None:
    """A level that the agreement gives for named quarters is not spent by covenants to be set for later ones."""
    more = "Section 7.14 Later Covenants. For later years the Agent shall reset the foregoing Financial Covenants.\n"
    base = packs.agreement(packs.TABLE, more=more)
    assert packs.shown(packs.ask(base, on="2023-09-30")) == "4.5"
    assert packs.shown(packs.ask(base, on="2025-06-30")) == "review"
