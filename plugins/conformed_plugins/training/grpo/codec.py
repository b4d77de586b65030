"""Text to tokens and back, as the backend that will run the policy does it."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any, Protocol

from conformed_plugins.backends.chat import Chat

__all__ = ["ChatCodec", "Codec"]


class Codec(Protocol):
    """How a prompt becomes tokens, and tokens an answer."""

    stop_ids: frozenset[int]
    """Tokens that end a response."""
    digest: str
    """SHA-256 of what makes it this one: tokenizer and template."""

    def prompt(self, text: str) -> tuple[int, ...]:
        """Token ids of a prompt."""
        ...

    def text(self, tokens: Sequence[int]) -> str:
        """The answer that tokens say, without the marks that end it."""
        ...


class ChatCodec:
    """A tokenizer with its chat template: what the backend ``transformers`` uses.

    Args:
        tokenizer: a fast tokenizer of transformers.
        stop_ids: tokens that end a response.
        system: message before every prompt; None leaves it to the template.

    Raises:
        PluginError: when the tokenizer has no template.
    """

    def __init__(self, tokenizer: Any, stop_ids: Sequence[int], system: str | None = None) -> None:
        self._tokenizer, self._chat = tokenizer, Chat(tokenizer, system)
        self.stop_ids = frozenset(stop_ids)
        parts = (tokenizer.backend_tokenizer.to_str(), self._chat.digest, repr(system), repr(sorted(self.stop_ids)))
        self.digest = hashlib.sha256("\n".join(parts).encode()).hexdigest()

    def prompt(self, text: str) -> tuple[int, ...]:
        """Token ids of a prompt, as one message of the user.

        Raises:
            GivenValueError: as ``Chat.render``.
        """
        return self._chat.render(text, thinking=False).ids

    def text(self, tokens: Sequence[int]) -> str:
        """The answer."""
        return str(self._tokenizer.decode(list(tokens), skip_special_tokens=True, clean_up_tokenization_spaces=False))
