"""The real path from end to end on a small model: mirror, template, decoder, completions."""

from __future__ import annotations

import logging
import os
import re
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch
from plain_loop import plain_row
from small_qwen import Pinned, make_model, pin

from conformed.errors import ConformedError, GivenValueError, PluginError
from conformed.hooks import load_registry
from conformed.ports import Backend, Completion, Templated
from conformed_plugins.backends.options import TransformersOptions
from conformed_plugins.backends.transformers_backend.backend import TransformersBackend

PROMPTS = ("What is the level?", "The Leverage Ratio shall not exceed 3.75 to 1.00.", "x")


@pytest.fixture(scope="module")
def backend(small: Pinned) -> TransformersBackend:
    """The backend on the small model."""
    return TransformersBackend(TransformersOptions(**small.options()))


def test_a_contract_can_name_it(small: Pinned) -> None:
    """It comes through the registry as any plugin, with plain options, and has the shape of the port."""
    made = load_registry(env={}).create("backend", "transformers", {**small.options(), "folder": str(small.folder)})
    assert isinstance(made, Backend)
    assert isinstance(made, Templated)
    assert made.repeatable is True


@pytest.mark.parametrize("absent", ["manifest", "dtype", "device", "folder"])
def test_nothing_that_matters_has_a_default(small: Pinned, absent: str) -> None:
    """Which files, in which numbers, on which device: a contract that leaves one out is refused."""
    options = {**small.options(), "folder": str(small.folder)}
    del options[absent]
    with pytest.raises(PluginError, match=absent):
        load_registry(env={}).create("backend", "transformers", options)


@pytest.mark.parametrize(
    "call",
    [{}, {"temperature": "1"}, {"temperature": "0.7", "top_p": "0.8"}, {"temperature": "1.5", "thinking": "on"}],
    ids=["greedy", "plain", "nucleus", "thinking"],
)
def test_it_says_token_for_token_what_the_plain_loop_says(backend: TransformersBackend, call: dict[str, Any]) -> None:
    """Prompts of different lengths in one batch give the tokens of the loop that computes each row alone and anew.

    The stop is the same, too, and both log-probabilities are within 1e-4.
    """
    found = backend.generate(PROMPTS, samples=2, seed=5, options={**call, "max_tokens": 24})
    for prompt, completions in zip(PROMPTS, found, strict=True):
        ids = backend.chat.render(prompt, thinking=call.get("thinking") == "on").ids
        for sample, one in enumerate(completions):
            tokens, behaviour, plain, stop = plain_row(
                backend.decoder.model,
                ids,
                sample=sample,
                seed=5,
                temperature=None if "temperature" not in call else float(call["temperature"]),
                top_p=float(call.get("top_p", 1)),
                most=24,
                context=160,
                stop_ids=backend.facts.stop_ids,
            )
            assert list(one.tokens) == tokens
            assert one.stop == stop
            assert one.behaviour_logprobs == pytest.approx(behaviour, abs=1e-4)
            assert one.model_logprobs == pytest.approx(plain, abs=1e-4)
            assert one.prompt_tokens == len(ids)


def test_the_same_seed_says_the_same_in_any_batch_and_process(small: Pinned, backend: TransformersBackend) -> None:
    """A prompt alone, in a batch, and in a fresh process with another hash seed: the same bytes. Another seed says something else."""
    options = {"temperature": "0.9", "max_tokens": 12}
    together = backend.generate(PROMPTS, samples=2, seed=11, options=options)
    assert tuple(backend.generate((one,), samples=2, seed=11, options=options)[0] for one in PROMPTS) == together
    assert backend.generate(PROMPTS, samples=2, seed=12, options=options) != together
    code = (
        "import torch; torch.set_num_threads(1)\n"
        "from conformed_plugins.backends.options import TransformersOptions as O\n"
        "from conformed_plugins.backends.transformers_backend.backend import TransformersBackend as B\n"
        f"b = B(O(folder={str(small.folder)!r}, manifest={small.manifest!r}, dtype='float32', device='cpu'))\n"
        f"print(repr(b.generate({PROMPTS!r}, samples=2, seed=11, options={options!r})))"
    )
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        env={**os.environ, "PYTHONHASHSEED": "7"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stderr == ""
    assert done.stdout.strip() == repr(together)


def test_prompt_tokens_are_never_part_of_the_answer(backend: TransformersBackend) -> None:
    """The text is of the new tokens alone, without marks; a row of the embedding that no token has stands for nothing."""
    spare = 0
    for (one,) in backend.generate(PROMPTS, samples=1, seed=0, options={"temperature": "2", "max_tokens": 60}):
        known = [token for token in one.tokens if token < backend.facts.tokens]
        assert one.text == backend.tokenizer.decode(known, skip_special_tokens=True)
        assert len(one.tokens) == len(one.behaviour_logprobs) == len(one.model_logprobs) <= 60
        spare += len(one.tokens) - len(known)
    assert spare  # at this temperature some were drawn


def test_the_context_is_a_cap_for_each_row(small: Pinned) -> None:
    """A row stops for ``context`` when its own prompt leaves no more room; a prompt that fills it gets an empty completion."""
    tight = TransformersBackend(TransformersOptions(**small.options(context=40)))
    options = {"temperature": "1", "max_tokens": 30}
    short, long, whole = tight.generate(("x", "level " * 4, "ratio " * 40), samples=1, seed=3, options=options)
    assert [len(one.tokens) + one.prompt_tokens for one in (*short, *long)] == [40, 40]
    assert [one.stop for one in (*short, *long, *whole)] == ["context"] * 3
    assert (whole[0].tokens, whole[0].text) == ((), "")
    assert whole[0].prompt_tokens > 40


def test_words_end_a_completion(backend: TransformersBackend) -> None:
    """At a stop word the text ends before it, the tokens with the one that completes it, and the log-probabilities with them."""
    options: dict[str, Any] = {"temperature": "1", "max_tokens": 40}
    ((whole,),) = backend.generate(("x",), samples=1, seed=2, options=options)
    word = whole.text[6:8]
    assert len(word) == 2
    ((cut,),) = backend.generate(("x",), samples=1, seed=2, options={**options, "stop": [word, "never"]})
    assert cut.text == whole.text[: whole.text.index(word)]
    assert cut.stop == "eos"
    count = len(cut.tokens)
    assert cut.tokens == whole.tokens[:count]
    assert cut.behaviour_logprobs == whole.behaviour_logprobs[:count]
    decode = backend.tokenizer.decode
    assert word in decode([one for one in cut.tokens if one < backend.facts.tokens], skip_special_tokens=True)
    assert word not in decode([one for one in cut.tokens[:-1] if one < backend.facts.tokens], skip_special_tokens=True)


def test_a_stop_word_ends_the_work(backend: TransformersBackend, monkeypatch: pytest.MonkeyPatch) -> None:
    """After the word no token is computed for that row: the decoder ends it, and its other rows go on."""
    options: dict[str, Any] = {"temperature": "1", "max_tokens": 40}
    ((whole,),) = backend.generate(("x",), samples=1, seed=2, options=options)
    decode, said = backend.decoder.decode, []
    monkeypatch.setattr(backend.decoder, "decode", lambda *given: said.append(decode(*given)) or said[-1])
    ((cut,),) = backend.generate(("x",), samples=1, seed=2, options={**options, "stop": [whole.text[6:8]]})
    assert [one.tokens for row in said[0] for one in row] == [cut.tokens]
    assert len(cut.tokens) < len(whole.tokens)


def test_a_completion_can_be_held_to_a_schema(backend: TransformersBackend) -> None:
    """Random weights say JSON of the schema, because nothing else is allowed; what cannot be kept to is refused."""
    pytest.importorskip("llguidance")
    schema = '{"type": "object", "properties": {"a": {"enum": ["yes", "no"]}}, "required": ["a"], "additionalProperties": false}'
    found = backend.generate(PROMPTS, samples=2, seed=2, options={"temperature": "1", "max_tokens": 40, "schema": schema})
    assert {one.text for row in found for one in row} <= {'{"a":"yes"}', '{"a":"no"}'}
    assert all(one.stop == "eos" for row in found for one in row)
    with pytest.raises(GivenValueError, match="schema"):
        backend.generate(PROMPTS, samples=1, seed=2, options={"schema": "{nonsense"})


def _producer(backend: TransformersBackend, **options: Any) -> str:
    ((one,),) = backend.generate(("x",), samples=1, seed=0, options={"max_tokens": 1, **options})
    return one.producer


def test_the_producer_is_the_whole_condition(small: Pinned, tmp_path: Path, backend: TransformersBackend) -> None:
    """Another manifest, mode, temperature, truncation, stop, system message, dtype or context is another producer.

    The bound of tokens, which a budget may lower, is no part of it.
    """
    other = tmp_path / "other"
    make_model(other, num_hidden_layers=1)
    again = pin(other)
    made = [
        _producer(backend),
        _producer(backend, thinking="on"),
        _producer(backend, temperature="0.5"),
        _producer(backend, temperature="0.5", top_p="0.5"),
        _producer(backend, stop=["a"]),
        *(
            _producer(TransformersBackend(TransformersOptions(**one)))
            for one in (
                small.options(system="Answer."),
                small.options(dtype="bfloat16"),
                small.options(context=90),
                again.options(),
            )
        ),
    ]
    assert len(set(made)) == len(made)
    assert all(re.fullmatch("sha256:[0-9a-f]{64}", one) for one in made)
    assert _producer(backend, max_tokens=2) == made[0]
    assert _producer(TransformersBackend(TransformersOptions(**small.options()))) == made[0]


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"top_k": 5}, "top_k"),
        ({"temperature": 0.7}, "temperature"),
        ({"temperature": "0"}, "temperature"),
        ({"temperature": "nan"}, "temperature"),
        ({"temperature": "-1"}, "temperature"),
        ({"temperature": "1e3"}, "temperature"),
        ({"top_p": "1.1"}, "top_p"),
        ({"top_p": "0.0"}, "top_p"),
        ({"max_tokens": 0}, "max_tokens"),
        ({"max_tokens": True}, "max_tokens"),
        ({"max_tokens": "9"}, "max_tokens"),
        ({"stop": "a"}, "stop"),
        ({"stop": [""]}, "stop.0"),
        ({"thinking": "maybe"}, "thinking"),
        ({"schema": 5}, "schema"),
    ],
)
def test_options_of_a_call_are_refused_by_name(backend: TransformersBackend, options: dict[str, Any], named: str) -> None:
    """Unknown ones, and values of another form, before anything is generated."""
    with pytest.raises(GivenValueError, match=f"the option '{re.escape(named)}' is refused"):
        backend.generate(("x",), samples=1, seed=0, options=options)


@pytest.mark.parametrize(("samples", "seed"), [(0, 0), (-1, 0), (True, 0), ("1", 0), (1, 1.5), (1, None)])
def test_samples_and_seed_are_whole_numbers(backend: TransformersBackend, samples: Any, seed: Any) -> None:
    """None of them, a number of another kind, or True for one."""
    with pytest.raises((ValueError, TypeError)):
        backend.generate(("x",), samples=samples, seed=seed, options={})


def test_no_prompt_gives_nothing(backend: TransformersBackend) -> None:
    """An empty list of prompts is an empty tuple, and loads nothing."""
    assert backend.generate((), samples=3, seed=0, options={}) == ()


def test_an_unknown_device_is_refused_before_the_files_are_read(small: Pinned) -> None:
    """A device that is not there is named; nothing falls back to another."""
    if torch.cuda.is_available():
        pytest.skip("there is one")
    with pytest.raises(PluginError, match="no device cuda"):
        TransformersBackend(TransformersOptions(**{**small.options(), "folder": Path("absent"), "device": "cuda"}))


def test_threads_are_given_back(small: Pinned, backend: TransformersBackend) -> None:
    """A generation uses the threads that it is given, the process has its own before and after, and the tokens are the same."""
    two = TransformersBackend(TransformersOptions(**small.options(threads=2)))
    options = {"temperature": "1", "max_tokens": 8}
    assert two.generate(PROMPTS, samples=1, seed=4, options=options) == backend.generate(
        PROMPTS, samples=1, seed=4, options=options
    )
    assert torch.get_num_threads() == 1


def test_nothing_is_sent_and_nothing_is_logged(
    small: Pinned, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    """Loading and generating open no connection, and neither prompt nor completion is in a log at any level or on a stream."""

    def refused(*_: object) -> None:
        raise AssertionError("a connection was opened")

    monkeypatch.setattr(socket.socket, "connect", refused)
    monkeypatch.setattr(socket, "getaddrinfo", refused)
    with caplog.at_level(logging.DEBUG):
        made = TransformersBackend(TransformersOptions(**small.options()))
        ((one,),) = made.generate(("Fenwick Timber's secret level",), samples=1, seed=0, options={"max_tokens": 6})
        made.inspect_template("Fenwick Timber's secret level", thinking=False)
    assert isinstance(one, Completion)
    assert "Fenwick" not in caplog.text
    captured = capfd.readouterr()
    assert (captured.out, captured.err) == ("", "")


def test_errors_do_not_repeat_the_prompt(backend: TransformersBackend) -> None:
    """A message may end in a log: what is refused is described, not quoted."""
    for prompt, options in (("secret \ud800", {}), ("secret", {"schema": "secret"}), ("x", {"stop": ["secret" * 99]})):
        with pytest.raises(ConformedError) as caught:
            backend.generate((prompt,), samples=1, seed=0, options=options)
        assert "secret" not in str(caught.value)
