"""The policy that is trained: a pinned model, read as the backend reads it, and the tokens of the prompts that the backend would send."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from conformed.errors import GivenValueError, PluginError
from conformed.mirror.private import PrivateCopy
from conformed_plugins.backends.transformers_backend.facts import ModelFacts, read_facts
from conformed_plugins.backends.transformers_backend.loading import load_config, load_generation, load_tokenizer, load_weights
from conformed_plugins.training.grpo.codec import ChatCodec
from conformed_plugins.training.items import TrainingItem
from conformed_plugins.training.trl_trainer.options import TrlOptions

__all__ = ["Policy"]


class Policy:
    """A pinned model that is to be trained.

    Args:
        options: which model, and in which numbers.

    Raises:
        MirrorError: when the folder is not what is pinned, or cannot be loaded.
        PluginError: when the model has no template, pads with a token that ends, or drops out.
    """

    def __init__(self, options: TrlOptions) -> None:
        self._options, self._most = options, max(options.max_new_tokens, options.evaluation_tokens or 0)
        self._copy = PrivateCopy(options.folder, options.manifest)
        try:
            self._config, self.tokenizer = load_config(self._copy), load_tokenizer(self._copy)
            manifest = self._copy.manifest
            self.name = manifest.model
            """The model's name in the mirror."""
            generation = load_generation(self._copy)
            self.facts: ModelFacts = read_facts(
                self._config, self.tokenizer, model=self.name, spare_ids=manifest.spare_ids, generation=generation
            )
            self.codec = ChatCodec(self.tokenizer, self.facts.stop_ids, options.system)
            """Text to tokens and back, as the in-house trainer and the backend do it."""
            self._refuse()
        except BaseException:
            self._copy.close()
            raise

    def prompts(self, items: Sequence[TrainingItem]) -> list[tuple[int, ...]]:
        """Tokens of each item's prompt: the very ones that the backend sends.

        Raises:
            GivenValueError: for a prompt that leaves no room for a response, and as the codec.
        """
        found = [self.codec.prompt(one.prompt) for one in items]
        for item, ids in zip(items, found, strict=True):
            if len(ids) + self._most > self.facts.context:
                raise GivenValueError(
                    f"The item {item.id} has a prompt of {len(ids)} tokens, and with {self._most} of a response it "
                    f"passes the context of {self.facts.context}.",
                    "Lower max_new_tokens, or leave the item out.",
                )
        return found

    def weights(self) -> Any:
        """The model, with gradients. TRL reads the reference out of the same private copy.

        Raises:
            MirrorError: when they do not fit what is pinned.
        """
        made = load_weights(self._copy, self._config, parameters=self.facts.parameters, dtype=self._options.dtype, device="cpu")
        made.generation_config.eos_token_id = list(self.facts.stop_ids)
        return made.requires_grad_(requires_grad=True)

    def close(self) -> None:
        """Removes the private copy."""
        self._copy.close()

    def _refuse(self) -> None:
        if self.tokenizer.pad_token_id is None:  # TRL would pad with the token that ends
            raise PluginError(f"the tokenizer of {self.name} has no token of padding.", "Pin one that has.")
        if self.tokenizer.pad_token_id in self.facts.stop_ids or self.facts.pad_is_stop:
            raise PluginError(
                f"{self.name} pads with a token that ends a response.", "Pin a tokenizer with a token of its own for padding."
            )
        dropping = sorted(name for name, value in _dropouts(self._config.to_dict()) if value)
        if dropping:  # TRL's own switch leaves what is no module, Qwen3's attention for one
            raise PluginError(
                f"{self.name} drops out ({', '.join(dropping)}): it would not be scored as it was sampled.",
                "Pin a configuration in which they are 0.",
            )


def _dropouts(config: Mapping[Any, Any]) -> Iterator[tuple[str, Any]]:
    """Every rate of dropping out in a configuration, however deep."""
    for name, value in config.items():
        if isinstance(value, Mapping):
            yield from _dropouts(value)
        elif "drop" in str(name) and isinstance(value, int | float):
            yield str(name), value
