"""Makes a small model of the reference's architecture: weights at random, a tokenizer with two modes of its template, a mirror."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
import transformers

from conformed.mirror.manifest import MANIFEST, Manifest, RepositorySource
from conformed.mirror.verifying import examine, opened

COMMIT = "c1899de289a04d12100db370d81485cdf75e47ca"
SPARE = 7
"""Rows of the embedding that no token has."""
TEMPLATE = (
    "{%- for message in messages %}<|im_start|>{{ message.role }}\n{{ message.content }}<|im_end|>\n{%- endfor %}"
    "{%- if add_generation_prompt %}<|im_start|>assistant\n"
    "{%- if enable_thinking is defined and enable_thinking is false %}<think>\n\n</think>\n\n{% endif %}{%- endif %}"
)
CORPUS = (
    "The Leverage Ratio shall not exceed 3.75 to 1.00 on September 30, 2026.",
    "What is the level? It is 4.25 to 1.00, and the borrower delivers a certificate.",
    "user assistant system answer with one number and nothing else",
)


@dataclass(frozen=True)
class Pinned:
    """A model's folder and what a contract says of it."""

    folder: Path
    manifest: str

    def options(self, **more: Any) -> dict[str, Any]:
        """Options of the backend."""
        return {"folder": self.folder, "manifest": self.manifest, "dtype": "float32", "device": "cpu", **more}


def make_tokenizer(template: str = TEMPLATE, *, pad: str = "<|endoftext|>") -> Any:
    """A byte-level tokenizer of about 300 tokens."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

    inner = Tokenizer(models.BPE())
    inner.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    inner.decoder = decoders.ByteLevel()
    marks = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
    trainer = trainers.BpeTrainer(
        vocab_size=300, special_tokens=marks, initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False
    )
    inner.train_from_iterator(CORPUS, trainer)
    made = transformers.PreTrainedTokenizerFast(tokenizer_object=inner, eos_token="<|im_end|>", pad_token=pad)
    made.add_tokens(["<think>", "</think>"])
    made.chat_template = template
    return made


def make_model(folder: Path, **config: Any) -> None:
    """Saves a small Qwen3 model as it is published: config, generation settings, safetensors, tokenizer."""
    tokenizer = make_tokenizer(config.pop("template", TEMPLATE), pad=config.pop("pad", "<|endoftext|>"))
    ends = config.pop("ends", [tokenizer.convert_tokens_to_ids("<|im_end|>")])
    torch.manual_seed(7)
    model = transformers.Qwen3ForCausalLM(
        transformers.Qwen3Config(
            **{
                "vocab_size": len(tokenizer) + SPARE,
                "hidden_size": 32,
                "intermediate_size": 48,
                "num_hidden_layers": 2,
                "num_attention_heads": 4,
                "num_key_value_heads": 2,
                "head_dim": 16,
                "max_position_embeddings": 160,
                "tie_word_embeddings": True,
                "initializer_range": 0.3,
                "bos_token_id": None,
                "eos_token_id": tokenizer.eos_token_id,
                "pad_token_id": tokenizer.pad_token_id,
                **config,
            }
        )
    )
    model.generation_config.eos_token_id = ends
    model.generation_config.pad_token_id = tokenizer.pad_token_id
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)


def pin(folder: Path, *, spare: int = SPARE, architecture: str = "Qwen3ForCausalLM") -> Pinned:
    """Writes a manifest of what is there."""
    with opened(folder) as descriptor:
        found = examine(descriptor, None)
    assert not found.troubles, found.troubles
    manifest = Manifest(
        model="small",
        source=RepositorySource(repository="Qwen/Qwen3-0.6B", commit=COMMIT),
        licence="Apache-2.0",
        architecture=architecture,
        stored="float32",
        spare_ids=spare,
        files=found.files,
    )
    (folder / MANIFEST).write_bytes(manifest.data())
    return Pinned(folder, manifest.digest)


def edit_json(file: Path, **values: Any) -> None:
    """Changes keys of a JSON file."""
    file.write_text(json.dumps({**json.loads(file.read_text()), **values}))
