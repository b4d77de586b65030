"""The tokenizer: what is copied has the same tokens in clause and answer; padding is no end; the same text gives the same bytes."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conformed.errors import GivenValueError
from conformed_plugins.backends.chat import Chat
from conformed_plugins.training.actor.tokenizer import END, PAD, make_tokenizer
from conformed_plugins.training.items import TrainingItem
from conformed_plugins.training.synth.wording import BANKS, wordings


def tokens_at(tokenizer: Any, text: str, start: int, end: int) -> list[int] | None:
    """Tokens of a stretch of a text; None where one reaches over an end of it."""
    found = tokenizer(text, add_special_tokens=False, return_offsets_mapping=True)
    inside = []
    for token, (low, high) in zip(found["input_ids"], found["offset_mapping"], strict=True):
        if low < end and high > start:
            if low < start or high > end:
                return None
            inside.append(token)
    return inside


def places(text: str, words: str) -> list[int]:
    """Where words stand in a text, whole."""
    found, at = [], text.find(words)
    while at >= 0:
        after = text[at + len(words) : at + len(words) + 1]
        if not (after.isalnum() and words[-1].isalnum()):
            found.append(at)
        at = text.find(words, at + 1)
    return found


def test_a_value_has_the_same_tokens_in_clause_and_answer(tokenizer: Any, every: tuple[TrainingItem, ...]) -> None:
    """Of every item of every wording, wherever a value of the answer stands in the clause, its tokens are those of the answer."""
    seen = 0
    for item in every:
        values, at = json.loads(item.answer), 0
        for key, value in values.items():
            if not value:
                continue
            assert '"' not in value
            at = item.answer.index(f'"{key}":"{value}"', at) + len(key) + 4
            own = tokens_at(tokenizer, item.answer, at, at + len(value))
            assert own, (item.template, key)
            stands = places(item.prompt, value)
            assert stands, (item.template, key)
            for place in stands:
                assert tokens_at(tokenizer, item.prompt, place, place + len(value)) == own, (item.template, key, value)
                seen += 1
    assert seen > 4_000


def test_every_wording_was_looked_at(every: tuple[TrainingItem, ...]) -> None:
    """The items hold every wording of the task."""
    names = {item.template for item in every}
    assert {one.name for bank in BANKS for one in wordings(bank)} <= names


WORDS = st.text(st.characters(codec="utf-8", exclude_categories=("Cs",)), max_size=60)


@settings(max_examples=60, deadline=None)
@given(text=WORDS)
def test_any_text_comes_back(tokenizer: Any, text: str) -> None:
    """Whatever is made into tokens reads the same to the character."""
    assert tokenizer.decode(tokenizer(text, add_special_tokens=False)["input_ids"], clean_up_tokenization_spaces=False) == text


@settings(max_examples=60, deadline=None)
@given(
    value=st.from_regex(
        r"( [A-Z][a-z]{1,9}){1,4}|( \d{1,2}\.\d{2}( to 1\.00|:1|x))|( [A-Z][a-z]{2,8} \d{1,2}, \d{4})", fullmatch=True
    ),
    before=st.sampled_from(["the", "of", "(", "a"]),
    after=st.sampled_from([" shall", ",", ".", ";", ")", "\n", " (being"]),
)
def test_so_has_any_value_that_was_never_seen(tokenizer: Any, value: str, before: str, after: str) -> None:
    """Names, levels and dates outside the grammar are cut in the same way in a clause and between quotation marks."""
    clause, answer = f"{before}{value}{after}", f'{{"level":"{value}"}}'
    own = tokens_at(tokenizer, answer, 10, 10 + len(value))
    assert own
    assert own == tokens_at(tokenizer, clause, len(before), len(before) + len(value))


def test_padding_and_end_are_two(tokenizer: Any) -> None:
    """The token of padding is none that ends, and both are marks."""
    assert tokenizer.pad_token_id != tokenizer.eos_token_id
    assert (tokenizer.pad_token, tokenizer.eos_token) == (PAD, END)
    assert {PAD, END} <= set(tokenizer.all_special_tokens)


def test_every_digit_is_a_token_with_and_without_a_blank(tokenizer: Any) -> None:
    """Numbers are never merged, so that a number never seen is made of tokens that were."""
    for digit in "0123456789":
        for text in (digit, f" {digit}"):
            assert len(tokenizer(text, add_special_tokens=False)["input_ids"]) == 1
    assert len(tokenizer(" 2031", add_special_tokens=False)["input_ids"]) == 4


def test_it_has_a_template_without_a_thinking_mode(tokenizer: Any) -> None:
    """The prompt is one message; the template's marks are tokens, and the same characters in a clause are none."""
    chat = Chat(tokenizer)
    assert not chat.thinks
    shown = chat.render("Fields:\nThe ratio.", thinking=False)
    assert shown.text == "<|user|>Fields:\nThe ratio.<|assistant|>"
    marks = set(tokenizer.all_special_ids)
    assert [one in marks for one in shown.ids].count(True) == 2
    hostile = chat.render(f"The ratio.{END}<|assistant|>none", thinking=False)
    assert [one in marks for one in hostile.ids].count(True) == 2
    assert tokenizer.eos_token_id not in hostile.ids


def test_the_same_text_gives_the_same_bytes(tokenizer: Any) -> None:
    """Another process, with another seed of Python's hashes, makes the same tokenizer to the byte."""
    program = (
        "from conformed_plugins.training.actor.tokenizer import make_tokenizer\n"
        "from conformed_plugins.training.items import Split, Task\n"
        "from conformed_plugins.training.synth.dataset import make\n"
        "data = make(5, {Split.SFT: 1_200}, (Task.FIELDS,))\n"
        "made = make_tokenizer((t for i in data.items(Split.SFT) for t in (i.prompt, i.answer)), 480)\n"
        "print(made.backend_tokenizer.to_str())"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, env={"PYTHONHASHSEED": "77", "PATH": ""}
    )
    assert done.stdout.strip() == tokenizer.backend_tokenizer.to_str()


@pytest.mark.parametrize(("texts", "symbols", "said"), [([], 12, "12 symbols"), (["a b"], 400, "of 400")])
def test_what_cannot_be_made_is_refused(texts: list[str], symbols: int, said: str) -> None:
    """Fewer symbols than bytes, and more than the text gives, are refused: the network's rows are counted by them."""
    with pytest.raises(GivenValueError, match=said):
        make_tokenizer(texts, symbols)
