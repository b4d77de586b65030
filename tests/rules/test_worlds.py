"""Order (PR-30 to PR-32) and open readings (G3)."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from support import Act, Paper, base, candidates, codes, day, decided, record, set_level, stated, substituted

from conformed.model.decision import Effective
from conformed.model.operation import EffectiveMode, Effectiveness, Op, Operation, Target
from conformed.model.pack import Execution, Instrument, InstrumentKind
from conformed.rules.instruments.dating import Standing
from conformed.rules.precedence.state import State
from conformed.rules.precedence.worlds import Placed, worlds

K, M = InstrumentKind, EffectiveMode
FOUR = Fraction(4)
TEST = "2024-09-30"
JULY = {"mode": M.FIXED, "effect": {"date": day("2024-07-01")}}


def paper(name: str, dated: str, act: Act, **more: Any) -> Paper:
    """An executed amendment of one act."""
    return Paper(name, K.AMENDMENT, day(dated), [act], **more)


def given(*papers: Paper, test: str = TEST) -> Effective:
    """What precedence gives with the base."""
    return decided([base(), *papers], test)


def test_later_effective_date_governs() -> None:
    """Permanent changes apply in the order of their effective dates, whatever their numbers and names (PR-30)."""
    one = paper("z.txt", "2024-01-15", set_level("7.11", "5"), number=7)
    two = paper("a.txt", "2024-03-20", set_level("7.11", "17/4"), number=8, recites=[(7, None)])
    three = [
        paper(f"m{n}.txt", "2022-06-01", Act("Nothing.", lambda q: {"op": Op.DEFINE, "target": {"term": "X"}}), number=n)
        for n in range(1, 7)
    ]
    found = given(one, two, *three)
    assert record(found) == ("determined", Fraction(17, 4), set())
    assert "reject_superseded" in codes(found)


def test_effective_on_the_test_date_counts() -> None:
    """A change that takes effect on the test date counts for it."""
    assert record(given(paper("a.txt", TEST, set_level()))) == ("determined", Fraction(15, 4), set())
    assert record(given(paper("a.txt", "2024-10-01", set_level()))) == ("determined", FOUR, set())


def pair(first: str, second: str, **recital: Any) -> Effective:
    """Two amendments from one day."""
    return given(
        paper("a1.txt", "2024-06-20", set_level("7.11", first, **JULY), number=1, **recital.get("one", {})),
        paper("a2.txt", "2024-06-24", set_level("7.11", second, **JULY), number=2, **recital.get("two", {})),
    )


def test_one_day_two_levels() -> None:
    """Number, signature and file order do not settle an order (PR-31)."""
    found = pair("17/4", "19/4")
    assert record(found) == ("review", None, {Fraction(17, 4), Fraction(19, 4)})
    assert "review_conflict_same_effective_date" in codes(found)
    assert "reject_superseded" not in codes(found)


@pytest.mark.parametrize(
    ("recital", "level"),
    [
        ({"two": {"recites": [(1, None)]}}, "19/4"),
        ({"one": {"recites": [(2, None)]}}, "17/4"),
        ({"two": {"recites": [(None, "2024-06-20")]}}, "19/4"),
    ],
)
def test_who_recites_is_later(recital: dict[str, Any], level: str) -> None:
    """The instrument that recites the other as part of what it amends is the later one, whichever has the higher number."""
    found = pair("17/4", "19/4", **recital)
    assert record(found) == ("determined", Fraction(level), set())
    assert {"accept_recited_chain_order", "reject_superseded"} <= codes(found)


def test_one_day_one_level() -> None:
    """Two instruments of one value are no conflict; the later-signed one is named."""
    found = pair("17/4", "17/4")
    assert record(found) == ("determined", Fraction(17, 4), set())
    assert "accept_duplicate_consistent" in codes(found)
    assert found.covenant.document == "a2.txt"


def test_each_recites_the_other() -> None:
    """Recitals that contradict each other settle nothing."""
    found = pair("17/4", "19/4", one={"recites": [(2, None)]}, two={"recites": [(1, None)]})
    assert found.result == "review"


def test_three_of_one_day_in_a_recited_chain() -> None:
    """A chain of recitals orders more than two, whatever the names."""
    papers = [
        paper("c.txt", "2024-06-20", set_level("7.11", "17/4", **JULY), number=1),
        paper("b.txt", "2024-06-20", set_level("7.11", "9/2", **JULY), number=2, recites=[(1, None)]),
        paper("a.txt", "2024-06-20", set_level("7.11", "19/4", **JULY), number=3, recites=[(1, None), (2, None)]),
    ]
    assert record(given(*papers)) == ("determined", Fraction(19, 4), set())


def test_earlier_signed_takes_effect_later() -> None:
    """An instrument signed first and effective last may not overwrite the one between (PR-32)."""
    waiting = paper("a1.txt", "2024-01-15", set_level("7.11", "5", mode=M.ON_EVENT), effective_on=day("2024-07-01"))
    between = paper("a2.txt", "2024-03-20", set_level("7.11", "17/4"))
    found = given(waiting, between)
    assert record(found) == ("review", None, {Fraction(5), Fraction(17, 4)})
    assert "review_effective_order_inverts_signing" in codes(found)
    same = paper("a2.txt", "2024-03-20", set_level("7.11", "5"))
    assert record(given(waiting, same)) == ("determined", Fraction(5), set())


def test_recital_against_the_days() -> None:
    """An instrument that takes effect first and recites one that takes effect after it: which comes last is open."""
    first = paper("a2.txt", "2024-03-20", set_level("7.11", "17/4"), recites=[(1, None)])
    last = paper("a1.txt", "2024-01-15", set_level("7.11", "5", mode=M.ON_CP), effective_on=day("2024-07-01"), number=1)
    found = given(first, last)
    assert record(found) == ("review", None, {Fraction(5), Fraction(17, 4)})
    assert "review_effective_order_inverts_signing" in codes(found)


def test_unknown_day_may_be_the_last() -> None:
    """A change whose day is not established may have come after a later one; both orders are shown."""
    unknown = paper("a1.txt", "2024-01-15", set_level("7.11", "5", mode=M.ON_CP))
    later = paper("a2.txt", "2024-03-20", set_level("7.11", "17/4"))
    found = given(unknown, later)
    assert record(found) == ("review", None, {Fraction(5), Fraction(17, 4)})
    assert "review_cp_evidence_missing" in codes(found)
    same = paper("a2.txt", "2024-03-20", set_level("7.11", "5"))
    settled = given(unknown, same)
    assert record(settled) == ("determined", Fraction(5), set())
    assert "finding_reading_immaterial" in codes(settled)


def test_readings_of_one_value_are_immaterial() -> None:
    """A doubtful instrument that says what holds anyway is told and stops nothing (G3)."""
    found = given(paper("a1.txt", "2024-01-15", set_level("7.11", "4"), execution=Execution.UNSIGNED))
    assert record(found) == ("determined", FOUR, set())
    assert "finding_reading_immaterial" in codes(found)
    assert found.covenant.document == "base.txt"


def test_reading_that_differs_in_comparator_only() -> None:
    """The same level with another treatment of equality is another covenant."""
    act = stated("7.11", "4", op=Op.REPLACE_PROVISION, terms={"comparator": "lt"})
    found = given(paper("a1.txt", "2024-01-15", act, execution=Execution.UNSIGNED))
    assert (found.result, [c.comparator.value for c in found.candidates]) == ("review", ["lt", "le"])


@pytest.mark.parametrize("count", [2, 5, 6, 8])
def test_many_open_instruments(count: int) -> None:
    """Many open instruments never end in a level, though with more than five not every mixture is tried."""
    levels = [Fraction(4) + Fraction(n, 4) for n in range(1, count)] + [FOUR]
    papers = [
        paper(f"a{n}.txt", f"2024-01-{n + 1:02d}", set_level("7.11", str(level)), execution=Execution.UNSIGNED)
        for n, level in enumerate(levels)
    ]
    found = given(*papers)
    assert found.result == "review"
    assert FOUR in candidates(found)


def test_certain_part_of_a_document_with_an_open_part() -> None:
    """Of one instrument the part whose day is known counts in every reading (PR-10)."""
    acts = [
        set_level("7.11", "9/2"),
        substituted("7.11", "quarter", "quarter or year", mode=M.AS_OF_ON_CP, effect={"date": day("2024-01-15")}),
    ]
    found = given(Paper("a1.txt", K.AMENDMENT, day("2024-01-15"), acts))
    assert FOUR not in candidates(found)


def test_each_candidate_names_its_assumption() -> None:
    """A person sees under which assumption each level would govern."""
    found = given(paper("a1.txt", "2024-01-15", set_level(), execution=Execution.UNSIGNED))
    assert {(c.limit.value, c.reading) for c in found.candidates} == {
        (Fraction(15, 4), "a1.txt counts"),
        (FOUR, "a1.txt does not count"),
    }


@pytest.mark.parametrize(
    ("count", "readings", "whole"), [(0, 1, True), (1, 2, True), (5, 32, True), (6, 2, False), (40, 2, False)]
)
def test_number_of_readings(count: int, readings: int, whole: bool) -> None:
    """All mixtures of up to five open instruments are tried; of more only the outermost, and that is said."""
    act = Operation(id="x", op=Op.SET_LEVEL, document="d", target=Target(), effective=Effectiveness(mode=M.ON_CP))
    instrument = Instrument(document="d", kind=K.AMENDMENT)
    placed = [
        Placed(act.model_copy(update={"document": f"d{n}"}), instrument, Standing("doubt", None, ("review_cp_evidence_missing",)))
        for n in range(count)
    ]
    found, all_of_them = worlds(placed, lambda counted: State())
    assert (len(found), all_of_them) == (readings, whole)
    assert (found[0].left_out, found[-1].counted) == ((), ())
