"""Weights out of a run are a folder that the mirror takes and the backend runs."""

from __future__ import annotations

from pathlib import Path

import torch
from small_run import model_of
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast

from conformed.mirror.manifest import MANIFEST, Manifest, RepositorySource
from conformed.mirror.verifying import examine, opened
from conformed_plugins.backends.decoder import Decoder, Settings
from conformed_plugins.backends.options import TransformersOptions
from conformed_plugins.backends.transformers_backend.backend import TransformersBackend
from conformed_plugins.training.grpo.codec import ChatCodec
from conformed_plugins.training.state.weights import save_weights

TEMPLATE = "{% for message in messages %}{{ message.content }}{% endfor %}{% if add_generation_prompt %}?{% endif %}"


def words() -> PreTrainedTokenizerFast:
    """A byte-level tokenizer with a template and an end."""
    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    inner = Tokenizer(models.BPE(vocab={letter: place for place, letter in enumerate(letters)}, merges=[]))
    inner.pre_tokenizer, inner.decoder = pre_tokenizers.ByteLevel(add_prefix_space=False), decoders.ByteLevel()
    made = PreTrainedTokenizerFast(tokenizer_object=inner, eos_token="<end>", pad_token="<pad>")
    made.chat_template = TEMPLATE
    return made


def test_the_folder_is_pinned_and_says_what_the_model_says(tmp_path: Path) -> None:
    """Verified by the mirror without a trouble, loaded by the backend, it answers a prompt with the tokens of the model in memory."""
    tokenizer = words()
    model = model_of(vocab_size=len(tokenizer))
    model.config.eos_token_id = model.generation_config.eos_token_id = tokenizer.eos_token_id
    folder = save_weights(model, tokenizer, tmp_path / "made")
    names = {one.name for one in folder.iterdir()}
    assert names >= {"config.json", "generation_config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json"}
    assert [one.name for one in tmp_path.iterdir()] == ["made"]
    with opened(folder) as descriptor:
        found = examine(descriptor, None)
    assert not found.troubles
    manifest = Manifest(
        model="small",
        source=RepositorySource(repository="nobody/small", commit="0" * 40),
        licence="Apache-2.0",
        architecture="Qwen3ForCausalLM",
        stored="float32",
        spare_ids=0,
        files=found.files,
    )
    (folder / MANIFEST).write_bytes(manifest.data())
    backend = TransformersBackend(TransformersOptions(folder=folder, manifest=manifest.digest, dtype="float32", device="cpu"))
    ((said,),) = backend.generate(["The ratio is 3.75"], samples=1, seed=0, options={"max_tokens": 8})
    codec = ChatCodec(tokenizer, [tokenizer.eos_token_id])
    ((wanted,),) = Decoder(model).decode([codec.prompt("The ratio is 3.75")], Settings(max_new_tokens=8, stop_ids=codec.stop_ids))
    assert said.tokens == wanted.tokens
    assert said.text == codec.text(wanted.tokens)
    assert torch.equal(next(backend.decoder.model.parameters()), next(model.parameters()))


def test_tied_weights_are_written_once_and_others_twice(tmp_path: Path) -> None:
    """A model that ties its head has no head in the file; one that does not has both, and the file is as large as its parameters."""
    for kind, tied in (("qwen", True), ("llama", False)):
        model = model_of(kind)
        data = (save_weights(model, None, tmp_path / kind) / "model.safetensors").read_bytes()
        assert (b"lm_head.weight" in data) == (not tied)
        header = int.from_bytes(data[:8], "little")
        assert len(data) - 8 - header == 4 * sum(one.numel() for one in model.parameters())
