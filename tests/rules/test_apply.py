"""Operations on the text and terms of one covenant (PR-22 to PR-28, PR-33)."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import Act, Paper, base, candidates, codes, day, decided, doubt, record, set_level, stated, substituted

from conformed.language.traced import live_view
from conformed.model.covenant import Comparator, Trigger
from conformed.model.document import Document, Media, Page
from conformed.model.operation import Op, Target
from conformed.model.pack import InstrumentKind
from conformed.rules.precedence.substitution import rewrite

K = InstrumentKind
FOUR, LOW = Fraction(4), Fraction(15, 4)
TEST = "2024-06-30"
OLD, NEW = "4.00 to 1.00", "3.75 to 1.00"


def changed(*acts: Act, first: Act | None = None, test: str = TEST, **asked: Any) -> Any:
    """The covenant after an amendment in force since March 2024."""
    amendment = Paper("a1.txt", K.AMENDMENT, day("2024-03-15"), acts, number=1)
    return decided([base("base.txt", "2022-01-14", first or stated()), amendment], test, **asked)


def test_find_and_replace() -> None:
    """Words that stand once are replaced, and the text is read again (P13)."""
    found = changed(substituted("7.11", OLD, NEW))
    assert record(found) == ("determined", LOW, set())
    assert "accept_substituted_text" in codes(found)
    assert found.covenant.document == "a1.txt"


@pytest.mark.parametrize("find", ["4.25 to 1.00", "the", "4.0", "00 to 1.00"])
def test_anchor_that_does_not_stand_once(find: str) -> None:
    """Words that stand never, more than once, or only inside other words or numbers are not replaced (PR-23)."""
    found = changed(substituted("7.11", find, "3.75 to 1.00"))
    assert (found.result, "review_anchor_not_unique" in codes(found)) == ("review", True)
    assert candidates(found) == {FOUR}


def test_replacement_that_cannot_be_read_again() -> None:
    """A provision that is no covenant any more after words were swapped is a review."""
    found = changed(substituted("7.11", "shall not permit", "is glad of"))
    assert (found.result, "review_clause_not_fully_read" in codes(found)) == ("review", True)


def test_replacement_from_a_period_on() -> None:
    """Words replaced for later periods leave the earlier ones alone (P15)."""
    act = substituted("7.11", OLD, NEW, from_period=day("2024-09-30"))
    assert record(changed(act)) == ("determined", FOUR, set())
    assert record(changed(act, test="2024-09-30")) == ("determined", LOW, set())


def test_what_the_words_did_not_say_survives_a_replacement() -> None:
    """A trigger that stands elsewhere is not lost when the clause is read again."""
    trigger = Trigger(numerator="loans", denominator="commitments", comparator=Comparator.GT, level=Fraction(2, 5), raw="40%")
    found = changed(substituted("7.11", OLD, NEW), first=stated(terms={"trigger": trigger}))
    assert (found.result, "review_trigger_evidence_missing" in codes(found)) == ("review", True)


def test_doubt_of_the_old_text_survives_a_replacement() -> None:
    """A doubt ends only with the words that raised it."""
    found = changed(substituted("7.11", OLD, NEW), first=stated(terms={"doubts": (doubt("review_gloss_conflict"),)}))
    assert (found.result, "review_gloss_conflict" in codes(found)) == ("review", True)


def test_first_test_date_in_the_replaced_words() -> None:
    """A first test date that may have gone with the words is a question, not a covenant that is not tested yet."""
    first = stated(rows=[("4", "2024-01-01", "2029-12-31")], terms={"first_test": "2024-12-31"})
    found = changed(substituted("7.11", "from 2024-01-01", "from 2024-02-01"), first=first)
    assert found.result == "review"


def test_whole_provision() -> None:
    """New text takes metric and comparator with it (P14)."""
    found = changed(stated("7.11", "5", metric="net_leverage", op=Op.REPLACE_PROVISION))
    assert record(found) == ("determined", Fraction(5), set())
    assert {"accept_amended_provision", "finding_metric_changed"} <= codes(found)
    assert found.covenant.metric == "net_leverage"


def test_whole_provision_from_a_period_on() -> None:
    """New text for later periods leaves the earlier ones to the old level."""
    act = stated("7.11", "5", op=Op.REPLACE_PROVISION, from_period=day("2024-09-30"))
    assert record(changed(act)) == ("determined", FOUR, set())
    assert record(changed(act, test="2024-09-30")) == ("determined", Fraction(5), set())


def test_provision_replaced_by_words_that_state_no_covenant() -> None:
    """Text in which no covenant could be read is not taken for a deletion."""
    act = Act(
        "Section 7.11 is to be read anew.",
        lambda q: {"op": Op.REPLACE_PROVISION, "target": Target(section="7.11"), "payload": q("to be read anew")},
    )
    found = changed(act)
    assert (found.result, "review_clause_not_fully_read" in codes(found)) == ("review", True)


def test_provision_added() -> None:
    """A new provision states a covenant where none stood; added over another covenant it is a question."""
    act = stated("7.20", "5", op=Op.ADD_PROVISION)
    assert record(changed(act, section="7.20")) == ("determined", Fraction(5), set())
    over = changed(stated("7.11", "5", op=Op.ADD_PROVISION))
    assert (over.result, "review_target_ambiguous" in codes(over)) == ("review", True)


def test_level_set_after_a_deletion() -> None:
    """A deleted covenant has no level to be changed; a new text brings it back."""
    assert changed(deletion(), set_level()).result == "review"
    back = changed(deletion(), stated("7.11", "5", op=Op.REPLACE_PROVISION))
    assert record(back) == ("determined", Fraction(5), set())


def table(*rows: tuple[str, str | None, str | None], op: Op = Op.REPLACE_TABLE, comparator: str = "le", **extra: Any) -> Act:
    """A new table of levels."""
    return stated("7.11", rows=rows, op=op, comparator=comparator, **extra)


QUARTERS = (("17/4", "2024-03-31", "2024-03-31"), ("4", "2024-06-30", "2024-06-30"), ("15/4", "2024-09-30", None))


def test_table_leaves_no_old_rows() -> None:
    """Old rows do not live on beside new ones: a date that only they covered has no level (P24)."""
    act = table(("29/5", "2024-06-30", "2024-06-30"), ("5", "2024-12-31", None))
    first = stated(rows=QUARTERS)
    found = changed(act, first=first)
    assert record(found) == ("determined", Fraction(29, 5), set())
    assert {"accept_amended_provision", "accept_schedule_row"} <= codes(found)
    gap = changed(act, first=first, test="2024-09-30")
    assert (gap.result, "review_schedule_gap" in codes(gap)) == ("review", True)


def test_table_from_a_period_on_keeps_the_rows_before() -> None:
    """A table for later periods leaves the rows before it, cut where it begins."""
    act = table(("7/2", "2024-09-30", None), from_period=day("2024-09-30"))
    first = stated(rows=QUARTERS)
    assert record(changed(act, first=first)) == ("determined", FOUR, set())
    assert record(changed(act, first=first, test="2024-12-31")) == ("determined", Fraction(7, 2), set())


def test_table_that_turns_the_direction_round() -> None:
    """A column of minimum levels in a provision that sets a maximum is a question."""
    found = changed(table(("5", None, None), comparator="ge"))
    assert (found.result, "review_comparator_ambiguous" in codes(found)) == ("review", True)


def test_one_row() -> None:
    """One row replaced leaves the others (P25)."""
    act = table(("23/5", "2024-06-30", "2024-06-30"), op=Op.REPLACE_ROW)
    first = stated(rows=QUARTERS)
    assert record(changed(act, first=first)) == ("determined", Fraction(23, 5), set())
    assert record(changed(act, first=first, test="2024-09-30")) == ("determined", LOW, set())


def test_row_that_is_not_there() -> None:
    """A row that the table in force does not have cannot be replaced."""
    found = changed(table(("23/5", "2025-06-30", "2025-06-30"), op=Op.REPLACE_ROW), first=stated(rows=QUARTERS))
    assert (found.result, "review_target_not_found" in codes(found)) == ("review", True)


def test_deletion() -> None:
    """Deleted is not tested, never passed (P26); a deletion with a doubt is a review."""
    found = changed(deletion())
    assert (record(found), found.not_tested) == (("not_tested", None, set()), "deleted")
    assert changed(deletion(doubts=(doubt("review_clause_not_fully_read"),))).result == "review"


def deletion(section: str = "7.11", **extra: Any) -> Act:
    """A provision taken out."""
    return Act(
        f"Section {section} goes out.",
        lambda q: {"op": Op.DELETE_PROVISION, "target": Target(section=section), "instruction": q("goes out")},
        extra=extra,
    )


@pytest.mark.parametrize("target", ["7.11", "ARTICLE VII", "7"])
def test_deletion_of_what_encloses_it(target: str) -> None:
    """A covenant goes with its section or its article."""
    assert changed(deletion(target), first=stated("7.11(a)"), section="7.11(a)").result == "not_tested"


def test_deletion_of_another_article() -> None:
    """Another article leaves it alone."""
    assert record(changed(deletion("ARTICLE VI"))) == ("determined", FOUR, set())


def test_increased_by_and_to() -> None:
    """By adds to what stood there, to sets (PR-28)."""
    by = Act(
        "Up by 0.25.",
        lambda q: {"op": Op.SET_LEVEL, "target": Target(section="7.11"), "delta": "1/4", "instruction": q("Up by 0.25.")},
    )
    assert record(changed(by)) == ("determined", Fraction(17, 4), set())
    assert record(changed(set_level("7.11", "17/4"))) == ("determined", Fraction(17, 4), set())


@pytest.mark.parametrize(("level", "sane"), [("1", False), ("101/100", True), ("15", True), ("1501/100", False), ("1/4", False)])
def test_levels_out_of_the_sane_range(level: str, sane: bool) -> None:
    """Debt over earnings must be above 1 and at most 15: anything else stops (PR-07, PR-28)."""
    found = changed(set_level("7.11", level), first=stated(terms={"numerator": "Debt", "denominator": "EBITDA"}))
    assert (found.result == "determined") is sane
    assert ("review_numeric_token_malformed" in codes(found)) is not sane


def test_level_that_could_not_be_read() -> None:
    """An instruction to set a level without one is a review."""
    act = Act(
        "The ratio is changed.",
        lambda q: {"op": Op.SET_LEVEL, "target": Target(section="7.11"), "instruction": q("The ratio is changed.")},
    )
    assert changed(act).result == "review"


@pytest.mark.parametrize("doubted", ["base", "set", "table", "whole", "swap"])
def test_doubts_of_an_operation_are_never_lost(doubted: str) -> None:
    """A doubt on any operation that made the covenant what it is stops the run."""
    extra = {"doubts": (doubt("review_words_figures_conflict"),)}
    acts: dict[str, Act] = {
        "set": set_level(**extra),
        "table": table(("7/2", None, None), **extra),
        "whole": stated("7.11", "5", op=Op.REPLACE_PROVISION, **extra),
        "swap": substituted("7.11", OLD, NEW, **extra),
    }
    found = changed(acts[doubted]) if doubted in acts else changed(set_level(), first=stated(**extra))
    assert (found.result, "review_words_figures_conflict" in codes(found)) == ("review", True)
    assert candidates(found)


def test_change_that_was_not_understood() -> None:
    """A change of the provision of an unknown sort stops the run, with or without a doubt of the extractor."""
    other = Act("Section 7.11 is otherwise.", lambda q: {"op": Op.OTHER_CHANGE, "target": Target(section="7.11")})
    found = changed(other)
    assert (record(found), "review_clause_not_fully_read" in codes(found)) == (("review", None, {FOUR}), True)


def test_two_statements_of_one_figure() -> None:
    """A base that states a figure twice in one section, in two ways, states neither (PR-22)."""
    found = decided([base("base.txt", "2022-01-14", stated(), stated("7.11", "5"))], TEST)
    assert (found.result, "review_target_ambiguous" in codes(found)) == ("review", True)


def document(text: str) -> Document:
    """A short document."""
    return Document(
        name="d",
        sha256="0" * 64,
        media=Media.TEXT,
        reader="test 1",
        text=text,
        pages=(Page(number=1, start=0, end=len(text)),),
        paged=False,
    )


WORD = st.text("ab1.", min_size=1, max_size=3)


@given(words=st.lists(WORD, min_size=1, max_size=8), at=st.integers(0, 7), new=WORD)
def test_rewriting_touches_one_place_only(words: list[str], at: int, new: str) -> None:
    """Either the words stand once and exactly they are replaced, or nothing is."""
    find = words[at % len(words)]
    old = live_view(document(" ".join(words)))
    text, count = rewrite(old, find, live_view(document(new)))
    assert (text is not None) == (count == 1)
    if text is not None:
        assert text.text in {" ".join([*words[:i], new, *words[i + 1 :]]) for i, w in enumerate(words) if find in w}
        assert len(text.text) == len(old.text) - len(find) + len(new)
