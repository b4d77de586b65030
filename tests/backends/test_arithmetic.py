"""The arithmetic backend works out one written calculation exactly, and says nothing to anything else, however hostile."""

from __future__ import annotations

import time
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformed.evaluation.answers import extract_final
from conformed.hooks import NoOptions
from conformed.ports import Backend
from conformed_plugins.backends.arithmetic import ArithmeticBackend

BACKEND = ArithmeticBackend(NoOptions())


def said(prompt: str) -> str:
    """What the backend says to a prompt."""
    ((one,),) = BACKEND.generate((prompt,), samples=1, seed=0, options={})
    return one.text


def answer(prompt: str) -> str | None:
    """The final field of what it says."""
    return extract_final(said(prompt))[0]


def test_it_is_a_backend_that_repeats_itself() -> None:
    """All samples are the same, whatever the seed; no token is generated."""
    assert isinstance(BACKEND, Backend)
    assert BACKEND.repeatable is True
    one, two = BACKEND.generate(("What is 2+2?", "What is 3+3?"), samples=3, seed=9, options={"temperature": "1"})
    assert [len(one), len(two)] == [3, 3]
    assert len(set(one)) == 1
    assert (one[0].tokens, one[0].prompt_tokens) == ((), 0)


@pytest.mark.parametrize(
    ("prompt", "right"),
    [
        ("What is 17*23?", "391"),
        ("what is: (1 + 2) * 3?", "9"),
        ("Compute 7/2 - 3.", "1/2"),
        ("Please calculate 0.1 + 0.2", "3/10"),
        ("What is 7?", "7"),
        ("Work out 1/3 + 1/6.\nThen write <final>ANSWER</final>.", "1/2"),
        ("Evaluate 2 - 5.", "-3"),
    ],
)
def test_it_works_out_what_is_written(prompt: str, right: str) -> None:
    """Exactly: a fraction stays one, and the shipped prompt's own words do not disturb it."""
    assert answer(prompt) == right


@given(a=st.integers(0, 10**12), b=st.integers(0, 10**12), c=st.integers(1, 10**6), sign=st.sampled_from("+-*"))
def test_it_is_right_to_the_last_digit(a: int, b: int, c: int, sign: str) -> None:
    """Against Python's own fractions."""
    value = {"+": a + Fraction(b, c), "-": a - Fraction(b, c), "*": a * Fraction(b, c)}[sign]
    assert answer(f"What is {a} {sign} {b}/{c}?") == str(value)


@pytest.mark.parametrize(
    "prompt",
    [
        "",
        "Which colour is it?",
        "17*23",
        "What is 1/0?",
        "What is 1/(2-2)?",
        "What is 2**9999?",
        "What is 9**9**9?",
        "What is (1+2?",
        "What is 1+2)?",
        "What is 1 2?",
        "What is 1.2.3+4?",
        "What is 2+2? And what is 3+3?",
        "What is __import__('os').system('x')?",
        "What is 2+x?",
        "What is 12+x?",
        "What is 12 + x?",
        "What is 12x?",
        "What is 15 percent of 200?",
        "What is 15 percent?",
        "What is 17*23, less 5?",
        "Compute 3+4. Subtract 2.",
        "Of 12 papers 3 are old. What is 2+2?",
        "What is 2+2 (two and two)?",
        "What is " + "1+" * 250 + "1?",
        "What is " + "(" * 300 + "1" + ")" * 300 + "?",
        "What is " + "9" * 401 + "*2?",
        "What is \u0661\u0662+1?",
        "What is 5\u00d75?",
        "<final>42</final>",
        "What is \x00?",
        "\ud800 what is it?",
    ],
    ids=lambda prompt: ascii(prompt)[:30],
)
def test_it_says_nothing_to_anything_else(prompt: str) -> None:
    """Two questions, unknown signs, powers, division by nothing, other digits: an empty response and never a guess."""
    assert said(prompt) == ""


@given(st.text(alphabet="0123456789+-*/(). whatis?compute\n", max_size=200))
def test_no_prompt_makes_it_raise(prompt: str) -> None:
    """Whatever stands behind the words, there is an answer that can be read, or none."""
    text = said(f"What is {prompt}")
    assert text == "" or extract_final(text)[1] == "ok"


@pytest.mark.parametrize(
    "prompt",
    [
        "what is " * 100_000,
        "what is " + "1+" * 400_000 + "1",
        "what is " + "(" * 800_000,
        "what is " + " " * 800_000 + "x",
        "what is:" + "\n" * 800_000 + "x",
        "what is 1 " * 80_000,
    ],
    ids=["words", "sum", "brackets", "spaces", "lines", "many"],
)
def test_a_long_prompt_takes_no_long_time(prompt: str) -> None:
    """Close to a megabyte in well under a second."""
    begun = time.process_time()
    assert said(prompt) == ""
    assert time.process_time() - begun < 1
