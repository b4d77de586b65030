"""How values are shown and differences found: short, on one line, and at the first place that differs."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from conformed.engine.replay import Divergence, DivergenceClass, Level, difference, first_of_each_step, shown

plain = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)


@given(st.text(max_size=300))
def test_a_value_is_shown_short_and_on_one_line(text: str) -> None:
    """No control, format or line-ending character of a value is left, and it is cut."""
    line = shown(text)
    assert len(line) <= 81
    assert line.isprintable()
    assert not set(line) & {"\n", "\r", "\x1b", "\u202e", "\u2028", "\x85", "\x7f"}


@given(plain, plain)
def test_two_texts_that_differ_differ_somewhere(one: object, two: object) -> None:
    """The place is a path into both, and the two values shown are not the same unless they were cut."""
    where, left, right = difference(json.dumps(one).encode(), json.dumps(two).encode())
    assert where
    if one != two and len(left) < 80 and len(right) < 80 and type(one) is type(two) and not isinstance(one, bool):
        assert left != right or "items" in left


def test_the_first_difference_is_named_by_its_path() -> None:
    """Keys in order, then places of a list; bytes that are no JSON differ by their length."""
    left = {"b": [1, {"c": "x"}], "a": 1}
    assert difference(json.dumps(left).encode(), json.dumps({**left, "b": [1, {"c": "y"}]}).encode()) == ("b[1].c", '"x"', '"y"')
    assert difference(b'{"a":1}', b'{"a":1,"z":2}') == ("z", "absent", "2")
    assert difference(b"[1]", b"[1,2]") == ("value", "1 items", "2 items")
    assert difference(b"\x00", b"{}") == ("bytes", "1 bytes", "2 bytes")


def test_one_divergence_a_class_and_step_is_kept() -> None:
    """The first of each; another class in the same step stays."""

    def one(step: str, kind: DivergenceClass, now: str) -> Divergence:
        return Divergence(level=Level.L2, step=step, kind=kind, severity="low", recorded="a", now=now)

    first, second = one("bake", DivergenceClass.INPUT_DIFFERS, "1"), one("bake", DivergenceClass.INPUT_DIFFERS, "2")
    third, fourth = one("bake", DivergenceClass.OUTPUT_DIFFERS, "3"), one("label", DivergenceClass.INPUT_DIFFERS, "4")
    assert first_of_each_step([first, second, third, fourth]) == (first, third, fourth)
