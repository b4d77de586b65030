"""``conformed bench generate``: figures with their conditions, or none."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest
from pydantic import ValidationError

from conformed.errors import PluginError, UsageError
from conformed.hooks import load_registry
from conformed_plugins.backends.bench import command
from conformed_plugins.backends.bench.report import Conditions, Report, lines

REPORT: dict[str, Any] = {
    "conditions": {
        "model": "a model", "parameters": 10, "decoder": "batched", "dtype": "float32", "device": "cpu (a processor)", "threads": 1,
        "prompts": 2, "samples": 3, "prompt_tokens": 4, "new_tokens": 5, "sampling": "greedy", "compiled": "nothing compiled",
        "libraries": "torch 2", "repeats": 3, "load": "0.10, 0.20, 0.30",
    },
    "figures": {
        "cold_start_s": 1.5, "first_token_ms": 12.0, "steady_tokens_s": 900.0, "whole_tokens_s": 800.0, "tokenised_tokens_s": None,
        "planned_bytes": 1 << 20, "peak_bytes": None,
    },
}  # fmt: skip


def test_the_command_is_offered_and_measures() -> None:
    """Typed as a person types it, it measures a small model and prints every condition beside every figure."""
    pytest.importorskip("torch")
    words = [
        "bench",
        "generate",
        "--prompts",
        "2",
        "--samples",
        "2",
        "--prompt-tokens",
        "5",
        "--new-tokens",
        "3",
        "--repeats",
        "1",
        "--json",
    ]
    done = subprocess.run([sys.executable, "-m", "conformed.cli", *words], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    report = Report.model_validate_json(done.stdout)
    given, found = report.conditions, report.figures
    assert (given.prompts, given.samples, given.prompt_tokens, given.new_tokens, given.threads) == (2, 2, 5, 3, 1)
    assert (given.dtype, given.decoder, given.parameters) == ("float32", "batched", 1_049_984)
    assert "graph variants 0" in given.compiled
    assert found.planned_bytes > given.parameters * 4
    assert found.cold_start_s * 1000 > found.first_token_ms > 0
    assert found.steady_tokens_s > 0
    assert found.tokenised_tokens_s is None, "a model without a tokenizer has no figure with tokenisation, and not 0"


@pytest.mark.parametrize("name", sorted(Conditions.model_fields))
def test_a_figure_without_a_condition_is_not_printed(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A report that lacks any one condition, or has it empty, is refused, and nothing is printed."""
    for wrong in ({key: one for key, one in REPORT["conditions"].items() if key != name}, {**REPORT["conditions"], name: ""}):
        text = json.dumps({**REPORT, "conditions": wrong})
        with pytest.raises(ValidationError):
            Report.model_validate_json(text)
        monkeypatch.setattr(command.subprocess, "run", lambda *_a, text=text, **_k: subprocess.CompletedProcess([], 0, text, ""))
        said: list[str] = []
        with pytest.raises(PluginError, match="nothing is printed"):
            load_registry(env={}).create("command", "bench", {}).run(["generate"], said.append)
        assert not said


def test_conditions_come_first_and_gaps_are_said() -> None:
    """Every condition is in the lines for people; what could not be measured says so instead of 0."""
    text = "\n".join(lines(Report.model_validate(REPORT)))
    for one in ("a model", "10 parameters", "float32", "cpu (a processor)", "1 thread", "2 prompts x 3 samples", "4 + 5 tokens", "greedy",
                "nothing compiled", "torch 2", "medians of 3", "0.10, 0.20, 0.30"):  # fmt: skip
        assert one in text.partition("\n\n")[0], one
    assert "Text to text                   not measured" in text
    assert "Memory measured                not measured" in text


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["train"],
        ["generate", "--prompts", "many"],
        ["generate", "--prompts", "0"],
        ["generate", "--new-tokens", "1"],
        ["generate", "--folder", "here"],
        ["generate", "--unknown"],
    ],
)
def test_what_is_not_understood_is_bad_usage(words: list[str]) -> None:
    """Unknown words and counts that measure nothing are refused before anything is loaded."""
    with pytest.raises(UsageError, match="bench"):
        load_registry(env={}).create("command", "bench", {}).run(words, print)


def test_a_measurement_that_fails_says_why() -> None:
    """The last words of the measuring process are in the message."""
    pytest.importorskip("torch")
    with pytest.raises(PluginError, match=r"failed: .*nowhere"):
        load_registry(env={}).create("command", "bench", {}).run(["generate", "--device", "nowhere"], print)
