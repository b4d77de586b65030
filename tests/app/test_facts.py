"""What is shown of a record, once each: facts with their places, and the definitions that a ratio is worked from."""

from __future__ import annotations

from fractions import Fraction

from conformed.app.face import Evidence
from conformed.app.pages import shown
from conformed.app.pages.exhibits import exhibits_of, key_of
from conformed.app.pages.facts import MOST_DEFINITIONS, Fact, near_definitions
from conformed.app.pages.screen import screen
from conformed.model.calculation import Figure
from conformed.model.covenant import Comparator, Covenant, Definition, Limit, Unit
from conformed.model.decision import Decision
from conformed.model.span import Span


def covenant(*definitions: Definition) -> Covenant:
    """A covenant that uses some definitions."""
    return Covenant(
        name="Net Leverage Ratio", metric="net_leverage", section="7.11", comparator=Comparator.LE, document="a.txt",
        limit=Limit(unit=Unit.RATIO, value=Fraction(4), raw="4.00"), numerator="Net Debt", denominator="EBITDA",
        definitions=definitions,
    )  # fmt: skip


def defined(term: str, words: str) -> Definition:
    """A definition."""
    return Definition(term=term, text=f"“{term}” means {words}.", instrument="a.txt")


def test_definitions_that_the_ratio_is_worked_from() -> None:
    """The named ones and those that these use are near; what those lead on to is not."""
    net, debt = defined("Net Debt", "Debt less Cash"), defined("Debt", "money borrowed by the Group")
    ratio, group = (
        defined("Net Leverage Ratio", "the ratio of Net Debt to EBITDA"),
        defined("Group", "the Company and its Affiliates"),
    )
    ebitda, affiliate = defined("EBITDA", "earnings before interest"), defined("Affiliate", "a Person under common control")
    found = near_definitions(covenant(ratio, net, ebitda, debt, group, affiliate))
    assert [one.term for one in found] == ["Net Leverage Ratio", "Net Debt", "EBITDA", "Debt"]


def test_a_term_is_a_whole_word() -> None:
    """A term inside another word is not used there, and its capitals count."""
    note = defined("Note", "a promissory note")
    found = near_definitions(covenant(defined("Net Debt", "the Notes and what is noted"), note))
    assert note not in found


def test_definitions_are_not_without_end() -> None:
    """However many are used, no more than a dozen are shown."""
    many = [defined(f"Term {letter}", "something") for letter in "ABCDEFGHIJKLMNOPQ"]
    found = near_definitions(covenant(defined("Net Debt", ", ".join(one.term for one in many)), *many))
    assert len(found) == MOST_DEFINITIONS


def figure(name: str, value: Fraction | int, currency: str | None = None) -> Figure:
    """A figure of a calculation."""
    return Figure(name=name, label=name, value=Fraction(value), currency=currency)


def test_figures_are_shown_by_what_they_are() -> None:
    """Money with its currency, a level as a ratio, a share as a percentage; a zero of no currency has none."""
    assert shown.figure(figure("total_debt", 1_250_000, "GBP")) == "GBP 1,250,000"
    assert shown.figure(figure("guarantees", 0, "XXX")) == "0"
    assert shown.figure(figure("other", 7, "XXX")) == "XXX 7"
    assert shown.figure(figure("level", Fraction(7, 2))) == "3.50x"
    assert shown.figure(figure("addback_share", Fraction(3, 20))) == "15.0%"
    assert shown.figure(figure("periods", 4)) == "4"


TEXT = "(in thousands)\n1 Term Loans 128,000\n2 Revolving Loans 16,400\n"


def span(words: str) -> Span:
    """Some words of the text above."""
    start = TEXT.index(words)
    return Span(document="c.txt", sha256="a" * 64, page=1, start=start, end=start + len(words), text=words)


def test_lines_of_a_table_do_not_grow_into_one_exhibit() -> None:
    """Label and figure of a line are one exhibit; the next line has its own, though it shares the words on the unit."""
    unit = span("(in thousands)")
    facts = [
        Fact("figure", "Term Loans", "USD 128,000,000", (unit, span("1 Term Loans"), span("128,000"))),
        Fact("figure", "Revolving Loans", "USD 16,400,000", (unit, span("2 Revolving Loans"), span("16,400"))),
    ]
    found = exhibits_of(facts, Evidence(text=lambda _name: TEXT))
    first, second = found[key_of(span("128,000"))], found[key_of(span("16,400"))]
    assert (first.id, second.id) == ("E1", "E2")
    assert found[key_of(unit)] is found[key_of(span("1 Term Loans"))] is first
    assert [one.text for one in second.spans] == ["2 Revolving Loans", "16,400"]
    assert first.shows == ["Term Loans USD 128,000,000", "Revolving Loans USD 16,400,000"]


def test_the_screen_names_each_fact_once(decision: Decision) -> None:
    """Each fact has one entry with its file, page and words, however many spans show it."""
    text = screen(decision, width=200)
    places = text[text.index("Where each fact stands") : text.index("Draft for the file")]
    assert places.count("Total Debt USD 474,900,000") == 1
    assert "certificate.pdf p. 1: “474,900”" in places
    assert places.count("Words of Section 7.11") == 1
