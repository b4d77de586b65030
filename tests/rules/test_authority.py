"""Authority and readability as structured facts: side letters, terms of another financing, lost marks, classes of lenders, lapses.

Each case is given with the difference, where its code must be told, and without it, where it must not.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from support import Act, Paper, base, codes, day, decided, level_of, make, record, set_level

from conformed.model.decision import Effective
from conformed.model.operation import EffectiveMode
from conformed.model.pack import Execution, InstrumentKind, LenderConsent, Manifest
from conformed.rules.authority.consent import stated_consent
from conformed.rules.instruments.provisions import canonical_label
from conformed.rules.precedence.precedence import decide
from conformed.rules.precedence.renumbering import renumbered

K, M, X = InstrumentKind, EffectiveMode, Execution
TEST = "2024-06-30"
FOUR = Fraction(4)
AGREED = "accept_amended_provision"


def amendment(*acts: Act, dated: str = "2024-03-15", **more: Any) -> Paper:
    """An executed amendment, signed on its date."""
    given: dict[str, Any] = {"number": 1, "signed_on": day(dated), **more}
    return Paper("a1.txt", K.AMENDMENT, day(dated), acts or (set_level("7.11", "9/2"),), **given)


def twice(code: str, papers: Sequence[Paper], plain: Sequence[Paper]) -> None:
    """Shows that a code is told with the difference and not without it."""
    found = decided(papers, TEST)
    assert code in codes(found)
    assert code not in codes(decided(plain, TEST))
    if code.startswith("review"):
        assert (found.result, level_of(found)) == ("review", None)


def letter(**more: Any) -> Paper:
    """A side letter that sets another level."""
    given: dict[str, Any] = {"title": "Covenant Side Letter", "signed_on": day("2022-01-14"), **more}
    return Paper("s.txt", K.SIDE_LETTER, day("2022-01-14"), (set_level("7.11", "9/2"),), **given)


def test_side_letter() -> None:
    """P37: the letter added, executed and a finance document operates; letters that concern fees only leave the base."""
    bent = base(words="Section 7.11 is subject to the terms of the Covenant Side Letter.")
    twice("review_side_letter_not_in_pack", [bent], [base()])
    whole = letter(words="This letter is a Finance Document.")
    assert record(decided([bent, whole], TEST)) == ("determined", Fraction(9, 2), set())
    twice(AGREED, [bent, whole], [bent])
    twice("review_side_letter_authority", [bent, letter()], [bent, whole])
    twice("review_side_letter_authority", [bent, letter(words="This letter is not a Finance Document.")], [bent, whole])
    fees = decided([bent], TEST, manifest=Manifest(side_letters_apart=True))
    assert (record(fees), "accept_base_statement" in codes(fees)) == (("determined", FOUR, set()), True)
    assert "accept_base_statement" not in codes(decided([bent], TEST))


def test_covenants_by_reference() -> None:
    """P41: another agreement's covenants are nothing in an event of default, and a question where they are incorporated."""
    taken = base(words="The financial covenants of the Senior Note Agreement are incorporated in this Agreement by reference.")
    quoted = base(words="It is an event of default to fail the financial covenants of the Senior Note Agreement.")
    twice("review_mfn_external", [taken], [quoted])
    settled = decided([taken], TEST, manifest=Manifest(no_tighter_terms=True))
    assert record(settled) == ("determined", FOUR, set())


def test_struck_text_that_was_lost() -> None:
    """PR-07: an amendment that shows its changes by struck text, of which none was read, stops; one still to come does not."""
    words = "The agreement is amended to delete the stricken text (shown in the same manner as this example: stricken text)."
    twice("review_text_formatting_lost", [base(), amendment(words=words)], [base(), amendment()])
    later = amendment(words=words, dated="2024-07-15")
    assert record(decided([base(), later], TEST)) == ("determined", FOUR, set())


def test_class_of_lenders() -> None:
    """PR-20: consent of another class than the one that can make the change stops; attested execution settles it."""

    def answer(needed: str, given: str, *, shown: bool = True, attested: bool = False) -> Effective:
        case, extraction = make([base(), amendment(attested=attested)], TEST)
        consent = LenderConsent(needed=needed, given_by=given, shown=shown)
        own = tuple(i.model_copy(update={"consent": consent}) if i.kind is K.AMENDMENT else i for i in case.instruments)
        return decide(case.model_copy(update={"instruments": own}), extraction)

    wrong = answer("required_revolving_lenders", "required_term_lenders")
    assert record(wrong) == ("review", None, {FOUR, Fraction(9, 2)})
    assert {c for c in codes(wrong) if c.startswith("review")} == {"review_wrong_consent_class"}
    few = answer("required_lenders", "required_lenders", shown=False)
    assert {c for c in codes(few) if c.startswith("review")} == {"review_consent_threshold_unproven"}
    for settled in (answer("required_lenders", "required_lenders"), answer("each_lender", "required_lenders", attested=True)):
        assert record(settled) == ("determined", Fraction(9, 2), set())


POWER = "The Agent and the Borrower may together correct an obvious error in this Agreement without the consent of any Lender."
MENDS = "This Amendment is made to correct an obvious error in the Credit Agreement."


def corrected(*, power: bool = True, **more: Any) -> Effective:
    """The answer where agent and borrower, and nobody else, signed an amendment."""
    case, extraction = make([base(words=POWER if power else ""), amendment(**{"attested": False, "words": MENDS, **more})], TEST)
    consent = LenderConsent(needed="required_lenders", given_by="agent_and_borrower", shown=True)
    own = tuple(i.model_copy(update={"consent": consent}) if i.kind is K.AMENDMENT else i for i in case.instruments)
    return decide(case.model_copy(update={"instruments": own}), extraction)


def test_power_to_correct_an_obvious_error() -> None:
    """PR-20: the agreement's power, an instrument that corrects and both signatures together are authority; no two of them are."""
    found = corrected()
    assert record(found) == ("determined", Fraction(9, 2), set())
    assert {c for c in codes(found) if c.startswith("accept")} == {"accept_corrected_error"}
    for lacking in (corrected(power=False), corrected(words=""), corrected(execution=X.PARTIAL)):
        assert record(lacking) == ("review", None, {FOUR, Fraction(9, 2)})
        assert "accept_corrected_error" not in codes(lacking)


def test_lapse() -> None:
    """3.2: past the long-stop date an instrument is open, unless evidence known by then shows that it ended unborn."""

    def answer(lapsed: str | None, known: str = "2024-09-30", **met: Any) -> Effective:
        change = amendment(mode=M.ON_CP, effect={"long_stop": day("2024-05-31")}, **met)
        case, extraction = make([base(), change], TEST, known=known)
        own = tuple(i.model_copy(update={"lapsed_on": day(lapsed)}) if i.kind is K.AMENDMENT else i for i in case.instruments)
        return decide(case.model_copy(update={"instruments": own}), extraction)

    ended = answer("2024-06-03")
    assert record(ended) == ("determined", FOUR, set())
    assert "reject_lapsed_instrument" in codes(ended)
    for unsure in (answer(None), answer("2024-10-03"), answer("2024-06-03", effective_on=day("2024-05-20"))):
        assert record(unsure) == ("review", None, {FOUR, Fraction(9, 2)})
        assert "review_possible_lapse" in codes(unsure)
        assert "reject_lapsed_instrument" not in codes(unsure)


NUMBERS = st.builds("{}.{:02d}".format, st.integers(1, 14), st.integers(1, 30))


@given(st.lists(st.tuples(NUMBERS, NUMBERS), min_size=1, max_size=6))
def test_a_number_leads_to_one_number_or_nowhere(pairs: list[tuple[str, str]]) -> None:
    """A renumbering is one to one whatever a text says: a number mapped twice, or shared by two, leads nowhere (PR-22)."""
    said = renumbered(" ".join(f"Section {a} is renumbered as Section {b}." for a, b in pairs))
    assert len(set(said.values())) == len(said)
    for old, new in said.items():
        assert {b for a, b in pairs if canonical_label(a) == old} == {new}
        assert {a for a, b in pairs if canonical_label(b) == new} == {old}
    alone = [(a, b) for a, b in pairs if a != b and [x for x, _ in pairs].count(a) == 1 == [y for _, y in pairs].count(b)]
    assert all(said[canonical_label(a)] == canonical_label(b) for a, b in alone)


CLASSES = st.sampled_from(["required_lenders", "required_revolving_lenders", "each_lender"])


@given(CLASSES, CLASSES, st.booleans())
def test_consent_counts_only_from_the_class_and_share(needed: str, given_by: str, shown: bool) -> None:
    """Consent stated as facts counts exactly where the class is the one needed and its share is shown (PR-20)."""
    told = stated_consent(LenderConsent(needed=needed, given_by=given_by, shown=shown))
    assert (told == ()) is (needed == given_by and shown)
    assert ("review_wrong_consent_class" in told) is (needed != given_by)
