"""A rollout as files: numbers as safetensors, the rest as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise
from typing import Any

import torch
from safetensors.torch import load, save

from conformed.model.answer import Outcome
from conformed_plugins.training.grpo.window import Asked, Response, Window
from conformed_plugins.training.items import Checked
from conformed_plugins.training.process import StepReward
from conformed_plugins.training.reward import Judged

__all__ = ["window_files", "window_of"]

_ROWS, _NUMBERS = "window.json", "window.safetensors"


def window_files(window: Window | None) -> dict[str, bytes]:
    """Content by name of file; no files where there is no rollout."""
    if window is None:
        return {}
    responses = [one for asked in window.asked for one in asked.responses]
    numbers = {
        "prompts": _flat([asked.prompt for asked in window.asked], torch.int64),
        "tokens": _flat([one.tokens for one in responses], torch.int64),
        "old": _flat([one.old for one in responses], torch.float32),
        "reference": _flat([one.reference or () for one in responses], torch.float32),
    }
    rows = {
        "generation": window.generation,
        "update": window.update,
        "old": window.old,
        "asked": [
            {
                "place": asked.place,
                "item": asked.item,
                "prompt": len(asked.prompt),
                "responses": [
                    {
                        "tokens": len(one.tokens),
                        "reference": one.reference is not None,
                        "stop": one.stop,
                        "outcome": one.judged.checked.outcome,
                        "format_ok": one.judged.checked.format_ok,
                        "code": one.judged.checked.code,
                        "parts": dict(one.judged.checked.parts),
                        "reward": one.judged.reward,
                        "steps": None if one.steps is None else [list(step) for step in one.steps],
                    }
                    for one in asked.responses
                ],
            }
            for asked in window.asked
        ],
    }
    return {_ROWS: json.dumps(rows, sort_keys=True).encode(), _NUMBERS: save(numbers)}


def window_of(files: dict[str, bytes]) -> Window | None:
    """The rollout that files hold; None where there is none."""
    if _ROWS not in files:
        return None
    rows, numbers = json.loads(files[_ROWS]), load(files[_NUMBERS])
    each = [one for asked in rows["asked"] for one in asked["responses"]]
    lengths = [one["tokens"] for one in each]
    prompts = _cut(numbers["prompts"], [asked["prompt"] for asked in rows["asked"]])
    tokens, old = _cut(numbers["tokens"], lengths), _cut(numbers["old"], lengths)
    references = _cut(numbers["reference"], [one["tokens"] if one["reference"] else 0 for one in each])
    responses = (
        Response(
            next(tokens), next(old), reference if one["reference"] else None, one["stop"], _judged(one), _steps(one["steps"])
        )
        for one, reference in zip(each, references, strict=True)
    )
    return Window(
        rows["generation"],
        rows["update"],
        rows["old"],
        tuple(
            Asked(asked["place"], asked["item"], next(prompts), tuple(next(responses) for _ in asked["responses"]))
            for asked in rows["asked"]
        ),
    )


def _steps(rows: list[tuple[int, float]] | None) -> tuple[StepReward, ...] | None:
    return None if rows is None else tuple(StepReward(end, reward) for end, reward in rows)


def _judged(row: dict[str, Any]) -> Judged:
    return Judged(Checked(Outcome(row["outcome"]), row["format_ok"], row["code"], row["parts"]), row["reward"])


def _flat(rows: Sequence[Sequence[float]], dtype: torch.dtype) -> torch.Tensor:
    return torch.tensor([value for row in rows for value in row], dtype=dtype)


def _cut(values: torch.Tensor, lengths: Sequence[int]) -> Iterator[tuple[Any, ...]]:
    plain = values.tolist()
    for start, end in pairwise(accumulate(lengths, initial=0)):
        yield tuple(plain[start:end])
