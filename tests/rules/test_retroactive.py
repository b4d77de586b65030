"""Changes that reach back over a test: every limb of the table, and both bases in words (3.2 as_of, P27, P28)."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from support import Paper, base, candidates, codes, day, level_of, make, set_level, waived

from conformed.model.decision import Effective
from conformed.model.operation import EffectiveMode
from conformed.model.pack import Execution, InstrumentKind
from conformed.rules.precedence.precedence import decide

K, M = InstrumentKind, EffectiveMode
FOUR, HIGH = Fraction(4), Fraction(9, 2)
TEST = "2024-06-30"


def change(*, waives: bool = False, event: str = "", **more: Any) -> Paper:
    """An amendment of August that counts from June."""
    effect = {"date": day("2024-06-01"), "waives_default": waives, "event": event}
    given = {"mode": M.AS_OF, "effect": effect, "signed_on": day("2024-08-14"), "number": 1, **more}
    return Paper("a1.txt", K.AMENDMENT, day("2024-08-14"), [set_level("7.11", "9/2")], **given)


def asked(*papers: Paper, met: bool | None = None, known: str = "2030-01-01", test: str = TEST) -> Effective:
    """The decision, with figures that meet the old level, do not, or are not known."""
    return decide(*make([base(), *papers], test, known=known), lambda then: met)


def test_the_old_level_was_met_too() -> None:
    """Without any waiver it counts only where the figures of the test meet the level before it (P28)."""
    assert level_of(asked(change(), met=True)) == HIGH
    for met in (False, None):
        found = asked(change(), met=met)
        assert (found.result, candidates(found)) == ("review", {FOUR, HIGH})
        assert {"review_retroactive_without_waiver", "finding_retroactive_basis_shown"} <= codes(found)
    assert decide(*make([base(), change()], TEST)).result == "review"


def test_the_figures_are_held_against_the_old_level() -> None:
    """What is asked about the figures is the covenant without the change, and nothing where nothing reaches back."""
    seen: list[Fraction | None] = []

    def met(then: Effective) -> bool:
        seen.append(level_of(then))
        return True

    decide(*make([base(), change()], TEST), met)
    assert seen == [FOUR]
    decide(*make([base(), change(waives=True)], TEST), met)
    decide(*make([base()], TEST), met)
    assert seen == [FOUR]


@pytest.mark.parametrize(
    ("papers", "known"),
    [
        ([change(execution=Execution.UNSIGNED)], "2030-01-01"),
        ([change(attested=False, words="Made with certain Lenders.")], "2030-01-01"),
        ([change(event="conditions")], "2030-01-01"),
        ([change(), Paper("d.txt", K.NOTICE, day("2024-08-01"), (), words="The Loans are hereby accelerated.")], "2030-01-01"),
        ([change(waives=True, event="conditions")], "2030-01-01"),
        ([change(waives=True, execution=Execution.PARTIAL)], "2030-01-01"),
        ([change(waives=True), Paper("d.txt", K.NOTICE, day("2024-08-01"), (), words="Enforcement has begun.")], "2030-01-01"),
    ],
)  # fmt: skip
def test_a_limb_that_is_missing(papers: list[Paper], known: str) -> None:
    """Unsigned, unauthorised, conditions not shown, or enforcement begun: a review with both bases, whatever the figures are."""
    found = asked(*papers, met=True, known=known)
    assert (found.result, candidates(found)) == ("review", {FOUR, HIGH})
    assert not {c for c in codes(found) if c.startswith("accept")}
    assert "finding_retroactive_basis_shown" in codes(found)


def test_conditions_that_are_shown() -> None:
    """With a day on which the conditions were met it reaches back as its words say."""
    found = asked(change(waives=True, event="conditions", effective_on=day("2024-08-20")))
    assert level_of(found) == HIGH
    assert asked(change(waives=True, event="conditions", effective_on=day("2024-08-20")), known="2024-08-19").result == "review"


def test_another_waiver_covers_the_test() -> None:
    """A waiver of the very test date, sound and not capped, is the waiver that is asked for."""
    letter = Paper("w.txt", K.WAIVER, day("2024-08-20"), [waived("7.11", (TEST, TEST))])
    assert level_of(asked(change(), letter, met=False)) == HIGH
    other = Paper("w.txt", K.WAIVER, day("2024-08-20"), [waived("7.11", ("2024-03-31", "2024-03-31"))])
    assert asked(change(), other, met=False).result == "review"
    unsigned = Paper("w.txt", K.WAIVER, day("2024-08-20"), [waived("7.11", (TEST, TEST))], execution=Execution.UNSIGNED)
    assert asked(change(), unsigned, met=False).result == "review"


def test_both_bases_are_told() -> None:
    """The finding names the level on the text then in force and the level as reached back, with their instruments."""
    found = asked(change(waives=True))
    (said,) = [r.sentence for r in found.reasons if r.code == "finding_retroactive_basis_shown"]
    assert "4.00x (base.txt)" in said
    assert "4.50x (a1.txt)" in said


def test_tests_on_either_side() -> None:
    """Before the day to which it reaches nothing changes; from its signing on it is in force without more."""
    early, late = asked(change(), test="2024-03-31"), asked(change(), test="2024-09-30")
    assert (level_of(early), "reject_not_yet_effective" in codes(early)) == (FOUR, True)
    assert (level_of(late), "finding_retroactive_basis_shown" in codes(late)) == (HIGH, False)
    before = asked(change(waives=True), known="2024-08-13")
    assert (level_of(before), "reject_after_known_date" in codes(before)) == (FOUR, True)
