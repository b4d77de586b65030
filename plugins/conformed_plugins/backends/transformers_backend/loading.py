"""Loads configuration, tokenizer and weights out of a verified copy: no network, no remote code, no pickle, nothing left to a default."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import redirect_stderr
from io import StringIO
from typing import Any, Literal, TypeVar

os.environ["HF_HUB_OFFLINE"] = "1"  # read once, when the library is imported
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")  # else it writes on standard error when a reader forks afterwards

import torch
from transformers import AutoConfig, AutoModelForCausalLM, AutoTokenizer, GenerationConfig
from transformers.utils import logging as said
from transformers.utils.hub import constants as hub

from conformed.errors import MirrorError
from conformed.mirror.private import PrivateCopy

__all__ = ["load_config", "load_generation", "load_tokenizer", "load_weights"]

_GENERATION = "generation_config.json"

hub.HF_HUB_OFFLINE = True  # where somebody imported the library before

T = TypeVar("T")


def load_config(copy: PrivateCopy) -> Any:
    """The model's configuration.

    Raises:
        MirrorError: when it cannot be read.
    """
    return _loaded(copy, "configuration", lambda: AutoConfig.from_pretrained(copy.folder, **_pinned(copy)))


def load_generation(copy: PrivateCopy) -> Any:
    """What the model was published to generate with, of which only the tokens that end and fill are used; None where it has none.

    Raises:
        MirrorError: when it cannot be read.
    """
    if all(one.name != _GENERATION for one in copy.manifest.files):
        return None
    return _loaded(copy, "generation settings", lambda: GenerationConfig.from_pretrained(copy.folder, local_files_only=True))


def load_tokenizer(copy: PrivateCopy) -> Any:
    """The model's tokenizer.

    Raises:
        MirrorError: when it cannot be read, or is not one of the quick kind, whose tokens have places in the text.
    """
    made = _loaded(copy, "tokenizer", lambda: AutoTokenizer.from_pretrained(copy.folder, **_pinned(copy)))
    if not made.is_fast:
        raise MirrorError(f"the tokenizer of {copy.manifest.model} has no tokenizer.json.", "Pin a model that has one.")
    return made


def load_weights(
    copy: PrivateCopy, config: Any, *, parameters: int, dtype: Literal["float32", "bfloat16", "float16"], device: str
) -> Any:
    """The model, ready to be asked: in evaluation mode, without gradients.

    Args:
        copy: the verified copy.
        config: its configuration.
        parameters: numbers that the configuration makes room for, tied ones once.
        dtype: in which numbers it computes.
        device: where.

    Raises:
        MirrorError: when the weights are not the whole of the architecture that is pinned and nothing else.
    """
    made, told = _loaded(
        copy,
        "weights",
        lambda: AutoModelForCausalLM.from_pretrained(
            copy.folder,
            **_pinned(copy),
            config=config,
            dtype=getattr(torch, dtype),
            use_safetensors=True,
            attn_implementation="sdpa",
            output_loading_info=True,
        ),
    )
    faults = {name: sorted(map(str, told.get(name) or ())) for name in ("missing_keys", "unexpected_keys", "mismatched_keys")}
    for name, keys in faults.items():
        if keys:  # the library would draw what is missing at random
            raise MirrorError(
                f"the weights of {copy.manifest.model} have {name.replace('_', ' ')}: {keys[0]} and {len(keys) - 1} more.",
                "Pin the whole model.",
            )
    if type(made).__name__ != copy.manifest.architecture:
        raise MirrorError(
            f"{copy.manifest.model} is a {type(made).__name__}, and {copy.manifest.architecture} is pinned.", "Pin what it is."
        )
    found = sum(one.numel() for one in made.parameters())
    if found != parameters:  # the library lets tied weights part where the file has two that differ
        raise MirrorError(
            f"{copy.manifest.model} has {found} parameters, and its configuration {parameters}: weights that it ties differ.",
            "Pin the whole model.",
        )
    return made.to(device).eval().requires_grad_(requires_grad=False)


def _pinned(copy: PrivateCopy) -> dict[str, Any]:
    gguf = copy.manifest.gguf
    return {"local_files_only": True, "trust_remote_code": False, **({"gguf_file": gguf[0]} if gguf else {})}


def _loaded(copy: PrivateCopy, what: str, load: Callable[[], T]) -> T:
    """Calls the library, quietly: it reports on standard error in several ways, of which not all can be switched off."""
    verbosity, bars = said.get_verbosity(), said.is_progress_bar_enabled()
    said.set_verbosity_error()
    said.disable_progress_bar()
    try:
        with redirect_stderr(StringIO()):
            return load()
    except Exception as problem:  # the library raises whatever its parsers meet; a model that does not load is refused
        told = " ".join(str(problem).split()).replace(str(copy.folder), "its folder")[:300]
        raise MirrorError(
            f"the {what} of {copy.manifest.model} cannot be loaded: {type(problem).__name__}: {told}.", "Pin a model that loads."
        ) from problem
    finally:
        said.set_verbosity(verbosity)
        if bars:
            said.enable_progress_bar()
