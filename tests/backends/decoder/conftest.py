"""Small models with random weights, and the plain loop that the decoder is held against."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch
from transformers import LlamaConfig, LlamaForCausalLM, Qwen3Config, Qwen3ForCausalLM

from conformed_plugins.backends.decoder import Decoded
from conformed_plugins.backends.sampling import nucleus_probabilities, uniforms

SIZES = {
    "num_hidden_layers": 2,
    "hidden_size": 48,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 16,
    "intermediate_size": 80,
    "vocab_size": 160,
    "max_position_embeddings": 512,
}


@pytest.fixture(autouse=True)
def _one_thread() -> Iterator[None]:
    """One thread, so that a model's kernels are the same on any machine of these processors."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def made(kind: str = "qwen", **sizes: Any) -> Any:
    """A model whose norms are not all ones and whose logits are wide enough for tokens to differ in probability."""
    torch.manual_seed(11)
    config, model = {"qwen": (Qwen3Config, Qwen3ForCausalLM), "llama": (LlamaConfig, LlamaForCausalLM)}[kind]
    wanted = {**SIZES, **({"tie_word_embeddings": True} if kind == "qwen" else {}), **sizes}
    found = model(config(**wanted, bos_token_id=None, eos_token_id=None, pad_token_id=None)).eval()
    with torch.no_grad():
        for name, one in found.named_parameters():
            one.mul_(1 + torch.rand_like(one)) if "norm" in name else one.mul_(4)
    return found


@pytest.fixture(scope="session")
def make() -> Callable[..., Any]:
    """Makes a model of its own for a test that changes it."""
    return made


@pytest.fixture(scope="session")
def model() -> Any:
    """A Qwen3 of two layers."""
    return made()


@pytest.fixture(scope="session")
def prompts() -> list[list[int]]:
    """Prompts of mixed lengths."""
    numbers = torch.Generator().manual_seed(3)
    return [torch.randint(4, 160, (length,), generator=numbers).tolist() for length in (5, 17, 40, 1, 3, 17, 130)]


@pytest.fixture(scope="session")
def plain_loop() -> Callable[..., Decoded]:
    """One row, no cache, no batch, no packing: the model's own forward pass over everything so far, and the definition of a draw."""

    def loop(
        model: Any, prompt: list[int], key: tuple[str, int], *, seed: int, temperature: float | None, top_p: float,
        most: int, stops: frozenset[int], context: int = 512,
    ) -> Decoded:  # fmt: skip
        numbers = uniforms(seed, [key], most)[0]
        tokens: list[int] = []
        behaviour: list[float] = []
        plain: list[float] = []
        stop = "context"
        while len(prompt) + len(tokens) < context:
            with torch.no_grad():
                logits = model(torch.tensor([[*prompt, *tokens]]), use_cache=False).logits[:, -1]
            if temperature is None:
                token, logprob = int(logits.argmax()), 0.0
            else:
                probabilities = nucleus_probabilities(logits, temperature, top_p)[0]
                running, wanted = 0.0, float(numbers[len(tokens)]) * float(probabilities.double().sum())
                for token in range(len(probabilities)):
                    running += float(probabilities[token])
                    if running > wanted:
                        break
                logprob = float(probabilities[token].log())
            tokens.append(token)
            behaviour.append(logprob)
            plain.append(float(logits[0].log_softmax(-1)[token]))
            if token in stops or len(tokens) == most:
                stop = "eos" if token in stops else "length"
                break
        return Decoded(tuple(tokens), tuple(behaviour), tuple(plain), stop)

    return loop
