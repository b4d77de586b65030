"""The screen says everything that the record holds, at any width, with or without colour."""

from __future__ import annotations

import re
from fractions import Fraction

import pytest

from conformed.app.pages.screen import cure_sentence, headroom_sentences, screen, wants_colour
from conformed.model.base import Missing
from conformed.model.calculation import Calculation, Cure
from conformed.model.covenant import Comparator, Covenant
from conformed.model.decision import Decision, Overlay, Reason, Result

ANSI = re.compile(r"\x1b\[[0-9;]*m")


def flat(text: str) -> str:
    """Text with its line ends taken away, so that wrapping does not matter."""
    return " ".join(text.split())


def test_the_breach_is_on_one_screen(decision: Decision) -> None:
    """Result, level with section and instrument, exact ratio, headroom, timeline, checks, codes, places, draft, next step."""
    text = flat(screen(decision))
    for part in (
        "RESULT BREACH 3.75x against ≤ 3.50x",
        "Total Leverage Ratio ≤ 3.50x",
        "Section 7.11",
        "Second Amendment dated 3 March 2026 (second-amendment.html)",
        "total_debt / adjusted_ebitda = 3.7453x (exactly 4749/1268)",
        "3.75x ≤ 3.50x is NOT met",
        "debt is too high by USD 31,100,000",
        "EBITDA would have to rise by 7.0%",
        "31 Mar 2026 onwards ≤ 3.50x ← Second Amendment Second Amendment replaces the level",
        "REVIEW Every sentence supported One sentence was refused and rewritten.",
        "FAIL Comparison with level",
        "accept_substituted_text [second-amendment.html]",
        "finding_certificate_uses_wrong_level",
        "Total Debt USD 474,900,000 certificate.pdf p. 1: “474,900”",
        "For the test date of 30 September 2026",
        "1. Conclude: accept the run",
    ):
        assert part in text


def test_a_review_lists_its_readings_best_first(review: Decision) -> None:
    """Each open reading stands with the assumption under which it governs."""
    text = flat(screen(review))
    assert "None determined: The pack does not show when the conditions were met." in text
    first, second = text.index("were met by the test date"), text.index("were not met by the test date")
    assert first < second
    assert "Not calculated: No level governs yet." in text


@pytest.mark.parametrize("result", list(Result))
def test_no_result_speaks_of_law_or_credit(decision: Decision, result: Result) -> None:
    """No result says default, approve or decline: the software never concludes."""
    text = screen(decision.model_copy(update={"result": result})).lower()
    assert not re.search(r"\b(default|approve|approved|decline|declined|waive)\b", text)


def test_an_overlay_stands_beside_the_result(decision: Decision) -> None:
    """A waiver is shown and leaves the result as it is."""
    text = screen(decision.model_copy(update={"overlay": Overlay.WAIVED}))
    assert "BREACH" in text
    assert "WAIVED: stands beside the result" in text


@pytest.mark.parametrize("width", [10, 30, 44, 71, 72, 100, 200])
def test_no_line_is_wider_than_the_terminal(decision: Decision, width: int) -> None:
    """Narrow terminals get stacked lines instead of broken tables."""
    lines = screen(decision, width=width).splitlines()
    assert max(len(line) for line in lines) <= max(width, 24)
    assert any(line.split() == ["Outcome", "Check", "Why"] for line in lines) is (width >= 72)


def test_colour_changes_no_word(decision: Decision) -> None:
    """Taking the colours away gives the plain screen to the letter: nothing is said by colour alone."""
    coloured = screen(decision, colour=True)
    assert "\x1b[" in coloured
    assert "\x1b" not in screen(decision)
    plain = "\n".join(line.rstrip() for line in ANSI.sub("", coloured).splitlines())
    assert plain.split() == screen(decision).split()


@pytest.mark.parametrize(
    ("environment", "terminal", "wanted"),
    [
        ({}, True, True),
        ({}, False, False),
        ({"NO_COLOR": "1"}, True, False),
        ({"NO_COLOR": ""}, True, True),
        ({"TERM": "dumb"}, True, False),
        ({"FORCE_COLOR": "1"}, False, True),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, False, False),
    ],
)
def test_who_gets_colour(environment: dict[str, str], terminal: bool, wanted: bool) -> None:
    """NO_COLOR wins over everything, an empty one counts as unset, FORCE_COLOR works without a terminal."""
    assert wants_colour(environment, terminal=terminal) is wanted


def test_control_characters_of_documents_do_not_reach_the_terminal(decision: Decision) -> None:
    """Escape sequences in any text of the record are taken out, and markup of the terminal library stays text."""
    assert isinstance(decision.covenant, Covenant)
    evil = "\x1b[2J\x1b]0;owned\x07\x9b31m[bold]3.50[/bold]\u202e\u2028x"
    hostile = decision.model_copy(
        update={
            "borrower": evil,
            "pack": evil,
            "covenant": decision.covenant.model_copy(
                update={
                    "name": evil,
                    "instrument": evil,
                    "spans": tuple(span.model_copy(update={"text": evil, "document": evil}) for span in decision.covenant.spans),
                }
            ),
            "findings": (Reason(code="finding_headroom_low", sentence=evil, subject=evil),),
            "next_steps": (evil,),
            "refusals": (evil,),
        }
    )
    text = screen(hostile)
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e\u2028]", text)
    assert "[bold]3.50[/bold]" in text
    assert "\x1b]0" not in screen(hostile, colour=True)


def test_headroom_of_a_ceiling_and_of_a_floor(decision: Decision) -> None:
    """Headroom is worded by the direction of the covenant, and where it is missing nothing is said."""
    assert isinstance(decision.calculation, Calculation)
    room = decision.calculation.model_copy(update={"headroom_debt": Fraction(500), "headroom_ebitda": Fraction(27, 100)})
    assert headroom_sentences(room, Comparator.LE) == ("debt may rise by USD 500", "EBITDA may fall by 27.0%")
    assert all("may" not in sentence for sentence in headroom_sentences(room, Comparator.GE))
    none = decision.calculation.model_copy(update={"headroom_debt": None, "headroom_ebitda": None})
    assert headroom_sentences(none, Comparator.LE) == ()


def test_a_calculation_without_a_ratio_gives_its_reason(decision: Decision) -> None:
    """Where earnings are not positive the screen says so instead of a number."""
    assert isinstance(decision.calculation, Calculation)
    gone = Missing(reason="EBITDA is not positive.", code="review_ebitda_non_positive")
    text = flat(
        screen(
            decision.model_copy(
                update={"calculation": decision.calculation.model_copy(update={"ratio": gone, "comparison": gone})}
            )
        )
    )
    assert "Ratio none: EBITDA is not positive." in text
    assert "against ≤" not in text


def test_papers_that_share_a_title_keep_their_file_names(decision: Decision) -> None:
    """A title stands for a paper only where no other paper bears it."""
    same = tuple(document.model_copy(update={"title": "Second Amendment"}) for document in decision.documents)
    text = flat(screen(decision.model_copy(update={"documents": same})))
    assert "31 Mar 2026 onwards ≤ 3.50x ← second-amendment.html" in text


def test_a_cure_stands_beside_the_result(decision: Decision) -> None:
    """The least amount in words, and a claimed one with what it gives; the result stays as it is."""
    assert isinstance(decision.calculation, Calculation)
    least = Cure(kind="ebitda", steps=(), least=Fraction(566666667, 100), ratio=Fraction(15, 4), met=True)
    text = flat(screen(decision.model_copy(update={"calculation": decision.calculation.model_copy(update={"cure": least})})))
    assert "counted as EBITDA, is USD 5,666,666.67. The result stays." in text
    assert "RESULT BREACH" in text
    claimed = least.model_copy(update={"claimed": Fraction(1000), "met": False})
    assert "USD 1,000 is claimed, gives 3.75x and does NOT meet the level" in cure_sentence(claimed, "USD")
