"""Versions and pins."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformed.policy.refused import RefusedError
from conformed.policy.versions import Pin, parse_version

NUMBERS = st.lists(st.integers(0, 99), min_size=1, max_size=4)


@pytest.mark.parametrize("text", ["", "1.", "v1", "1.0.0a1", "01", "1.0.0.0.0", "1,0", "*", "latest", " 1", "1 ", "1.0\n", "٣"])
def test_what_is_not_a_version_is_refused(text: str) -> None:
    """Pre-releases, leading zeros, words and other scripts are no versions, and never fit a pin."""
    with pytest.raises(RefusedError):
        parse_version(text)
    assert not Pin.parse(">=0,<99").accepts(text)


@pytest.mark.parametrize(
    "text", ["", ">=1", "<2", "1,2", ">=1,>=2", ">=1,<2,<3", "~=1.0", "!=1", "==1", ">=2,<1", ">1,<1", ">=1,<1", "1.*", ">=1,<x"]
)
def test_what_is_not_a_pin_is_refused(text: str) -> None:
    """A pin is exact or has both ends, and some version must fit."""
    with pytest.raises(RefusedError):
        Pin.parse(text)


@given(NUMBERS, NUMBERS)
def test_order_is_that_of_the_numbers(one: list[int], other: list[int]) -> None:
    """A version fits ``>=a,<=b`` exactly when its numbers, filled up with zeros, lie between; 1.10 comes after 1.9."""
    low, high = sorted([one, other], key=lambda parts: parts + [0] * (4 - len(parts)))
    text = [".".join(map(str, parts)) for parts in (low, high)]
    pin = Pin.parse(f">={text[0]}, <={text[1]}")
    assert pin.accepts(text[0])
    assert pin.accepts(text[1])
    above = ".".join(map(str, [*(high + [0] * (4 - len(high)))[:3], (high + [0] * (4 - len(high)))[3] + 1]))
    assert not pin.accepts(above)


def test_exact_pins_and_open_ends() -> None:
    """1.0 is 1.0.0; an open end leaves its version out."""
    assert Pin.parse("1.0").accepts("1.0.0")
    assert not Pin.parse("1.0").accepts("1.0.1")
    assert Pin.parse(">=1,<2").accepts("1.9.9")
    assert not Pin.parse(">=1,<2").accepts("2")
    assert not Pin.parse(">1,<2").accepts("1.0.0")
