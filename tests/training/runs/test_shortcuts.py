"""Shortcut detectors: each on samples that take the shortcut, on samples that do not, and on samples that cannot tell."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformed_plugins.training.runs.judgement import State
from conformed_plugins.training.runs.shortcuts import SHORTCUTS, copies_prompt, shortcuts
from conformed_plugins.training.runs.thresholds import STANDARD, Thresholds

Sample = dict[str, Any]
CLAUSE = (
    "Read the clause.\nThe Net Gearing Ratio shall at no time be more than {level} to 1.00 for a period that ends in {month}."
)


def samples(change: Callable[[int, Sample], Sample] = lambda _at, one: one, right: float = 0.6) -> list[Sample]:
    """Twelve items with four samples each; so large a share of the items is answered rightly, the others each in its own wrong way."""
    made = []
    for at in range(48):
        item = at // 4
        value = f" {item}.50" if item < right * 12 else f" 9.{at}"
        one = {
            "item": f"item{item}",
            "prompt": CLAUSE.format(level=f"{item}.50", month="June"),
            "response": f'{{"level": "{value}"}}',
            "response_tokens": 12,
            "outcome": "correct" if item < right * 12 else "incorrect",
            "format_ok": True,
        }
        made.append(change(at, one))
    return made


def seen(early: list[Sample], late: list[Sample], at: Thresholds = STANDARD) -> list[str]:
    """Codes that are seen."""
    return [one.code for one in shortcuts(early, late, at) if one.state is State.SEEN]


def with_response(text: str, outcome: str = "incorrect") -> Callable[[int, Sample], Sample]:
    """All samples say one thing."""
    return lambda _at, one: {**one, "response": text, "outcome": outcome}


WRONG = samples(right=0.0)
PRESENT: dict[str, list[tuple[list[Sample], list[Sample]]]] = {
    "empty_answer": [
        (
            samples(),
            samples(
                lambda at, one: (
                    {**one, "response": ("", "  \n", "{}", '{"level": " "}', "<final></final>")[at % 5]} if at < 12 else one
                )
            ),
        ),
    ],
    "majority_value": [
        # Right for a part of the items, and given to all of them.
        (
            samples(),
            samples(lambda at, one: {**one, "response": '{"clause": "2"}', "outcome": "correct" if at % 12 < 4 else "incorrect"}),
        ),
        (samples(), samples(with_response("<final>3.50</final>"))),
    ],
    "copied_clause": [
        (samples(), samples(lambda at, one: {**one, "response": one["prompt"] + one["response"]} if at % 3 == 0 else one)),
    ],
    "length_padding": [
        (samples(), samples(lambda _at, one: {**one, "response_tokens": 30})),
    ],
    "format_without_content": [
        (WRONG, WRONG),
    ],
}
ABSENT: dict[str, list[tuple[list[Sample], list[Sample]]]] = {
    "empty_answer": [(samples(), samples()), (samples(), samples(lambda at, one: {**one, "response": ""} if at < 5 else one))],
    "majority_value": [
        (samples(), samples()),
        # Right for as many items as it is given to.
        (samples(), samples(lambda at, one: {**one, "response": '{"clause": "2"}', "outcome": "correct"} if at < 30 else one)),
    ],
    "copied_clause": [
        (samples(), samples()),
        # A sentence of the prompt's end as a source is less than half of it.
        (samples(), samples(lambda _at, one: {**one, "response": '{"source": "' + one["prompt"][-40:] + '"}'})),
    ],
    "length_padding": [
        (samples(), samples()),
        # Longer, and more often right.
        (samples(right=0.3), samples(lambda _at, one: {**one, "response_tokens": 30})),
        (samples(lambda _at, one: {**one, "response_tokens": 30}), samples()),
    ],
    "format_without_content": [
        (samples(), samples()),
        (WRONG, samples(lambda at, one: {**one, "format_ok": at % 2 == 0}, right=0.0)),
    ],
}


@pytest.mark.parametrize("code", SHORTCUTS)
def test_a_shortcut_that_is_taken_is_seen(code: str) -> None:
    """The detector names the shortcut, with figures."""
    for early, late in PRESENT[code]:
        assert code in seen(early, late)
        assert all(one.figures for one in shortcuts(early, late) if one.code == code)


@pytest.mark.parametrize("code", SHORTCUTS)
def test_a_shortcut_that_is_not_taken_is_not_seen(code: str) -> None:
    """Honest samples, and near misses below each threshold, are judged and not accused."""
    for early, late in ABSENT[code]:
        assert next(one for one in shortcuts(early, late) if one.code == code).state is State.ABSENT


def test_honest_samples_take_no_shortcut() -> None:
    """All detectors are judged on honest samples, and none fires."""
    assert [one.state for one in shortcuts(samples(), samples())] == [State.ABSENT] * len(SHORTCUTS)


@pytest.mark.parametrize(
    ("name", "codes"),
    [
        ("outcome", {"majority_value", "length_padding", "format_without_content"}),
        ("prompt", {"copied_clause"}),
        ("response_tokens", {"length_padding"}),
        ("format_ok", {"format_without_content"}),
    ],
)
def test_what_a_sample_does_not_say_is_not_judged(name: str, codes: set[str]) -> None:
    """Where one sample lacks what a rule needs, that rule is not judged and says so; the others are."""
    bare = samples(lambda at, one: {key: value for key, value in one.items() if at or key != name})
    found = shortcuts(samples(), bare)
    assert {one.code for one in found if one.state is State.NOT_JUDGED} == codes
    assert all(name in one.sentence for one in found if one.state is State.NOT_JUDGED)


def test_few_samples_are_not_judged() -> None:
    """Below the least number of samples no shortcut is ruled in or out."""
    assert {one.state for one in shortcuts(samples()[:15], samples())} == {State.NOT_JUDGED}
    assert {one.state for one in shortcuts(samples()[:16], samples())} == {State.ABSENT}


def test_few_items_say_nothing_of_a_majority() -> None:
    """One answer to a handful of items is no habit: the rule asks for more items."""
    few = [{**one, "item": f"item{at % 4}"} for at, one in enumerate(samples(with_response('{"a": 1}')))]
    one = next(one for one in shortcuts(samples(), few) if one.code == "majority_value")
    assert one.state is State.NOT_JUDGED


def test_thresholds_decide() -> None:
    """A detector follows the declared thresholds: the same samples under another one come out otherwise."""
    late = samples(lambda at, one: {**one, "response": ""} if at < 5 else one)
    assert seen(samples(), late) == []
    assert seen(samples(), late, Thresholds(empty_share=0.1)) == ["empty_answer"]


@given(
    prompt=st.text(alphabet="abc \n", min_size=1, max_size=60),
    response=st.text(alphabet="abc \n", max_size=90),
    share=st.floats(0.1, 1.0),
)
def test_copying_is_found_exactly(prompt: str, response: str, share: float) -> None:
    """The quick search finds a stretch of the share asked for exactly where a look at every stretch does."""
    least = max(1, round(share * len(prompt)))
    slow = any(prompt[at : at + least] in response for at in range(len(prompt) - least + 1))
    assert copies_prompt(response, prompt, share) == slow
