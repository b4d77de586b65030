"""Figures of behaviour out of samples, by hand-counted examples."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformed.errors import GivenValueError
from conformed_plugins.training.runs.answers import find_answer
from conformed_plugins.training.runs.behaviour import behaviour_metrics, has_repeated_phrase, switches_script
from conformed_plugins.training.runs.names import unknown

ROWS: list[dict[str, Any]] = [
    {"item": "a", "response": '{"x": " 3.50"}', "prompt_tokens": 40, "response_tokens": 6, "stop": "eos", "code": "ok", "format_ok": True,
     "outcome": "correct", "tool_calls": 0, "claims": 2, "citations": 3, "violations": []},
    {"item": "a", "response": 'So {"x": " 3.50"} it is', "prompt_tokens": 40, "response_tokens": 10, "stop": "eos", "code": "not_alone",
     "format_ok": False, "outcome": "review", "tool_calls": 1, "claims": 1, "citations": 0, "violations": ["Extra text", "extra_text"]},
    {"item": "b", "response": '{"x": 1} {"x": 2}', "prompt_tokens": 60, "response_tokens": 12, "stop": "length", "code": "ok", "format_ok": False,
     "outcome": "incorrect", "tool_calls": 0, "claims": 0, "citations": 0, "violations": []},
    {"item": "b", "response": "нет", "prompt_tokens": 60, "response_tokens": 2, "stop": "eos", "code": "no_json", "format_ok": False,
     "outcome": "error", "tool_calls": 3, "claims": 1, "citations": 1, "violations": []},
]  # fmt: skip


def test_the_figures_of_four_samples() -> None:
    """Each figure is what a person counts, and each is a series of the table."""
    found = behaviour_metrics(ROWS)
    assert found == pytest.approx(
        {
            "responses": 4,
            "invalid_answer_rate": 1 / 4,
            "multiple_answer_rate": 1 / 4,
            "repeated_phrase_rate": 0,
            "language_switch_rate": 1 / 4,
            "answer_end_mean": (1 + 17 / 23 + 1) / 3,
            "unique_answer_rate": (1 / 2 + 1 / 2) / 2,
            "prompt_tokens_mean": 50,
            "mean_response_tokens": 7.5,
            "response_tokens_p90": 12,
            "stop:eos": 3 / 4,
            "stop:length": 1 / 4,
            "code:ok": 2,
            "code:not_alone": 1,
            "code:no_json": 1,
            "violation:extra_text": 2,
            "form_valid_rate": 1 / 4,
            "review_rate": 1 / 4,
            "error_rate": 1 / 4,
            "tool_calls_mean": 1,
            "citations_per_claim": 4 / 4,
        }
    )
    assert unknown(found) == ()


@pytest.mark.parametrize(
    ("key", "names"),
    [
        ("response_tokens", {"mean_response_tokens", "response_tokens_p90"}),
        ("stop", {"stop:eos", "stop:length"}),
        ("outcome", {"review_rate", "error_rate"}),
        ("format_ok", {"form_valid_rate"}),
        ("claims", {"citations_per_claim"}),
        ("tool_calls", {"tool_calls_mean"}),
    ],
)
def test_what_one_sample_lacks_is_left_out(key: str, names: set[str]) -> None:
    """A figure is never taken over the samples that happen to have it: it is not there."""
    bare = [{name: value for name, value in ROWS[0].items() if name != key}, *ROWS[1:]]
    assert behaviour_metrics(ROWS).keys() - behaviour_metrics(bare).keys() == names


def test_no_sample_has_no_figure_and_a_bare_one_is_refused() -> None:
    """An empty batch gives nothing rather than zeros; a sample without item or response is an error."""
    assert behaviour_metrics([]) == {}
    for bare in ({"item": "a"}, {"response": "x"}, {"item": "a", "response": None}):
        with pytest.raises(GivenValueError, match="no item or no response"):
            behaviour_metrics([bare])


@pytest.mark.parametrize(
    ("response", "count", "end", "text", "empty"),
    [
        ("", 0, None, None, True),
        (" \n", 0, None, None, True),
        ("none", 0, None, None, False),
        ("{}", 1, 1.0, "{}", True),
        ('{"a": [" ", null]}', 1, 1.0, '{"a": [" ", null]}', True),
        ('{"a": 0}', 1, 1.0, '{"a": "0"}', False),
        ('{"b": 1, "a": 1.50}', 1, 1.0, '{"a": "1.50", "b": "1"}', False),
        ('{"a": {"b": 1}}', 1, 1.0, '{"a": {"b": "1"}}', False),
        ('{"a": 1}{"a": 1}', 2, 1.0, None, False),
        ('{"a": 1', 0, None, None, False),
        ('{x} {"a": 1}  ', 1, 12 / 14, '{"a": "1"}', False),
        ("[1, 2]", 1, 1.0, '["1", "2"]', False),
        ("work\n<final>3.5</final>", 1, 1.0, "3.5", False),
        ("<final>1</final>\n<final>2</final>", 2, 1.0, None, False),
        ("<final></final>", 0, 1.0, None, True),
        ("<final>1</final> more", 0, 16 / 21, None, False),
    ],
)  # fmt: skip
def test_where_the_answer_stands(response: str, count: int, end: float | None, text: str | None, empty: bool) -> None:
    """Answers are counted, placed and put into one form; numbers keep their digits."""
    found = find_answer(response)
    assert (found.count, found.text, found.empty) == (count, text, empty)
    assert found.end == (None if end is None else pytest.approx(end))


@pytest.mark.parametrize("response", ["{" * 20_000, "[" * 20_000, '{"a":' * 5_000, "{" + '"' * 19_000, "<final" * 3_000])
def test_no_response_takes_long(response: str) -> None:
    """Deep, broken and repeated marks are looked at in bounded work, and none of them is an answer."""
    assert find_answer(response).text is None


@given(st.text(max_size=200))
def test_any_response_is_looked_at(response: str) -> None:
    """No text raises, and the place of an answer is within the response."""
    found = find_answer(response)
    assert found.end is None or 0 < found.end <= 1
    assert behaviour_metrics([{"item": "a", "response": response}])["responses"] == 1


def test_a_phrase_is_repeated_at_three() -> None:
    """Six words in a row, three times: twice is not yet repetition, and one word fewer is no phrase."""
    phrase = "the ratio may not be above "
    assert has_repeated_phrase(phrase * 3)
    assert not has_repeated_phrase(phrase * 2)
    assert not has_repeated_phrase("the ratio may not be | one | the ratio may not be | two | the ratio may not be | three")


@pytest.mark.parametrize(
    ("response", "prompt", "switched"),
    [
        ("plain", "", False),
        ("naïve résumé ½ €", "", False),
        ("比率", "", True),
        ("比率", "The 比 of", False),
        ("коэффициент", "ratio", True),
        ("ratio", "коэффициент", False),
    ],
)  # fmt: skip
def test_a_script_of_which_the_prompt_has_nothing(response: str, prompt: str, switched: bool) -> None:
    """Accents and signs are no other language; letters of another script are, unless the prompt has them."""
    assert switches_script(response, prompt) is switched
