"""Variants of the clause patterns about authority, target, admission and order: one fact differs, and its code appears or goes.

Each case is given twice as structured facts: with the difference, where the code must be told, and without it, where it must not.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import pytest
from support import Act, Paper, base, candidates, codes, day, decided, level_of, make, record, set_level, stated, substituted

from conformed.model.decision import Effective
from conformed.model.operation import EffectiveMode, Op
from conformed.model.pack import Execution, InstrumentKind
from conformed.rules.precedence.precedence import decide

K, M, X = InstrumentKind, EffectiveMode, Execution
TEST = "2024-06-30"
FOUR = Fraction(4)
AGREED = "accept_amended_provision"


def amendment(*acts: Act, name: str = "a1.txt", dated: str = "2024-03-15", **more: Any) -> Paper:
    """An executed amendment, signed on its date."""
    given: dict[str, Any] = {"number": 1, "signed_on": day(dated), **more}
    return Paper(name, K.AMENDMENT, day(dated), acts or (set_level("7.11", "9/2"),), **given)


def restated(*acts: Act, dated: str = "2024-01-22", met: str | None = "2024-01-31", **more: Any) -> Paper:
    """A restatement of the agreement of 14 January 2022."""
    given: dict[str, Any] = {
        "mode": M.ON_CP,
        "effective_on": day(met),
        "amends": day("2022-01-14"),
        "signed_on": day(dated),
        **more,
    }
    return Paper("ar.txt", K.RESTATEMENT, day(dated), acts or (stated("7.11", "19/4"),), **given)


def twice(
    code: str, papers: Sequence[Paper], plain: Sequence[Paper], test: str = TEST, other: str = "", **asked: Any
) -> Effective:
    """The answer with the difference, once it is shown that the code is told with it and not without it."""
    found, without = decided(papers, test, **asked), decided(plain, other or test, **asked)
    assert code in codes(found)
    assert code not in codes(without)
    if code.startswith("review"):
        assert (found.result, level_of(found)) == ("review", None)
    return found


def test_find_text_absent_or_twice() -> None:
    """P13: words to be replaced that stand nowhere, or twice, in the text in force replace nothing."""
    swap = substituted("7.11", "4.00 to 1.00", "4.50 to 1.00")
    plain = [base(), amendment(swap)]
    absent = [base("base.txt", "2022-01-14", stated("7.11", "19/4")), amendment(swap)]
    twofold = [
        base("base.txt", "2022-01-14", stated("7.11", rows=[("4", None, "2024-12-31"), ("4", "2025-01-01", None)])),
        amendment(swap),
    ]
    for papers in (absent, twofold):
        twice("review_anchor_not_unique", papers, plain)
    assert record(decided(plain, TEST)) == ("determined", Fraction(9, 2), set())


def test_signing_day_unknown() -> None:
    """P13: an amendment that counts from its signing, of a day that nobody shows, may count or not."""
    unknown = amendment(signed_on=None, attested=False, words="The Required Lenders agree.")
    found = twice("review_effective_date_ambiguous", [base(), unknown], [base(), amendment()])
    assert candidates(found) == {FOUR, Fraction(9, 2)}


def test_ratio_that_nothing_defines() -> None:
    """P14: new text that tests a ratio by a name which the agreement does not define, where the old name was a defined one."""
    agreement = base(definitions={"Total Leverage Ratio": "the ratio of Debt to EBITDA"})
    net = stated("7.11", "5", metric="net_leverage", op=Op.REPLACE_PROVISION)
    new = {"Net Leverage Ratio": "the ratio of Debt less cash to EBITDA"}
    known = base(definitions={"Total Leverage Ratio": "the ratio of Debt to EBITDA", **new})
    found = twice("review_metric_ambiguous", [agreement, amendment(net)], [known, amendment(net)])
    assert candidates(found) == {Fraction(5)}
    assert "finding_metric_changed" in codes(decided([known, amendment(net)], TEST))


def test_notice_absent() -> None:
    """P15, P16: conditions that no notice shows as met leave both levels; with the day of the notice the new one counts."""
    waits = amendment(mode=M.ON_CP)
    found = twice(
        "review_cp_evidence_missing", [base(), waits], [base(), amendment(mode=M.ON_CP, effective_on=day("2024-04-02"))]
    )
    assert candidates(found) == {FOUR, Fraction(9, 2)}


@pytest.mark.parametrize("named", ["Amendment No. 7", "the amendment letter dated 3 May 2019"])
def test_notice_of_another_instrument(named: str) -> None:
    """P15: a notice that names another letter or date than the one that waits is told as such."""

    def notice(words: str) -> Paper:
        return Paper("n.txt", K.CONDITION_NOTICE, day("2024-04-02"), words=f"All conditions to {words} are satisfied.")

    waits = amendment(mode=M.ON_CP)
    twice("review_base_reference_mismatch", [base(), waits, notice(named)], [base(), waits, notice("Amendment No. 1")])


def test_notice_on_or_before_the_test() -> None:
    """P16: with the notice the amendment counts; asked for a day before it was signed it does not yet."""
    met = amendment(mode=M.ON_CP, effective_on=day("2024-06-30"))
    twice(AGREED, [base(), met], [base(), amendment(mode=M.ON_CP)])
    twice("reject_not_yet_effective", [base(), met], [base(), met], "2023-12-31", other=TEST)


def test_executed_copy() -> None:
    """P17: the executed copy of an instrument settles it, beside the unsigned one too."""
    bare = amendment(execution=X.UNSIGNED, signed_on=None)
    copy = amendment(name="a1-executed.txt")
    twice(AGREED, [base(), copy], [base(), bare])
    both = decided([base(), bare, copy], TEST)
    assert (record(both), AGREED in codes(both)) == (("determined", Fraction(9, 2), set()), True)


def test_draft_recited_as_made() -> None:
    """P18: a draft of which another document speaks as made is an unsigned instrument and no draft any more."""
    draft = amendment(execution=X.DRAFT, signed_on=None)
    second = amendment(name="a2.txt", dated="2024-04-01", number=2, recites=[(1, None)])
    reciting = Paper("a2.txt", K.AMENDMENT, day("2024-04-01"), (), number=2, signed_on=day("2024-04-01"), recites=[(1, None)])
    twice("review_unsigned_instrument", [base(), draft, reciting], [base(), draft])
    assert "reject_draft" in codes(decided([base(), draft], TEST))
    assert "reject_draft" not in codes(decided([base(), draft, second], TEST))


def test_two_of_one_day() -> None:
    """P19: of two amendments of one day the one that recites the other is later; two that say the same are no conflict."""

    def pair(level: str, **more: Any) -> list[Paper]:
        when = {"mode": M.FIXED, "effect": {"date": day("2024-05-01")}}
        first = amendment(set_level("7.11", "17/4"), dated="2024-04-02", **when)
        return [base(), first, amendment(set_level("7.11", level), name="a2.txt", dated="2024-04-20", number=2, **when, **more)]

    found = twice("accept_recited_chain_order", pair("19/4", recites=[(1, None)]), pair("19/4"))
    assert (level_of(found), "reject_superseded" in codes(found)) == (Fraction(19, 4), True)
    twice("review_conflict_same_effective_date", pair("19/4"), pair("17/4"))
    same = twice("accept_duplicate_consistent", pair("17/4"), pair("19/4"))
    # Both are cited, the later-signed governs, and nothing was overtaken by a word that says the same.
    assert {r.subject for r in same.reasons if r.code == "accept_duplicate_consistent"} == {"a1.txt", "a2.txt"}
    assert (getattr(same.covenant, "document", ""), "reject_superseded" in codes(same)) == ("a2.txt", False)


def test_section_that_a_restatement_made() -> None:
    """P20: a section that does not exist is not found, unless a restatement in the pack gave the covenant that number."""
    change = amendment(set_level("7.13", "9/2"), amends=day("2024-01-22"))
    elsewhere = amendment(set_level("7.13", "9/2"), amends=day("2022-01-14"))
    plain = [base(), restated(stated("7.13", "19/4")), change]
    twice("review_target_not_found", [base(), elsewhere], plain, section=None, covenant="Total Leverage Ratio")
    found = decided(plain, TEST, section=None, covenant="Total Leverage Ratio")
    assert (record(found), AGREED in codes(found)) == (("determined", Fraction(9, 2), set()), True)


def test_old_number_after_a_renumbering() -> None:
    """PR-22: the old number leads to the new one where the restatement says so, and is told; otherwise it leads nowhere."""
    said = "Section 7.11 of the Existing Credit Agreement is renumbered as Section 6.10."
    change = amendment(amends=day("2024-01-22"))
    told = [base(), restated(stated("6.10", "19/4"), words=said), change]
    silent = [base(), restated(stated("6.10", "19/4")), change]
    found = twice("finding_numbering_drift", told, silent, section="6.10")
    assert record(found) == ("determined", Fraction(9, 2), set())
    twice("review_target_not_found", silent, told, section="6.10")


def test_old_number_that_is_used_again() -> None:
    """PR-22: a number that the restated text uses for another provision is not followed anywhere."""
    said = "Section 7.11 is renumbered as Section 6.10."
    again = restated(stated("6.10", "19/4"), stated("7.11", "3", metric="interest_cover", comparator="ge"), words=said)
    found = decided([base(), again, amendment(amends=day("2024-01-22"))], TEST, section="6.10")
    assert "finding_numbering_drift" not in codes(found)
    assert level_of(found) != Fraction(9, 2)


def test_amending_an_amendment() -> None:
    """P21: a change of an amendment goes into one that still waits, and into one that is spent only with the agreement."""

    def second(words: str = "") -> Paper:
        act = set_level("2(c)", "19/4", agreement="Amendment No. 1")
        act.words += words
        return amendment(act, name="a2.txt", dated="2024-04-01", number=2)

    waiting = amendment(mode=M.FIXED, effect={"date": day("2024-05-01")})
    spent = [base(), amendment(), second()]
    for papers in ([base(), waiting, second()], [base(), amendment(), second(" The Credit Agreement is amended accordingly.")]):
        found = twice(AGREED, papers, spent)
        assert record(found) == ("determined", Fraction(19, 4), set())
    found = twice("review_amends_spent_amendment", spent, [base(), waiting, second()])
    assert candidates(found) == {Fraction(9, 2), Fraction(19, 4)}


def test_restatement() -> None:
    """P22: its text missing, an amendment saved by name, or a test before its day."""
    older = amendment(dated="2023-05-01", mode=M.FIXED, effect={"date": day("2024-03-31")})
    plain = [base(), older, restated()]
    assert record(decided(plain, TEST)) == ("determined", Fraction(19, 4), set())
    other = stated("6.01", "3", metric="interest_cover", comparator="ge")
    twice("review_input_missing", [base(), older, restated(other)], plain)
    saved = restated(words="Amendment No. 1 remains in full force and effect.")
    found = twice("review_target_ambiguous", [base(), older, saved], plain)
    assert candidates(found) == {Fraction(19, 4), Fraction(9, 2)}
    twice("reject_not_yet_effective", plain, plain, "2023-12-31", other=TEST)


def test_dated_back() -> None:
    """P29: only a test between the written day and the day of the conditions is in doubt."""

    def answer(test: str) -> Effective:
        change = amendment(
            dated="2024-03-20", mode=M.AS_OF_ON_CP, effect={"date": day("2024-03-20")}, effective_on=day("2024-04-11")
        )
        return decided([base(), change], test)

    assert "review_effective_date_ambiguous" in codes(answer("2024-03-31"))
    for test, code, level in ((TEST, AGREED, Fraction(9, 2)), ("2024-03-19", "reject_not_yet_effective", FOUR)):
        found = answer(test)
        assert (record(found), code in codes(found)) == (("determined", level, set()), True)
        assert code not in codes(answer("2024-03-31"))


def test_event_without_evidence() -> None:
    """P30: an operation of its own day waits for its event, whatever another one of the instrument does."""

    def change(met: str | None) -> Paper:
        return amendment(mode=M.ON_EVENT, dated="2024-05-06", effective_on=day(met))

    twice("review_cp_evidence_missing", [base(), change(None)], [base(), change("2024-07-15")])
    assert "reject_not_yet_effective" in codes(decided([base(), change("2024-07-15")], TEST))


def test_two_agreements_and_an_agent() -> None:
    """P32: of two agreements of one day a change belongs to the one with its agent; without that it may be either's."""
    first = base("first.txt", "2022-01-14", stated("7.11", "4", metric="first_lien_net_leverage"))
    second = base("second.txt", "2022-01-14", stated("7.11", "6"))
    change = amendment(set_level("7.11", "13/2"), amends=day("2022-01-14"))

    def answer(**agents: tuple[str, ...]) -> Effective:
        case, extraction = make([first, second, change], TEST, section=None, covenant="Total Leverage Ratio")
        own = tuple(i.model_copy(update={"parties": agents.get(i.document.partition(".")[0], ())}) for i in case.instruments)
        return decide(case.model_copy(update={"instruments": own}), extraction)

    found = answer(first=("ford bank",), second=("moor bank",), a1=("moor bank",))
    assert (record(found), AGREED in codes(found)) == (("determined", Fraction(13, 2), set()), True)
    for agents in (
        {},
        {"first": ("moor bank",), "second": ("moor bank",), "a1": ("moor bank",)},
        {"second": ("moor bank",), "a1": ("moor bank",)},
    ):
        assert "review_target_ambiguous" in codes(answer(**agents))


def test_two_covenants_under_one_number() -> None:
    """P32: a section with a leverage and a cover covenant, and an amendment that names neither."""
    cover = stated("7.11", "3", metric="interest_cover", comparator="ge")
    both = [base("base.txt", "2022-01-14", stated("7.11", "4"), cover), amendment()]
    twice("review_target_ambiguous", both, [base(), amendment()], section=None, covenant="Total Leverage Ratio")


def test_caption_and_number() -> None:
    """P33: a caption of another provision than the number's is a mismatch; of the number's own it is none."""
    cover = stated("6.13", "4", metric="interest_cover", comparator="ge", terms={"caption": "Minimum Interest Coverage"})
    leverage = stated("7.11", "4", terms={"caption": "Maximum Leverage"})

    def swap(section: str) -> Paper:
        return amendment(substituted(section, "4.00 to 1.00", "4.25 to 1.00", caption="Maximum Leverage"))

    agreement = base("base.txt", "2022-01-14", leverage, cover)
    twice("review_target_heading_mismatch", [agreement, swap("6.13")], [agreement, swap("7.11")])
    twice("accept_substituted_text", [agreement, swap("7.11")], [agreement, swap("6.13")])
