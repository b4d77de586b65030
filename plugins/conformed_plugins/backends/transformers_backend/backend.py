"""The backend: prompts through the model's own template, tokens from the decoder, text and log-probabilities back."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from importlib.metadata import version
from typing import Any

import torch

from conformed.errors import GivenTypeError, GivenValueError, PluginError
from conformed.mirror.private import PrivateCopy
from conformed.ports import Completion, TemplateView
from conformed_plugins.backends.chat import Chat, Rendered
from conformed_plugins.backends.decoder import Decoded, Decoder, Grammar, Settings
from conformed_plugins.backends.options import CallOptions, TransformersOptions, call_options
from conformed_plugins.backends.transformers_backend.facts import ModelFacts, read_facts
from conformed_plugins.backends.transformers_backend.loading import load_config, load_generation, load_tokenizer, load_weights

__all__ = ["TransformersBackend"]


_LIBRARIES = ("tokenizers", "torch", "transformers")


class TransformersBackend:
    """A pinned model, run here. Files are verified, and configuration and tokenizer loaded, when it is made; weights when they are first asked.

    Args:
        options: which model, and how it computes.

    Raises:
        MirrorError: when the folder is not what is pinned, or cannot be loaded.
        PluginError: when the model has no template, no such device is there, or a mode is asked for that it has not.
    """

    def __init__(self, options: TransformersOptions) -> None:
        self.options = options
        self._grammar: tuple[str, Grammar] | None = None
        self.repeatable = options.device == "cpu"
        _check_device(options.device)
        self._copy = PrivateCopy(options.folder, options.manifest)
        try:
            self._config, self.tokenizer = load_config(self._copy), load_tokenizer(self._copy)
            manifest = self._copy.manifest
            self.facts: ModelFacts = read_facts(
                self._config,
                self.tokenizer,
                model=manifest.model,
                spare_ids=manifest.spare_ids,
                generation=load_generation(self._copy),
            )
            self.chat = Chat(self.tokenizer, options.system)
            _check_thinking(options, self.chat, manifest.model)
        except BaseException:
            self._copy.close()
            raise

    @property
    def model_name(self) -> str:
        """The model's name in the mirror."""
        return self._copy.manifest.model

    @property
    def context(self) -> int:
        """Most tokens of prompt and completion together."""
        return min(self.options.context or self.facts.context, self.facts.context)

    @cached_property
    def decoder(self) -> Decoder:
        """The decoder on the loaded weights. The private copy is gone once they are in memory.

        Raises:
            MirrorError: when they do not fit what is pinned.
        """
        made = load_weights(
            self._copy,
            self._config,
            parameters=self.facts.parameters,
            dtype=self.options.dtype,
            device=self.options.device,
        )
        self._copy.close()
        return Decoder(made)

    def generate(
        self, prompts: Sequence[str], *, samples: int, seed: int, options: dict[str, Any]
    ) -> tuple[tuple[Completion, ...], ...]:
        """Completions, one tuple a prompt. A prompt that fills the context gets empty ones, which stop for ``context``.

        Args:
            prompts: messages of the user; each is put into the model's template.
            samples: completions of each.
            seed: any integer.
            options: temperature, top_p, max_tokens, stop, schema, thinking; unknown ones are refused.

        Raises:
            GivenValueError: for options, samples or prompts that are refused.
            MirrorError: when the weights do not fit what is pinned.
        """
        call = call_options(options)
        if type(samples) is not int or type(seed) is not int:
            raise GivenTypeError("samples and seed are whole numbers.", "Give integers.")
        if samples < 1:
            raise GivenValueError(f"{samples} samples were asked for.", "Ask for one or more.")
        thinking = (call.thinking or self.options.thinking) == "on"
        rendered = [self.chat.render(prompt, thinking=thinking) for prompt in prompts]
        producer = self.producer(call)
        decoded = self._decoded(rendered, samples, seed, call)
        return tuple(
            tuple(self._completion(one, row, call, producer) for row in rows) for one, rows in zip(rendered, decoded, strict=True)
        )

    def producer(self, call: CallOptions) -> str:
        """Digest of what produces a completion: model, template, settings and the libraries that compute.

        The most tokens of a call are no part of it: a budget may lower them, and where it cut, the stop reason says so.
        """
        condition = {
            "manifest": self._copy.manifest.digest,
            "template": self.chat.digest,
            "system": self.options.system,
            "context": self.context,
            "dtype": self.options.dtype,
            "device": self.options.device.partition(":")[0],
            "call": call.model_dump(mode="json", exclude={"max_tokens"}) | {"thinking": call.thinking or self.options.thinking},
            "libraries": {name: version(name) for name in (*_LIBRARIES, *(("llguidance",) if call.schema_text else ()))},
        }
        return f"sha256:{hashlib.sha256(json.dumps(condition, sort_keys=True).encode()).hexdigest()}"

    def inspect_template(self, prompt: str, *, thinking: bool) -> TemplateView:
        """How a prompt is shown to the model. Loads no weights.

        Raises:
            GivenValueError: as in ``Chat.render``.
        """
        one = self.chat.render(prompt, thinking=thinking)
        return TemplateView(self.chat.digest, len(one.ids), one.ids[:12], one.ids[-12:], one.text)

    def _decoded(self, prompts: Sequence[Rendered], samples: int, seed: int, call: CallOptions) -> list[list[Decoded]]:
        if not prompts:
            return []
        settings = Settings(
            max_new_tokens=call.max_tokens,
            stop_ids=frozenset(self.facts.stop_ids),
            samples=samples,
            seed=seed,
            temperature=call.tempered,
            top_p=call.kept,
            max_context=self.context,
            schema=None if call.schema_text is None else self._held_to(call.schema_text),
            until=(lambda tokens: self._says(tokens, call.stop)) if call.stop else None,
        )
        with _threads(self.options.threads):
            return self.decoder.decode([one.ids for one in prompts], settings)

    def _held_to(self, schema: str) -> Grammar:
        """The grammar of a schema; the last one is kept, because a step asks with the same again and again."""
        if self._grammar is None or self._grammar[0] != schema:
            self._grammar = schema, Grammar(schema, self.tokenizer, self.facts.vocabulary, self.facts.stop_ids)
        return self._grammar[1]

    def _completion(self, prompt: Rendered, row: Decoded, call: CallOptions, producer: str) -> Completion:
        tokens, stop, most = row.tokens, str(row.stop), len(row.tokens)
        text = self._text(tokens)
        cut = min((place for word in call.stop if (place := text.find(word)) >= 0), default=-1)
        if cut >= 0:
            most, text, stop = self._reaching(tokens, call.stop), text[:cut], "eos"
        return Completion(
            text,
            tokens[:most],
            row.behaviour_logprobs[:most],
            row.model_logprobs[:most],
            stop,
            producer,
            len(prompt.ids),
        )

    def _text(self, tokens: Sequence[int]) -> str:
        # A spare row of the embedding stands for no text: the tokenizer passes over it.
        return str(self.tokenizer.decode(list(tokens), skip_special_tokens=True, clean_up_tokenization_spaces=False))

    def _says(self, tokens: Sequence[int], words: Sequence[str]) -> bool:
        """Whether one of the words has just been said. The last tokens are looked at first: each holds at least a byte."""
        last = self._text(tokens[-max(len(word.encode()) for word in words) - 1 :])
        return any(word in last for word in words) and any(word in self._text(tokens) for word in words)

    def _reaching(self, tokens: Sequence[int], words: Sequence[str]) -> int:
        """Fewest tokens whose text holds one of the words: their number grows with the text, so halving finds it."""
        low, high = 1, len(tokens)
        while low < high:
            middle = (low + high) // 2
            text = self._text(tokens[:middle])
            low, high = (low, middle) if any(word in text for word in words) else (middle + 1, high)
        return low


def _check_device(device: str) -> None:
    kind = device.partition(":")[0]
    there = {"cpu": True, "cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available()}[kind]
    if not there:
        raise PluginError(f"there is no device {device} here.", "Name another, or run where there is one.")


def _check_thinking(options: TransformersOptions, chat: Chat, model: str) -> None:
    if options.thinking == "on" and not chat.thinks:
        raise PluginError(f"thinking is on, and the template of {model} has no such mode.", "Set it off.")


@contextmanager
def _threads(count: int | None) -> Iterator[None]:
    """Holds torch to some threads, and gives it back those that it had."""
    before = torch.get_num_threads()
    if count is None or count == before:
        yield
        return
    torch.set_num_threads(count)
    try:
        yield
    finally:
        torch.set_num_threads(before)
