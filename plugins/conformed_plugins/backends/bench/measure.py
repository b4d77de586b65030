"""The measurement itself, run as a program: its argument is what was asked as JSON, and its output a report as JSON."""

from __future__ import annotations

import json
import os
import platform
import statistics
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from importlib.metadata import version
from typing import Any

import torch

from conformed_plugins.backends.bench.report import Conditions, Figures, Report
from conformed_plugins.backends.decoder import Decoder, Settings
from conformed_plugins.backends.memory import plan, shape_of

__all__ = ["main", "measure", "random_model"]

_WORDS = "The leverage ratio shall not exceed the level for the test period. "


def main(argument: str) -> None:
    """Measures what the argument asks for and prints the report."""
    asked = json.loads(argument)
    started = time.time() - asked.pop("begun")
    warnings.simplefilter("ignore")
    torch.set_num_threads(asked["threads"])
    print(measure(asked, started).model_dump_json())  # noqa: T201 - its output is read by the command


def measure(asked: dict[str, Any], started: float) -> Report:
    """Measures.

    Args:
        asked: the command's arguments by name.
        started: seconds since the process was started.
    """
    load = ", ".join(f"{one:.2f}" for one in os.getloadavg()) if hasattr(os, "getloadavg") else "unknown"
    began = time.perf_counter()
    from transformers import DynamicCache, Qwen3ForCausalLM  # noqa: F401 - so that the libraries count as such and not as the model

    base = _resident()
    backend = _backend(asked) if asked["folder"] else None
    texts: list[str] = []
    if backend is not None:
        decoder, name = backend.decoder, f"{backend.model_name} from the mirror"
        texts = [_text(backend, number, asked["prompt_tokens"]) for number in range(asked["prompts"])]
        prompts = [backend.chat.render(text, thinking=False).ids for text in texts]
    else:
        decoder, name = Decoder(random_model(asked["dtype"], asked["device"])), "Qwen3 of 4 layers, hidden 128, random weights"
        prompts = _random_prompts(decoder, asked)
    settings = Settings(
        max_new_tokens=asked["new_tokens"],
        stop_ids=frozenset(),
        samples=asked["samples"],
        temperature=None if asked["temperature"] == "greedy" else float(asked["temperature"]),
        max_rows=asked["prompts"] * asked["samples"],
    )
    first = replace(settings, max_new_tokens=1)
    with _quiet_device(asked["device"]) as settle:
        decoder.decode(prompts[:1], replace(first, samples=1))
        settle()
        cold = started + time.perf_counter() - began
        firsts = _timed(lambda: decoder.decode(prompts, first), asked["repeats"], settle)
        wholes = _timed(lambda: decoder.decode(prompts, settings), asked["repeats"], settle)
        texts_time = None if backend is None else _seconds_a_token(backend, texts, asked, settle)
    rows, config = asked["prompts"] * asked["samples"], decoder.model.config
    parameters = sum(one.numel() for one in decoder.model.parameters())
    longest = max(len(prompt) for prompt in prompts)
    batch = {name: asked[name] for name in ("prompts", "samples", "new_tokens")}
    planned = plan(shape_of(config), asked["dtype"], parameters=parameters, prompt_tokens=longest, **batch).total
    one, all_of = statistics.median(firsts), statistics.median(wholes)
    return Report(
        conditions=Conditions(
            model=name,
            parameters=parameters,
            decoder=f"a row at a time, because {decoder.plain}" if decoder.plain else "batched",
            dtype=asked["dtype"],
            device=f"{asked['device']} ({_device_name(asked['device'])})",
            threads=torch.get_num_threads(),
            prompts=asked["prompts"],
            samples=asked["samples"],
            prompt_tokens=longest,
            new_tokens=asked["new_tokens"],
            sampling="greedy" if settings.temperature is None else f"temperature {asked['temperature']}, top-p 1",
            compiled="nothing compiled: compile time 0 s, graph variants 0",
            libraries=", ".join(f"{library} {version(library)}" for library in ("torch", "transformers")),
            repeats=asked["repeats"],
            load=load,
        ),
        figures=Figures(
            cold_start_s=cold,
            first_token_ms=one * 1000,
            steady_tokens_s=rows * (asked["new_tokens"] - 1) / max(1e-9, all_of - one),
            whole_tokens_s=rows * asked["new_tokens"] / all_of,
            tokenised_tokens_s=None if texts_time is None else 1 / texts_time,
            planned_bytes=planned,
            peak_bytes=_peak(asked["device"], base),
        ),
    )


def _random_prompts(decoder: Decoder, asked: dict[str, Any]) -> list[list[int]]:
    """Prompts for a model without a tokenizer."""
    size = (asked["prompts"], asked["prompt_tokens"])
    numbers = torch.Generator().manual_seed(0)
    prompts: list[list[int]] = torch.randint(decoder.model.config.vocab_size, size, generator=numbers).tolist()
    return prompts


def _seconds_a_token(backend: Any, texts: list[str], asked: dict[str, Any], settle: Callable[[], None]) -> float:
    """From texts to texts, the model's own stop tokens in force."""
    options = {"max_tokens": asked["new_tokens"]}
    if asked["temperature"] != "greedy":
        options["temperature"] = asked["temperature"]
    counts: list[int] = []

    def whole() -> None:
        said = backend.generate(texts, samples=asked["samples"], seed=0, options=options)
        counts.append(sum(len(one.tokens) for row in said for one in row))

    return statistics.median(_timed(whole, asked["repeats"], settle)) / max(1, counts[-1])


def random_model(dtype: str = "float32", device: str = "cpu") -> Any:
    """The small Qwen3 of which the figures in docs/generation.md are, with random weights: 1,048,576 numbers in its products."""
    from transformers import Qwen3Config, Qwen3ForCausalLM

    torch.manual_seed(0)
    config = Qwen3Config(
        num_hidden_layers=4,
        hidden_size=128,
        num_attention_heads=4,
        num_key_value_heads=2,
        head_dim=32,
        intermediate_size=384,
        vocab_size=2048,
        tie_word_embeddings=True,
        max_position_embeddings=32768,
    )
    return Qwen3ForCausalLM(config).to(device=device, dtype=getattr(torch, dtype)).eval()


def _backend(asked: dict[str, Any]) -> Any:
    from conformed_plugins.backends.options import TransformersOptions
    from conformed_plugins.backends.transformers_backend.backend import TransformersBackend

    names = ("folder", "manifest", "dtype", "device", "threads")
    return TransformersBackend(TransformersOptions.model_validate({name: asked[name] for name in names}))


def _text(backend: Any, number: int, tokens: int) -> str:
    """A prompt of about so many tokens in its template."""
    text = f"Clause {number}. "
    while len(backend.chat.render(text + _WORDS, thinking=False).ids) <= tokens:
        text += _WORDS
    return text


def _timed(work: Callable[[], object], repeats: int, settle: Callable[[], None]) -> list[float]:
    times = []
    for _ in range(repeats + 1):
        began = time.perf_counter()
        work()
        settle()
        times.append(time.perf_counter() - began)
    return times[1:]


@contextmanager
def _quiet_device(device: str) -> Iterator[Callable[[], None]]:
    """Gives what waits until a device has done its work."""
    yield torch.cuda.synchronize if device.startswith("cuda") else lambda: None


def _device_name(device: str) -> str:
    return torch.cuda.get_device_name(device) if device.startswith("cuda") else platform.machine() or "unknown processor"


def _resident() -> int | None:
    """Highest resident memory of this process so far, in bytes; None where the system does not say."""
    try:
        import resource
    except ImportError:
        return None
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024


def _peak(device: str, base: int | None) -> int | None:
    if device.startswith("cuda"):
        return int(torch.cuda.max_memory_allocated(device))
    most = _resident()
    return None if most is None or base is None else most - base


if __name__ == "__main__":
    main(sys.argv[1])
