"""The policy's tokenizer: byte-level pairs (BPE) learned from the grammar's own text, cut so that what is copied looks the same twice.

A model copies a token by looking for its earlier place. So the words of a value, with the blank before them, must be the same tokens in
the clause, where a comma or a full stop follows, and in the answer, where quotation marks stand around them. Cutting before every
blank and around every sign and digit makes it so: nothing is merged across the ends of a value. Only the marks of JSON that can stand
between two values are kept in one piece.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from itertools import chain, repeat
from typing import Any

os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")  # else it writes on standard error when a worker is made afterwards

from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import PreTrainedTokenizerFast

from conformed.errors import GivenValueError

__all__ = ["END", "PAD", "TEMPLATE", "make_tokenizer"]

PAD = "<|pad|>"
"""Fills short rows. It is another token than the one that ends an answer, so that no end is ever taken for padding."""
END = "<|end|>"
"""Ends an answer."""
_MARKS = (PAD, END, "<|system|>", "<|user|>", "<|assistant|>")

TEMPLATE = (
    "{%- for message in messages %}{{ '<|' + message.role + '|>' + message.content }}"
    "{%- if message.role == 'assistant' %}<|end|>{% endif %}{%- endfor %}"
    "{%- if add_generation_prompt %}<|assistant|>{% endif %}"
)
"""The chat template. It has no thinking mode."""

_PIECES = r""" \{"|":"|","|"\}| ?\p{L}+| ?\p{N}| ?[^\s\p{L}\p{N}]|\s""".strip()
"""Joints of JSON; a word with its blank; a digit with its blank; a sign with its blank; other white space by itself."""

_DIGITS, _OFTEN = " 0 1 2 3 4 5 6 7 8 9", 5_000
"""Every digit with its blank becomes one token, those that the texts have seldom too."""


def make_tokenizer(texts: Iterable[str], symbols: int = 512) -> Any:
    """Learns a tokenizer. The same texts give the same bytes.

    Args:
        texts: prompts and answers of training; never those of a held-out split.
        symbols: tokens in all, marks included.

    Returns:
        A fast tokenizer of transformers with template, end and padding.

    Raises:
        GivenValueError: for fewer symbols than bytes and marks, or texts in which too few pairs occur to fill them.
    """
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    if symbols < len(alphabet) + len(_MARKS):
        raise GivenValueError(f"{symbols} symbols were asked for.", f"Ask for at least {len(alphabet) + len(_MARKS)}.")
    inner = Tokenizer(models.BPE())
    inner.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Split(Regex(_PIECES), "isolated"), pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)]
    )
    inner.decoder = decoders.ByteLevel()
    inner.train_from_iterator(
        chain(texts, repeat(_DIGITS, _OFTEN)),
        trainers.BpeTrainer(
            vocab_size=symbols, special_tokens=list(_MARKS), initial_alphabet=alphabet, min_frequency=2, show_progress=False
        ),
    )
    if inner.get_vocab_size() != symbols:
        raise GivenValueError(
            f"The texts gave {inner.get_vocab_size()} symbols of {symbols}.", "Give more text, or ask for fewer symbols."
        )
    made = PreTrainedTokenizerFast(
        tokenizer_object=inner,
        eos_token=END,
        pad_token=PAD,
        additional_special_tokens=list(_MARKS[2:]),
        clean_up_tokenization_spaces=False,
    )
    made.chat_template = TEMPLATE
    return made
