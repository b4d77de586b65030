"""Targets (PR-22, PR-24), reaching back (3.2), triggers and elections (PR-42, PR-43)."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from support import (
    Act,
    Paper,
    base,
    candidates,
    codes,
    day,
    decided,
    record,
    set_level,
    stated,
    substituted,
    suspended,
    temporary,
    waived,
)

from conformed.model.covenant import Comparator, Increase, Trigger
from conformed.model.decision import Effective
from conformed.model.operation import EffectiveMode, Op, Target
from conformed.model.pack import InstrumentKind, Manifest

K, M = InstrumentKind, EffectiveMode
FOUR, LOW = Fraction(4), Fraction(15, 4)
TEST = "2024-06-30"
COVER = stated("7.12", "3", metric="interest_cover", comparator="ge")


def amended(
    *acts: Act,
    first: tuple[Act, ...] = (),
    test: str = TEST,
    more: tuple[Paper, ...] = (),
    dated: str = "2024-03-15",
    **asked: Any,
) -> Effective:
    """An agreement of two covenants and an amendment."""
    paper = Paper("a1.txt", K.AMENDMENT, day(dated), acts, number=1)
    return decided([base("base.txt", "2022-01-14", *(first or (stated(), COVER))), paper, *more], test, **asked)


def test_target_that_is_not_in_the_text() -> None:
    """A level set in a section that the agreement does not have is not moved to the one that looks meant (P20)."""
    found = amended(set_level("7.13(b)", "9/2"))
    assert record(found) == ("review", None, {FOUR, Fraction(9, 2)})
    assert "review_target_not_found" in codes(found)


def test_target_of_another_covenant() -> None:
    """A level set in another covenant's section is that covenant's."""
    assert record(amended(set_level("7.12", "5/2"))) == ("determined", FOUR, set())
    assert record(amended(set_level("7.12", "5/2"), section="7.12")) == ("determined", Fraction(5, 2), set())


def test_target_without_a_section() -> None:
    """A level set nowhere in particular may be meant for the covenant (P29)."""
    found = amended(set_level("", "9/2"))
    assert (record(found), "review_target_ambiguous" in codes(found)) == (("review", None, {FOUR, Fraction(9, 2)}), True)


def test_number_before_a_restatement() -> None:
    """An amendment that uses the number from before a restatement finds no target in the text in force (K09)."""
    papers = [
        base("base.txt", "2021-06-30", stated("7.11", "9/2")),
        Paper(
            "ar.txt",
            K.RESTATEMENT,
            day("2024-01-22"),
            [stated("6.10", "19/4")],
            M.ON_CP,
            effective_on=day("2024-01-31"),
            amends=day("2021-06-30"),
        ),
        Paper("a1.txt", K.AMENDMENT, day("2024-03-09"), [set_level("7.11", "17/4")], amends=day("2024-01-22")),
    ]
    found = decided(papers, TEST, section="6.10")
    assert record(found) == ("review", None, {Fraction(19, 4), Fraction(17, 4)})
    assert "review_target_not_found" in codes(found)


@pytest.mark.parametrize("section", ["7.11", "7.12"])
def test_number_and_caption_disagree(section: str) -> None:
    """A level set under one number and another's caption is open for both (P33)."""
    first = (
        stated(terms={"caption": "Maximum Leverage Ratio"}),
        stated("7.12", "3", metric="interest_cover", comparator="ge", terms={"caption": "Minimum Interest Coverage Ratio"}),
    )
    found = amended(set_level("7.12", "13/4", caption="Maximum Leverage Ratio"), first=first, section=section)
    assert (found.result, "review_target_heading_mismatch" in codes(found)) == ("review", True)
    assert Fraction(13, 4) in candidates(found)
    right = amended(set_level("7.11", "13/4", caption="Maximum Leverage Ratio"), first=first)
    assert record(right) == ("determined", Fraction(13, 4), set())


@pytest.mark.parametrize(
    "act",
    [
        set_level("2(c)", "87/20", agreement="Amendment No. 1"),
        substituted("2(c)", "4.00 to 1.00", "4.35 to 1.00", agreement="the First Amendment"),
    ],
)
def test_amending_a_spent_amendment(act: Act) -> None:
    """Words of an amendment that has done its work need not change the agreement (P21)."""
    found = amended(act)
    assert record(found) == ("review", None, {FOUR, Fraction(87, 20)})
    assert "review_amends_spent_amendment" in codes(found)


def test_two_covenants_under_one_number() -> None:
    """A level set in a section of two covenants belongs to neither for certain (PR-22)."""
    first = (stated("7.11", "4"), stated("7.11", "3", metric="senior_leverage"))
    for name, level in (("Total Leverage Ratio", FOUR), ("Senior Leverage Ratio", Fraction(3))):
        found = amended(set_level("7.11", "7/2"), first=first, covenant=name)
        assert (found.result, "review_target_ambiguous" in codes(found)) == ("review", True)
        assert candidates(found) == {level, Fraction(7, 2)}


def test_new_text_that_leaves_one_of_two_covenants_out() -> None:
    """Where new text for the whole section states one of two covenants, the other is open."""
    first = (stated("7.11", "4"), stated("7.11", "3", metric="senior_leverage"))
    act = stated("7.11", "7/2", op=Op.REPLACE_PROVISION)
    assert record(amended(act, first=first, covenant="Total Leverage Ratio")) == ("determined", Fraction(7, 2), set())
    assert amended(act, first=first, covenant="Senior Leverage Ratio").result == "review"


def test_level_of_a_paragraph_inside() -> None:
    """A level set in a paragraph of a section read as one covenant is a question."""
    found = amended(set_level("7.11(a)", "7/2"))
    assert (record(found), "review_target_ambiguous" in codes(found)) == (("review", None, {FOUR, Fraction(7, 2)}), True)


def test_not_yet_effective_is_said() -> None:
    """A change that comes later is set aside with its code, and the run goes on (P30)."""
    acts = (
        set_level("7.11", "5", mode=M.ON_EVENT),
        Act("Reports come monthly.", lambda q: {"op": Op.DEFINE, "target": Target(term="Report")}),
    )
    signed = Paper("a1.txt", K.AMENDMENT, day("2024-05-06"), acts, effective_on=day("2024-07-15"), signed_on=day("2024-05-06"))
    found = decided([base(), signed], TEST)
    assert (record(found), {"reject_not_yet_effective", "accept_base_statement"} <= codes(found)) == (
        ("determined", FOUR, set()),
        True,
    )


def test_attested_day_of_an_instrument_is_no_evidence_of_an_event() -> None:
    """The day of signing of an instrument with two effective dates does not prove the event of the other (PR-10)."""
    acts = (
        set_level("7.11", "5", mode=M.ON_EVENT),
        Act("Reports come monthly.", lambda q: {"op": Op.DEFINE, "target": Target(term="Report")}),
    )
    signed = Paper("a1.txt", K.AMENDMENT, day("2024-05-06"), acts, effective_on=day("2024-05-06"))
    assert record(decided([base(), signed], TEST)) == ("review", None, {FOUR, Fraction(5)})


def back(waives: bool = False, level: str = "11/2") -> Act:
    """A level that reaches back to the test date."""
    return set_level("7.11", level, mode=M.AS_OF, effect={"date": day(TEST), "waives_default": waives})


def test_reaching_back_with_a_waiver() -> None:
    """Express words and a waiver carry the level back (P27); before the instrument was known it does not exist."""
    found = amended(back(waives=True), dated="2024-08-14")
    assert record(found) == ("determined", Fraction(11, 2), set())
    assert {"accept_retroactive_express", "finding_retroactive_basis_shown"} <= codes(found)
    early = amended(back(waives=True), dated="2024-08-14", known="2024-08-13")
    assert (record(early), "reject_after_known_date" in codes(early)) == (("determined", FOUR, set()), True)


def test_reaching_back_without_a_waiver() -> None:
    """Without one it is open, both bases are shown (P28); a separate waiver of the test carries it."""
    found = amended(back(), dated="2024-08-14")
    assert record(found) == ("review", None, {FOUR, Fraction(11, 2)})
    assert {"review_retroactive_without_waiver", "finding_retroactive_basis_shown"} <= codes(found)
    waiver = Paper("w.txt", K.WAIVER, day("2024-08-20"), [waived("7.11", (TEST, TEST))])
    carried = amended(back(), dated="2024-08-14", more=(waiver,))
    assert (record(carried), "accept_retroactive_express" in codes(carried)) == (("determined", Fraction(11, 2), set()), True)


def test_reaching_back_after_enforcement() -> None:
    """A notice of acceleration in the pack stops what reaches back."""
    notice = Paper("n.txt", K.NOTICE, day("2024-08-01"), words="The Agent declares all sums due and payable.")
    found = amended(back(waives=True), dated="2024-08-14", more=(notice,))
    assert (found.result, "review_retroactive_without_waiver" in codes(found)) == ("review", True)
    assert record(amended(set_level(), more=(notice,))) == ("determined", LOW, set())


TRIGGER = Trigger(numerator="loans", denominator="commitments", comparator=Comparator.GT, level=Fraction(2, 5), raw="40%")


@pytest.mark.parametrize(
    ("facts", "result"),
    [
        ({"utilised": "32,000,000", "commitments": "80000000"}, "not_tested"),
        ({"utilised": "32000001", "commitments": "80000000"}, "determined"),
        ({"utilised": "0", "commitments": "80000000"}, "not_tested"),
        ({"utilised": "32000000"}, "review"),
        ({"utilised": "32000000", "commitments": "0"}, "review"),
        ({"utilised": "-1", "commitments": "80000000"}, "review"),
        ({"utilised": "40%", "commitments": "80000000"}, "review"),
        ({}, "review"),
    ],
)
def test_springing_trigger(facts: dict[str, str], result: str) -> None:
    """The trigger is computed exactly from figures, by its own words; without figures it is a review (PR-43, P06)."""
    found = decided([base("base.txt", "2022-01-14", stated(terms={"trigger": TRIGGER}))], TEST, facts=facts)
    assert found.result == result
    if result == "not_tested":
        assert (found.not_tested, record(found)[1]) == ("trigger_unmet", FOUR)
    if result == "review":
        assert ("review_trigger_evidence_missing" in codes(found), candidates(found)) == (True, {FOUR})


def right(**more: Any) -> tuple[Act, ...]:
    """A covenant with a right to half a turn more."""
    return (
        stated(
            "7.11",
            "17/4",
            terms={"increases": (Increase(event="acquisition", delta=Fraction(1, 2), cap=Fraction(9, 2)),)},
            **more,
        ),
    )


@pytest.mark.parametrize(
    ("asked", "result"),
    [
        ({}, "review"),
        ({"no_election": True}, "determined"),
        ({"manifest": Manifest(no_election=True)}, "determined"),
        ({"no_election": True, "claimed_elections": ("acquisition",)}, "review"),
    ],
)
def test_right_to_a_higher_level(asked: dict[str, Any], result: str) -> None:
    """A right to another level is a question unless it is attested that nobody used it; the higher level is capped (P38)."""
    found = decided([base("base.txt", "2022-01-14", *right())], TEST, **asked)
    assert found.result == result
    assert candidates(found) == ({Fraction(17, 4), Fraction(9, 2)} if result == "review" else set())


def test_election_without_evidence_is_never_taken_on_its_word() -> None:
    """A notice that elects more and shows nothing is a review with both levels, even where the clause was not read to allow it."""
    act = Act(
        "We elect the increase.",
        lambda q: {
            "op": Op.ELECT_INCREASE,
            "target": Target(section="7.11"),
            "delta": "1/2",
            "cap": "9/2",
            "instruction": q("We elect the increase."),
        },
    )
    notice = Paper("n.txt", K.NOTICE, day("2024-03-01"), [act])
    for first in (right(), (stated("7.11", "17/4"),)):
        found = decided([base("base.txt", "2022-01-14", *first), notice], TEST, no_election=True)
        assert record(found) == ("review", None, {Fraction(17, 4), Fraction(9, 2)})
        assert "review_election_evidence_missing" in codes(found)
    over = Act(act.words, act.build, extra={"windows": ({"start": "2023-03-31", "end": "2023-12-31"},)})
    old = Paper("n.txt", K.NOTICE, day("2023-03-01"), [over])
    assert record(decided([base("base.txt", "2022-01-14", stated()), old], TEST)) == ("determined", FOUR, set())


def test_consent_sets_no_level() -> None:
    """A ratio in a consent is a condition of the consent (P35)."""
    act = Act(
        "We consent to the purchase at 4.60 to 1.00.",
        lambda q: {"op": Op.GIVE_CONSENT, "target": Target(section="7.03"), "instruction": q("We consent")},
    )
    found = decided([base(), Paper("c.txt", K.CONSENT, day("2024-06-05"), [act])], TEST)
    assert (record(found), "reject_no_level_change" in codes(found)) == (("determined", FOUR, set()), True)


@pytest.mark.parametrize(
    "act", [suspended("7.99", ("2024-01-01", "2024-12-31")), temporary("7.99", "5", ("2024-01-01", "2024-12-31"))]
)
def test_relief_for_a_section_that_is_not_there(act: Act) -> None:
    """Relief that names no provision of the text in force may be meant for the covenant."""
    found = amended(act)
    assert (found.result, "review_target_not_found" in codes(found)) == ("review", True)
