"""The normal form of an answer: what counts as the same answer before any check, and nothing more."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformed.app.answering.forms import MOST, normal_form


@pytest.mark.parametrize(
    ("answer", "form", "normal"),
    [
        ("0.50", "numeric", "0.5"),
        (" 6/12 ", "numeric", "1/2"),
        ("x +  1", "symbolic", "x + 1"),
        ("  x\n+\t1 ", "symbolic", "x + 1"),
        ("e\u0301", "symbolic", "\u00e9"),
        ("\n\nif a:\n    b  \n", "code", "if a:\n    b  "),
        ("    a", "code", "    a"),
    ],
)
def test_spelling_and_value(answer: str, form: str, normal: str) -> None:
    """Numbers by value; of anything else the spelling alone; in code white space has a meaning and stays."""
    assert normal_form(answer, form)[0] == normal


@pytest.mark.parametrize("form", ["numeric", "symbolic", "code", "sonnet"])
@pytest.mark.parametrize(("answer", "code"), [("x" * (MOST + 1), "answer_too_long"), ("", None), (" \n ", None)])
def test_no_answer_is_none_with_a_reason(form: str, answer: str, code: str | None) -> None:
    """Too long or empty: None and why, in every form."""
    normal, why = normal_form(answer, form)
    assert normal is None
    assert why == (code or why)
    assert why not in ("", "ok", form)


@given(st.text(max_size=50), st.sampled_from(["symbolic", "code"]))
def test_a_normal_form_is_its_own(answer: str, form: str) -> None:
    """Twice is as once, and the result is in Unicode's normal form C."""
    normal, kind = normal_form(answer, form)
    if normal is not None:
        assert (normal_form(normal, form), kind) == ((normal, form), form)
        assert unicodedata.is_normalized("NFC", normal)


def test_a_symbolic_answer_is_not_worked_out() -> None:
    """Equal in value and not in spelling are two answers here: the check tells, not the count."""
    assert normal_form("2*x", "symbolic") != normal_form("x+x", "symbolic")
