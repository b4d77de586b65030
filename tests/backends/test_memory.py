"""The memory planner: the formula, against figures worked out by hand and against what is allocated."""

from __future__ import annotations

import subprocess
import sys
from types import SimpleNamespace

import pytest

from conformed_plugins.backends.memory import ModelShape, cache_bytes, cache_bytes_per_token, plan, shape_of

REFERENCE = ModelShape(layers=28, heads=16, kv_heads=8, head_dim=128, hidden=1024, intermediate=3072, vocabulary=151_936)


def test_the_reference_model_is_planned_as_published() -> None:
    """Qwen3-0.6B in bfloat16: 114,688 bytes a token, 4.375 GiB for its 40,960 tokens, twice that for two rows."""
    assert cache_bytes_per_token(REFERENCE, "bfloat16") == 114_688
    assert cache_bytes(REFERENCE, "bfloat16", tokens=40_960) == 4.375 * 2**30
    assert cache_bytes(REFERENCE, "bfloat16", tokens=40_960, rows=2) == 8.75 * 2**30
    batch = {"prompts": 4, "samples": 8, "prompt_tokens": 16, "new_tokens": 32}
    planned = plan(REFERENCE, "bfloat16", parameters=751_632_384, **batch)
    assert planned.weights == 1_503_264_768
    assert planned.cache == (4 * 16 + 4 * 8 * 32) * 114_688, "a prompt counts once for its samples"


def test_the_width_of_a_head_is_read_and_not_divided() -> None:
    """The reference has heads of 128 where hidden / heads is 64; a configuration that does not say is refused, not guessed."""
    stated = {
        "num_hidden_layers": 28,
        "num_attention_heads": 16,
        "num_key_value_heads": 8,
        "hidden_size": 1024,
        "intermediate_size": 3072,
        "vocab_size": 151_936,
    }
    assert shape_of(SimpleNamespace(**stated, head_dim=128)) == REFERENCE
    with pytest.raises(ValueError, match="head_dim"):
        shape_of(SimpleNamespace(**stated))


@pytest.mark.parametrize(
    ("tokens", "rows", "dtype"), [(0, 1, "float32"), (1, 0, "float32"), (1, 1, "int8"), (True, 1, "float32")]
)
def test_counts_and_types_that_mean_nothing_are_refused(tokens: int, rows: int, dtype: str) -> None:
    """No tokens, no rows, True for 1 and an unknown type are errors."""
    with pytest.raises((ValueError, TypeError), match=r"tokens|rows|type"):
        cache_bytes(REFERENCE, dtype, tokens=tokens, rows=rows)


def test_what_is_planned_is_what_is_allocated() -> None:
    """Weights, packed weights and cache of a loaded model have exactly the planned bytes."""
    torch = pytest.importorskip("torch")
    from transformers import Qwen3Config, Qwen3ForCausalLM

    from conformed_plugins.backends.decoder import Decoder
    from conformed_plugins.backends.decoder.cache import Cache

    torch.manual_seed(0)
    config = Qwen3Config(
        num_hidden_layers=3, hidden_size=48, num_attention_heads=4, num_key_value_heads=2, head_dim=16, intermediate_size=80,
        vocab_size=128, tie_word_embeddings=True, max_position_embeddings=256,
    )  # fmt: skip
    decoder = Decoder(Qwen3ForCausalLM(config))
    assert decoder.packed is not None
    parameters = sum(one.numel() for one in decoder.model.parameters())
    batch = {"prompt_tokens": 50, "new_tokens": 41}
    planned = plan(shape_of(config), "float32", parameters=parameters, prompts=2, samples=3, **batch)
    assert planned.weights == sum(one.numel() * one.element_size() for one in decoder.model.parameters())
    assert planned.packed == decoder.packed.bytes
    assert planned.cache == Cache(decoder.packed, [50, 43], [0, 0, 0, 1, 1, 1], 41).bytes
    alone = plan(shape_of(config), "float32", parameters=parameters, prompts=3, samples=1, **batch)
    assert alone.cache == Cache(decoder.packed, [50, 43, 7], [0, 1, 2], 41).bytes
    assert planned.total == planned.weights + planned.packed + planned.cache + planned.logits


def test_planning_needs_no_torch() -> None:
    """A plan can be made where torch is not installed."""
    code = "import sys; import conformed_plugins.backends.memory; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
