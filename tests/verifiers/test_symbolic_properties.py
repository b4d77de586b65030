"""Properties of the symbolic verifier over generated answers."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from conformed_plugins.verifiers.symbolic import verify_symbolic
from conformed_plugins.verifiers.symbolic.answers import read
from conformed_plugins.verifiers.symbolic.tree import Node, RefusedError

EXPRESSIONS = st.recursive(
    st.integers(0, 9).map(str) | st.sampled_from("xyz"),
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from("+-*"), inner).map(lambda t: f"({t[0]}{t[1]}{t[2]})"),
        st.tuples(inner, st.integers(0, 3)).map(lambda t: f"({t[0]})^{t[1]}"),
    ),
    max_leaves=8,
)


def value(node: Node, point: dict[str, int]) -> int | None:
    """A second, plain evaluation of polynomials, to hold the verdicts against."""
    if node.kind == "num":
        return int(node.value)
    if node.kind == "name":
        return point[node.text]
    parts = [value(part, point) for part in node.parts]
    if any(part is None for part in parts):
        return None
    numbers = [part or 0 for part in parts]
    if node.kind == "pow":
        return None if numbers[1] == 0 == numbers[0] else numbers[0] ** numbers[1]
    if node.kind == "add":
        return sum(numbers)
    product = 1
    for number in numbers:
        product *= number
    return product


@settings(max_examples=60, deadline=None)
@given(one=EXPRESSIONS, other=EXPRESSIONS)
def test_polynomials_are_decided_as_plain_evaluation_finds_them(one: str, other: str) -> None:
    """Correct means equal at every point tried; incorrect means that a point can be found where they differ."""
    outcome, code = verify_symbolic(one, other)
    trees = read(one), read(other)
    points = [{"x": x, "y": y, "z": z} for x in range(-2, 3) for y in range(-2, 3) for z in range(-2, 3)]
    pairs = [(value(trees[0], point), value(trees[1], point)) for point in points]
    differ = any(a is not None and b is not None and a != b for a, b in pairs)
    if outcome == "correct":
        assert not differ, code
    elif outcome == "incorrect":
        assert differ or max(len(one), len(other)) > 30, code
    if differ:
        assert outcome in ("incorrect", "review")


@settings(max_examples=300, deadline=None)
@given(st.text(alphabet="0123456789xyei+-*/^_=<>()[]{}|!,.%& \\fracsqtpmu", max_size=40))
def test_any_text_is_read_or_refused(text: str) -> None:
    """No text raises anything but the refusal with its code."""
    code = "read"
    try:
        read(text)
    except RefusedError as problem:
        code = problem.code
    assert code.replace("_", "").isalpha()
