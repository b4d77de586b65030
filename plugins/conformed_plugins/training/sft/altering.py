"""Examples altered so that copying is learned and not values: digits exchanged for digits, words of values for other words, on both sides.

An answer that copies stays right when prompt and answer are altered in the same way. So a share of the examples is: every digit of the
prompt goes through one exchange of digits, and words that occur in values and nowhere else become words drawn at random. Such an example
is no sensible clause; what it teaches is where a value begins and ends, whatever it is. A policy trained so has seen levels and
years outside the ranges of its data set.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np

from conformed_plugins.training.sft.batches import Example

__all__ = ["Altering"]

_BLANK = "\u0120"
"""How a byte-level tokenizer writes a blank."""
_KEPT = 0.5
"""Share of such words that stay."""
_OPENS = '":"'
_JOINTS = frozenset({'{"', _OPENS, '","', '"}'})


class Altering:
    """Alters examples. The same example, seed and turn give the same.

    Args:
        tokenizer: byte-level, with single digits.
        share: of the examples that are altered, 0 to 1.
        seed: of all draws.
    """

    def __init__(self, tokenizer: Any, *, share: float, seed: int) -> None:
        self._share, self._seed = share, seed
        words = {number: text for text, number in tokenizer.get_vocab().items()}
        self._digits = {number: text for number, text in words.items() if text.removeprefix(_BLANK) in set("0123456789")}
        self._number_of = {text: number for number, text in self._digits.items()}
        self._words = {
            blank: sorted(number for number, text in words.items() if _is_word(text) and text.startswith(_BLANK) is blank)
            for blank in (True, False)
        }
        self._blank_of = {number: blank for blank, numbers in self._words.items() for number in numbers}
        self._opens = {number for number, text in words.items() if text == _OPENS}
        self._joints = {number for number, text in words.items() if text in _JOINTS}

    def __call__(self, example: Example, turn: int) -> Example:
        """The example, or the same one altered.

        Args:
            example: with its right answer.
            turn: how often it came before.
        """
        draws = _draws(f"{self._seed}\n{turn}\n{example.item}")
        if next(draws) >= self._share:
            return example
        inside = list(self._inside(example.answer))
        digits = sorted(range(10), key=lambda _: next(draws))
        change = {number: self._number_of[_turned(text, digits)] for number, text in self._digits.items()}
        change |= self._exchanged(example, inside, draws)
        prompt = tuple(change.get(one, one) for one in example.prompt)
        answer = tuple(change.get(one, one) if within else one for one, within in zip(example.answer, inside, strict=True))
        return Example(example.item, prompt, answer)

    def _inside(self, answer: tuple[int, ...]) -> Iterator[bool]:
        """For each token of an answer whether it is of a value."""
        opened = False
        for token in answer:
            if token in self._joints:
                opened = token in self._opens
                yield False
            else:
                yield opened

    def _exchanged(self, example: Example, inside: list[bool], draws: Iterator[float]) -> dict[int, int]:
        """Other words for half of the words that stand in values and, in the prompt, nowhere else."""
        of_values = Counter(one for one, within in zip(example.answer, inside, strict=True) if within)
        of_prompt = Counter(example.prompt)
        taken = set(example.prompt)
        change: dict[int, int] = {}
        for token in sorted(of_values):
            choices = self._words.get(self._blank_of.get(token, False), []) if token in self._blank_of else []
            if not choices or of_prompt[token] != of_values[token] or next(draws) < _KEPT:
                continue
            other = choices[int(next(draws) * len(choices))]
            if other not in taken:
                change[token] = other
                taken.add(other)
        return change


def _is_word(text: str) -> bool:
    bare = text.removeprefix(_BLANK)
    return len(bare) > 1 and bare.isascii() and bare.isalpha()


def _turned(text: str, digits: list[int]) -> str:
    return text[:-1] + str(digits[int(text[-1])])


def _draws(words: str) -> Iterator[float]:
    """Numbers from 0 to 1, the same for the same words."""
    key = int.from_bytes(hashlib.blake2b(f"conformed altering 1\n{words}".encode(), digest_size=16).digest(), "big")
    numbers = np.random.Philox(key=key)
    while True:
        yield from (numbers.random_raw(64) / 2.0**64).tolist()
