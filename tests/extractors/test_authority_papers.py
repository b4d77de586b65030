"""Authority, targets and lapses from small papers of our own, read by the product's own reader and extractor."""

from __future__ import annotations

import mill_packs as packs
import pytest
from unattested import SWAP, ask, change, reviewed, told

GENERAL = (
    "Section 10.01 Amendments. No amendment of this Agreement shall be effective without the consent of the Required Lenders"
)
BY_NUMBER = f"{GENERAL}; provided that Section 7.11(a) may be amended or waived only with the written consent of the Required Revolving Lenders."
BY_NAME = f"{GENERAL}; provided that only the consent of the Required Revolving Lenders shall be necessary to amend the Financial Covenant."
IN_PLACE = "4.00 to 1.00. This covenant is for the benefit of the Revolving Lenders alone and may be amended or waived only by the Required Revolving Lenders."
SPRINGS = (
    packs.agreement(more=BY_NUMBER),
    packs.agreement(more=BY_NAME),
    packs.agreement(packs.FLAT.replace("4.00 to 1.00.", IN_PLACE, 1), f"{GENERAL}."),
)


@pytest.mark.parametrize("agreement", SPRINGS)
def test_class_that_owns_the_covenant(agreement: str) -> None:
    """A covenant that belongs to the required revolving lenders is theirs to change, and no other class's."""
    right = ask(agreement, change("the Lenders constituting the Required Revolving Lenders"))
    assert (packs.shown(right), reviewed(right)) == ("4.5", set())
    for other in ("Required Term Lenders", "Required Lenders"):
        wrong = ask(agreement, change(f"the Lenders constituting the {other}"))
        assert (packs.shown(wrong), reviewed(wrong)) == ("review", {"review_wrong_consent_class"})
    for some in ("the Lenders party hereto", "certain Lenders"):
        assert reviewed(ask(agreement, change(some))) == {"review_consent_threshold_unproven"}
    assert packs.shown(ask(agreement, change("each of the Lenders party hereto"))) == "4.5"


def test_usual_class() -> None:
    """Where no other class is named the required lenders decide, and a part of the lenders does not."""
    plain = packs.agreement(more=f"{GENERAL}.")
    assert reviewed(ask(plain, change("the Lenders constituting the Required Term Lenders"))) == {"review_wrong_consent_class"}
    assert packs.shown(ask(plain, change("the Lenders constituting the Required Lenders"))) == "4.5"
    spared = f"{GENERAL}; provided that Section 7.11(a) may be amended without the consent of the Required Term Lenders."
    assert packs.shown(ask(packs.agreement(more=spared), change("the Lenders constituting the Required Lenders"))) == "4.5"


def test_silence_is_no_consent() -> None:
    """Lenders who are taken to agree because they did not answer need the agent's count."""
    words = "Any Lender that does not respond within five Business Days shall be deemed to have consented; the Required Lenders were asked.\n\n"
    count = "The Agent confirms that Lenders holding 71% of the Commitments, being the Required Lenders, have agreed.\n\n"
    silent = ask(packs.agreement(), change("the Agent", words + SWAP))
    assert reviewed(silent) == {"review_consent_threshold_unproven"}
    assert packs.shown(ask(packs.agreement(), change("the Agent", words + count + SWAP))) == "4.5"


POWER = (
    "Section 10.02 Errors. If the Agent and the Borrower have jointly identified an obvious error or an omission of a technical "
    "nature in any provision of this Agreement, then the Agent and the Borrower shall be permitted to amend such provision without "
    "any further action or consent of any Lender."
)
MENDS = f"This Amendment is made to correct an obvious error in Section 7.11(a).\n\n{SWAP}"
MARKS = "By: /s/ A. Weaver\nBy: /s/ C. Dyer"
BORROWER = "WEIR MILLS, INC., as Borrower\n\nBy: /s/ A. Weaver\nName: A. Weaver\n\n"
AGENT = "FORD BANK, as Agent\n\nBy: /s/ C. Dyer\nName: C. Dyer"


def test_obvious_error() -> None:
    """Agent and borrower correct an error alone only under the agreement's power, by such an instrument, both signing."""
    agreement = packs.agreement(more=POWER)
    both = change("the Agent", MENDS).replace(MARKS, BORROWER + AGENT)
    found = ask(agreement, both)
    assert (packs.shown(found), "accept_corrected_error" in told(found)) == ("4.5", True)
    alone = change("the Agent", MENDS).replace(MARKS, BORROWER)
    plain = change("certain Lenders").replace(MARKS, BORROWER + AGENT)
    for papers in ((packs.agreement(), both), (agreement, alone), (agreement, plain)):
        assert reviewed(ask(*papers)) == {"review_consent_threshold_unproven"}
    blank = both.replace("By: /s/ C. Dyer\nName: C. Dyer", "By: ____________\nName:")
    assert reviewed(ask(agreement, blank)) == {"review_partial_execution"}


WAITS = (
    f"{SWAP}\n\n2. This Amendment shall become effective on the first date on which the Agent confirms that all of the conditions in "
    'Section 3 have been satisfied (or, if that has not occurred by August 31, 2023 (the "Long Stop Date"), shall lapse).'
)
ENDED = (
    "NOTICE OF CONDITIONS\n\nDate: September 5, 2023\n\nFrom Ford Bank, as Agent, to Weir Mills, Inc.\n\nWe refer to the {which} Amendment to "
    "the Credit Agreement dated as of March 1, 2022. The conditions to its effectiveness were not satisfied by the Long Stop Date, and "
    "the {which} Amendment {how}.\n\nBy: /s/ C. Dyer\n"
)


def test_notice_of_a_lapse() -> None:
    """The agent's word that conditions failed and the amendment ended takes it away; anything less leaves it open."""
    waiting = change(body=WAITS, dated="August 1, 2023")
    ended = ask(packs.agreement(), waiting, ENDED.format(which="First", how="has lapsed"), met=(None, None))
    assert (packs.shown(ended), "reject_lapsed_instrument" in told(ended)) == ("4", True)
    lesser = (
        ENDED.format(which="First", how="will lapse unless it is extended"),
        ENDED.format(which="Third", how="has lapsed"),
        "NOTICE\n\nDate: September 5, 2023\n\nThe weather is fine.\n",
    )
    for notice in lesser:
        assert reviewed(ask(packs.agreement(), waiting, notice, met=(None, None))) >= {"review_possible_lapse"}
    before = ask(packs.agreement(), waiting, ENDED.format(which="First", how="has lapsed"), met=(None, None), known="2023-09-04")
    assert reviewed(before) == {"review_possible_lapse"}


BENT = "Section 7.14 Confidential terms. Section 7.11(a) is subject to the terms of the Covenant Side Letter."
LETTER = (
    "COVENANT SIDE LETTER\n\ndated as of March 1, 2022\n\nFrom Ford Bank, as Agent, to Weir Mills, Inc. We refer to the Credit Agreement "
    'dated as of March 1, 2022 (the "Credit Agreement"). {what}\n\n1. Section 7.11(a) of the Credit Agreement is hereby amended by replacing '
    '"4.00 to 1.00" with "4.25 to 1.00".\n\nBy: /s/ A. Weaver\n\nBy: /s/ C. Dyer\n'
)


def test_side_letters() -> None:
    """The letter that is meant operates as a finance document or with the lenders' share; another letter does not stand for it."""
    bent = packs.agreement(more=BENT)
    assert reviewed(ask(bent)) == {"review_side_letter_not_in_pack"}
    assert packs.shown(ask(bent, side_letters_apart=True)) == "4"
    for enough in ("This letter is a Loan Document.", "The Required Lenders have agreed to this letter."):
        assert packs.shown(ask(bent, LETTER.format(what=enough))) == "4.25"
    for short in ("", "This letter is not a Loan Document."):
        assert reviewed(ask(bent, LETTER.format(what=short))) == {"review_side_letter_authority"}
    fees = "FEE SIDE LETTER\n\ndated as of March 1, 2022\n\nThe fee is $200,000. This letter is a Loan Document.\n\nBy: /s/ A. Weaver\n"
    assert reviewed(ask(bent, fees)) == {"review_side_letter_not_in_pack"}
    assert packs.shown(ask(packs.agreement(more="Section 2.09 Fees. The fees are those set out in the Fee Side Letter."))) == "4"


@pytest.mark.parametrize(
    "clause",
    [
        "Section 7.15 Other debt. If any other facility of the Borrower contains financial covenants that are more restrictive than those of this Agreement, such covenants shall be deemed to be incorporated in this Agreement.",
        "Section 7.15 Notes. The financial covenants of the Senior Note Agreement are incorporated herein by reference.",
        "Section 7.15 Notes. The Borrower shall comply with the financial covenants contained in the Senior Note Agreement, which are hereby incorporated by reference.",
    ],
)
def test_terms_of_another_financing(clause: str) -> None:
    """Covenants taken in from another financing are a question until a person attests that there are none."""
    assert reviewed(ask(packs.agreement(more=clause))) == {"review_mfn_external"}
    assert packs.shown(ask(packs.agreement(more=clause), no_tighter_terms=True)) == "4"


@pytest.mark.parametrize(
    ("words", "lost"),
    [
        ("The Credit Agreement is amended to delete the stricken text (indicated textually in the same manner as the following example: stricken text).", True),
        ("The Credit Agreement is amended as set out in Annex A, where deletions are shown as strikethrough.", True),
        ("The Borrower represents that no name has been stricken from the list of its subsidiaries.", False),
    ],
)  # fmt: skip
def test_struck_text(words: str, lost: bool) -> None:
    """A paper that shows deletions by struck text, of which none was read, is not read further; other talk of striking is nothing."""
    found = ask(packs.agreement(), change(body=f"{SWAP}\n\n2. {words}"))
    assert ("review_text_formatting_lost" in reviewed(found)) is lost
    assert packs.shown(found) == ("review" if lost else "4.5")


def restated(words: str) -> str:
    """The agreement restated in January 2023, its leverage covenant in Section 6.10(a)."""
    text = packs.agreement(packs.FLAT.replace("7.11", "6.10").replace("4.00", "4.75"))
    text = text.replace(
        "CREDIT AGREEMENT\n\ndated as of March 1, 2022",
        "AMENDED AND RESTATED CREDIT AGREEMENT\n\ndated as of January 22, 2023",
        1,
    )
    opening = (
        'This agreement amends and restates the Credit Agreement dated as of March 1, 2022 (the "Existing Credit Agreement").'
    )
    return text.replace("ARTICLE I\nDEFINITIONS", f"{opening}\n\n{words}\n\nARTICLE I\nDEFINITIONS")


@pytest.mark.parametrize(
    "words",
    ["Section 7.11 of the Existing Credit Agreement is renumbered as Section 6.10 of this Agreement.", "TABLE OF CORRESPONDENCE\n\n7.06 | 6.05\n7.11 | 6.10\n"],
)  # fmt: skip
def test_renumbered_by_a_restatement(words: str) -> None:
    """The old number, in an amendment or in the question, leads to the new one where the restatement says so, and else nowhere."""
    body = SWAP.replace("4.00", "4.75").replace("4.50", "4.25")
    second = change(body=body, dated="June 1, 2023").replace("dated as of March 1, 2022", "dated as of January 22, 2023")
    found = ask(packs.agreement(), restated(words), second, met=("2023-01-31", "2023-06-01"), section="6.10(a)")
    assert (packs.shown(found), "finding_numbering_drift" in told(found)) == ("4.25", True)
    asked = ask(packs.agreement(), restated(words), met=("2023-01-31",))
    assert (packs.shown(asked), "finding_numbering_drift" in told(asked)) == ("4.75", True)
    silent = ask(packs.agreement(), restated(""), second, met=("2023-01-31", "2023-06-01"), section="6.10(a)")
    assert reviewed(silent) == {"review_target_not_found"}


REPLACES = (
    "1. Section 7.11(a) of the Credit Agreement is hereby amended and restated in its entirety to read as follows:\n\n"
    '"(a) Total Leverage Ratio. The Borrower shall not permit the Total Leverage Ratio as of the last day of any fiscal quarter to be greater than 4.50 to 1.00."'
)
LATER = "\n\n2. This Amendment shall become effective on the first date on which the Agent confirms that all of the conditions in Section 3 have been satisfied."


@pytest.mark.parametrize("first", [SWAP, REPLACES])
@pytest.mark.parametrize("name", ["the First Amendment", "Amendment No. 1"])
def test_amending_an_amendment(first: str, name: str) -> None:
    """Words of a waiting amendment are changed in it; of a spent one only where the agreement is amended too."""
    inner = f'1. Section 1 of {name} is hereby amended by replacing "4.50 to 1.00" with "4.75 to 1.00"'
    days = ("2023-03-01", "2023-06-01")
    second = change(body=f"{inner}.", number="SECOND", dated="June 1, 2023")
    spent = ask(packs.agreement(), change(body=first, dated="March 1, 2023"), second, met=days)
    assert reviewed(spent) == {"review_amends_spent_amendment"}
    assert {str(c.limit.value) for c in spent.candidates} == {"9/2", "19/4"}
    too = change(body=f"{inner}, and the Credit Agreement is amended accordingly.", number="SECOND", dated="June 1, 2023")
    assert packs.shown(ask(packs.agreement(), change(body=first, dated="March 1, 2023"), too, met=days)) == "4.75"
    waiting = change(body=first + LATER, dated="March 1, 2023")
    assert packs.shown(ask(packs.agreement(), waiting, second, met=("2023-08-01", "2023-06-01"))) == "4.75"


@pytest.mark.parametrize(
    ("named", "strange"), [("First Amendment", False), ("Third Amendment", True), ("Amendment Letter dated May 2, 2021", True)]
)
def test_notice_of_another_instrument(named: str, strange: bool) -> None:
    """A notice that speaks of another instrument than the one that waits shows nothing, and is told."""
    notice = f"CONDITIONS NOTICE\n\nDate: August 20, 2023\n\nAll conditions to the {named} were satisfied on August 20, 2023.\n\nBy: /s/ C. Dyer\n"
    found = ask(packs.agreement(), change(body=SWAP + LATER, dated="August 1, 2023"), notice, met=(None, None))
    assert ("review_base_reference_mismatch" in reviewed(found)) is strange
    assert packs.shown(found) == ("review" if strange else "4.5")


def test_ratio_that_nothing_defines() -> None:
    """New text that tests a ratio under a name that the agreement as amended does not define is open (P14)."""
    new = REPLACES.replace("Total Leverage Ratio", "Total Net Leverage Ratio")
    defines = '\n\n2. Section 1.01 of the Credit Agreement is hereby amended by adding the following definition:\n\n"Total Net Leverage Ratio" means the ratio of (a) Funded Debt less cash to (b) EBITDA.'
    assert reviewed(ask(packs.agreement(), change(body=new))) == {"review_metric_ambiguous"}
    assert packs.shown(ask(packs.agreement(), change(body=new + defines))) == "4.5"


@pytest.mark.parametrize(
    ("clause", "every"),
    [
        ("no such amendment shall, without the consent of each Lender, change Section 7.11(a)", True),
        ("no such amendment shall, without the consent of each Lender, reduce the rate of interest, it being understood that an amendment of Section 7.11(a) or of any financial covenant is no such reduction", False),
        ("no such amendment shall, without the consent of each Lender, change Section 2.13", False),
    ],
)  # fmt: skip
def test_what_every_lender_must_agree_to(clause: str, every: bool) -> None:
    """A covenant that is listed among the changes for every lender is theirs; one named to say that it is not is nobody's."""
    agreement = packs.agreement(more=f"{GENERAL}; provided that {clause}.")
    found = ask(agreement, change("the Lenders constituting the Required Lenders"))
    assert reviewed(found) == ({"review_wrong_consent_class"} if every else set())
    assert packs.shown(ask(agreement, change("each of the Lenders party hereto"))) == "4.5"
