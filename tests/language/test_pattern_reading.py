"""A clause as data: what is read, what is refused, and what the words leave open. The clauses are the project's own."""

from __future__ import annotations

import datetime as dt
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformed.language.pattern_effect import read_effect
from conformed.language.pattern_reading import Ask, read_pattern
from conformed.language.pattern_words import compared, count_of, masked, provisions, quarter_ends, sentence_around

NOTHING_DONE = [
    "The Lenders do not waive the Event of Default arising from the failure to meet Section 4.2 for the fiscal quarter ended June 30, 2025.",
    "Nothing in this letter waives any Default under clause 12.2 for the Relevant Period ended 31 December 2025.",
    "The Agent reserves its rights after the failure to meet Section 4.2, where the ratio was 4.35 to 1.00 and the limit is 4.00 to 1.00.",
    "The Lenders do not consent to the Elmwood Acquisition under Section 5.3.",
    "Section 4.2 is not deleted.",
    "Section 4.2 of the Credit Agreement is not amended and the ratio there remains 4.00 to 1.00.",
    "Section 4.2 shall be tested for each fiscal quarter ending during the Relief Period.",
    "The Total Leverage Ratio at the end of each fiscal quarter was not more than 3.50 to 1.00.",
    'The parties may agree to replace "4.00 to 1.00" in Section 4.2 with "4.50 to 1.00".',
    'It was proposed that Section 4.2 be amended by replacing "4.00 to 1.00" with "4.50 to 1.00", and the proposal was rejected.',
    'Section 4.2 was amended by the First Amendment by replacing "4.00 to 1.00" with "4.50 to 1.00".',
    'Section 4.2 will not be amended by replacing "4.00 to 1.00" with "4.50 to 1.00".',
    "New Shareholder Injections may not be added to Adjusted EBITDA for that period.",
    "The maximum ratio shall not be increased by 0.50 on the Borrower's election after a Qualified Acquisition.",
    'The definition of "Adjusted EBITDA" is not amended by this letter.',
    "No Dividend may be paid unless the Senior Leverage Ratio is below 3.00 to 1.00.",
    "The projected Total Leverage Ratio for the fiscal quarter ending June 30, 2026 is 3.20 to 1.00.",
    "The Company was formed on 3 May 1999 and makes valves.",
]


@pytest.mark.parametrize("text", NOTHING_DONE)
def test_words_that_do_nothing(text: str) -> None:
    """What is denied, proposed, told as past or merely stated is no operation and no covenant."""
    assert read_pattern(text) is None


@pytest.mark.parametrize(
    "text",
    [
        'If the Required Lenders agree, Section 4.2 shall be amended by replacing "4.00 to 1.00" with "4.50 to 1.00".',
        "Unless the Agent otherwise agrees, the ratio in Section 4.2 becomes 4.00 to 1.00.",
        "The ratio in Section 4.2 becomes 4.00 to 1.00 only if the Acquisition closes.",
        "The Leverage Ratio shall not exceed 4.00 to 1.00 at any fiscal quarter end unless the Required Lenders otherwise consent.",
        "The Borrower shall use reasonable efforts to keep the Total Leverage Ratio below 4.00 to 1.00.",
        "The Borrower shall permit the Total Leverage Ratio at any fiscal quarter end to exceed 3.50 to 1.00.",
        "The Borrower shall maintain a Leverage Ratio of 3.50 to 1.00.",
    ],
)
def test_conditions_and_half_promises_are_doubts(text: str) -> None:
    """A change on a condition, an effort, a permission or a ratio without a comparison is never read without a doubt."""
    found = read_pattern(text)
    if found is None:  # a permission is no covenant: not reading it is as safe as doubting it
        assert text.startswith("The Borrower shall permit")
        return
    assert any(d.startswith("review") for d in found.doubts)


def test_what_is_not_said_is_unstated() -> None:
    """An instruction that says only "the ratio" gives a level, and neither figure nor comparison; its effect is not said either."""
    found = read_pattern("The ratio in Section 4.2 of the Credit Agreement becomes 4.10 to 1.00.")
    assert found is not None
    assert str(found.fields["level"]) == "41/10"
    assert (found.fields["metric"], found.fields["comparator"]) == (None, None)
    assert {"metric", "comparator", "effective.mode"} <= found.unstated


@given(whole=st.integers(2, 14), cents=st.integers(0, 99))
def test_any_level(whole: int, cents: int) -> None:
    """Every two-decimal level of a plain clause is read to the fraction, with its places."""
    shown = f"{whole}.{cents:02d}"
    found = read_pattern(
        f"Section 4.2. The Borrower shall not permit the Net Leverage Ratio at the end of any fiscal quarter to exceed {shown} to 1.00."
    )
    assert found is not None
    assert found.fields["level"] * 100 == whole * 100 + cents  # type: ignore[operator]
    assert (found.fields["places"], found.fields["target"], found.doubts) == (2, "4.2", ())


@given(text=st.text(alphabet='abc .,;:"()[]0123456789SectionclauseratioLeverage\n', max_size=200))
def test_never_raises_and_spans_lie_inside(text: str) -> None:
    """Whatever the text, the reader gives a reading or none, and every span lies inside the text."""
    found = read_pattern(text, Ask(test_date=dt.date(2025, 6, 30)))
    for start, end in found.spans.values() if found else ():
        assert 0 <= start <= end <= len(text)


def test_effect_of_its_own_sentence_wins() -> None:
    """Of two effects in one instrument, that of the operative sentence counts."""
    text = (
        "Part A is effective on signing. The increase of the ratio in Section 4.2 is effective on the Acquisition Closing Date."
    )
    at = text.index("The increase")
    assert read_effect(text, (at, len(text))).mode == "on_event"
    assert read_effect("Effective July 1, 2025, it is so.", (0, 33)).day == dt.date(2025, 7, 1)
    silent = read_effect("It is so.", (0, 9))
    assert (silent.mode, silent.stated) == ("on_signing", False)


def test_quarter_ends_follow_the_test_date() -> None:
    """Quarters are counted from a test date, which is the end of one, whatever the calendar."""
    assert quarter_ends(dt.date(2025, 2, 11), 3, dt.date(2025, 9, 30)) == [
        dt.date(2025, 3, 31),
        dt.date(2025, 6, 30),
        dt.date(2025, 9, 30),
    ]
    assert quarter_ends(dt.date(2025, 2, 11), 2, dt.date(2025, 4, 30)) == [dt.date(2025, 4, 30), dt.date(2025, 7, 31)]
    assert quarter_ends(dt.date(2025, 6, 30), 1, dt.date(2025, 6, 30)) == [dt.date(2025, 6, 30)]


def test_provisions_and_their_homes() -> None:
    """Numbers, letters, captions and the instrument that a provision is of are read apart."""
    first, second, third = provisions(
        "paragraph (a) of clause 26.2, Section 2(c) of Amendment No. 1 is changed and Section 6.13 (Maximum Leverage Ratio) stays"
    )
    assert (first.number, second.number, second.home, third.caption) == (
        "26.2(a)",
        "2(c)",
        "Amendment No. 1",
        "Maximum Leverage Ratio",
    )
    assert "5.00 to 1.00" in masked("Section 7.11 to 5.00 to 1.00")
    assert "7.11" not in masked("Section 7.11 to 5.00 to 1.00")


def test_small_words() -> None:
    """Counts in words and figures; sentences that end at a full stop and not at a number's; conditions as they allow."""
    assert [count_of(w) for w in ("15", "four", "twice", "twenty-four", "thirty", "many")] == [15, 4, 2, 24, 30, None]
    text = "It is 4.50 to 1.00. No. 2 follows; and more"
    assert text[slice(*sentence_around(text, 3))] == "It is 4.50 to 1.00"
    told = compared("the Total Net Leverage Ratio is not greater than 4.05 to 1.00", 0, 62)
    assert told is not None
    assert (told.comparator, str(told.limit.value)) == ("le", "81/20")


@pytest.mark.parametrize(
    "seed",
    [
        "the ratio in Section 4.2 shall be 4.00 to 1.00 and ",
        "A",
        "be not be ",
        '"a" is read as "b" ',
        "((a)",
        "March 31, 2025 - 4.60 to 1.00; ",
    ],
)
def test_long_texts_cost_little(seed: str) -> None:
    """A text eight times as long costs no more than some thirty times as much: nothing backtracks without bound."""

    def cost(length: int) -> float:
        text = (seed * (length // len(seed) + 1))[:length]
        begin = time.process_time()
        read_pattern(text, Ask(test_date=dt.date(2025, 6, 30)))
        return time.process_time() - begin

    cost(500)
    small = max(min(cost(1_000) for _ in range(3)), 0.002)
    assert min(cost(8_000) for _ in range(2)) < 34 * small
