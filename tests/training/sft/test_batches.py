"""Which examples an update sees."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformed.errors import GivenValueError
from conformed_plugins.training.items import TrainingItem
from conformed_plugins.training.sft.batches import Batches, Example, examples_of

if TYPE_CHECKING:
    from conformed_plugins.training.grpo.codec import ChatCodec


def _some(lengths: list[int]) -> list[Example]:
    return [Example(f"i{at}", (7,) * length, (8, 1)) for at, length in enumerate(lengths)]


def test_the_end_is_the_last_target(
    items: tuple[TrainingItem, ...], examples: tuple[Example, ...], tokenizer: Any, codec: ChatCodec
) -> None:
    """Every answer ends with the token that ends it, once, and says the right answer before it."""
    for item, example in zip(items, examples, strict=False):
        assert example.answer[-1] == tokenizer.eos_token_id
        assert example.answer.count(tokenizer.eos_token_id) == 1
        assert tokenizer.decode(example.answer[:-1]) == item.answer
        assert example.prompt == codec.prompt(item.prompt)


@pytest.mark.parametrize("ids", [(), (5, 1, 6)])
def test_an_answer_without_tokens_or_with_an_end_in_it_is_refused(
    ids: tuple[int, ...], items: tuple[TrainingItem, ...], codec: ChatCodec
) -> None:
    """Such an answer could not be told from one that ended."""
    with pytest.raises(GivenValueError, match="empty or holds"):
        examples_of(items[:1], codec, [ids], 1)


@given(
    lengths=st.lists(st.integers(1, 40), min_size=4, max_size=60),
    batch=st.integers(1, 4),
    window=st.integers(1, 5),
    seed=st.integers(0, 3),
)
def test_no_example_comes_twice_in_an_epoch(lengths: list[int], batch: int, window: int, seed: int) -> None:
    """In an epoch no example comes twice, every batch is full, and less than one batch is left out."""
    batches = Batches(_some(lengths), seed=seed, batch=batch, window=window)
    whole = len(lengths) // batch
    for epoch in range(2):
        seen = [one.item for update in range(whole) for one in batches.at(epoch * whole + update + 1)]
        assert len(seen) == len(set(seen)) == whole * batch
    assert (batches.epoch(whole), batches.epoch(whole + 1)) == (0, 1)


def test_the_order_is_a_function_of_the_update() -> None:
    """Asked in any order, an update has its examples; another seed has others."""
    made = [Batches(_some(list(range(1, 65))), seed=seed, batch=4, window=4) for seed in (1, 1, 2)]
    forth = [made[0].at(update) for update in range(1, 40)]
    back = [made[1].at(update) for update in range(39, 0, -1)]
    assert forth == back[::-1]
    assert forth != [made[2].at(update) for update in range(1, 40)]


def test_examples_of_one_length_come_together() -> None:
    """Sorted within windows, batches have far less padding than the same examples in the order drawn."""
    examples = _some([1 + 37 * at % 100 for at in range(256)])

    def padding(window: int) -> int:
        batches = Batches(examples, seed=0, batch=8, window=window)
        some = [batches.at(update) for update in range(1, 33)]
        return sum(max(one.length for one in batch) * len(batch) - sum(one.length for one in batch) for batch in some)

    assert padding(16) < padding(1) / 4


def test_too_few_examples_are_refused() -> None:
    """Fewer than one batch would never make an update."""
    with pytest.raises(GivenValueError, match="do not fill"):
        Batches(_some([1, 2]), seed=0, batch=3, window=1)
