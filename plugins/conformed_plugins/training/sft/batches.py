"""Examples as tokens, and which of them each update sees: a function of seed and update alone, so that a place is all there is to keep."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from conformed.errors import GivenValueError
from conformed_plugins.training.grpo.codec import Codec
from conformed_plugins.training.items import TrainingItem

__all__ = ["Batches", "Example", "examples_of"]


@dataclass(frozen=True, slots=True)
class Example:
    """A prompt and its right answer."""

    item: str
    """Id of the item that it is of."""
    prompt: tuple[int, ...]
    """Token ids, the template's among them."""
    answer: tuple[int, ...]
    """Token ids; the token that ends an answer is the last."""

    @property
    def length(self) -> int:
        """Tokens of both."""
        return len(self.prompt) + len(self.answer)


def examples_of(
    items: Sequence[TrainingItem], codec: Codec, answer_ids: Sequence[tuple[int, ...]], end: int
) -> tuple[Example, ...]:
    """Examples of items.

    Args:
        items: questions with their right answers.
        codec: prompts to tokens, as the backend that runs the policy makes them.
        answer_ids: token ids of each answer, without an end.
        end: the token that ends an answer; it is learned like any other.

    Raises:
        GivenValueError: for an answer in which the end stands already, or which has no tokens.
    """
    made = []
    for item, ids in zip(items, answer_ids, strict=True):
        if not ids or end in ids:
            raise GivenValueError(f"The answer of item {item.id} is empty or holds the token that ends it.", "Leave it out.")
        made.append(Example(item.id, codec.prompt(item.prompt), (*ids, end)))
    return tuple(made)


class Batches:
    """The examples in an order that goes on for ever, epoch after epoch, none twice in an epoch.

    Within a window of some batches examples are sorted by length and cut, so that little is padded; then the batches of the window
    are put in another order. What is left of an epoch that does not fill a batch waits for a later one.

    Args:
        examples: all of them.
        seed: of every order.
        batch: examples of a batch.
        window: batches of a window.
        alter: alters an example, given how often it came before; None leaves all as they are.

    Raises:
        GivenValueError: for fewer examples than fill one batch.
    """

    def __init__(
        self,
        examples: Sequence[Example],
        *,
        seed: int,
        batch: int,
        window: int,
        alter: Callable[[Example, int], Example] | None = None,
    ) -> None:
        if len(examples) < batch:
            raise GivenValueError(f"{len(examples)} examples do not fill a batch of {batch}.", "Give more, or make it smaller.")
        self._examples, self._seed, self._batch, self._window = tuple(examples), seed, batch, window
        self._alter = alter
        self._of_epoch = len(examples) // batch

    def at(self, update: int) -> tuple[Example, ...]:
        """The examples of an update, the first of which is 1."""
        epoch, place = divmod(update - 1, self._of_epoch)
        number, inside = divmod(place, self._window)
        found = self._cut(epoch, number)[inside]
        return found if self._alter is None else tuple(self._alter(one, epoch) for one in found)

    @lru_cache(maxsize=2)  # noqa: B019 - one object a run; the last windows are all that is asked for
    def _cut(self, epoch: int, number: int) -> tuple[tuple[Example, ...], ...]:
        order = _permutation(self._seed, f"examples {epoch}", len(self._examples))
        count = min(self._window, self._of_epoch - number * self._window)
        start = number * self._window * self._batch
        some = [self._examples[each] for each in order[start : start + count * self._batch]]
        some.sort(key=lambda one: one.length)
        cut = [tuple(some[each * self._batch : (each + 1) * self._batch]) for each in range(count)]
        return tuple(cut[each] for each in _permutation(self._seed, f"batches {epoch} {number}", count))

    def epoch(self, update: int) -> int:
        """Times that every example has been seen before an update."""
        return (update - 1) // self._of_epoch


@lru_cache(maxsize=4)
def _permutation(seed: int, what: str, count: int) -> tuple[int, ...]:
    key = int.from_bytes(hashlib.blake2b(f"conformed sft 1\n{seed}\n{what}".encode(), digest_size=16).digest(), "big")
    # The raw numbers of Philox are promised to stay; its methods' use of them is not.
    return tuple(np.argsort(np.random.Philox(key=key).random_raw(count), kind="stable").tolist())
