"""Every sentence is made of what its claims say. Nothing is accepted because it sounds alike."""

from __future__ import annotations

import json
from typing import Any

import pytest

from conformed.model.answer import AnswerCheck
from conformed_plugins.verifiers.claim_support import ClaimSupportVerifier

RATIO, LEVEL, CAUSE = (
    "The Net Ratio on 30 June 2025 was 3.75x",
    "the level was no more than 4.00x",
    "the waiver letter is unsigned, so no waiver counts.",
)
FACTS = {
    "claims": [
        {"id": "c1", "texts": [RATIO, "the Net Ratio was 3.75x"]},
        {"id": "c2", "texts": [LEVEL, "The level was no more than 4.00x"], "quotes": ["shall not exceed 4.00 to 1.00"]},
        {"id": "c3", "texts": [CAUSE]},
        {"id": "c4", "texts": ["the ratio was 3.7"]},
    ]
}


def check(*sentences: tuple[str, list[str]], **facts: Any) -> tuple[str, str]:
    """Outcome and code."""
    text = json.dumps({"sentences": [{"text": text, "claims": claims} for text, claims in sentences]})
    found = ClaimSupportVerifier().check(AnswerCheck(candidate=text, reference="", facts={**FACTS, **facts}))
    return found.outcome.value, found.code


@pytest.mark.parametrize(
    ("text", "claims"),
    [
        (f"{RATIO}.", ["c1"]), (f"{RATIO} and {LEVEL}.", ["c1", "c2"]), (f"In summary, {LEVEL}; also {CAUSE}", ["c3", "c2"]), (f"{RATIO}, and\n {LEVEL}.", ["c2", "c1", "c1"]),
        (f"{LEVEL}: “shall not exceed 4.00 to 1.00”.", ["c2"]),
    ],
)  # fmt: skip
def test_claims_in_their_own_words_are_supported(text: str, claims: list[str]) -> None:
    """Alone, joined by plain words, or with a quotation that the claim has."""
    assert check((text, claims)) == ("correct", "every_sentence_supported")


@pytest.mark.parametrize(
    ("text", "claims", "code"),
    [
        (RATIO, [], "claim_uncited"), (RATIO, ["c9"], "claim_uncited"), (RATIO, ["c1", "c9"], "claim_uncited"), (f"{RATIO} and 4 more.", ["c1"], "figure_unsupported"),
        (RATIO.replace("3.75", "3.57"), ["c1"], "figure_unsupported"), (RATIO.replace("3.75", "13.75"), ["c1"], "figure_unsupported"), (f"{RATIO} and {LEVEL}.", ["c1"], "figure_unsupported"),
        ("the ratio was 3.75", ["c4"], "figure_unsupported"), ("the ratio was 3.7/2", ["c4"], "figure_unsupported"), (f"{LEVEL}: “shall not exceed 4.00”.", ["c2"], "quote_differs"),
        (f"{RATIO}: “shall not exceed 4.00 to 1.00”.", ["c1"], "quote_differs"), (f"{LEVEL} “”.", ["c2"], "quote_differs"),
        (f"{RATIO}, so approve it.", ["c1"], "conclusion_of_a_person"), (f"{RATIO} and an event of default has occurred.", ["c1"], "conclusion_of_a_person"),
        (f"{RATIO} AND THE LOAN IS DECLINED", ["c1"], "conclusion_of_a_person"), (f"{RATIO} ٣", ["c1"], "figure_unsupported"),
    ],
)  # fmt: skip
def test_what_is_certainly_unsupported_is_wrong(text: str, claims: list[str], code: str) -> None:
    """No claim, another figure, a quotation that stands nowhere, a conclusion that is a person's."""
    assert check((text, claims)) == ("incorrect", f"{code}:1")


@pytest.mark.parametrize(
    ("text", "claims", "code"),
    [
        (f"It is not true that {LEVEL}.", ["c2"], "words_unsupported"), (f"{RATIO} only while it rains.", ["c1"], "words_unsupported"), (f"Perhaps {LEVEL}.", ["c2"], "words_unsupported"),
        (f"{RATIO}?", ["c1"], "words_unsupported"), (f"{RATIO} — {LEVEL}.", ["c1", "c2"], "words_unsupported"), (f"{RATIO} because {LEVEL}.", ["c1", "c2"], "words_unsupported"),
        ("The leverage looked fine.", ["c1"], "claim_not_said"), (f"{RATIO}.", ["c1", "c2"], "claim_not_said"), (f"{RATIO} %", ["c1"], "words_unsupported"), ("", ["c1"], "claim_not_said"),
        (f"{LEVEL} “shall", ["c2"], "words_unsupported"), (RATIO.upper().replace("3.75X", "x").replace("30 JUNE 2025", ""), ["c1"], "claim_not_said"),
    ],
)  # fmt: skip
def test_words_that_cannot_be_placed_go_to_a_person(text: str, claims: list[str], code: str) -> None:
    """A word that turns, limits, guesses or explains is not of the claim: neither right nor certainly wrong."""
    assert check((text, claims)) == ("review", f"{code}:1")


def test_the_worst_sentence_decides() -> None:
    """A wrong sentence behind a doubtful one is found; a claim that must be said is missed."""
    assert check((f"Perhaps {LEVEL}.", ["c2"]), (f"{RATIO} and 5.", ["c1"])) == ("incorrect", "figure_unsupported:2")
    assert check((f"{RATIO}.", ["c1"]), (f"Perhaps {LEVEL}.", ["c2"])) == ("review", "words_unsupported:2")
    assert check((f"{RATIO}.", ["c1"]), required=["c1", "c2"]) == ("incorrect", "claim_left_out")
    assert check((f"{RATIO}.", ["c1"]), required=["c1"]) == ("correct", "every_sentence_supported")


@pytest.mark.parametrize(
    "facts",
    [
        {"claims": []},
        {"claims": [{"id": "a"}]},
        {"claims": [{"id": "a", "texts": [""]}]},
        {"claims": FACTS["claims"] * 2},
        {"required": ["c9"]},
    ],
)
def test_bad_facts_are_an_error(facts: Any) -> None:
    """No claims, no wordings, an id twice."""
    assert check((RATIO, ["c1"]), **facts) == ("error", "facts_malformed")


@pytest.mark.parametrize(
    "text",
    [
        "plain words",
        "[]",
        '{"sentences": []}',
        '{"sentences": [{"text": "a"}]}',
        '{"sentences": [{"text": "a", "claims": "c1"}]}',
    ],
)
def test_what_is_no_answer_goes_to_a_person(text: str) -> None:
    """Malformed answers are not wrong ones; too long ones neither."""
    assert ClaimSupportVerifier().check(AnswerCheck(candidate=text, reference="", facts=FACTS)).outcome == "review"
    assert check((RATIO + " and" * 2000, ["c1"])) == ("review", "answer_too_long")
