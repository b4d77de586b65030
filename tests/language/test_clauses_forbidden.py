"""A duty that stands in a list of what is forbidden, and a next sentence that names the days of the test."""

from __future__ import annotations

import pytest

FORBIDS = "The Company will not, and will not allow any Subsidiary to:"


@pytest.mark.parametrize(
    ("text", "lead", "doubted"),
    [
        ("Have an Interest Cover Ratio of not less than 2.00 to 1.00 at any quarter end.", FORBIDS, True),
        ("Maintain a Leverage Ratio of not more than 2.00 to 1.00.", FORBIDS, True),
        ("Maintain a Leverage Ratio of more than 2.00 to 1.00.", FORBIDS, True),
        ("have an Interest Cover Ratio of not less than 2.00 to 1.00 at any quarter end.", FORBIDS, True),
        ("maintain a Leverage Ratio of more than 2.00 to 1.00.", FORBIDS, False),
        ("Have a Leverage Ratio of more than 2.00 to 1.00 at any quarter end.", FORBIDS, False),
        ("Fail to maintain a Leverage Ratio of not more than 2.00 to 1.00.", FORBIDS, False),
        ("The Company will maintain a Leverage Ratio of not more than 2.00 to 1.00.", FORBIDS, False),
        ("Maintain a Leverage Ratio of not more than 2.00 to 1.00.", "The Company will:", False),
    ],
)
def test_a_duty_in_a_list_of_what_is_forbidden_is_a_doubt(read, text: str, lead: str, doubted: bool) -> None:
    """Forbidding what has to be kept turns the comparison round, by slip or by intent: a person looks at it."""
    (reading,) = read(text, lead)
    assert ("review_comparator_ambiguous" in {d.code for d in reading.doubts}) is doubted


@pytest.mark.parametrize(
    ("text", "tested"),
    [
        ("The Company shall not permit the Debt Ratio at any time to exceed 2.00 to 1.00. This covenant shall be tested as of the last day of each fiscal quarter.", "each_fiscal_quarter_end"),
        ("The Company shall not permit the Debt Ratio at any time to exceed 2.00 to 1.00. The Debt Ratio counts leases.", "any_time"),
    ],
)  # fmt: skip
def test_the_next_sentence_may_say_when_it_is_tested(read, text: str, tested: str) -> None:
    """A test "at any time" gives way to a sentence that names the days of the test."""
    (reading,) = read(text)
    assert reading.tested == tested
