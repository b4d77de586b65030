"""The loop: prefill, then a token of every unfinished row at a time. A finished row gives its place to the last one."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import groupby
from typing import Any

import torch

from conformed.errors import GivenValueError
from conformed_plugins.backends.decoder.cache import ROWS, Cache
from conformed_plugins.backends.decoder.forward import prefill, step
from conformed_plugins.backends.decoder.grammar import Grammar
from conformed_plugins.backends.decoder.packed import Packed, pack, why_not
from conformed_plugins.backends.decoder.rows import Rows
from conformed_plugins.backends.decoder.settings import Decoded, Settings, row_keys
from conformed_plugins.backends.decoder.single import decode_single

__all__ = ["Decoder", "decode"]

_PREFILL_TOKENS = 1024
"""Most tokens of one prefill, which bounds its work space."""


def decode(
    model: Any,
    input_ids: Sequence[Sequence[int]],
    *,
    samples: int,
    seed: int,
    temperature: float | None,
    top_p: float,
    max_new_tokens: int,
    stop_ids: Collection[int],
    schema: Grammar | None = None,
    keys: Sequence[str] | None = None,
    max_context: int | None = None,
) -> list[list[Decoded]]:
    """Decodes once with a model; ``Decoder`` and ``Settings`` say what the arguments mean.

    Returns:
        For each prompt its samples.
    """
    settings = Settings(
        max_new_tokens=max_new_tokens,
        stop_ids=frozenset(stop_ids),
        samples=samples,
        seed=seed,
        temperature=temperature,
        top_p=top_p,
        max_context=max_context,
        schema=schema,
    )
    return Decoder(model).decode(input_ids, settings, keys)


class Decoder:
    """Decodes with one loaded model. The weights are packed here: after they change, make another.

    Args:
        model: a causal language model of transformers. Qwen3 and Llama are decoded in batches on packed weights, any other a row at
            a time through its own forward pass.
    """

    def __init__(self, model: Any) -> None:
        self.model = model
        self.plain = why_not(model)
        """Why the model is decoded a row at a time; empty where it is not."""
        self.packed: Packed | None = None if self.plain else pack(model)
        """The packed weights, if so."""

    def decode(
        self, input_ids: Sequence[Sequence[int]], settings: Settings, keys: Sequence[str] | None = None
    ) -> list[list[Decoded]]:
        """Samples of each prompt.

        Args:
            input_ids: token ids of each prompt, without padding.
            settings: how.
            keys: a key for each prompt, from which its random numbers come; None takes the digest of its tokens, so that the same
                prompt twice says the same twice.

        Raises:
            ValueError: for an empty prompt, an id outside the vocabulary, keys that do not fit, or logits that are not finite.
        """
        config = self.model.config
        names = row_keys(input_ids, keys)
        if any(not 0 <= token < config.vocab_size for prompt in input_ids for token in prompt):
            raise GivenValueError(f"A prompt has a token outside 0 to {config.vocab_size - 1}.", "Use the model's tokenizer.")
        context = min(settings.max_context or config.max_position_embeddings, config.max_position_embeddings)
        rows = [(number, sample) for number in range(len(input_ids)) for sample in range(settings.samples)]
        done: list[Decoded] = []
        was_training = self.model.training
        self.model.eval()
        try:
            for start in range(0, len(rows), settings.max_rows):
                some = rows[start : start + settings.max_rows]
                prompts = [tuple(input_ids[number]) for number, _ in some]
                state = Rows(prompts, [(names[number], sample) for number, sample in some], settings, context)
                if self.packed is None:
                    decode_single(self.model, state)
                else:
                    with torch.inference_mode():
                        _decode(self.packed, state, settings)
                done += state.decoded()
        finally:
            self.model.train(was_training)
        return [done[start : start + settings.samples] for start in range(0, len(done), settings.samples)]


def _decode(packed: Packed, state: Rows, settings: Settings) -> None:
    open_rows = state.open()
    if not open_rows:
        return
    lengths, members = _shared(state, open_rows, share=settings.share_prompts)
    cache = Cache(packed, lengths, members, max(state.room[row] for row in open_rows))
    logits = _prefilled(packed, cache, [state.prompts[open_rows[members.index(place)]] for place in range(len(lengths))])[members]
    while True:
        tokens = state.choose(logits, open_rows)
        kept = [place for place, row in enumerate(open_rows) if not state.finished[row]]
        if not kept:
            return
        if len(kept) < len(open_rows):
            cache.keep(kept)
            tokens, open_rows = tokens[kept], [open_rows[place] for place in kept]
        if len(tokens) % ROWS:
            tokens = torch.nn.functional.pad(tokens, (0, -len(tokens) % ROWS))
        logits = step(packed, cache, tokens)


def _shared(state: Rows, rows: list[int], *, share: bool) -> tuple[list[int], list[int]]:
    """Puts rows of equal prompts together, in place.

    Returns:
        The length of each distinct prompt, and for each row, as they now stand, which of them is its.
    """
    if not share:
        return [len(state.prompts[row]) for row in rows], list(range(len(rows)))
    prompts: dict[tuple[int, ...], list[int]] = {}
    for row in rows:
        prompts.setdefault(state.prompts[row], []).append(row)
    rows[:] = [row for of in prompts.values() for row in of]
    return [len(prompt) for prompt in prompts], [place for place, of in enumerate(prompts.values()) for _ in of]


def _prefilled(packed: Packed, cache: Cache, prompts: Sequence[tuple[int, ...]]) -> torch.Tensor:
    """Runs prompts, those of one length together; logits after each, [prompts, vocabulary]."""
    logits = packed.embedding.new_empty(len(prompts), len(packed.head))
    order = sorted(range(len(prompts)), key=lambda place: len(prompts[place]))
    for length, same in groupby(order, key=lambda place: len(prompts[place])):
        group, most = list(same), max(1, _PREFILL_TOKENS // length)
        for start in range(0, len(group), most):
            some = group[start : start + most]
            tokens = torch.tensor([prompts[place] for place in some], device=packed.device)
            logits[some] = prefill(packed, cache, tokens, some)
    return logits
