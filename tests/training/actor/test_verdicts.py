"""What an answer is to a user, and which reader one should choose."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

import pytest

from conformed_plugins.training.actor.comparing import GRPO, RULES, SFT, chosen, pairs, rows
from conformed_plugins.training.actor.verdicts import Answered, Verdict, answered
from conformed_plugins.training.items import Checked, Split, Task, TrainingItem
from conformed_plugins.training.synth.checking import check

KEYS = ("ratio", "direction", "level", "date")
CLAUSE = "The Net Leverage Ratio on 30 June 2028 shall not exceed 4.10x, and was 3.00x."
RIGHT = (" Net Leverage Ratio", " not exceed", " 4.10x", " 30 June 2028")
NONE = ("", "", "", "")


def said(values: Sequence[str]) -> str:
    """An answer of four values."""
    return json.dumps(dict(zip(KEYS, values, strict=True)), separators=(",", ":"))


def item(number: int, values: Sequence[str] = RIGHT, split: Split = Split.UNSEEN) -> TrainingItem:
    """An item of a wording of its own number modulo 5."""
    fields = dict(zip(KEYS, values, strict=True))
    return TrainingItem(
        f"{split}{number}", Task.FIELDS, split, f"w{number % 5}", f"Fields:\n{CLAUSE}", said(values), {"fields": fields}
    )


@pytest.mark.parametrize(
    ("right", "text", "verdict"),
    [
        (RIGHT, said(RIGHT), Verdict.RIGHT),
        (NONE, said(NONE), Verdict.RIGHT),
        (RIGHT, said((*RIGHT[:2], " 3.00x", RIGHT[3])), Verdict.WRONG),
        (RIGHT, said((" Leverage", *RIGHT[1:])), Verdict.WRONG),
        (NONE, said(RIGHT), Verdict.WRONG),
        (RIGHT, said(NONE), Verdict.SILENT),
        (RIGHT, said((*RIGHT[:2], "", RIGHT[3])), Verdict.SILENT),
        (RIGHT, "The level is 4.10x.", Verdict.UNREADABLE),
        (RIGHT, "", Verdict.UNREADABLE),
    ],
)
def test_verdicts(right: Sequence[str], text: str, verdict: Verdict) -> None:
    """A level that is not right, or stands where there is none, is determined and wrong; no level is silence; no form is unreadable."""
    (found,) = answered([item(0, right)], [text], check)
    assert found.verdict is verdict


def test_a_check_that_fails_is_unreadable() -> None:
    """An answer that could not be judged is never counted as right."""

    def broken(_item: TrainingItem, _text: str) -> Checked:
        raise OSError

    (found,) = answered([item(0)], [said(RIGHT)], broken)
    assert found.verdict is Verdict.UNREADABLE


def readers(**given: Mapping[Split, Sequence[str]]) -> dict[str, dict[Split, tuple[Answered, ...]]]:
    """Readers by their answers."""
    return {
        name.replace("_", "+"): {
            split: answered([item(at, split=split) for at in range(len(texts))], texts, check) for split, texts in splits.items()
        }
        for name, splits in given.items()
    }


def marks(right: int, wrong: int, silent: int) -> list[str]:
    """Some answers of each kind."""
    return [said(RIGHT)] * right + [said((*RIGHT[:2], " 3.00x", RIGHT[3]))] * wrong + [said(NONE)] * silent


CALM = {Split.CHALLENGE: marks(5, 0, 15)}


def test_a_better_policy_is_chosen() -> None:
    """Right far more often, and never wrong where the rules are not: the better of two such policies is named first."""
    found = readers(
        rules={Split.UNSEEN: marks(10, 0, 30), **CALM},
        sft={Split.UNSEEN: marks(30, 0, 10), **CALM},
        sft_grpo={Split.UNSEEN: marks(38, 0, 2), **CALM},
    )
    best, sentence = chosen(found, seed=0)
    assert best == GRPO
    assert sentence.startswith("Use sft+grpo: ")
    assert "38 right of 40" in sentence


def test_a_policy_that_is_wrong_unsaid_is_not_chosen() -> None:
    """However much more is right, one more that is determined and wrong than by the rules leaves the rules, and the sentence says so."""
    found = readers(
        rules={Split.UNSEEN: marks(10, 0, 30), **CALM},
        sft={Split.UNSEEN: marks(39, 1, 0), **CALM},
        sft_grpo={Split.UNSEEN: marks(40, 0, 0), Split.CHALLENGE: marks(19, 1, 0)},
    )
    best, sentence = chosen(found, seed=0)
    assert best == RULES
    assert sentence.startswith("Use the rules extractor: the rules win (rules 0 determined and wrong of 60")


def test_a_difference_that_may_be_chance_leaves_the_rules() -> None:
    """Five of forty more, none fewer, is p = 0.0625: the rules stay. Six more is p = 0.03125."""
    for more, best in ((5, RULES), (6, SFT)):
        found = readers(
            rules={Split.UNSEEN: marks(10, 0, 30), **CALM},
            sft={Split.UNSEEN: marks(10 + more, 0, 30 - more), **CALM},
        )
        assert chosen(found, seed=0)[0] == best


def test_counts_and_pairs_by_hand() -> None:
    """Rows count each kind; pairs name what improved and regressed; a split that a reader was not asked is left out of both."""
    found = readers(
        rules={Split.UNSEEN: marks(10, 2, 28)},
        sft={Split.UNSEEN: marks(30, 0, 10), Split.RETENTION: marks(3, 0, 1)},
    )
    counted = rows(found)
    assert [(one["split"], one["reader"]) for one in counted] == [("unseen", RULES), ("unseen", SFT), ("retention", SFT)]
    assert counted[0]["determined_and_wrong"]["count"] == 2
    assert (counted[0]["right"]["count"], counted[0]["silent"], counted[0]["unreadable"]) == (10, 28, 0)
    low, high = counted[0]["right"]["interval"]
    assert low < 0.25 < high
    (pair,) = pairs(found, seed=0)
    assert (pair["split"], pair["before"], pair["after"]) == ("unseen", RULES, SFT)
    assert (pair["improved"], pair["regressed"], pair["difference"]) == (20, 0, 0.5)
    assert pair["p_value"] == pytest.approx(2 / 2**20)
