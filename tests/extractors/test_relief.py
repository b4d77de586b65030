"""Reliefs and days of effect, end to end."""

from __future__ import annotations

import mill_packs as packs
import pytest

SWAP = '1. Section 7.11(a) of the Credit Agreement is hereby amended by replacing "4.00 to 1.00" with "4.50 to 1.00".\n\n2. '
PERIOD = '1. During the Quiet Period, Section 7.11(a) of the Credit Agreement shall not be tested. "Quiet Period" means the period from the date hereof through and including March 31, 2024.'


def _answer(*changes: str, on: str, met: tuple[str | None, ...] | None = None) -> str:
    return str(packs.shown(packs.ask(packs.agreement(), *changes, on=on, met=met)))


@pytest.mark.parametrize(
    "body",
    [
        "1. Compliance with Section 7.11(a) of the Credit Agreement is hereby waived for the fiscal quarter ended September 30, 2023.",
        "1. The Lenders hereby waive any Event of Default arising from the failure to comply with Section 7.11(a) of the Credit Agreement for the fiscal quarter ended September 30, 2023.",
    ],
)
def test_a_waiver_stands_beside_the_level(body: str) -> None:
    """A waiver in the active or the passive voice is an overlay for its own date and leaves the level."""
    waiver = packs.amendment(body, title="WAIVER UNDER CREDIT AGREEMENT", dated="October 20, 2023")
    assert _answer(waiver, on="2023-09-30", met=("2023-10-20",)) == "4, waived"
    assert _answer(waiver, on="2023-12-31", met=("2023-10-20",)) == "4"


def test_a_waiver_that_only_names_the_figure_is_not_overlooked() -> None:
    """A waiver that was not understood sends the question to a person instead of showing none."""
    body = "1. The Event of Default under Section 8.01 that resulted from the breach of the Total Leverage Ratio covenant for the fiscal quarter ended September 30, 2023 is hereby waived."
    waiver = packs.amendment(body, title="WAIVER UNDER CREDIT AGREEMENT", dated="October 20, 2023")
    assert _answer(waiver, on="2023-09-30", met=("2023-10-20",)) == "review"


def test_a_suspension_takes_its_days_from_the_period_named_before_it() -> None:
    """A period named ahead of the provision is looked up where the instrument defines it, and testing comes back after it."""
    change = packs.amendment(PERIOD)
    assert [_answer(change, on=d) for d in ("2023-09-30", "2024-06-30")] == ["not_tested", "4"]


def test_a_period_that_another_instrument_moves_is_open() -> None:
    """Once a later amendment changes the definition of the period, its days are a question for a person."""
    later = packs.amendment(
        '1. The definition of "Quiet Period" is amended by replacing "March 31, 2024" with "September 30, 2024".',
        number="SECOND",
        dated="March 1, 2024",
    )
    assert _answer(packs.amendment(PERIOD), later, on="2024-06-30", met=("2023-08-15", "2024-03-01")) == "review"


def test_not_required_to_comply_is_a_suspension() -> None:
    """The words "shall not be required to comply with" for a quarter means that the quarter is not tested."""
    body = "1. The Borrower shall not be required to comply with Section 7.11(a) of the Credit Agreement for the fiscal quarter ending September 30, 2023."
    assert _answer(packs.amendment(body), on="2023-09-30") == "not_tested"


@pytest.mark.parametrize(
    ("words", "met", "results"),
    [
        ("This Amendment is effective upon execution by the parties.", None, ("4.5", "4.5")),
        ("This Amendment shall become effective on the later of (a) October 15, 2023 and (b) the date on which the conditions in Section 3 are met.", "2023-09-01", ("4", "4.5")),
        ("This Amendment shall become effective upon satisfaction of the conditions in Section 3. If they have not been satisfied on or before September 15, 2023, this Amendment shall be null and void.", "2023-10-10", ("4", "review")),
        ("The amendment in Section 1 shall take effect on the Merger Date.", None, ("review", "review")),
    ],
)  # fmt: skip
def test_the_day_of_effect_is_read_from_the_words(words: str, met: str | None, results: tuple[str, str]) -> None:
    """Signing, the later of two days, a long stop and an event each give their own day, or a person."""
    change = packs.amendment(SWAP + words)
    assert tuple(_answer(change, on=d, met=(met,)) for d in ("2023-09-30", "2023-12-31")) == results
