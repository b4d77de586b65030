"""Which covenant is asked for (G1, P08): none or two is said, never guessed."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from support import base, codes, decided, record, stated

from conformed.model.covenant import Comparator, CovenantKind, CovenantTerms
from conformed.model.decision import Effective
from conformed.rules.precedence.slots import same_place, score_name

TWO = (
    stated("6.12(a)", "21/4"),
    stated("6.12(b)", "15/4", metric="senior_leverage"),
    stated("6.13", "3", metric="interest_cover", comparator="ge"),
)
ONE_SECTION = (stated("6.12", "21/4"), stated("6.12", "15/4", metric="senior_leverage"))


def asked(*acts: Any, **question: Any) -> Effective:
    """A question to an agreement of several covenants."""
    return decided([base("base.txt", "2022-01-14", *(acts or TWO))], "2024-06-30", **{"section": None, **question})


@pytest.mark.parametrize(
    ("question", "level"),
    [
        ({"covenant": "Total Leverage Ratio"}, "21/4"),
        ({"covenant": "senior leverage"}, "15/4"),
        ({"section": "6.12(b)"}, "15/4"),
        ({"section": "Section 6.12(a)"}, "21/4"),
        ({"section": "6.12", "covenant": "Senior Leverage Ratio"}, "15/4"),
        ({"section": "6.13"}, "3"),
    ],
)
def test_named(question: dict[str, Any], level: str) -> None:
    """A name, a section or both lead to one covenant."""
    assert record(asked(**question)) == ("determined", Fraction(level), set())


@pytest.mark.parametrize("question", [{}, {"section": "6.12"}])
def test_two_covenants_are_two_runs(question: dict[str, Any]) -> None:
    """Where two leverage covenants fit, neither the first nor the tighter is taken (P08)."""
    found = asked(**question)
    assert record(found) == ("review", None, {Fraction(21, 4), Fraction(15, 4)})
    assert "review_metric_ambiguous" in codes(found)


def test_two_figures_under_one_number() -> None:
    """Two figures of one section are told apart by name, and are a question without it."""
    assert record(asked(*ONE_SECTION, covenant="Senior Leverage Ratio")) == ("determined", Fraction(15, 4), set())
    assert asked(*ONE_SECTION, section="6.12").result == "review"


def test_section_that_is_not_there() -> None:
    """A section that holds no covenant is a review even where the name fits another; an unknown name says what was found."""
    found = asked(section="9.99", covenant="Total Leverage Ratio")
    assert (found.result, "review_target_not_found" in codes(found)) == ("review", True)
    none = asked(covenant="Tangible Net Worth")
    assert (none.result, "review_no_covenant_found" in codes(none)) == ("review", True)
    assert any("Senior Leverage Ratio (6.12(b))" in r.sentence for r in none.reasons)


@pytest.mark.parametrize(
    "kind",
    [CovenantKind.INCURRENCE, CovenantKind.PRICING, CovenantKind.OTHER_RATIO, CovenantKind.OTHER_FACILITY, CovenantKind.FORM],
)
def test_ratios_that_are_no_covenant(kind: CovenantKind) -> None:
    """A ratio of another sort never answers the question, even where it is the only one (PR-25)."""
    found = asked(stated("7.03", "5", terms={"kind": kind}), section="7.03")
    assert (found.result, "review_no_covenant_found" in codes(found)) == ("review", True)


@pytest.mark.parametrize(
    ("one", "section", "same"),
    [
        ("5.03", "5.03(a)", True),
        ("5.03", "5.03", True),
        ("5.03", "5.031", False),
        ("5.03(a)", "5.03", False),
        ("Section 5.03", "5.03(b)#x", True),
    ],
)
def test_same_place(one: str, section: str, same: bool) -> None:
    """A section holds its paragraphs, and not its neighbours."""
    assert same_place(one, section) is same


def test_names_are_scored_by_their_words() -> None:
    """The same words fit best, part of them fits, other words do not."""
    terms = CovenantTerms(name="Consolidated Net Leverage Ratio", metric="net_leverage", section="7", comparator=Comparator.LE)
    scores = [score_name(n, terms) for n in ("Consolidated Net Leverage Ratio", "net leverage", "Senior Leverage Ratio", "")]
    assert scores[0] >= scores[1] > scores[2] == scores[3] == 0
