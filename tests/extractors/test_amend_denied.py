"""An instruction that is denied, proposed, allowed or told as past carries nothing out, through the product on a small pack."""

from __future__ import annotations

import mill_packs as packs
import pytest

AT = "Section 7.11(a) of the Credit Agreement"
SWAP = 'by replacing "4.00 to 1.00" with "4.50 to 1.00"'
TEXT = '"(a) Total Leverage Ratio. The Borrower shall not permit the Total Leverage Ratio as of the last day of any fiscal quarter to be greater than 4.50 to 1.00."'


@pytest.mark.parametrize(
    "body",
    [
        f"{AT} is not amended {SWAP}.",
        f"{AT} shall not be amended {SWAP}.",
        f"{AT} has not been amended {SWAP}.",
        f"{AT} may be amended {SWAP}.",
        f"{AT} would be amended {SWAP}.",
        f"{AT} was amended {SWAP}.",
        f"The Borrower has requested that {AT} be amended {SWAP}.",
        f"The Lenders decline to agree that {AT} be amended {SWAP}.",
        f"Nothing in this Amendment amends {AT} {SWAP}.",
        f'In {AT} "4.00 to 1.00" is not replaced by "4.50 to 1.00".',
        f"The ratio in {AT} shall not be changed to 4.50 to 1.00.",
        f"The ratio in {AT} does not become 4.50 to 1.00.",
        f"The ratio in {AT} shall not be 4.50 to 1.00.",
        f"{AT} is not amended and restated to read as follows: {TEXT}",
        f"{AT} shall not be replaced by the following: {TEXT}",
        f"{AT} is not amended by deleting the ratio 4.00 to 1.00 therein and substituting therefor the ratio 4.50 to 1.00.",
        f"{AT} shall not be deleted in its entirety.",
        f"{AT} may be deleted in its entirety.",
    ],
)
def test_what_is_not_done_changes_no_level(body: str) -> None:
    """The old level stays or a person is asked; the new level, or "deleted", never comes out of it."""
    answer = packs.shown(packs.ask(packs.agreement(), packs.amendment(f"1. {body}"), on="2023-09-30"))
    assert answer in {"4", "review"}


@pytest.mark.parametrize(
    "body",
    [
        f"{AT}, which was amended once before, is hereby amended {SWAP}.",
        f"{AT} (as the same has been amended) is hereby further amended {SWAP}.",
        f"The Borrower has requested, and the Lenders hereby agree, that {AT} be amended {SWAP}.",
        f"{AT} is amended {SWAP} and is not otherwise changed.",
    ],
)
def test_what_is_done_beside_what_was_done_counts(body: str) -> None:
    """An earlier amendment told beside the present one, or a request that is granted, does not stand in its way."""
    assert packs.shown(packs.ask(packs.agreement(), packs.amendment(f"1. {body}"), on="2023-09-30")) == "4.5"


@pytest.mark.parametrize(
    "body",
    [
        "The Lenders do not waive any breach of Section 7.11(a) of the Credit Agreement for the fiscal quarter ended September 30, 2023.",
        "Nothing in this Amendment waives any breach of Section 7.11(a) of the Credit Agreement for the fiscal quarter ended September 30, 2023.",
        "The Lenders decline to waive any breach of Section 7.11(a) of the Credit Agreement for the fiscal quarter ended September 30, 2023.",
        "The Borrower has requested that the Lenders waive any breach of Section 7.11(a) of the Credit Agreement for the fiscal quarter ended September 30, 2023.",
    ],
)
def test_a_waiver_that_is_not_granted_excuses_nothing(body: str) -> None:
    """A waiver denied or only asked for is no overlay; the same waiver granted is one."""
    assert "waived" not in packs.shown(packs.ask(packs.agreement(), packs.amendment(f"1. {body}"), on="2023-09-30"))
    granted = "The Lenders hereby waive any breach of" + body.partition("any breach of")[2]
    assert packs.shown(packs.ask(packs.agreement(), packs.amendment(f"1. {granted}"), on="2023-09-30")) == "4, waived"


def test_the_verb_of_another_section_is_its_own() -> None:
    """Of two sections in one sentence, only the one whose verb it is is deleted."""
    body = "Section 7.11(a) of the Credit Agreement remains; Section 7.11(b) of the Credit Agreement is hereby deleted."
    assert packs.shown(packs.ask(packs.agreement(), packs.amendment(f"1. {body}"), on="2023-09-30")) in {"4", "review"}
