"""What a model is comes from what was loaded; what does not add up is refused with the numbers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from small_qwen import SPARE, Pinned, make_model, make_tokenizer, pin
from transformers import AutoConfig, Qwen3Config

from conformed.errors import MirrorError
from conformed_plugins.backends.memory import cache_bytes, shape_of
from conformed_plugins.backends.options import TransformersOptions
from conformed_plugins.backends.transformers_backend.backend import TransformersBackend
from conformed_plugins.backends.transformers_backend.facts import read_facts


def backend(pinned: Pinned, **more: Any) -> TransformersBackend:
    """The backend on a folder."""
    return TransformersBackend(TransformersOptions(**pinned.options(**more)))


def test_facts_are_those_of_the_loaded_weights(small: Pinned) -> None:
    """Counted before the weights are read, and the same as counted on them. The width of a head is not hidden / heads."""
    made = backend(small)
    facts, model = made.facts, made.decoder.model
    assert facts.parameters == sum(one.numel() for one in model.parameters())
    assert facts.vocabulary == model.get_input_embeddings().weight.shape[0] == facts.tokens + SPARE
    assert facts.tied is (model.get_output_embeddings().weight is model.get_input_embeddings().weight) is True
    attention = model.model.layers[0].self_attn
    assert (facts.heads * facts.head_dim, facts.kv_heads * facts.head_dim) == (
        attention.q_proj.weight.shape[0],
        attention.k_proj.weight.shape[0],
    )
    assert facts.head_dim == 16 != facts.hidden // facts.heads
    assert (facts.layers, facts.context) == (2, 160)


def test_the_reference_model_has_the_published_figures() -> None:
    """The reference's shape gives its published figures, read from a configuration and from no name.

    Its checkpoint stores the tied weight twice: 751,632,384 numbers, 1,503,264,768 bytes in bfloat16. In memory it is there once.
    A token has 114,688 bytes of keys and values.
    """
    config = Qwen3Config(
        vocab_size=151936, hidden_size=1024, intermediate_size=3072, num_hidden_layers=28, num_attention_heads=16,
        num_key_value_heads=8, head_dim=128, max_position_embeddings=40960, tie_word_embeddings=True,
        eos_token_id=2, pad_token_id=0, bos_token_id=None,
    )  # fmt: skip
    tokenizer = make_tokenizer()
    facts = read_facts(config, tokenizer, model="reference", spare_ids=151936 - len(tokenizer))
    assert (facts.parameters_apart, facts.parameters_apart * 2) == (751_632_384, 1_503_264_768)
    assert facts.parameters == 751_632_384 - 151_936 * 1024
    assert cache_bytes(shape_of(config), "bfloat16", tokens=1) == 114_688
    assert cache_bytes(shape_of(config), "bfloat16", tokens=40_960) == 4.375 * (1 << 30)


@pytest.mark.parametrize("declared", [0, SPARE - 1, SPARE + 1])
def test_an_undeclared_difference_of_vocabularies_is_refused(tmp_path: Path, declared: int) -> None:
    """Rows of the embedding that no token has are declared in the manifest, to the number."""
    make_model(tmp_path / "m")
    pinned = pin(tmp_path / "m", spare=declared)
    with pytest.raises(MirrorError, match=rf"{SPARE} rows to spare, and {declared} are declared"):
        backend(pinned)


def test_heads_that_do_not_divide_are_refused() -> None:
    """Four heads of queries over three of keys."""
    config = AutoConfig.for_model(
        "qwen3", vocab_size=302, hidden_size=32, intermediate_size=32, num_hidden_layers=1, num_attention_heads=4, num_key_value_heads=3
    )  # fmt: skip
    tokenizer = make_tokenizer()
    with pytest.raises(MirrorError, match="4 heads over 3 heads of keys"):
        read_facts(config, tokenizer, model="m", spare_ids=302 - len(tokenizer))


def test_ends_and_padding_must_be_there(tmp_path: Path) -> None:
    """A tokenizer without a token that fills, or that ends, and files that name none either."""
    config = Qwen3Config(
        vocab_size=302, hidden_size=32, intermediate_size=32, num_hidden_layers=1, num_attention_heads=4, num_key_value_heads=2,
        bos_token_id=None, eos_token_id=None, pad_token_id=None,
    )  # fmt: skip
    tokenizer = make_tokenizer()
    spare = 302 - len(tokenizer)
    tokenizer.pad_token = None
    with pytest.raises(MirrorError, match="no token that fills"):
        read_facts(config, tokenizer, model="m", spare_ids=spare)
    tokenizer.eos_token = None
    with pytest.raises(MirrorError, match="no token that ends"):
        read_facts(config, tokenizer, model="m", spare_ids=spare)
    config.eos_token_id, config.pad_token_id = 999, 0
    with pytest.raises(MirrorError, match="names the token 999"):
        read_facts(config, tokenizer, model="m", spare_ids=spare)


def test_every_published_end_ends_a_row_and_padding_does_not(tmp_path: Path) -> None:
    """Each of several tokens that end is the last of a row that stops for ``eos``, and stands nowhere before.

    The token of padding is none of them here: a row that says it goes on.
    """
    tokenizer = make_tokenizer()
    ends = [tokenizer.convert_tokens_to_ids(one) for one in ("<|im_end|>", "a", "b", "c", "d", "e")]
    make_model(tmp_path / "m", ends=ends, initializer_range=0.05)
    made = backend(pin(tmp_path / "m"))
    assert made.facts.stop_ids == tuple(sorted(ends))
    assert not made.facts.pad_is_stop
    ((*rows,),) = made.generate(("x",), samples=400, seed=1, options={"temperature": "1", "max_tokens": 40})
    last = {one.tokens[-1] for one in rows if one.stop == "eos"}
    assert last == set(ends)
    assert not any(set(one.tokens[:-1]) & set(ends) for one in rows)
    assert any(made.facts.pad_id in one.tokens[:-1] for one in rows)


def test_padding_that_is_the_end_ends_no_row(tmp_path: Path) -> None:
    """The trap: padding is the token that ends. A short prompt says in a batch with a long one what it says alone.

    It ends where it says that token itself; that the token stands inside both prompts ends neither.
    """
    make_model(tmp_path / "m", pad="<|im_end|>")
    made = backend(pin(tmp_path / "m"))
    assert made.facts.pad_is_stop
    prompts = ("x", "The Leverage Ratio shall not exceed 3.75 to 1.00 on September 30, 2026.")
    options = {"temperature": "1", "max_tokens": 30}
    together = made.generate(prompts, samples=40, seed=9, options=options)
    assert together == tuple(made.generate((one,), samples=40, seed=9, options=options)[0] for one in prompts)
    pad = made.facts.pad_id
    for row in (one for rows in together for one in rows):
        assert row.tokens
        assert pad not in row.tokens[:-1]
        assert (row.tokens[-1] == pad) is (row.stop == "eos")
    assert {one.stop for rows in together for one in rows} == {"eos", "length"}
