"""The batched decoder: the same as the plain loop, whatever the batch."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import pytest
import torch

from conformed_plugins.backends.decoder import Decoded, Decoder, Settings, decode
from conformed_plugins.backends.decoder.cache import Cache
from conformed_plugins.backends.decoder.forward import prefill, step
from conformed_plugins.backends.decoder.settings import row_keys

TOLERANCE = 1e-5
"""Between cached and uncached logits and log-probabilities, on logits of about 1. Models norm in float32, whatever their type."""
STOPS = frozenset({7, 8, 9, 10, 11, 12})
WAYS = [(None, 1.0), (1.0, 1.0), (0.7, 0.9)]


def _settings(temperature: float | None, top_p: float, **more: Any) -> Settings:
    return Settings(**{"max_new_tokens": 24, "stop_ids": STOPS, "temperature": temperature, "top_p": top_p, "seed": 5, **more})


@pytest.mark.parametrize(("temperature", "top_p"), WAYS)
def test_it_says_what_the_plain_loop_says(
    model: Any, prompts: list[list[int]], plain_loop: Callable[..., Decoded], temperature: float | None, top_p: float
) -> None:
    """Token for token: prompts of mixed lengths, rows that end at different times, greedy and sampled.

    Log-probabilities are within the tolerance, stop reasons the same, and no prompt token is in an answer.
    """
    found = Decoder(model).decode(prompts, _settings(temperature, top_p, samples=2))
    for prompt, key, samples in zip(prompts, row_keys(prompts, None), found, strict=True):
        for sample, row in enumerate(samples):
            wanted = plain_loop(model, prompt, (key, sample), seed=5, temperature=temperature, top_p=top_p, most=24, stops=STOPS)
            assert (row.tokens, row.stop) == (wanted.tokens, wanted.stop)
            assert row.behaviour_logprobs == pytest.approx(wanted.behaviour_logprobs, abs=TOLERANCE)
            assert row.model_logprobs == pytest.approx(wanted.model_logprobs, abs=TOLERANCE)
    if temperature:
        lengths = {len(row.tokens) for samples in found for row in samples}
        assert len(lengths) > 3, "the rows must end at different times for this to show anything"
        assert {row.stop for samples in found for row in samples} == {"eos", "length"}


@pytest.mark.parametrize(("temperature", "top_p"), WAYS)
def test_a_row_does_not_depend_on_its_batch(
    model: Any, prompts: list[list[int]], temperature: float | None, top_p: float
) -> None:
    """To the bit, log-probabilities too: alone, in any order, in small batches, with and without sharing a prompt."""
    decoder, settings = Decoder(model), _settings(temperature, top_p, samples=3)
    found = decoder.decode(prompts, settings)
    assert [decoder.decode([prompt], settings)[0] for prompt in prompts] == found
    assert decoder.decode(prompts[::-1], settings)[::-1] == found
    assert decoder.decode(prompts, dataclasses.replace(settings, max_rows=5)) == found
    assert decoder.decode(prompts, dataclasses.replace(settings, share_prompts=False)) == found
    assert decoder.decode(prompts[2:4], settings) == found[2:4]
    fewer = decoder.decode(prompts, dataclasses.replace(settings, samples=1))
    assert [samples[:1] for samples in found] == fewer


def test_a_row_does_not_depend_on_its_batch_with_two_threads(model: Any, prompts: list[list[int]]) -> None:
    """Two threads cut a product between them, and still each row's numbers are those of one thread, to the bit."""
    decoder, settings = Decoder(model), _settings(1.0, 1.0, samples=3, max_new_tokens=6)
    one_thread = decoder.decode(prompts[:4], settings)
    torch.set_num_threads(2)
    found = decoder.decode(prompts[:4], settings)
    assert found == one_thread
    assert [decoder.decode([prompt], settings)[0] for prompt in prompts[:4]] == found


def test_the_seed_and_the_key_decide(model: Any, prompts: list[list[int]]) -> None:
    """The same seed repeats; another seed, another key and another sample say something else; greedy ignores the seed."""
    decoder, settings = Decoder(model), _settings(1.0, 1.0, samples=2)
    found = decoder.decode(prompts, settings)
    assert decoder.decode(prompts, settings) == found
    assert decoder.decode(prompts, dataclasses.replace(settings, seed=6)) != found
    named = decoder.decode([prompts[0]] * 2, settings, ["a", "b"])
    assert named[0] != named[1]
    assert named == decoder.decode([prompts[0]] * 3, settings, ["a", "b", "c"])[:2]
    assert found[2][0].tokens != found[2][1].tokens
    greedy = _settings(None, 1.0)
    assert decoder.decode(prompts, greedy) == decoder.decode(prompts, dataclasses.replace(greedy, seed=6))


@pytest.mark.parametrize("kind", ["qwen", "llama"])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_cached_logits_are_the_uncached(make: Any, kind: str, dtype: torch.dtype) -> None:
    """Prefill and steps give the logits of the model's own pass over all tokens, at every place, across 16 and 128 columns."""
    model = make(kind).to(dtype)
    tokens = torch.randint(4, 160, (1, 150), generator=torch.Generator().manual_seed(1))
    with torch.inference_mode():
        wanted = model(tokens).logits[0]
        decoder = Decoder(model)
        assert decoder.packed is not None, decoder.plain
        cache = Cache(decoder.packed, [10], [0], 140)
        found = [prefill(decoder.packed, cache, tokens[:, :10], [0])[0]]
        for place in range(10, 150):
            token = torch.nn.functional.pad(tokens[0, place : place + 1], (0, 3))
            found.append(step(decoder.packed, cache, token)[0])
    assert float((torch.stack(found) - wanted[9:]).abs().max()) < TOLERANCE


def test_bfloat16_stays_near_the_model(make: Any) -> None:
    """In bfloat16, where norms are not folded, logits are as near to the float32 model's as the model's own bfloat16 ones."""
    exact = make()
    short = make().to(torch.bfloat16)
    tokens = torch.randint(4, 160, (1, 30), generator=torch.Generator().manual_seed(1))
    with torch.inference_mode():
        wanted, own = exact(tokens).logits[0, -1], short(tokens).logits[0, -1].float()
        decoder = Decoder(short)
        assert decoder.packed is not None, decoder.plain
        cache = Cache(decoder.packed, [29], [0], 1)
        prefill(decoder.packed, cache, tokens[:, :-1], [0])
        ours = step(decoder.packed, cache, torch.nn.functional.pad(tokens[0, -1:], (0, 3)))[0].float()
    assert float((ours - wanted).abs().max()) < 2 * float((own - wanted).abs().max())


def test_one_rows_end_does_not_stop_the_others(model: Any, prompts: list[list[int]]) -> None:
    """A row ends at its own stop token, which is its last, and holds none before it; the others go on."""
    found = [row for rows in Decoder(model).decode(prompts, _settings(1.0, 1.0, samples=4)) for row in rows]
    ended = [row for row in found if row.stop == "eos"]
    assert ended
    assert len(ended) < len(found)
    for row in found:
        assert not STOPS & set(row.tokens[:-1])
        assert (row.tokens[-1] in STOPS) == (row.stop == "eos")
        assert len(row.tokens) == len(row.behaviour_logprobs) == len(row.model_logprobs)


def test_the_caps_hold(model: Any, prompts: list[list[int]], plain_loop: Callable[..., Decoded]) -> None:
    """Each row ends at the cap that it meets first: on new tokens, or on prompt and answer together.

    A prompt that fills the context gets an empty answer, and beside it the others are as they were.
    """
    settings = _settings(None, 1.0, stop_ids=frozenset(), max_context=40)
    found = [rows[0] for rows in Decoder(model).decode(prompts, settings)]
    assert [(len(row.tokens), row.stop) for row in found] == [
        (24, "length"), (23, "context"), (0, "context"), (24, "length"), (24, "length"), (23, "context"), (0, "context"),
    ]  # fmt: skip
    wanted = plain_loop(model, prompts[1], ("", 0), seed=5, temperature=None, top_p=1.0, most=24, stops=frozenset(), context=40)
    assert (found[1].tokens, found[1].stop) == (wanted.tokens, wanted.stop)
    none = Decoder(model).decode(prompts[2:3], dataclasses.replace(settings, temperature=1.0, samples=2))
    assert [(row.tokens, row.stop) for row in none[0]] == [((), "context")] * 2
    most = Decoder(model).decode([[5] * 510], _settings(None, 1.0, stop_ids=frozenset(), max_context=10_000))
    assert (len(most[0][0].tokens), most[0][0].stop) == (2, "context"), "the model's own context is a cap, whatever is asked for"


def test_an_unknown_architecture_is_decoded_a_row_at_a_time(make: Any, model: Any, prompts: list[list[int]]) -> None:
    """What cannot be packed says why, and says the same tokens through the model's own cache."""
    windowed = make(attention_bias=True)
    decoder = Decoder(windowed)
    assert "bias" in decoder.plain
    assert [len(rows) for rows in decoder.decode(prompts[:2], _settings(None, 1.0, samples=2))] == [2, 2]
    slow = Decoder(model)
    slow.packed = None
    for way in WAYS:
        settings = _settings(*way, samples=2)
        fast_rows, slow_rows = (
            [row for rows in one.decode(prompts[:4], settings) for row in rows] for one in (Decoder(model), slow)
        )
        assert [(row.tokens, row.stop) for row in fast_rows] == [(row.tokens, row.stop) for row in slow_rows]
        for one, other in zip(fast_rows, slow_rows, strict=True):
            assert one.model_logprobs == pytest.approx(other.model_logprobs, abs=TOLERANCE)


@pytest.mark.parametrize("sizes", [{"use_sliding_window": True, "sliding_window": 8, "max_window_layers": 0}, {"hidden_act": "gelu"},
                                   {"rope_parameters": {"rope_type": "dynamic", "factor": 2.0, "rope_theta": 10000.0}}])  # fmt: skip
def test_what_the_packed_pass_does_not_do_is_not_packed(make: Any, sizes: dict[str, Any]) -> None:
    """Windows, other activations and rotary embeddings that depend on the length go to the model's own pass."""
    decoder = Decoder(make(**sizes))
    assert decoder.plain
    assert decoder.packed is None


def test_training_mode_is_left_and_given_back(make: Any, prompts: list[list[int]]) -> None:
    """Dropout never samples: a model in training mode says what it says in evaluation mode, and is in training mode after."""
    for sizes in ({}, {"attention_bias": True}):
        model = make(attention_dropout=0.5, **sizes)
        wanted = Decoder(model).decode(prompts[:2], _settings(None, 1.0))
        model.train()
        assert Decoder(model).decode(prompts[:2], _settings(None, 1.0)) == wanted
        assert model.training


def test_new_weights_need_a_new_decoder(make: Any, prompts: list[list[int]]) -> None:
    """``decode`` packs the weights as they are at the call, so that an update is seen at once."""
    model = make()
    asked = {"samples": 1, "seed": 1, "temperature": None, "top_p": 1.0, "max_new_tokens": 8, "stop_ids": ()}
    before = decode(model, prompts[:1], **asked)
    with torch.no_grad():
        model.model.layers[0].mlp.up_proj.weight.neg_()
        model.model.layers[1].input_layernorm.weight.mul_(-1)
    assert decode(model, prompts[:1], **asked) != before


def test_logits_that_are_not_numbers_stop_it(make: Any, prompts: list[list[int]]) -> None:
    """A model with a broken weight raises, and answers nothing."""
    model = make()
    with torch.no_grad():
        model.model.norm.weight[0] = float("nan")
    with pytest.raises(ValueError, match="not finite"):
        Decoder(model).decode(prompts, _settings(1.0, 1.0))


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"max_new_tokens": 0}, "max_new_tokens"),
        ({"samples": 0}, "samples"),
        ({"samples": True}, "samples"),
        ({"seed": "1"}, "seed"),
        ({"temperature": 0.0}, "temperature"),
        ({"temperature": True}, "temperature"),
        ({"top_p": 0.0}, "top_p"),
        ({"max_context": 0}, "max_context"),
    ],
)
def test_settings_that_mean_nothing_are_refused(given: dict[str, Any], says: str) -> None:
    """Each names what it refuses; True is no number."""
    with pytest.raises((ValueError, TypeError), match=says):
        _settings(**{"temperature": None, "top_p": 1.0, **given})


def test_prompts_that_mean_nothing_are_refused(model: Any) -> None:
    """An empty prompt, an id outside the vocabulary, and keys that are not as many as the prompts."""
    decoder, settings = Decoder(model), _settings(None, 1.0)
    for prompts, keys, says in (
        ([[]], None, "no tokens"),
        ([[160]], None, "outside"),
        ([[-1]], None, "outside"),
        ([[1]], [], "keys"),
    ):
        with pytest.raises(ValueError, match=says):
            decoder.decode(prompts, settings, keys)
    assert decoder.decode([], settings) == []
