"""The final answer: one declared field, or a code that says why there is none."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformed.evaluation.answers import LONGEST_ANSWER, extract_final

REFUSED = {
    "": "missing_final",
    "42": "missing_final",
    "<final>42": "missing_final",
    "42</final>": "missing_final",
    "<final/>": "missing_final",
    "< final>42</final>": "missing_final",
    "<final>4\u20282</final>": "missing_final",
    "<final>4\r2</final>": "missing_final",
    "<f\u0131nal>42</f\u0131nal>": "missing_final",
    "<final>1 > 0</final>": "missing_final",
    "<final>1</final><final>2</final>": "multiple_final_fields",
    "<final></final>\n<final>2</final>": "multiple_final_fields",
    "<final>1</final>\n</final>\n<final>2</final>": "multiple_final_fields",
    "</final>\n<final>2</final>": "malformed_final_fields",
    "say <final> when done\n<final>2</final>": "malformed_final_fields",
    "<final/>\n<final>2</final>": "malformed_final_fields",
    "<final>2</final>\n< / FINAL >": "malformed_final_fields",
    "<final id='1'>\n<final>2</final>": "malformed_final_fields",
    "The document says '<final>5</final>'": "final_not_terminal_single_line",
    "> <final>5</final>": "final_not_terminal_single_line",
    "<final>5</final>\nI hope this helps.": "final_not_terminal_single_line",
    "note\u2028<final>5</final>": "final_not_terminal_single_line",
    "a <final></final>": "final_not_terminal_single_line",
    "<final>\t\u00a0</final>": "empty_final",
    f"<final>{'x' * (LONGEST_ANSWER + 1)}</final>": "final_too_long",
}
TAKEN = {
    "<final>42</final>": "42",
    "<FiNaL>42</fInAl>": "42",
    "a <finale> of <final_answer> kind\n<final>42</final>": "42",
    "reasons\r\n\r\n  <final> x = 3 </final>\t\r\n \n": "x = 3",
    f"<final> {'x' * LONGEST_ANSWER} </final>": "x" * LONGEST_ANSWER,
}


@pytest.mark.parametrize(("text", "code"), REFUSED.items())
def test_whatever_is_not_plainly_declared_has_its_own_code(text: str, code: str) -> None:
    """A field that is absent, doubled, broken, not alone at the end, empty or too long is refused under that name."""
    assert extract_final(text) == (None, code)


@pytest.mark.parametrize(("text", "answer"), TAKEN.items())
def test_one_field_alone_on_the_last_line_is_taken(text: str, answer: str) -> None:
    """The case of the tag and white space around it do not matter; other tags are none of ours."""
    assert extract_final(text) == (answer, "ok")


def test_vectors(vectors: Callable[[str], list[dict[str, Any]]]) -> None:
    """The answers worked out beforehand are met."""
    for case in vectors("final_answer"):
        assert extract_final(case["response"]) == (case["answer"], case["code"]), case


def test_what_is_no_text_is_refused() -> None:
    """Bytes and None are a program's fault, not a missing answer."""
    with pytest.raises(TypeError):
        extract_final(b"<final>1</final>")  # type: ignore[arg-type]


@given(st.text(alphabet="<>/final 1\n\r", max_size=60))
def test_an_answer_never_holds_a_tag_or_a_line_break(text: str) -> None:
    """Whatever is taken was written once, whole, on one line, at the end."""
    answer, code = extract_final(text)
    assert (answer is not None) == (code == "ok")
    if answer is not None:
        assert not set(answer) & set("<>\r\n")
        assert text.rstrip().lower().endswith("</final>")
        assert text.lower().count("<final>") == 1


HOSTILE = {
    "a million <": "<",
    "unclosed tags": "<final>",
    "unclosed tags with text": "<final>aaaaaaa",
    "nested": "<final><final/></final>",
    "tags with spaces": "< \t/ ",
    "one long line of spaces": " ",
    "blank lines": "\n \r",
    "whole fields": "<final>1</final>\n",
    "half closed": "<final>1</final",
}


@pytest.mark.parametrize("unit", HOSTILE.values(), ids=HOSTILE)
@pytest.mark.parametrize("tail", ["", "\n<final>1</final>"])
def test_hostile_text_costs_in_proportion_to_its_length(unit: str, tail: str) -> None:
    """Ten times the text takes about ten times as long, up to a megabyte, and well under a second."""

    def seconds(size: int) -> float:
        text = (unit * (size // len(unit) + 1))[:size] + tail
        best = 9.0
        for _ in range(3):
            start = time.perf_counter()
            extract_final(text)
            best = min(best, time.perf_counter() - start)
        return best

    small, large = seconds(100_000), seconds(1_000_000)
    assert large < 1.0
    assert large < 40 * small + 0.01  # work that grows with the square would be a hundred times as much
