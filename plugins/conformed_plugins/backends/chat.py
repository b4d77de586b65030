"""The chat template: a prompt rendered by the tokenizer's own template and made into tokens, the prompt's words never into marks.

A text of a document may hold the very characters of a mark, ``<|im_end|>`` say. Left alone they would become that token, and the
text would end its own message and begin another. Such a text is made into tokens apart from the template, each mark in it broken in
two: it reads the same to the character, and closes nothing.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from typing import Any

from conformed.errors import GivenValueError, PluginError

__all__ = ["Chat", "Rendered"]

_PLACE = "\ue000here\ue001"
"""Stands for the prompt while the template is rendered around it. Private-use characters: in no template, refused in a prompt."""


@dataclass(frozen=True, slots=True)
class Rendered:
    """One prompt as the model reads it."""

    text: str
    """The rendered text."""
    ids: tuple[int, ...]
    """Its token ids."""


class Chat:
    """A tokenizer's template.

    Args:
        tokenizer: a transformers tokenizer.
        system: message before every prompt; None leaves it to the template.

    Raises:
        PluginError: when the tokenizer has no template, or several and none by default.
    """

    def __init__(self, tokenizer: Any, system: str | None = None) -> None:
        template = tokenizer.chat_template
        if not isinstance(template, str) or not template.strip():
            raise PluginError("the tokenizer has no chat template.", "Pin a model that was made for messages.")
        self._tokenizer, self._system = tokenizer, system
        self.digest = hashlib.sha256(template.encode()).hexdigest()
        """SHA-256 of the template's text."""
        self.thinks = "enable_thinking" in template
        """Whether the template has a thinking and a non-thinking mode."""
        marks = sorted({str(one.content) for one in tokenizer.added_tokens_decoder.values()}, key=lambda one: (-len(one), one))
        self._marks = re.compile("|".join(re.escape(one) for one in marks if one)) if any(marks) else None

    def render(self, prompt: str, *, thinking: bool) -> Rendered:
        """A prompt as one message of the user, with the template's words that ask for an answer.

        Args:
            prompt: the message.
            thinking: whether the model is to think aloud.

        Raises:
            GivenValueError: for a mode that the template has not, a prompt that is not text, and one that cannot be kept apart from
                the template's own marks.
        """
        if thinking and not self.thinks:
            raise GivenValueError("thinking is on, and the model's template has no such mode.", "Set it off.")
        if type(prompt) is not str or not _is_text(prompt):
            raise GivenValueError("a prompt is not text.", "Give valid Unicode without half characters.")
        whole = self._rendered(prompt, thinking=thinking)
        if self._marks is None or not self._marks.search(prompt):
            return Rendered(whole, self._ids(whole))
        before, place, after = self._rendered(_PLACE, thinking=thinking).partition(_PLACE)
        if _PLACE in prompt or not place or _PLACE in after or before + prompt + after != whole:
            raise GivenValueError(
                "a prompt holds marks of the template, and the template reads what is in a message.",
                "Take them out of the prompt.",
            )
        ids = (*self._ids(before), *self._broken(prompt), *self._ids(after))
        if self._tokenizer.decode(list(ids), skip_special_tokens=False, clean_up_tokenization_spaces=False) != whole:
            raise GivenValueError(
                "a prompt that holds marks of the template does not survive the tokenizer.", "Take them out of it."
            )
        return Rendered(whole, ids)

    def _rendered(self, prompt: str, *, thinking: bool) -> str:
        messages = [] if self._system is None else [{"role": "system", "content": self._system}]
        messages.append({"role": "user", "content": prompt})
        mode = {"enable_thinking": thinking} if self.thinks else {}
        text = self._tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True, **mode)
        return str(text)

    def _ids(self, text: str) -> tuple[int, ...]:
        return tuple(self._tokenizer(text, add_special_tokens=False)["input_ids"])

    def _broken(self, text: str) -> tuple[int, ...]:
        """Tokens of a text in which no mark is one: each mark is cut after its first character, and each part made tokens alone."""
        assert self._marks is not None
        ids: list[int] = []
        rest = text
        while found := self._marks.search(rest):
            cut = found.start() + 1
            ids += self._ids(rest[:cut])
            rest = rest[cut:]
        return (*ids, *self._ids(rest))


def _is_text(prompt: str) -> bool:
    try:
        prompt.encode()
    except UnicodeEncodeError:
        return False
    return True
