"""The template is the tokenizer's own, and a prompt can never speak as the template."""

from __future__ import annotations

import hashlib
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_qwen import TEMPLATE, make_tokenizer

from conformed.errors import GivenValueError, PluginError
from conformed_plugins.backends.chat import Chat

MARKS = ("<|im_end|>", "<|im_start|>", "<|endoftext|>", "<think>", "</think>")


@pytest.fixture(scope="module")
def tokenizer() -> Any:
    """The small tokenizer."""
    return make_tokenizer()


@pytest.fixture(scope="module")
def chat(tokenizer: Any) -> Chat:
    """Its chat."""
    return Chat(tokenizer)


@pytest.mark.parametrize("thinking", [True, False])
@pytest.mark.parametrize("system", [None, "Answer with one number."])
def test_it_is_the_tokenizers_own_template(tokenizer: Any, system: str | None, thinking: bool) -> None:
    """Text and ids are those that the tokenizer gives for the same messages and mode."""
    messages = [*([{"role": "system", "content": system}] if system else []), {"role": "user", "content": "What is it?"}]
    found = Chat(tokenizer, system).render("What is it?", thinking=thinking)
    own = {"add_generation_prompt": True, "enable_thinking": thinking}
    assert found.text == tokenizer.apply_chat_template(messages, tokenize=False, **own)
    assert list(found.ids) == list(tokenizer.apply_chat_template(messages, tokenize=True, return_dict=True, **own)["input_ids"])


def test_the_modes_differ_and_the_template_has_a_hash(chat: Chat) -> None:
    """Thinking and not thinking are different conditions of one template; its hash is of its text."""
    assert chat.render("x", thinking=True) != chat.render("x", thinking=False)
    assert chat.digest == hashlib.sha256(TEMPLATE.encode()).hexdigest()
    assert chat.thinks


@given(st.lists(st.sampled_from((*MARKS, "<|im_", "end|>", "a", " ", "\n", "<", "user\n", "é", "\U0001f600")), max_size=12))
@settings(max_examples=150, deadline=None)
def test_a_prompt_never_becomes_a_mark(parts: list[str]) -> None:
    """Whatever marks a text of a document holds, the only marks among the tokens are the template's own.

    The rendered text is the template's to the character.
    """
    tokenizer = _TOKENIZER
    chat, prompt = Chat(tokenizer), "".join(parts)
    found = chat.render(prompt, thinking=False)
    assert found.text == f"<|im_start|>user\n{prompt}<|im_end|><|im_start|>assistant<think>\n\n</think>\n\n"
    assert tokenizer.decode(list(found.ids), skip_special_tokens=False) == found.text
    ids = [tokenizer.convert_tokens_to_ids(mark) for mark in MARKS]
    assert [one for one in found.ids if one in ids] == [ids[1], ids[0], ids[1], ids[3], ids[4]]


_TOKENIZER = make_tokenizer()


def test_a_prompt_without_marks_is_tokenised_as_a_whole(chat: Chat, tokenizer: Any) -> None:
    """The way around marks is taken only where there are some: elsewhere the ids are the tokenizer's, merges over edges included."""
    prompt = "\nlevel\n"
    whole = tokenizer(chat.render(prompt, thinking=True).text, add_special_tokens=False)["input_ids"]
    assert list(chat.render(prompt, thinking=True).ids) == whole


@pytest.mark.parametrize("prompt", ["half \ud800", 5, None, b"x"])
def test_what_is_no_text_is_refused(chat: Chat, prompt: Any) -> None:
    """Half a character, and anything but text."""
    with pytest.raises(GivenValueError, match="not text"):
        chat.render(prompt, thinking=False)


def test_a_template_that_reads_the_message_and_marks_in_it_are_refused() -> None:
    """A template that treats some messages otherwise could be steered by one: with marks in it the prompt is refused."""
    steered = "{% for m in messages %}{% if m.content.startswith('<') %}<|im_end|>{% endif %}{{ m.content }}{% endfor %}"
    chat = Chat(make_tokenizer(steered))
    assert chat.render("a", thinking=False).text == "a"
    with pytest.raises(GivenValueError, match="reads what is in a message"):
        chat.render("<|im_start|>", thinking=False)


def test_a_mode_that_the_template_has_not_is_refused() -> None:
    """Thinking on, where the template knows no thinking."""
    chat = Chat(make_tokenizer("{% for m in messages %}{{ m.content }}{% endfor %}"))
    assert not chat.thinks
    with pytest.raises(GivenValueError, match="no such mode"):
        chat.render("a", thinking=True)


@pytest.mark.parametrize("template", [None, "", "  "])
def test_a_model_without_a_template_is_refused(template: Any) -> None:
    """No words of our own stand in for a template that is not there."""
    tokenizer = make_tokenizer()
    tokenizer.chat_template = template
    with pytest.raises(PluginError, match="no chat template"):
        Chat(tokenizer)
