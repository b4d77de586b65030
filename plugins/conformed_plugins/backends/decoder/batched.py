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
    cache = Cache(packed, len(open_rows), max(state.room[row] + len(state.prompts[row]) for row in open_rows))
    logits = _prefilled(packed, cache, state, open_rows, share=settings.share_prompts)
    while True:
        tokens = state.choose(logits, open_rows)
        kept = [place for place, row in enumerate(open_rows) if not state.finished[row]]
        if not kept:
            return
        if len(kept) < len(open_rows):
            tokens, open_rows = _drop(cache, tokens, open_rows, kept)
        if len(tokens) % ROWS:
            tokens = torch.nn.functional.pad(tokens, (0, -len(tokens) % ROWS))
        logits = step(packed, cache, tokens, len(open_rows))


def _drop(cache: Cache, tokens: torch.Tensor, open_rows: list[int], kept: list[int]) -> tuple[torch.Tensor, list[int]]:
    """Lets finished rows go: the last rows take their places, so that those in use stay the first."""
    count = len(kept)
    holes = sorted(set(range(count)) - set(kept))
    order = list(range(count))
    for hole, place in zip(holes, (place for place in kept if place >= count), strict=True):
        cache.move(place, hole)
        order[hole] = place
    cache.shorten(count)
    return tokens[order], [open_rows[place] for place in order]


def _prefilled(packed: Packed, cache: Cache, state: Rows, open_rows: list[int], *, share: bool) -> torch.Tensor:
    """Runs all prompts, equal ones once, those of one length together."""
    places: dict[tuple[int, ...], list[int]] = {}
    for place, row in enumerate(open_rows):
        prompt = state.prompts[row]
        places.setdefault(prompt if share else (*prompt, -1 - place), []).append(place)
    prompts = sorted(((list(state.prompts[open_rows[of[0]]]), of) for of in places.values()), key=lambda one: len(one[0]))
    logits = None
    for length, same in groupby(prompts, key=lambda one: len(one[0])):
        group = list(same)
        most = max(1, _PREFILL_TOKENS // length)
        for start in range(0, len(group), most):
            some = group[start : start + most]
            tokens = torch.tensor([prompt for prompt, _ in some], device=packed.device)
            found = prefill(packed, cache, tokens, [of[0] for _, of in some])
            if logits is None:
                logits = found.new_empty((len(open_rows), found.shape[-1]))
            for number, (_, of) in enumerate(some):
                logits[of] = found[number]
                if of[1:]:
                    cache.copy(of[0], of[1:], length)
    assert logits is not None
    return logits
