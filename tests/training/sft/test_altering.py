"""Altered examples teach copying, and stay right."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from conformed_plugins.training.items import TrainingItem
from conformed_plugins.training.sft.altering import Altering

if TYPE_CHECKING:
    from conformed_plugins.training.sft.batches import Example


def test_an_altered_answer_is_still_a_copy(tokenizer: Any, examples: tuple[Example, ...]) -> None:
    """Keys, signs and lengths stay, and every value stands in the altered prompt letter by letter with its blank."""
    alter = Altering(tokenizer, share=1.0, seed=4)
    changed = 0
    for example in examples:
        altered = alter(example, 0)
        assert (len(altered.prompt), len(altered.answer)) == (len(example.prompt), len(example.answer))
        prompt, before, after = (tokenizer.decode(ids) for ids in (altered.prompt, example.answer[:-1], altered.answer[:-1]))
        old, new = json.loads(before), json.loads(after)
        assert list(old) == list(new)
        assert all(not old[key] if not value else value in prompt for key, value in new.items())
        assert altered.answer[-1] == example.answer[-1]
        changed += old != new
    assert changed > len(examples) // 2


def test_digits_outside_the_ranges_are_seen(tokenizer: Any, examples: tuple[Example, ...]) -> None:
    """The exchange of digits gives years that no item of training has."""
    alter = Altering(tokenizer, share=1.0, seed=4)
    texts = [tokenizer.decode(alter(one, 0).prompt) for one in examples]
    assert sum(", 202" in tokenizer.decode(one.prompt) for one in examples) > 20
    assert sum(", 202" in text for text in texts) < 5


def test_none_are_altered_at_a_share_of_nothing(tokenizer: Any, examples: tuple[Example, ...]) -> None:
    """With a share of 0 every example stays; with one half about half of them do."""
    assert [Altering(tokenizer, share=0.0, seed=4)(one, 0) for one in examples] == list(examples)
    half = Altering(tokenizer, share=0.5, seed=4)
    assert 16 < sum(half(one, 0) == one for one in examples) < 48


def test_the_same_draws_give_the_same_example(tokenizer: Any, examples: tuple[Example, ...]) -> None:
    """Altering is a function of seed, turn and example; another turn alters otherwise."""
    first, again = (Altering(tokenizer, share=1.0, seed=4) for _ in range(2))
    assert [first(one, 1) for one in examples] == [again(one, 1) for one in reversed(examples)][::-1]
    assert [first(one, 1) for one in examples] != [first(one, 2) for one in examples]


def test_a_word_that_stands_elsewhere_too_is_left(
    tokenizer: Any, items: tuple[TrainingItem, ...], examples: tuple[Example, ...]
) -> None:
    """Words around the values are never exchanged: where an altered prompt differs, a digit or a word of a value stood."""
    alter = Altering(tokenizer, share=1.0, seed=4)
    for item, example in zip(items, examples, strict=False):
        words = set("".join(json.loads(item.answer).values()).split())
        for old, new in zip(example.prompt, alter(example, 0).prompt, strict=True):
            text = tokenizer.decode([old]).strip()
            assert old == new or text.isdigit() or any(text in word for word in words)
