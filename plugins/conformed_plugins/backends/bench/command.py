"""The command ``bench``. It measures in a process of its own, so that a cold start is cold and a peak is its own."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable, Sequence

from pydantic import ValidationError

from conformed.errors import ConformedError, PluginError, UsageError
from conformed.hooks import NoOptions
from conformed_plugins.backends.bench.report import Report, lines
from conformed_plugins.words import Words, understood

__all__ = ["BenchCommand"]

_LONGEST = 3600


class _Words(Words):
    command = "bench"
    example = "conformed bench generate --prompts 4 --samples 8 --threads 1"


class BenchCommand:
    """``conformed bench generate``: cold start, first token, tokens a second and memory, with their conditions."""

    def __init__(self, _options: NoOptions) -> None:
        pass

    def run(self, arguments: Sequence[str], write: Callable[[str], None]) -> int:
        """Measures and prints.

        Raises:
            UsageError: for arguments that are not understood.
            PluginError: when the measurement fails; says why.
        """
        asked = understood(_parser(), arguments, write)
        if asked is None:
            return 0
        if bool(asked.folder) != bool(asked.manifest):
            raise UsageError("bench: --folder and --manifest belong together.", "Give both, or neither for a random model.")
        if min(asked.prompts, asked.samples, asked.prompt_tokens, asked.threads, asked.repeats) < 1 or asked.new_tokens < 2:
            raise UsageError("bench: a count is too small.", "Give at least 1, and 2 new tokens.")
        report = _measured(vars(asked))
        for line in [report.model_dump_json(indent=2)] if asked.json else lines(report):
            write(line)
        return 0


def _measured(asked: dict[str, object]) -> Report:
    begun = time.time()
    command = [sys.executable, "-m", "conformed_plugins.backends.bench.measure", json.dumps({**asked, "begun": begun})]
    try:
        done = subprocess.run(command, capture_output=True, timeout=_LONGEST, check=False, text=True)  # noqa: S603 - our own module
    except subprocess.TimeoutExpired as problem:
        raise PluginError(f"The measurement took over {_LONGEST} s.", "Ask for fewer tokens or repeats.") from problem
    if done.returncode != 0:
        said = done.stderr.strip().splitlines()
        raise PluginError(f"The measurement failed: {said[-1] if said else 'without a word'}.", "Mend what it names.")
    try:
        return Report.model_validate_json(done.stdout)
    except (ValidationError, ConformedError) as problem:
        raise PluginError(
            "The measurement lacks a figure or a condition, so nothing is printed.", "Tell its author."
        ) from problem


def _parser() -> Words:
    parser = _Words(prog="conformed bench", description="Measure generation on this machine.")
    parser.add_argument("what", choices=["generate"])
    parser.add_argument("--folder", help="a model's folder in the mirror; without one a small random model is measured")
    parser.add_argument("--manifest", help="SHA-256 of the folder's manifest")
    parser.add_argument("--dtype", default="float32", choices=["bfloat16", "float16", "float32"])
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--prompts", type=int, default=4)
    parser.add_argument("--samples", type=int, default=8)
    parser.add_argument("--prompt-tokens", type=int, default=96)
    parser.add_argument("--new-tokens", type=int, default=96)
    parser.add_argument("--temperature", default="1", help="a decimal, or greedy")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--json", action="store_true")
    return parser
