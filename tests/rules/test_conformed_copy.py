"""The conformed copy: every word with the instrument that put it there, and definitions as they read on the date (PR-34)."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from support import Act, Paper, base, codes, day, decided, level_of, set_level, stated, substituted

from conformed.model.decision import Conformed, Effective
from conformed.model.operation import EffectiveMode, Op, Target
from conformed.model.pack import Execution, InstrumentKind

K, M = InstrumentKind, EffectiveMode
TEST = "2024-06-30"
TERMS = {
    "Total Leverage Ratio": "the ratio of Total Debt to Adjusted Earnings",
    "Total Debt": "all borrowings",
    "Adjusted Earnings": "profit with interest added back",
    "Unused Term": "nothing",
}


def agreement(*acts: Act) -> Paper:
    """An agreement with definitions."""
    return base("base.txt", "2022-01-14", *acts, definitions=TERMS)


def amended(*acts: Act, dated: str = "2024-03-15", **more: Any) -> Effective:
    """The agreement after an amendment."""
    return decided([agreement(), Paper("a1.txt", K.AMENDMENT, day(dated), acts, number=1, **more)], TEST)


def copy_of(found: Effective, section: str) -> Conformed:
    """One provision or term of the conformed copy."""
    return next(c for c in found.conformed if c.section == section)


def text_of(part: Conformed) -> str:
    """Its words."""
    return "".join(r.text for r in part.runs)


def term(name: str, words: str, op: Op, **more: Any) -> Act:
    """A definition put in or changed."""
    sentence = f'"{name}" means {words}.'
    return Act(
        sentence, lambda q: {"op": op, "target": Target(term=name), "payload": q(sentence), "instruction": q(sentence)}, **more
    )


def test_terms_are_followed_to_the_end() -> None:
    """Definitions that the covenant uses, and those that they use, are there; others are not."""
    found = decided([agreement()], TEST)
    assert [c.section for c in found.conformed] == ["7.11", "Total Leverage Ratio", "Total Debt", "Adjusted Earnings"]
    assert {d.term: d.instrument for d in found.definitions} == dict.fromkeys(
        ["Total Leverage Ratio", "Total Debt", "Adjusted Earnings"], "base.txt"
    )
    assert "finding_definition_not_in_pack" not in codes(found)


def test_the_covenant_takes_its_sides_from_its_definition() -> None:
    """A figure that is only a name is a ratio of what its definition says."""
    covenant = decided([agreement()], TEST).covenant
    assert (covenant.numerator, covenant.denominator) == ("Total Debt", "Adjusted Earnings")
    assert covenant.definitions


def test_definition_that_is_not_in_the_pack() -> None:
    """A name that nothing defines is told and does not stop the question of the level (G1)."""
    found = decided([base()], TEST)
    assert (found.result, "finding_definition_not_in_pack" in codes(found)) == ("determined", True)


def test_words_swapped_keep_their_origins() -> None:
    """After a find-and-replace each run names its document, and the words that went are kept apart."""
    found = amended(substituted("7.11", "4.00 to 1.00", "3.75 to 1.00"))
    part = copy_of(found, "7.11")
    assert [(r.document, r.text) for r in part.runs][1] == ("a1.txt", "3.75 to 1.00")
    assert {r.document for r in part.runs} == {"base.txt", "a1.txt"}
    assert [(r.document, r.text) for r in part.superseded] == [("base.txt", "4.00 to 1.00")]
    for run in part.runs:
        assert run.text.strip() == " ".join(s.text for s in run.spans).strip()


def test_new_text_replaces_the_old() -> None:
    """A provision replaced in full is the instrument's words alone; the old words are superseded."""
    part = copy_of(amended(stated("7.11", "5", op=Op.REPLACE_PROVISION)), "7.11")
    assert {r.document for r in part.runs} == {"a1.txt"}
    assert "4.00 to 1.00" in part.superseded[0].text


STEPS = [("4", "2023-01-01", "2023-12-31"), ("15/4", "2024-01-01", None)]
FIGURES = [
    (set_level("7.11", "7/2"), "to exceed 3.50 to 1.00.", "4.00 to 1.00"),
    (stated("7.11", "7/2", op=Op.REPLACE_TABLE), "to exceed 3.50 to 1.00.", "4.00 to 1.00"),
]


@pytest.mark.parametrize(("act", "now", "struck"), FIGURES, ids=["level", "table"])
def test_a_new_level_or_table_stands_in_the_place_of_the_old(act: Act, now: str, struck: str) -> None:
    """The words that stay are the agreement's, the figure is the amendment's, and the old figure is struck: it stands nowhere in force."""
    found = amended(act)
    part = copy_of(found, "7.11")
    assert text_of(part).endswith(now)
    assert {(r.document, r.operation) for r in part.runs} == {("base.txt", "base.txt#0"), ("a1.txt", "a1.txt#0")}
    assert [r.text for r in part.superseded] == [struck]
    assert [c.section for c in found.conformed].count("7.11 (level)") == 0


def test_a_table_from_a_later_period_stands_beside_the_old_one() -> None:
    """Where earlier periods keep the old table, both are shown: the new one as the level of the provision."""
    new = stated("7.11", "7/2", rows=[("7/2", "2024-04-01", None)], op=Op.REPLACE_TABLE, from_period=day("2024-04-01"))
    found = decided(
        [base("base.txt", "2022-01-14", stated("7.11", rows=STEPS)), Paper("a1.txt", K.AMENDMENT, day("2024-03-15"), [new])], TEST
    )
    assert {r.document for r in copy_of(found, "7.11").runs} == {"base.txt"}
    assert "3.50 to 1.00" in text_of(copy_of(found, "7.11 (level)"))


@pytest.mark.parametrize(
    "first", [set_level("7.11", "17/4"), stated("7.11", "17/4", op=Op.REPLACE_TABLE)], ids=["level", "table"]
)
@pytest.mark.parametrize(
    ("find", "put", "level"), [("shall not", "must not", Fraction(17, 4)), ("4.25 to 1.00", "4.50 to 1.00", Fraction(9, 2))]
)
def test_words_replaced_after_a_level_was_set(first: Act, find: str, put: str, level: Fraction) -> None:
    """A later change of words works on the text in force, which shows the level in force: the level that was set is not undone."""
    papers = [agreement(), Paper("a1.txt", K.AMENDMENT, day("2023-03-15"), [first], number=1)]
    papers.append(Paper("a2.txt", K.AMENDMENT, day("2023-06-15"), [substituted("7.11", find, put)], number=2))
    found = decided(papers, TEST)
    assert (found.result, level_of(found)) == ("determined", level)
    assert {r.operation for r in copy_of(found, "7.11").runs} <= {"base.txt#0", "a1.txt#0", "a2.txt#0"}


def test_words_replaced_in_a_text_that_does_not_show_the_level() -> None:
    """Where the text cannot show the level in force, words beside it leave the level, and words of the old level are a question."""
    delta = Act(
        "The ratio in Section 7.11 goes up by 0.25.",
        lambda q: {"op": Op.SET_LEVEL, "target": Target(section="7.11"), "delta": Fraction(1, 4), "instruction": q("The ratio in Section 7.11 goes up by 0.25.")},
    )  # fmt: skip

    def after(find: str, put: str) -> Effective:
        papers = [agreement(), Paper("a1.txt", K.AMENDMENT, day("2023-03-15"), [delta], number=1)]
        papers.append(Paper("a2.txt", K.AMENDMENT, day("2023-06-15"), [substituted("7.11", find, put)], number=2))
        return decided(papers, TEST)

    beside, on = after("shall not", "must not"), after("4.00 to 1.00", "4.50 to 1.00")
    assert (beside.result, level_of(beside)) == ("determined", Fraction(17, 4))
    assert (on.result, "review_clause_not_fully_read" in codes(on)) == ("review", True)


@pytest.mark.parametrize("op", [Op.DEFINE, Op.REPLACE_DEFINITION])
def test_definition_changed_with_the_level_unchanged(op: Op) -> None:
    """A tracker of ratios sees no change; the definition that is in force is the new one, and it is told (P23)."""
    found = amended(term("Adjusted Earnings", "profit with interest and hopes added back", op))
    assert (found.result, {"finding_definition_changed", "accept_definition_version"} <= codes(found)) == ("determined", True)
    part = copy_of(found, "Adjusted Earnings")
    assert "hopes" in text_of(part)
    assert "hopes" not in "".join(r.text for r in part.superseded)
    assert part.superseded
    assert next(d for d in found.definitions if d.term == "Adjusted Earnings").instrument == "a1.txt"


def test_definition_and_level_changed() -> None:
    """Where the level changed too, the definition is no finding of its own."""
    found = amended(term("Adjusted Earnings", "profit", Op.REPLACE_DEFINITION), set_level())
    assert "finding_definition_changed" not in codes(found)
    assert "accept_definition_version" in codes(found)


def test_words_swapped_inside_a_definition() -> None:
    """An edit of a definition is carried out word by word; one that cannot be is told."""
    found = amended(substituted("1.01", "interest", "interest and tax", term="Adjusted Earnings", op=Op.AMEND_DEFINITION))
    assert "profit with interest and tax added back" in text_of(copy_of(found, "Adjusted Earnings"))
    absent = amended(substituted("1.01", "rent", "tax", term="Adjusted Earnings", op=Op.AMEND_DEFINITION))
    assert "review_anchor_not_unique" in codes(absent)
    assert "accept_definition_version" not in codes(absent)
    blind = amended(term("Adjusted Earnings", "something more", Op.AMEND_DEFINITION))
    assert "review_definition_version_unclear" in codes(blind)


def test_term_that_nothing_uses() -> None:
    """A change of another definition is not told."""
    found = amended(term("Unused Term", "something", Op.REPLACE_DEFINITION))
    assert not {"finding_definition_changed", "accept_definition_version"} & codes(found)


@pytest.mark.parametrize("defect", [{"execution": Execution.UNSIGNED}, {"mode": M.ON_CP}, {"execution": Execution.PARTIAL}])
def test_definition_changed_by_a_doubtful_instrument(defect: dict[str, Any]) -> None:
    """A change of a definition that may or may not be in force leaves the old words, with a doubt: the level stays determined."""
    found = amended(term("Adjusted Earnings", "profit and hopes", Op.REPLACE_DEFINITION), **defect)
    assert (found.result, "review_definition_version_unclear" in codes(found)) == ("determined", True)
    assert "hopes" not in text_of(copy_of(found, "Adjusted Earnings"))


def test_definition_changed_later_or_dropped() -> None:
    """A change after the test date, and one that a restatement dropped, leave the definition alone."""
    later = amended(term("Adjusted Earnings", "profit and hopes", Op.REPLACE_DEFINITION), dated="2024-07-01")
    assert "hopes" not in text_of(copy_of(later, "Adjusted Earnings"))


def test_two_changes_of_one_definition_from_one_day() -> None:
    """Two instruments that define one term from one day leave the version open."""
    papers = [agreement()]
    papers += [
        Paper(
            f"a{n}.txt",
            K.AMENDMENT,
            day("2024-03-15"),
            [term("Adjusted Earnings", f"profit number {n}", Op.REPLACE_DEFINITION)],
            number=n,
        )
        for n in (1, 2)
    ]
    assert "review_definition_version_unclear" in codes(decided(papers, TEST))


def test_terms_of_a_circle_end() -> None:
    """Definitions that use each other are listed once."""
    paper = base(
        "base.txt",
        "2022-01-14",
        definitions={
            "Total Leverage Ratio": "the ratio of Debt to Earnings",
            "Debt": "sums that are not Earnings",
            "Earnings": "sums that are not Debt",
        },
    )
    assert [c.section for c in decided([paper], TEST).conformed] == ["7.11", "Total Leverage Ratio", "Debt", "Earnings"]


def test_deleted_covenant_has_no_text() -> None:
    """A covenant that was deleted has no words in force."""
    gone = Act(
        "Section 7.11 goes.", lambda q: {"op": Op.DELETE_PROVISION, "target": Target(section="7.11"), "instruction": q("goes")}
    )
    assert "7.11" not in [c.section for c in amended(gone).conformed]
