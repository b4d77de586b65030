"""The conformed copy and the timeline as text."""

from __future__ import annotations

from conformed.app.copies.copy_text import copy_text, instruments_of, timeline_text
from conformed.model.decision import Decision


def test_every_run_of_words_carries_its_instrument(decision: Decision) -> None:
    """Runs stand in order, each with its instrument's mark and its place; superseded words are named as such."""
    text = copy_text(decision.conformed, width=200)
    lines = [line.strip() for line in text.splitlines()]
    assert lines[:2] == ["[1]  credit-agreement.pdf", "[2]  second-amendment.html"]
    assert "[2]  3.50 to 1.00 (second-amendment.html characters 141–153; operation amendment:1)" in lines
    assert any(line.startswith("[1]  no longer counts: 4.25 to 1.00 (credit-agreement.pdf p. 1") for line in lines)
    assert text.index("greater than") < text.index("[2]  3.50")
    assert "“Total Leverage Ratio”" in text


def test_instruments_are_numbered_in_their_first_order(decision: Decision) -> None:
    """The base agreement comes first, and superseded words count as well."""
    assert instruments_of(decision.conformed) == ("credit-agreement.pdf", "second-amendment.html")
    assert instruments_of(()) == ()


def test_nothing_found_is_said() -> None:
    """An empty copy and an empty timeline are a sentence and not an empty screen."""
    assert "no conformed copy" in copy_text(())
    assert "No level" in timeline_text(())


def test_the_timeline_marks_the_test_date(decision: Decision) -> None:
    """The arrow stands at the level of the test date and nowhere else; without a test date there is none."""
    lines = timeline_text(decision.timeline, test_date=decision.test_date, width=140).splitlines()
    assert [("←" in line, "3.50x" in line) for line in lines[1:]] == [(False, False), (True, True)]
    assert "←" not in timeline_text(decision.timeline)
