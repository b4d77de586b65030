"""The calculator of a method: exact, closed, and four times at most."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from conformed.app.evaluating.calculator import MOST_CALLS, with_calculator, worked_out
from conformed.evaluation.items import Item
from conformed.ports import Completion

ITEM = Item(id="a", prompt="Q", reference="1", split="test", source="f.jsonl", source_revision="0")
REFUSED = " = (the calculator refuses this)\n"


class Says:
    """A backend that answers from its script by what the prompt ends with, and keeps what it was asked."""

    def __init__(self, **said: str) -> None:
        self.said = said
        self.asked: list[str] = []

    repeatable = True

    def generate(
        self, prompts: Sequence[str], *, samples: int, seed: int, options: dict[str, Any]
    ) -> tuple[tuple[Completion, ...], ...]:
        self.asked += prompts
        first = len(self.asked) == 1
        text = self.said["first"] if first else self.said["then"]
        one = Completion(text, (1, 2), (0.0, 0.0), (0.0, 0.0), "eos", "p", 7)
        return ((one,) * samples,)


@pytest.mark.parametrize(
    ("asked", "value"),
    [
        ("1/3 + 1/6", "1/2"),
        ("0.1 + 0.2", "3/10"),
        ("(410 - 35) / 5", "75"),
        ("-2 * 3", "-6"),
        ("-" * 399 + "1", "-1"),
    ],
)
def test_it_is_exact(asked: str, value: str) -> None:
    """Fractions stay fractions: no float takes part."""
    assert worked_out(f"So <calc>{asked}</calc>") == f" = {value}\n"


@pytest.mark.parametrize(
    "asked",
    [
        "__import__('os').system('true')",
        "().__class__.__bases__",
        "open('x')",
        "lambda: 1",
        "[1 for _ in range(9)]",
        "x + 1",
        "9**9**9**9",
        "2**99999999",
        "1/0",
        "1e999999999",
        "(" * 300 + "1" + ")" * 90,
        "\x00",
        "1;2",
        "１+1",
        "'a'*3",
        "True",
        "nan",
        "",
        " ",
    ],
)
def test_what_is_no_calculation_is_refused_in_words(asked: str) -> None:
    """Nothing is run: names, calls, powers without end, divisions by nothing and odd signs get words, or are no request at all."""
    answer = worked_out(f"<calc>{asked}</calc>")
    assert answer == REFUSED if asked else answer is None


@pytest.mark.parametrize(
    "text", ["", "1+1", "<calc>1+1", "<calc>1+1</calc> and so on", f"<calc>{'1' * 401}</calc>", "<calc><b></calc>"]
)
def test_only_a_response_that_ends_in_a_request_asks(text: str) -> None:
    """A request in the middle, an open one, one that is too long or holds tags is text."""
    assert worked_out(text) is None


def test_a_response_goes_on_with_the_value_behind_it() -> None:
    """The value stands in the prompt of the next call and in the response; tokens of all calls are counted."""
    backend = Says(first="<calc>2+3</calc>", then="<final>5</final>")
    (one,) = with_calculator(backend, "{prompt}!", {}, lambda: 0.0)(ITEM, [0], 1)
    assert one.response == "<calc>2+3</calc> = 5\n<final>5</final>"
    assert backend.asked == ["Q!", "Q!\n<calc>2+3</calc> = 5\n"]
    assert (one.response_tokens, one.prompt_tokens) == (4, 14)


def test_four_calculations_and_no_more() -> None:
    """A model that asks for ever is asked four times more; what it then says is kept as it is, and holds no answer."""
    backend = Says(first="<calc>1</calc>", then="<calc>1</calc>")
    (one,) = with_calculator(backend, "{prompt}!", {}, lambda: 0.0)(ITEM, [0], 1)
    assert len(backend.asked) == 1 + MOST_CALLS == 5
    assert one.response.count(" = 1\n") == 4
    assert one.response.endswith("<calc>1</calc>")


def test_a_refusal_is_told_to_the_model_and_goes_on() -> None:
    """A refused expression is answered in words, and the response goes on behind them."""
    backend = Says(first="<calc>open('x')</calc>", then="<final>0</final>")
    (one,) = with_calculator(backend, "{prompt}!", {}, lambda: 0.0)(ITEM, [0], 1)
    assert one.response == f"<calc>open('x')</calc>{REFUSED}<final>0</final>"


def test_samples_that_are_missing_alone_are_given() -> None:
    """A resumed item asks for its missing samples by number and gets those, in order."""
    backend = Says(first="<final>1</final>", then="")
    found = with_calculator(backend, "{prompt}!", {}, lambda: 0.0)(ITEM, [1, 3], 1)
    assert [one.response for one in found] == ["<final>1</final>"] * 2
