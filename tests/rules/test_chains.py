"""Which instruments belong together (PR-02), what a restatement drops (PR-08), and what is missing (PR-06)."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from support import Act, Paper, base, candidates, codes, day, decided, record, set_level, stated, suspended, waived

from conformed.model.operation import EffectiveMode, Op
from conformed.model.pack import Execution, InstrumentKind, Manifest

K, M = InstrumentKind, EffectiveMode
FOUR, LOW, HIGH = Fraction(4), Fraction(15, 4), Fraction(19, 4)
TEST = "2024-06-30"


def amendment(name: str = "a1.txt", dated: str = "2023-03-15", *acts: Act, **more: Any) -> Paper:
    """An executed amendment."""
    return Paper(name, K.AMENDMENT, day(dated), acts or (set_level(),), **more)


def restatement(dated: str = "2024-01-22", *acts: Act, **more: Any) -> Paper:
    """An executed restatement of the agreement of January 2022, in force from the end of the month."""
    given: dict[str, Any] = {"effective_on": day("2024-01-31"), "mode": M.ON_CP, "amends": day("2022-01-14"), **more}
    return Paper("ar.txt", K.RESTATEMENT, day(dated), acts or (stated("7.11", "19/4"),), **given)


def test_restatement_drops_what_came_before() -> None:
    """A step-down that waited in an earlier amendment died with the restatement."""
    waiting = amendment("a1.txt", "2023-03-15", set_level(mode=M.FIXED, effect={"date": day("2024-03-31")}))
    found = decided([base(), waiting, restatement()], TEST)
    assert record(found) == ("determined", HIGH, set())
    assert {"accept_restated_agreement", "reject_superseded"} <= codes(found)


def test_test_date_before_the_restatement_keeps_the_older_text() -> None:
    """For a date before it took effect the older text and its amendments govern."""
    papers = [base(), amendment(), restatement()]
    assert record(decided(papers, "2023-12-31")) == ("determined", LOW, set())
    assert record(decided(papers, "2024-01-31")) == ("determined", HIGH, set())


def test_restatements_of_restatements() -> None:
    """What an older restatement had dropped stays dropped when it is itself restated; a later change under the old date still counts."""
    first = replace(restatement("2023-01-22", stated("7.11", "9/2")), name="ar1.txt", effective_on=day("2023-01-31"))
    second = restatement(amends=day("2023-01-22"))
    old = amendment("a1.txt", "2022-06-01")
    later = amendment("a2.txt", "2024-03-01", set_level("7.11", "17/4"), amends=day("2022-01-14"))
    assert record(decided([base(), old, first, second], TEST)) == ("determined", HIGH, set())
    assert record(decided([base(), old, first, second, later], TEST)) == ("determined", Fraction(17, 4), set())


@pytest.mark.parametrize(
    ("defect", "code"),
    [
        ({"execution": Execution.UNSIGNED}, "review_unsigned_instrument"),
        ({"execution": Execution.PARTIAL}, "review_partial_execution"),
        ({"effective_on": None}, "review_cp_evidence_missing"),
    ],
)
@pytest.mark.parametrize("level", ["19/4", "4"])
def test_restatement_with_a_defect_of_its_own(defect: dict[str, Any], code: str, level: str) -> None:
    """A restatement that could be effective and is not proved is a review whatever it says; old and new level are shown (PR-08)."""
    found = decided([base(), restatement("2024-01-22", stated("7.11", level), **defect)], TEST)
    assert (found.result, code in codes(found)) == ("review", True)
    assert candidates(found) == {FOUR, Fraction(level)}


def test_draft_restatement_is_dropped() -> None:
    """A restatement marked as draft cuts nothing."""
    assert record(decided([base(), restatement(execution=Execution.DRAFT)], TEST)) == ("determined", FOUR, set())


def test_change_signed_after_a_restatement_and_effective_before_it() -> None:
    """Whether the restatement overwrites it is in doubt (PR-32)."""
    between = amendment("a9.txt", "2024-01-25", set_level("7.11", "7/2"), amends=day("2022-01-14"))
    found = decided([base(), restatement(), between], TEST)
    assert record(found) == ("review", None, {HIGH, Fraction(7, 2)})
    assert "review_effective_order_inverts_signing" in codes(found)


def test_change_of_the_day_of_the_restatement() -> None:
    """A change of the same day was dropped or changes the new text: a question, unless it names the restatement."""
    for named, result in ((day("2022-01-14"), "review"), (None, "review"), (day("2024-01-22"), "determined")):
        same_day = amendment("a9.txt", "2024-01-22", set_level("7.11", "7/2"), amends=named)
        found = decided([base(), restatement(), same_day], TEST)
        assert (
            found.result,
            Fraction(7, 2) in candidates(found) | {found.covenant.limit.value if result == "determined" else None},
        ) == (result, True)


def test_undated_change_is_not_dropped_in_silence() -> None:
    """Whether a restatement dropped an instrument without a date is not known."""
    found = decided([base(), restatement(), replace(amendment("a1.txt"), dated=None)], TEST)
    assert found.result == "review"


def test_amendment_of_an_agreement_that_is_not_here() -> None:
    """An instrument that names an agreement by another date belongs to none of the pack, chain attested complete or not."""
    stranger = amendment(amends=day("2019-05-05"))
    for manifest in (Manifest(), Manifest(chain_complete=True)):
        found = decided([base(), stranger], TEST, manifest=manifest)
        assert record(found) == ("review", None, {FOUR})
        assert "review_base_reference_mismatch" in codes(found)


def test_same_number_in_two_agreements() -> None:
    """An amendment that fits two agreements of one date, or names none, is a question on each (P32)."""
    first = base("first.txt", "2022-01-14", stated("7.11", "4"), title="First Lien Credit Agreement")
    second = base("second.txt", "2022-01-14", stated("7.11", "9/2"), title="Second Lien Credit Agreement")
    for named in (None, day("2022-01-14")):
        found = decided([first, second, amendment(amends=named)], TEST)
        assert found.result == "review"
        assert "review_target_ambiguous" in codes(found)
        assert candidates(found) == {FOUR, Fraction(9, 2)}


def test_two_agreements_that_say_the_same() -> None:
    """Two agreements in force with one level are one answer; with two they are a question (PR-02)."""
    one, other = base("one.txt"), base("two.txt", "2022-03-01")
    found = decided([one, other], TEST)
    assert (record(found), "finding_reading_immaterial" in codes(found)) == (("determined", FOUR, set()), True)
    differs = base("two.txt", "2022-03-01", stated("7.11", "5"))
    assert record(decided([one, differs], TEST)) == ("review", None, {FOUR, Fraction(5)})


def ender(**more: Any) -> Paper:
    """A later agreement that ends the first by its date."""
    words = stated("7.11", "5")
    end = Act(
        "The agreement of 14 January 2022 ends today.",
        lambda q: {"op": Op.TERMINATE_AGREEMENT, "target": {"agreement": "2022-01-14"}},
    )
    return base("new.txt", "2023-06-01", words, end, **more)


def test_agreement_that_ends_another() -> None:
    """An agreement in force ends an earlier one by name; one whose own closing is not proved ends nothing."""
    assert record(decided([base(), ender()], TEST)) == ("determined", Fraction(5), set())
    assert record(decided([base(), ender()], "2023-03-31")) == ("determined", FOUR, set())
    assert record(decided([base(), ender(effective_on=None)], TEST)) == ("review", None, {FOUR, Fraction(5)})


@pytest.mark.parametrize("recites", [[(2, None)], [(2, "2023-05-05")], [(None, "2023-05-05")]])
def test_recited_and_absent(recites: list[tuple[int | None, str | None]]) -> None:
    """An instrument that is recited by number or date and is not in the pack stops the run (PR-06)."""
    papers = [
        base(),
        amendment("a1.txt", "2023-03-15", number=1),
        amendment("a3.txt", "2024-04-04", set_level("7.11", "7/2"), number=3, recites=[(1, None), *recites]),
    ]
    found = decided(papers, TEST)
    assert record(found) == ("review", None, {Fraction(7, 2)})
    assert "review_missing_instrument_in_chain" in codes(found)
    attested = decided(papers, TEST, manifest=Manifest(chain_complete=True))
    assert record(attested) == ("determined", Fraction(7, 2), set())


def test_gap_in_the_numbering() -> None:
    """A number that nobody recites is missing all the same."""
    found = decided([base(), amendment("a1.txt", number=1), amendment("a3.txt", "2024-04-04", number=3)], TEST)
    assert "review_missing_instrument_in_chain" in codes(found)


def test_absent_instrument_that_cannot_matter() -> None:
    """An earlier absent amendment of a provision restated since does not matter; nor one made after the test date."""
    whole = amendment(
        "a3.txt", "2024-04-04", stated("7.11", "7/2", op=Op.REPLACE_PROVISION), number=3, recites=[(1, None), (2, "2023-05-05")]
    )
    assert record(decided([base(), amendment("a1.txt", number=1), whole], TEST)) == ("determined", Fraction(7, 2), set())
    after = amendment("a3.txt", "2024-09-04", set_level("7.11", "7/2"), number=2, recites=[(1, "2024-08-08")])
    assert record(decided([base(), after], TEST)) == ("determined", FOUR, set())


def test_absent_instrument_matters_for_rows_that_were_left() -> None:
    """A new table from a later period on does not restate the rows before it."""
    table = stated("7.11", "7/2", op=Op.REPLACE_TABLE, rows=[("7/2", "2024-09-30", None)], from_period=day("2024-09-30"))
    papers = [base(), amendment("a2.txt", "2024-04-04", table, number=2)]
    assert record(decided(papers, TEST)) == ("review", None, {FOUR})
    assert record(decided(papers, "2024-12-31")) == ("determined", Fraction(7, 2), set())


def test_amendments_before_a_restatement_are_not_missed() -> None:
    """Gaps among what a restatement dropped no longer matter (PR-08)."""
    later = amendment("a5.txt", "2024-03-01", set_level("7.11", "7/2"), amends=day("2024-01-22"), recites=[(4, "2023-02-02")])
    assert record(decided([base(), restatement(), later], TEST)) == ("determined", Fraction(7, 2), set())


def test_no_base_in_the_pack() -> None:
    """A provision restated by an amendment stands by itself only where the chain is attested complete (PR-22)."""
    whole = amendment("a3.txt", "2024-04-04", stated("7.11", "7/2", op=Op.REPLACE_PROVISION))
    found = decided([whole], TEST)
    assert record(found) == ("review", None, {Fraction(7, 2)})
    assert "review_target_not_found" in codes(found)
    complete = Manifest(chain_complete=True)
    assert record(decided([whole], TEST, manifest=complete)) == ("determined", Fraction(7, 2), set())
    assert decided([amendment("a3.txt", "2024-04-04", set_level())], TEST, manifest=complete).result == "review"


def test_before_the_agreement_began() -> None:
    """Before the agreement was made there is no covenant to report."""
    found = decided([base(), amendment()], "2021-12-31")
    assert (found.result, "review_no_covenant_found" in codes(found)) == ("review", True)


def test_amendment_that_restates_the_whole_agreement() -> None:
    """New text in an annex counts as a restatement; a covenant that it does not state where it was is open."""
    whole = Act(
        "The agreement is restated as in the annex.",
        lambda q: {"op": Op.RESTATE_AGREEMENT, "target": {"agreement": "Credit Agreement"}},
    )
    found = decided([base(), amendment("a1.txt", "2023-03-15", whole, stated("7.11", "19/4"))], TEST)
    assert record(found) == ("determined", HIGH, set())
    assert "accept_restated_agreement" in codes(found)
    silent = decided([base(), amendment("a1.txt", "2023-03-15", whole, stated("6.10", "19/4"))], TEST)
    assert (silent.result, "review_input_missing" in codes(silent)) == ("review", True)


def test_waiver_of_another_agreement_is_no_overlay() -> None:
    """A waiver that names an agreement that is not in the pack excuses nothing here."""
    waiver = Paper("w.txt", K.WAIVER, day("2024-08-20"), [waived("7.11", (TEST, TEST))], amends=day("2019-05-05"))
    found = decided([base(), waiver], TEST)
    assert (found.overlay.value, "review_base_reference_mismatch" in codes(found)) == ("none", True)


def test_waiver_survives_a_restatement() -> None:
    """What was waived stays waived when the text is restated afterwards."""
    waiver = Paper("w.txt", K.WAIVER, day("2023-08-20"), [waived("7.11", ("2023-06-30", "2023-06-30"))], amends=day("2022-01-14"))
    found = decided([base(), waiver, restatement()], "2023-06-30")
    assert found.overlay.value == "waived"


def test_suspension_of_a_chain_with_a_gap_is_a_review() -> None:
    """A missing instrument may have ended the suspension: nothing is called untested."""
    relief = amendment("a2.txt", "2024-04-04", suspended("7.11", ("2024-04-04", "2024-12-31")), number=2)
    assert decided([base(), relief], TEST).result == "review"
    assert decided([base(), replace(relief, number=1)], TEST).result == "not_tested"
