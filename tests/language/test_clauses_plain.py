"""Clauses that state one level: comparator and level are what the words say, whatever the wording."""

from __future__ import annotations

from fractions import Fraction

import pytest

LEAD = (
    "The Borrower covenants and agrees that, until the Obligations are paid in full, it will not, and will not "
    "permit any Subsidiary to:"
)

PLAIN = [
    (
        "The Company will not permit the Total Leverage Ratio, as of the last day of any fiscal quarter, to exceed 3.25 to 1.00.",
        "",
        "le",
        "3.25",
    ),
    (
        (
            "The Borrower shall not, as of the end of any fiscal quarter, permit its Consolidated Leverage Ratio to be "
            "greater than 4.10:1.00."
        ),
        "",
        "le",
        "4.1",
    ),
    (
        (
            "The Borrower shall maintain a Consolidated Total Leverage Ratio of not more than 3.75 to 1.00 as at the "
            "last day of each fiscal quarter."
        ),
        "",
        "le",
        "3.75",
    ),
    ("The Borrower shall maintain a Total Leverage Ratio of 3.75 to 1.00 or less at all times.", "", "le", "3.75"),
    ("The Consolidated Leverage Ratio shall at all times be equal to or less than 3.50 to 1.00.", "", "le", "3.5"),
    ("The Total Leverage Ratio shall be no greater than 3.50x on the last day of each fiscal quarter.", "", "le", "3.5"),
    ("Permit the Leverage Ratio at the end of any fiscal quarter to exceed 3.00 to 1.00.", LEAD, "le", "3"),
    ("Permit the Leverage Ratio at the end of any fiscal quarter to exceed 3.00 to 1.00.", "", "le", "3"),
    ("Have a Leverage Ratio greater than 3.00 to 1.00 as of the last day of any fiscal quarter.", "", "le", "3"),
    ("Have, as of the last day of any fiscal quarter, a Leverage Ratio greater than 3.00 to 1.00.", "", "le", "3"),
    ("Fail to maintain a Leverage Ratio of not more than 3.00 to 1.00 at any time.", "", "le", "3"),
    (
        "Fail to achieve, as of the last day of each fiscal quarter, an Interest Coverage Ratio of at least 2.50 to 1.00.",
        "",
        "ge",
        "2.5",
    ),
    (
        "Allow the Interest Coverage Ratio to be less than 3.00 to 1.00 for any period of four consecutive fiscal quarters.",
        "",
        "ge",
        "3",
    ),
    (
        "The Company will not allow the Senior Leverage Ratio to equal or exceed 3.00 to 1.00 at any fiscal quarter end.",
        "",
        "lt",
        "3",
    ),
    ("The Company will not permit the Leverage Ratio to be equal to or greater than 3.00 to 1.00 at any time.", "", "lt", "3"),
    ("At no time shall the Leverage Ratio exceed 3.00 to 1.00.", "", "le", "3"),
    (
        "In no event shall the Leverage Ratio be greater than 3.00 to 1.00 as of the last day of any fiscal quarter.",
        "",
        "le",
        "3",
    ),
    ("The Leverage Ratio must never be more than 3.40 to 1.00.", "", "le", "3.4"),
    ("The Leverage Ratio must not, at the close of any fiscal quarter, be more than 3.40 to 1.00.", "", "le", "3.4"),
    ("The Leverage Ratio must, at the close of each fiscal quarter, be less than 3.40 to 1.00.", "", "lt", "3.4"),
    ("The Leverage Ratio may not exceed 3.40 to 1.00 at the close of any fiscal quarter.", "", "le", "3.4"),
    ("The Borrower undertakes to keep its Leverage Ratio below 3.40:1 on each Quarter Date.", "", "lt", "3.4"),
    ("The Borrower shall keep the Leverage Ratio at or below 3.40:1 on each Quarter Date.", "", "le", "3.4"),
    ("The Leverage Ratio shall be at most 3.40 to 1.00 on each Quarter Date.", "", "le", "3.4"),
    ("The Leverage Ratio shall be up to and including 3.40 to 1.00.", "", "le", "3.4"),
    ("The Borrower shall not permit the Leverage Ratio to be 3.40 to 1.00 or more at any fiscal quarter end.", "", "lt", "3.4"),
    ("The Borrower shall not permit the Leverage Ratio to reach 3.40 to 1.00.", "", "lt", "3.4"),
    ("The Leverage Ratio shall not be 3.40 to 1.00 or greater.", "", "lt", "3.4"),
    ("The Leverage Ratio shall not reach or exceed 3.40 to 1.00.", "", "lt", "3.4"),
    ("The Leverage Ratio shall not equal or exceed 3.40 to 1.00.", "", "lt", "3.4"),
    ("The Borrower shall maintain a Leverage Ratio not exceeding 3.50 to 1.00.", "", "le", "3.5"),
    ("The Borrower shall not maintain a Leverage Ratio exceeding 3.50 to 1.00.", "", "le", "3.5"),
    ("The Borrower shall not fail to maintain a Leverage Ratio of less than 3.50 to 1.00.", "", "lt", "3.5"),
    (
        "The Parent shall procure that the ratio of Total Net Debt to Adjusted EBITDA on each Quarter Date is below 4.00 to 1.",
        "",
        "lt",
        "4",
    ),
    (
        "The Parent shall ensure that on each Quarter Date the ratio of Net Debt to EBITDA is not more than 4.00 to 1.",
        "",
        "le",
        "4",
    ),
    ("The Parent shall procure that Net Debt to EBITDA shall be less than 4.25:1 on any Quarter Date.", "", "lt", "4.25"),
    ("The ratio of Net Debt to EBITDA shall not equal or exceed 4.00:1.", "", "lt", "4"),
    ("The ratio of Net Debt to EBITDA shall not, on any Quarter Date, be 4.00:1 or higher.", "", "lt", "4"),
    (
        "Total Net Debt shall not on any Quarter Date exceed 425 per cent. of Adjusted EBITDA for the Relevant Period.",
        "",
        "le",
        "4.25",
    ),
    ("On each Quarter Date Total Debt shall be no more than 310% of Consolidated EBITDA.", "", "le", "3.1"),
    ("Total Debt shall not exceed 3.75 times Consolidated EBITDA on any Quarter Date.", "", "le", "3.75"),
    ("Total Debt shall be less than 375 percent of EBITDA on every Quarter Date.", "", "lt", "3.75"),
    ("Leverage shall not exceed four (4.00) to one (1.00) on any Quarter Date.", "", "le", "4"),
    ("Leverage shall not exceed three and one-half to one (3.50:1) on any Quarter Date.", "", "le", "3.5"),
    ("The Leverage Ratio shall not exceed 3.50 to 1.00 at any fiscal quarter end.", "", "le", "3.5"),
    ("The Leverage Ratio shall not exceed 3.50:1.00 at any fiscal quarter end.", "", "le", "3.5"),
    ("The Leverage Ratio shall not exceed 3.50 : 1 at any fiscal quarter end.", "", "le", "3.5"),
    ("The Leverage Ratio shall not exceed 3.5x at any fiscal quarter end.", "", "le", "3.5"),
    ("The Leverage Ratio shall not exceed 3.50X at any fiscal quarter end.", "", "le", "3.5"),
    ("The Leverage Ratio shall not exceed 3.50 times at any fiscal quarter end.", "", "le", "3.5"),
    ("The Leverage Ratio shall not exceed 3 1/2 to 1 at any fiscal quarter end.", "", "le", "3.5"),
    ("The Leverage Ratio shall not exceed 3½ to 1 at any fiscal quarter end.", "", "le", "3.5"),
    ("The Leverage Ratio shall not exceed 3-1/2 to 1.00 at any fiscal quarter end.", "", "le", "3.5"),
    ("The Leverage Ratio shall not exceed three and one half to one at any fiscal quarter end.", "", "le", "3.5"),
    ("The Leverage Ratio shall not exceed three and one-half (3.50) to one (1.00) at any fiscal quarter end.", "", "le", "3.5"),
    ("The Leverage Ratio shall not exceed three and one-half (3 1/2) to 1 at any fiscal quarter end.", "", "le", "3.5"),
    ("The Leverage Ratio shall not exceed four to one at any fiscal quarter end.", "", "le", "4"),
    ("The Leverage Ratio shall not exceed Four (4) to One (1) at any fiscal quarter end.", "", "le", "4"),
    ("The Leverage Ratio shall not exceed 4 to 1 at any fiscal quarter end.", "", "le", "4"),
    ("The Leverage Ratio shall not exceed 4.00 to one at any fiscal quarter end.", "", "le", "4"),
    ("The Leverage Ratio shall not exceed 13.50 to 1.00 at any fiscal quarter end.", "", "le", "13.5"),
    ("The Leverage Ratio shall not exceed three point five (3.50) to one at any fiscal quarter end.", "", "le", "3.5"),
    ("The Leverage Ratio shall not exceed 0.65 to 1.00 at any fiscal quarter end.", "", "le", "0.65"),
    ("The Leverage Ratio shall not exceed a ratio of 3.50 to 1.00 at any fiscal quarter end.", "", "le", "3.5"),
    ("The Leverage Ratio shall not exceed the ratio of 3.50 to 1.00 at any fiscal quarter end.", "", "le", "3.5"),
    ("The Leverage Ratio shall not exceed 3.500 to 1.000 at any fiscal quarter end.", "", "le", "3.5"),
    (("The Leverage Ratio shall not exceed 3.50\nto 1.00 at any fiscal quarter end."), "", "le", "3.5"),
    ("The Leverage Ratio shall not exceed 3.50to1.00 at any fiscal quarter end.", "", "le", "3.5"),
    ("The Leverage Ratio shall not exceed (3.50 to 1.00) at any fiscal quarter end.", "", "le", "3.5"),
    ("The Leverage Ratio shall not exceed 3.50 to 1.00, at any fiscal quarter end.", "", "le", "3.5"),
    ("The Leverage Ratio shall not exceed 3.50 to 1.00 at the end of each fiscal quarter.", "", "le", "3.5"),
    ("The Leverage Ratio shall not be greater than 3.50 to 1.00 at the end of each fiscal quarter.", "", "le", "3.5"),
    ("The Leverage Ratio shall be less than 3.50 to 1.00 at the end of each fiscal quarter.", "", "lt", "3.5"),
    ("The Leverage Ratio shall not be equal to or greater than 3.50 to 1.00 at the end of each fiscal quarter.", "", "lt", "3.5"),
    ("The Leverage Ratio shall be less than or equal to 3.50 to 1.00 at the end of each fiscal quarter.", "", "le", "3.5"),
    ("The Leverage Ratio must at no time be more than 3.50 to 1.00 at the end of each fiscal quarter.", "", "le", "3.5"),
    ("The Leverage Ratio is not to exceed 3.50 to 1.00 at the end of each fiscal quarter.", "", "le", "3.5"),
    ("The Leverage Ratio is to be less than 3.50 to 1.00 at the end of each fiscal quarter.", "", "lt", "3.5"),
    ("The Leverage Ratio shall remain below 3.50 to 1.00 at the end of each fiscal quarter.", "", "lt", "3.5"),
    ("The Leverage Ratio shall stay under 3.50 to 1.00 at the end of each fiscal quarter.", "", "lt", "3.5"),
    ("The Leverage Ratio shall in no event exceed 3.50 to 1.00 at the end of each fiscal quarter.", "", "le", "3.5"),
    ("The Leverage Ratio shall not at any time be above 3.50 to 1.00 at the end of each fiscal quarter.", "", "le", "3.5"),
    ("The Leverage Ratio shall not be over 3.50 to 1.00 at the end of each fiscal quarter.", "", "le", "3.5"),
    ("The Leverage Ratio may not be higher than 3.50 to 1.00 at the end of each fiscal quarter.", "", "le", "3.5"),
    ("The Leverage Ratio shall not be permitted to exceed 3.50 to 1.00 at the end of each fiscal quarter.", "", "le", "3.5"),
    ("The Leverage Ratio shall be no more than 3.50 to 1.00 at the end of each fiscal quarter.", "", "le", "3.5"),
    ("The Leverage Ratio shall be no higher than 3.50 to 1.00 at the end of each fiscal quarter.", "", "le", "3.5"),
    ("The Leverage Ratio shall not go above 3.50 to 1.00 at the end of each fiscal quarter.", "", "le", "3.5"),
    ("The Leverage Ratio shall never rise above 3.50 to 1.00 at the end of each fiscal quarter.", "", "le", "3.5"),
    ("The Leverage Ratio shall at no Quarter Date exceed 3.50 to 1.00 at the end of each fiscal quarter.", "", "le", "3.5"),
    ("The Leverage Ratio shall not surpass 3.50 to 1.00 at the end of each fiscal quarter.", "", "le", "3.5"),
    ("The Leverage Ratio will be at most 3.50 to 1.00 at the end of each fiscal quarter.", "", "le", "3.5"),
    ("The Leverage Ratio will be maintained at not more than 3.50 to 1.00 at the end of each fiscal quarter.", "", "le", "3.5"),
    ("The Leverage Ratio shall be maintained at less than 3.50 to 1.00 at the end of each fiscal quarter.", "", "lt", "3.5"),
    ("The Leverage Ratio shall be kept below 3.50 to 1.00 at the end of each fiscal quarter.", "", "lt", "3.5"),
    ("The Leverage Ratio may not exceed 3.50 to 1.00 at the end of each fiscal quarter.", "", "le", "3.5"),
    ("The Company shall ensure that Leverage on each Quarter Date does not exceed 3.50:1.", "", "le", "3.5"),
    ("Leverage shall not at any time exceed 3.50:1.", "", "le", "3.5"),
    (
        (
            "The Parent shall procure that Total Net Debt on any Quarter Date shall not exceed 3.5 times Consolidated "
            "EBITDA for the Relevant Period ending on that Quarter Date."
        ),
        "",
        "le",
        "3.5",
    ),
    ("Leverage: the ratio of Net Debt to EBITDA for each Relevant Period shall not be more than 3.50:1.", "", "le", "3.5"),
    ("The Borrower shall ensure that: Leverage in respect of any Relevant Period shall not exceed 3.50:1.", "", "le", "3.5"),
    (
        (
            "The Company must ensure that the ratio of Total Net Debt (as at the last day of each Relevant Period) to "
            "EBITDA for that Relevant Period does not exceed 3.50 to 1."
        ),
        "",
        "le",
        "3.5",
    ),
    ("The Company must ensure that Gearing does not exceed 3.50:1 on each Quarter Date.", "", "le", "3.5"),
    (
        (
            "Consolidated Net Debt will not at the end of any Measurement Period be more than 3.5 times EBITDA for that "
            "Measurement Period."
        ),
        "",
        "le",
        "3.5",
    ),
]


@pytest.mark.parametrize(("text", "lead", "comparator", "level"), PLAIN)
def test_one_level(read, answer, text: str, lead: str, comparator: str, level: str) -> None:
    """A plain clause gives one covenant, its comparator turned round once by what governs it, and its exact level."""
    (terms,) = read(text, lead)
    assert answer(terms, "2024-06-30") == (comparator, Fraction(level))


TWO = [
    (
        "The Senior Leverage Ratio shall not exceed 3.00 to 1.00 and the Total Leverage Ratio shall not exceed 4.00 to 1.00.",
        [("le", "3"), ("le", "4")],
    ),
    (
        (
            "The Borrower shall not permit (i) the Total Leverage Ratio to exceed 4.00 to 1.00 or (ii) the Interest "
            "Coverage Ratio to be less than 3.00 to 1.00."
        ),
        [("le", "4"), ("ge", "3")],
    ),
    (
        (
            "The Borrower shall maintain a Total Leverage Ratio of not more than 4.00 to 1.00 and an Interest Coverage "
            "Ratio of not less than 3.00 to 1.00."
        ),
        [("le", "4"), ("ge", "3")],
    ),
    (
        (
            "The Borrower shall maintain, as of the last day of each fiscal quarter, (a) a Total Leverage Ratio of not "
            "more than 4.00 to 1.00, and (b) an Interest Coverage Ratio of not less than 3.00 to 1.00."
        ),
        [("le", "4"), ("ge", "3")],
    ),
]


@pytest.mark.parametrize(("text", "wanted"), TWO)
def test_two_figures_in_one_sentence(read, answer, text: str, wanted: list[tuple[str, str]]) -> None:
    """Two covenants of one sentence are two readings, each with its own figure, comparator and level."""
    found = read(text)
    assert [answer(t, "2024-06-30") for t in found] == [(c, Fraction(v)) for c, v in wanted]
    assert len({t.name for t in found}) == len(wanted)


def test_a_lead_that_forbids_turns_a_bare_verb_round(read, answer) -> None:
    """Under "will not:" the words "maintain a ratio greater than" say what is forbidden."""
    (terms,) = read("maintain a Leverage Ratio greater than 3.00 to 1.00 at any time.", LEAD)
    assert answer(terms, "2024-06-30") == ("le", Fraction(3))


def test_a_condition_in_the_lead_is_a_doubt(read, goes_to_a_person) -> None:
    """A condition of the enclosing provision rules what stands under it."""
    text = "the Leverage Ratio shall not exceed 3.00 to 1.00."
    assert not goes_to_a_person(read(text, "The Borrower agrees that:"))
    assert goes_to_a_person(read(text, "If the Revolving Loans are drawn, the Borrower agrees that:"))


METRICS = [
    ("Total Debt shall not exceed 3.75 times Consolidated EBITDA on any Quarter Date.", "total_leverage", "Consolidated EBITDA"),
    ("Total Net Debt shall not on any Quarter Date exceed 425 per cent. of Adjusted EBITDA.", "net_leverage", "Adjusted EBITDA"),
    ("First Lien Debt shall not exceed 5.00 times EBITDA.", "first_lien_leverage", "EBITDA"),
    ("The ratio of Senior Secured Net Debt to EBITDA shall not exceed 3.00:1.", "senior_secured_net_leverage", "EBITDA"),
    (
        "The Company shall ensure that the ratio of EBITDA to Net Finance Charges is not less than 3.00:1.",
        "interest_cover",
        "Net Finance Charges",
    ),
]


@pytest.mark.parametrize(("text", "metric", "denominator"), METRICS)
def test_what_is_tested(read, text: str, metric: str, denominator: str) -> None:
    """A multiple or percentage of earnings is the ratio of debt to them; net, senior and first lien are never mixed up."""
    (terms,) = read(text)
    assert (terms.metric, terms.denominator) == (metric, denominator)


def test_spans_are_the_words(read) -> None:
    """Every part of a reading cites exactly the words it was read from."""
    (terms,) = read("The Borrower will not permit the Leverage Ratio on any Quarter Date to exceed 3.50:1.")
    assert [s.text for s in terms.spans["metric"]] == ["Leverage Ratio"]
    assert [s.text for s in terms.rows[0].limit.spans] == ["3.50:1"]
    assert "exceed" in terms.spans["comparator"][0].text
