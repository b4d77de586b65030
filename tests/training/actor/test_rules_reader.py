"""The rules as a reader of fields: what a policy is compared with."""

from __future__ import annotations

import pytest

from conformed.model.answer import Outcome
from conformed_plugins.training.actor.rules_reader import answer, fields_of
from conformed_plugins.training.items import Split, Task, TrainingItem
from conformed_plugins.training.synth.checking import check
from conformed_plugins.training.synth.dataset import DataSet

NOTHING = {"ratio": "", "direction": "", "level": "", "date": ""}


@pytest.mark.parametrize(
    ("clause", "found"),
    [
        (
            "The Mill shall not permit the Total Leverage Ratio as of March 31, 2027 to exceed 3.75 to 1.00.",
            (" Total Leverage Ratio", " exceed", " 3.75 to 1.00", " March 31, 2027"),
        ),
        (
            "The Net Leverage Ratio on 30 June 2028 shall not be greater than 4.10x. Notices go to the Agent.",
            (" Net Leverage Ratio", " not be greater than", " 4.10x", " 30 June 2028"),
        ),
        (
            "The Mill shall maintain, as of March 31, 2027, an Interest Coverage Ratio of at least 3.00:1.",
            (" Interest Coverage Ratio", " at least", " 3.00:1", " March 31, 2027"),
        ),
        ("The Net Leverage Ratio shall be 3.10 to 1.00 or less.", (" Net Leverage Ratio", " or less", " 3.10 to 1.00", "")),
    ],
)
def test_it_copies_what_it_reads(clause: str, found: tuple[str, ...]) -> None:
    """Each field is the clause's own words with the blank before them."""
    assert tuple(fields_of(clause).values()) == found


@pytest.mark.parametrize(
    "clause",
    [
        "The margin is 2.00% where the Leverage Ratio is below 3.00 to 1.00.",
        "The Mill may pay a dividend if the Leverage Ratio is less than 2.50 to 1.00.",
        "The Mill shall not permit the Net Leverage Ratio to exceed 3.00x. The Mill shall not permit the Senior Leverage Ratio to exceed 2.00x.",
        "Notices are in writing.",
        "",
    ],
)
def test_it_says_nothing_where_it_reads_none_or_two(clause: str) -> None:
    """No covenant, and two of them, give no fields: it never guesses."""
    assert fields_of(clause) == NOTHING


def test_another_task_is_not_its_own() -> None:
    """To anything but the fields of a clause it answers nothing."""
    item = TrainingItem("0", Task.TRACE, Split.KNOWN, "t", "Fields:\nx", "{}")
    assert answer(item) == ""


def test_it_is_a_baseline_worth_the_name(data: DataSet) -> None:
    """It reads most known wordings right, and hardly ever determines a level wrongly: a policy has to beat that."""
    for split, least in ((Split.KNOWN, 0.8), (Split.VALUES, 0.8), (Split.UNSEEN, 0.5)):
        items = data.items(split)
        judged = [check(item, answer(item)) for item in items]
        assert sum(one.outcome is Outcome.CORRECT for one in judged) >= least * len(items)
        assert sum(one.code == "wrong_level" for one in judged) <= 0.02 * len(items)
