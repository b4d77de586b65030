"""Which words go and which come, which row of a table changes, and from when: the small readers of changes on their own."""

from __future__ import annotations

import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformed.language.pattern_effect import read_effect, waives_default
from conformed.language.pattern_level import level_tokens
from conformed.language.row_changes import find_row_change
from conformed.language.swapping import find_pairs

OLD, NEW = "4.10 to 1.00", "3.70 to 1.00"


def _pairs(text: str) -> list[tuple[str, str]]:
    return [(text[slice(*p.old)], text[slice(*p.new)]) for p in find_pairs(text)]


@pytest.mark.parametrize(
    "text",
    [
        'by deleting "{old}" and substituting "{new}" therefor',
        'by replacing the reference to "{old}" in it with a reference to "{new}"',
        'the words "{old}" are struck and the words "{new}" are inserted in lieu thereof',
        'the figure "{old}" shall be read as "{new}"',
        'by substituting "{new}" for "{old}"',
        'by the substitution of "{new}" in place of "{old}"',
        'for "{old}" there shall be substituted "{new}"',
        'by changing "{old}" to "{new}"',
        'from "{old}" to "{new}"',
        "by replacing the ratio of {old} with the ratio of {new}",
        'so that "{old}" reads "{new}"',
    ],
)
def test_what_goes_and_what_comes(text: str) -> None:
    """Whichever of the two is named first, the words say which one goes; turned round they say the contrary."""
    assert _pairs("In Section 5.2 " + text.format(old=OLD, new=NEW)) == [(OLD, NEW)]
    assert _pairs("In Section 5.2 " + text.format(old=NEW, new=OLD)) == [(NEW, OLD)]


@pytest.mark.parametrize(
    "text",
    [
        'The ratios "4.10 to 1.00" and "3.70 to 1.00" are shown in Section 5.2.',
        'Section 5.2 says "4.10 to 1.00". Section 5.3 shall be read as "3.70 to 1.00" does.',
        'The "Borrower" and the "Agent" agree.',
        "The ratio was 4.10 to 1.00 and is 3.70 to 1.00.",
    ],
)
def test_two_pieces_side_by_side_are_no_pair(text: str) -> None:
    """Words that name two figures without putting one in the place of the other swap nothing."""
    assert _pairs(text) == []


@given(text=st.text(alphabet='abdeforst "14.:(),;\n', max_size=160))
def test_pairs_lie_inside_and_do_not_overlap(text: str) -> None:
    """Whatever the text, each pair has two pieces apart from each other, inside the text."""
    for pair in find_pairs(text):
        (a, b), (c, d) = sorted((pair.old_at, pair.new_at))
        assert 0 <= a < b <= c < d <= len(text)


def test_a_row_and_its_days() -> None:
    """A row is named by its label, by what it said, or by the day that it stands against; a new day for it is told."""
    named = find_row_change('In the table the row for "June 30, 2026" is replaced with "June 30, 2026 - 5.05 to 1.00".')
    assert named is not None
    assert (named.label, str(named.limit.value), named.moved) == ("June 30, 2026", "101/20", False)
    assert [w.start for w in named.windows] == [dt.date(2026, 6, 30)]
    moved = find_row_change('In the table the row for "June 30, 2026" is replaced with "July 31, 2026 - 5.05 to 1.00".')
    assert moved is not None
    assert moved.moved
    assert find_row_change("In the table the ratio opposite June 30, 2026 or July 31, 2026 shall be 5.05 to 1.00.") is None
    assert find_row_change("The ratio opposite June 30, 2026 shall be 5.05 to 1.00.") is None


@pytest.mark.parametrize(
    ("text", "mode", "day"),
    [
        ("This letter has retroactive effect from 31 March 2026.", "as_of", dt.date(2026, 3, 31)),
        ("The change is treated as having been in force since 31 March 2026.", "as_of", dt.date(2026, 3, 31)),
        ("With effect from 31 March 2026 it is so.", "fixed_date", dt.date(2026, 3, 31)),
        (
            "With effect from 31 March 2026 it is so and any Default on or after that date is waived.",
            "as_of",
            dt.date(2026, 3, 31),
        ),
        (
            "With effect from 31 March 2026 it is so and no Default on or after that date is waived.",
            "fixed_date",
            dt.date(2026, 3, 31),
        ),
        ("This letter takes effect when the Agent has received each document.", "on_cp", None),
        ("When the Agent has received each document this letter takes effect as from its date.", "as_of_on_cp", None),
        ("It takes effect on the Merger Closing Date.", "on_event", None),
        ("It takes effect on the date on which the Northgate Sale is completed.", "on_event", None),
        ("It takes effect on the later of 31 March 2026 and the day of signing.", "later_of", None),
    ],
)
def test_from_when(text: str, mode: str, day: dt.date | None) -> None:
    """Each way of saying from when gives its mode, and its day where the words give one."""
    effect = read_effect(text, (0, len(text)))
    assert (effect.mode, effect.day, effect.open) == (mode, day, False)


def test_a_condition_that_is_not_understood_is_open() -> None:
    """Effect beside a condition in unknown words is never taken for effect on signing without a doubt."""
    text = "This Amendment is effective only if the moon is full."
    assert read_effect(text, (0, len(text))).open
    plain = "This Amendment is effective."
    assert not read_effect(plain, (0, len(plain))).open


def test_a_denied_waiver_waives_nothing() -> None:
    """Words that deny a waiver, before it or in it, are no waiver."""
    assert waives_default("Any Default that arose on that date is waived.") is not None
    assert waives_default("Nothing in this letter waives any Default.") is None
    assert waives_default("The Lenders do not waive any Default.") is None
    assert waives_default("Any Default that arose on that date is not waived.") is None


@pytest.mark.parametrize("verb", ["becomes", "shall be", "is hereby reset to", "is increased to", "shall then be reduced to"])
def test_level_set(verb: str) -> None:
    """A level right behind words that set it is found, with the number of the section left alone; in quotation marks it is not."""
    text = f"The ratio in Section 7.11 to this Agreement {verb} 5.05 to 1.00."
    assert [t.raw for t in level_tokens(text)] == ["5.05 to 1.00"]
    assert level_tokens(text.replace("5.05 to 1.00", '"5.05 to 1.00"')) == []
