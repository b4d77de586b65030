"""A backend under a contract's budgets: bounded before, counted after, and believed in nothing but its text."""

from __future__ import annotations

from typing import Any

import pytest

from conformed.engine.context import Meter
from conformed.engine.generation import Bounded, kind_with
from conformed.engine.workflow import Kind
from conformed.errors import StepError
from conformed.ports import Completion


class Fake:
    """Gives what it is told to, and keeps what it was asked."""

    repeatable = True

    def __init__(self, given: Any = None) -> None:
        self.given, self.asked = given, list[dict[str, Any]]()

    def generate(self, prompts: Any, *, samples: int, seed: int, options: dict[str, Any]) -> Any:
        """Completions."""
        self.asked.append(options)
        if self.given is not None:
            return self.given
        return tuple(tuple(one(options["max_tokens"]) for _ in range(samples)) for _ in prompts)


def one(tokens: int = 3, **changes: Any) -> Completion:
    """A completion."""
    plain = {
        "text": "x",
        "tokens": tuple(range(tokens)),
        "behaviour_logprobs": (),
        "model_logprobs": (),
        "stop": "eos",
        "producer": "p",
    }
    return Completion(**{**plain, "prompt_tokens": 5, **changes})


def bounded(fake: Fake, generated: int = 100, inputs: int = 100) -> Bounded:
    """Under budgets."""
    return Bounded(fake, "fake 1.0.0", Meter({"generated_tokens": generated, "input_tokens": inputs}))


def ask(backend: Bounded, prompts: int = 1, samples: int = 1, **options: Any) -> Any:
    """A call."""
    return backend.generate(["p"] * prompts, samples=samples, seed=1, options=options)


def test_no_call_asks_for_more_than_is_left() -> None:
    """What is left of the budget is shared by the rows; a smaller wish stands; the second call has less."""
    fake = Fake()
    backend = bounded(fake, generated=100)
    ask(backend, prompts=2, samples=2)
    assert fake.asked[-1]["max_tokens"] == 25
    with pytest.raises(StepError) as caught:
        ask(backend)
    assert caught.value.code == "review_budget_exceeded"
    assert len(fake.asked) == 1
    smaller = bounded(fake, generated=100)
    ask(smaller, max_tokens=7)
    assert fake.asked[-1]["max_tokens"] == 7
    assert smaller.meter.spent == {"generated_tokens": 7, "input_tokens": 5}


def test_without_a_budget_nothing_is_generated() -> None:
    """A contract that allows no tokens asks nothing of a backend."""
    fake = Fake()
    with pytest.raises(StepError):
        ask(bounded(fake, generated=0))
    assert fake.asked == []


def test_a_backend_that_does_not_keep_to_it_ends_the_step() -> None:
    """More tokens than were asked for pass the budget, and the step ends as that."""
    with pytest.raises(StepError) as caught:
        ask(bounded(Fake(((one(200),),)), generated=100), max_tokens=10)
    assert caught.value.code == "review_budget_exceeded"


@pytest.mark.parametrize(
    "given",
    [
        [],
        (),
        ((), ()),
        ((),),
        ([one()],),
        ((one(), one()),),
        (("x",),),
        ((one(text=b"x"),),),
        ((one(text="x" * 1_000_001),),),
        ((one(tokens=3, producer=None),),),
        ((one(prompt_tokens=-1),),),
        ((one(prompt_tokens=True),),),
    ],
)
def test_anything_malformed_is_refused(given: Any) -> None:
    """Too few, too many, other types: review_step_malformed, without a word of what came."""
    with pytest.raises(StepError) as caught:
        ask(bounded(Fake(given)))
    assert caught.value.code == "review_step_malformed"
    assert "fake 1.0.0" in caught.value.found


def test_only_a_repeatable_backend_keeps_a_step_pure() -> None:
    """What may answer differently is a read step; truthy is not True."""
    fake = Fake()
    assert (kind_with(None), kind_with(fake)) == (Kind.PURE, Kind.PURE)
    for other in (False, 1, "yes", None):
        fake.repeatable = other  # type: ignore[assignment]
        assert kind_with(fake) is Kind.READ
        assert bounded(fake).repeatable is False


def test_what_was_asked_says_which_models_answered() -> None:
    """The digest of each producer stands behind the plugins, in one order; where nothing was asked, nothing is added."""
    fake = Fake(((one(producer="sha256:bb"), one(producer="sha256:aa"), one(producer="sha256:bb")),))
    backend = bounded(fake)
    assert backend.asked("model 1.0.0") == "model 1.0.0"
    ask(backend, samples=3)
    assert backend.asked("model 1.0.0") == "model 1.0.0, asking fake 1.0.0 (sha256:aa, sha256:bb)"


@pytest.mark.parametrize("producer", ["x" * 201, "two\nlines", 7])
def test_a_producer_is_one_short_line(producer: Any) -> None:
    """Whatever else a backend calls itself ends the step: the name goes into the record."""
    with pytest.raises(StepError) as caught:
        ask(bounded(Fake(((one(producer=producer),),))))
    assert caught.value.code == "review_step_malformed"
