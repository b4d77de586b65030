"""The protocol's words: what a request holds, and what an answer must hold to be believed."""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Mapping
from typing import Any, NoReturn

from pydantic import BaseModel, Field, ValidationError

from conformed.errors import PluginError
from conformed.ports import Completion
from conformed_plugins.backends.endpoint.options import EndpointOptions

__all__ = ["body_of", "completions_of", "model_ids", "seed_of"]

_DECIMAL = re.compile(r"[0-9]{1,4}(?:\.[0-9]{1,12})?")
_KNOWN = ("max_tokens", "schema", "stop", "temperature", "thinking", "top_p")
_STOPS = {"stop": "eos", "length": "length"}


class _Model(BaseModel):
    id: str


class _Models(BaseModel):
    data: list[_Model]


class _Token(BaseModel):
    logprob: float = Field(le=0.001, allow_inf_nan=False)


class _Logprobs(BaseModel):
    content: list[_Token]


class _Message(BaseModel):
    content: str
    refusal: str | None = None


class _Choice(BaseModel):
    index: int
    message: _Message
    finish_reason: str
    logprobs: _Logprobs | None = None
    token_ids: list[int] | None = None


class _Usage(BaseModel):
    prompt_tokens: int = Field(ge=0)
    completion_tokens: int = Field(ge=0, le=10_000_000)


class _Answer(BaseModel):
    model: str
    choices: list[_Choice]
    usage: _Usage
    system_fingerprint: str | None = None


def model_ids(answer: object, who: str) -> frozenset[str]:
    """The models that a server lists.

    Raises:
        PluginError: when it gives no list.
    """
    found = _read(_Models, answer)
    if found is None:
        _refuse(f"{who} answered /models with no list of models.", "Set lists_models: false where the server has no such list.")
    return frozenset(model.id for model in found.data)


def seed_of(seed: int, row: int, sample: int) -> int:
    """The seed of one sample: 31 bits of the hash of the caller's seed, the prompt's place and the sample's."""
    return int.from_bytes(hashlib.sha256(f"{seed} {row} {sample}".encode()).digest()[:4], "big") >> 1


def body_of(prompt: str, count: int, seed: int, given: Mapping[str, Any], options: EndpointOptions) -> dict[str, Any]:
    """A request for completions of one prompt.

    Args:
        prompt: the whole prompt, sent as one message of the user.
        count: how many completions.
        seed: the request's own seed.
        given: options of generation; without a temperature the most likely token is asked for.
        options: the endpoint.

    Raises:
        PluginError: for an option that is not known, or a value of another kind.
    """
    unknown = sorted(str(name) for name in given if name not in _KNOWN)
    if unknown:
        _refuse(f"The endpoint knows no option {', '.join(unknown)}.", f"Its options: {', '.join(_KNOWN)}.")
    body: dict[str, Any] = {
        "model": options.model,
        "messages": [{"role": "user", "content": prompt}],
        "n": count,
        "seed": seed,
        "stream": False,
        "temperature": _number(given, "temperature") if "temperature" in given else 0,
        options.limit_name: _limit(given, options),
    }
    if "top_p" in given:
        body["top_p"] = _number(given, "top_p")
    if "stop" in given:
        body["stop"] = _words(given["stop"])
    if "schema" in given:
        shape = {"name": "answer", "strict": True, "schema": _schema(given["schema"])}
        body["response_format"] = {"type": "json_schema", "json_schema": shape}
    if "thinking" in given:
        if given["thinking"] not in ("on", "off"):
            _refuse("The option thinking is neither on nor off.", "Write on or off.")
        body["chat_template_kwargs"] = {"enable_thinking": given["thinking"] == "on"}
    if options.logprobs:
        body["logprobs"] = True
    if options.at_once:
        body["return_token_ids"] = True
    return body


def completions_of(answer: object, body: Mapping[str, Any], options: EndpointOptions) -> tuple[Completion, ...]:
    """The completions of an answer, in order. Nothing is filled in: what an answer lacks refuses it.

    Args:
        answer: the answer's JSON.
        body: the request that it answers.
        options: the endpoint.

    Raises:
        PluginError: naming what is wrong, never what it says.
    """
    who, count = f"The endpoint {options.url}", int(body["n"])
    found = _read(_Answer, answer)
    if found is None:
        _refuse(f"{who} gave an answer that lacks a part or has one of another type.", "Ask who runs it.")
    if found.model != (options.answers_as or options.model):
        _refuse(
            f"{who} answered as another model than {options.model}.", "Name in `answers_as` how the server signs, if it is so."
        )
    if options.fingerprint and found.system_fingerprint != options.fingerprint:
        _refuse(
            f"{who} answered with another fingerprint than the one pinned.",
            "What runs there was changed: check it, then pin anew.",
        )
    if sorted(choice.index for choice in found.choices) != list(range(count)):
        _refuse(f"{who} gave {len(found.choices)} completions that are not the {count} asked for.", "Set at_once: false.")
    producer = _producer(options, found.system_fingerprint)
    plain = _same_distribution(body)
    return tuple(
        _completion(choice, found.usage, body[options.limit_name], count, producer, who, plain=plain)
        for choice in sorted(found.choices, key=lambda choice: choice.index)
    )


def _completion(choice: _Choice, usage: _Usage, limit: int, count: int, producer: str, who: str, *, plain: bool) -> Completion:
    stop = _STOPS.get(choice.finish_reason, "")
    if not stop or choice.message.refusal:
        _refuse(f"{who} ended a completion for a reason that makes it none (a filter, a tool, an abort).", "Ask who runs it.")
    if not _encodable(choice.message.content):
        _refuse(f"{who} gave characters that no text can hold.", "Ask who runs it.")
    logprobs = tuple(token.logprob for token in choice.logprobs.content) if choice.logprobs else ()
    if choice.token_ids is not None:
        tokens = tuple(choice.token_ids)
        if logprobs and len(tokens) != len(logprobs):
            _refuse(f"{who} gave token ids and log-probabilities of different numbers.", "Ask who runs it.")
    elif logprobs or count == 1:
        tokens = (-1,) * (len(logprobs) or usage.completion_tokens)
    else:
        _refuse(f"{who} does not say how many tokens each completion has.", "Set at_once: false, or logprobs: true.")
    if stop == "length" and count == 1 and usage.completion_tokens < limit:
        stop = "context"  # it stopped short of what was allowed: the model's own room was full
    return Completion(choice.message.content, tokens, logprobs if plain else (), logprobs, stop, producer, usage.prompt_tokens)


def _same_distribution(body: Mapping[str, Any]) -> bool:
    """Whether what was sampled is the plain model: temperature 1 and nothing cut off."""
    return math.isclose(body["temperature"], 1) and math.isclose(body.get("top_p", 1), 1)


def _producer(options: EndpointOptions, fingerprint: str | None) -> str:
    named = {"fingerprint": fingerprint or "", "kind": "endpoint 1.0.0", "model": options.model, "url": options.url}
    return f"sha256:{hashlib.sha256(json.dumps(named, sort_keys=True).encode()).hexdigest()}"


def _read(shape: type[Any], value: object) -> Any:
    """A part of an answer, or None: the library's own error shows what it was given, so it goes no further."""
    try:
        return shape.model_validate(value, strict=True)
    except (ValidationError, RecursionError):
        return None


def _encodable(text: str) -> bool:
    return not any("\ud800" <= character <= "\udfff" for character in text)


def _number(given: Mapping[str, Any], name: str) -> float:
    value = given[name]
    if not isinstance(value, str) or not _DECIMAL.fullmatch(value) or float(value) <= 0 or (name == "top_p" and float(value) > 1):
        _refuse(f"The option {name} is not a decimal written as text, above 0 (and top_p at most 1).", 'Write "0.7".')
    return float(value)


def _limit(given: Mapping[str, Any], options: EndpointOptions) -> int:
    value = given.get("max_tokens", options.max_tokens)
    if type(value) is not int or value < 1:
        _refuse("The option max_tokens is no whole number above 0.", "Write 512.")
    return min(value, options.max_tokens)


def _words(value: object) -> list[str]:
    if not isinstance(value, list | tuple) or not all(isinstance(one, str) and one for one in value):
        _refuse("The option stop is no list of words.", "Write a list of texts.")
    return list(value)


def _schema(value: object) -> dict[str, Any]:
    try:
        found = json.loads(value) if isinstance(value, str) else None
    except ValueError:
        found = None
    if not isinstance(found, dict):
        _refuse("The option schema is no JSON Schema as text.", "Write a JSON object.")
    return found


def _refuse(found: str, mend: str) -> NoReturn:
    raise PluginError(found, mend)
