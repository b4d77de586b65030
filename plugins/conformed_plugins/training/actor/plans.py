"""The plans of the two runs on the way to a policy: what each is for, what is expected of it, what ends it."""

from __future__ import annotations

import json
import math

from conformed_plugins.training.actor.settings import PolicySettings
from conformed_plugins.training.grpo.settings import GrpoSettings
from conformed_plugins.training.runs.plan import RunPlan
from conformed_plugins.training.sft.settings import SftSettings

__all__ = ["grpo_plan", "sft_plan"]


def sft_plan(settings: PolicySettings, how: SftSettings, data: str) -> RunPlan:
    """The plan of supervised training.

    Args:
        settings: of the whole way.
        how: of this run, with its seconds.
        data: SHA-256 of the data set.
    """
    return RunPlan(
        objective=f"Copy the fields of known wordings with fresh values: {how.enough} exact on held-out items, a fifth of them of the retention set.",
        hypothesis="A network that has learned to look for a token's earlier place copies values that it never saw.",
        method="sft",
        cap_updates=how.cap_updates,
        cap_seconds=math.ceil(how.cap_seconds or 1),
        stop_rules=(f"{how.enough} exact on the held-out items in {how.times} evaluations in a row.",),
        checkpoint_rule="The last weights: the rates have fallen by then.",
        seed=settings.seed,
        data_digest=data,
        settings=json.loads(how.model_dump_json()),
    )


def grpo_plan(settings: PolicySettings, how: GrpoSettings, data: str) -> RunPlan:
    """The plan of training with rewards."""
    return RunPlan(
        objective="At least +0.25 exact on wordings that supervised training never saw, and at least 0.95 on the retention set.",
        hypothesis="Rewards move the policy on new wordings; old wordings among the prompts and the distance to the reference keep the rest.",
        method="grpo",
        cap_updates=how.updates,
        cap_seconds=math.ceil(how.cap_seconds or 1),
        stop_rules=how.stop_rules or ("The cap alone.",),
        checkpoint_rule=f"The most exact on {settings.choosing} items each of known and of grpo_known, which the report never looks at.",
        seed=settings.seed,
        data_digest=data,
        settings=json.loads(how.model_dump_json()),
    )
