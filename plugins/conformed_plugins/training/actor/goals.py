"""The report as plain JSON: what to use, what was counted, which goals were reached, and which policy is given out."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from conformed.mirror.manifest import Manifest
from conformed_plugins.training.actor.comparing import GRPO, SFT, Readers, chosen, paired, pairs, rows
from conformed_plugins.training.actor.settings import PolicySettings
from conformed_plugins.training.actor.verdicts import Answered, Verdict
from conformed_plugins.training.items import Split
from conformed_plugins.training.sft.trainer import SftResult

__all__ = ["MIRROR", "report_of"]

MIRROR = "mirror"
"""Folder of the weights' folders, inside the one that was given."""
_LEAST_KNOWN, _MOST_SECONDS, _LEAST_GAIN, _SURE = 0.98, 360, 0.25, 0.01


def report_of(
    readers: Readers,
    settings: PolicySettings,
    learned: SftResult,
    diary: Mapping[str, Any],
    manifests: Mapping[str, Manifest],
    *,
    data: str,
    seconds: float,
) -> dict[str, Any]:
    """The report.

    Args:
        readers: answers of all readers.
        settings: of the whole way.
        learned: how supervised training ended.
        diary: of the training with rewards.
        manifests: of the weights, by reader.
        data: SHA-256 of the data set.
        seconds: of everything until now, by the clock.
    """
    best, first = chosen(readers, seed=settings.seed)
    kept = _right(readers[GRPO][Split.RETENTION])
    gain = paired(readers[SFT][Split.GRPO_KNOWN], readers[GRPO][Split.GRPO_KNOWN], seed=settings.seed)
    goals = [
        _goal("supervised training alone on known wordings", _right(readers[SFT][Split.KNOWN]), _LEAST_KNOWN),
        {
            "goal": f"supervised training in at most {_MOST_SECONDS} s by the clock",
            "found": f"{learned.seconds:.0f} s, {learned.cpu_seconds:.0f} s of processor time",
            "reached": learned.seconds <= _MOST_SECONDS,
        },
        {
            "goal": f"rewards bring at least {_LEAST_GAIN:+} on their own wordings, paired p < {_SURE}",
            "found": f"{gain.difference:+.3f}, p = {gain.p_value:.2g}",
            "reached": gain.difference >= _LEAST_GAIN and gain.p_value < _SURE,
        },
        _goal("retention after rewards", kept, settings.least_retention),
    ]
    return {
        "first": first,
        "use": best,
        "given_out": GRPO if kept >= settings.least_retention and gain.difference > 0 else SFT,
        "rows": rows(readers),
        "pairs": pairs(readers, seed=settings.seed),
        "goals": goals,
        "training": {
            "sft": {
                "ended by": learned.ended,
                "updates": learned.updates,
                "epochs": learned.epochs,
                "seconds": round(learned.seconds, 1),
                "processor seconds": round(learned.cpu_seconds, 1),
            },
            "grpo": {
                "ended by": diary["stopped"],
                "updates": diary["updates"],
                "best at": (diary["best"] or {}).get("update"),
                "seconds": round(diary["seconds"], 1),
                "processor seconds": round(diary["cpu_seconds"], 1),
            },
        },
        "seconds": round(seconds, 1),
        "data": data,
        "settings": json.loads(settings.model_dump_json()),
        "folders": {name: {"folder": f"{MIRROR}/{one.model}", "manifest": one.digest} for name, one in manifests.items()},
    }


def _goal(goal: str, found: float, least: float) -> dict[str, Any]:
    return {"goal": f"{goal}, at least {least}", "found": f"{found:.3f}", "reached": found >= least}


def _right(answers: Sequence[Answered]) -> float:
    return sum(one.verdict is Verdict.RIGHT for one in answers) / len(answers)
