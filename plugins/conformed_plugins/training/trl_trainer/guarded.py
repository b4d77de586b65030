"""TRL's trainer with its ways that would teach something wrong closed off. Imported only where TRL is installed.

What is TRL's: rollouts (its own or vLLM's), log-probabilities, the clipped loss, the optimiser, devices, checkpoints. What is ours:
the tokens of the prompts, the judging, the advantages and the weight of each row, and what must not lead to a step. TRL 1.16 leaves a
response without a reward out of its group's mean, and still (found by experiment, each a test):

- counts it in the loss's denominator, and pulls the policy to the reference with it;
- steps the optimiser on an update in which nothing was judged: momentum and weight decay then move the weights;
- writes the prompt and the response of such a row to the log;
- steps with a gradient that is not finite;
- divides by the sample's standard deviation, and finds ties by a spread near zero.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

os.environ["HF_HUB_OFFLINE"] = "1"  # read once, when the libraries are imported
os.environ["HF_DATASETS_OFFLINE"] = "1"
os.environ["HF_HUB_DISABLE_TELEMETRY"] = "1"
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")

import torch
from accelerate.utils import gather, gather_object
from trl import GRPOTrainer

from conformed.errors import PluginError, StepError
from conformed.model.answer import Outcome
from conformed_plugins.training.advantage import GroupedAdvantages, ragged_advantages
from conformed_plugins.training.trl_trainer.samples import Sample, Scored

__all__ = ["GuardedTrainer"]

_CLOSED = ("_calculate_rewards", "_clip_grad_norm", "_generate_and_score_completions", "_tokenize_prompts", "compute_loss")
"""What is overridden. A version of the libraries that has no such method would go its own way there."""
_REASONS = ("", str(Outcome.REVIEW), str(Outcome.ERROR))


class GuardedTrainer(GRPOTrainer):  # type: ignore[misc]
    """GRPO on TRL, guarded.

    Args:
        encode: tokens of the prompt at a place.
        judging: judges the response to the prompt at a place: place, token ids, whether it ended.
        eps: added to a group's variance.
        told: is given every generation's responses, on the main process.
        given: arguments of ``trl.GRPOTrainer``.

    Raises:
        PluginError: when TRL or transformers has lost a method that is guarded, or the run is DeepSpeed's.
    """

    def __init__(
        self,
        *,
        encode: Callable[[int], Sequence[int]],
        judging: Callable[[int, Sequence[int], bool], Sample],
        eps: float,
        told: Callable[[Scored], None],
        **given: Any,
    ) -> None:
        lost = [name for name in _CLOSED if not hasattr(GRPOTrainer, name)]
        if lost:
            raise PluginError(
                f"this TRL has no {lost[0]}, which is guarded here.",
                "Install a version named in the extra: pip install 'conformed[trl]'.",
            )
        self._encode, self._judging, self._eps, self._told = encode, judging, eps, told
        self._table: torch.Tensor | None = None
        self._rows: list[Sample] = []
        self._judged = 0
        self.outages = 0
        """Updates in a row, up to now, in which nothing was judged: they moved nothing."""
        super().__init__(reward_funcs=[_never], **given)
        if self.is_deepspeed_enabled:  # its engine steps inside the backward pass, before any guard
            raise PluginError("DeepSpeed steps where a failed update cannot be held back.", "Shard with FSDP.")

    def create_model_card(self, *_given: Any, **_named: Any) -> None:
        """Writes no card: a checkpoint is no publication."""

    def _tokenize_prompts(self, prompts: list[str]) -> tuple[list[list[int]], None, dict[str, Any]]:
        """The very tokens that the backend would read: TRL's own call would take marks in a prompt for marks of the template."""
        return [list(self._encode(int(place))) for place in prompts], None, {}

    def _calculate_rewards(
        self,
        inputs: Sequence[Mapping[str, Any]],
        prompts: Sequence[str],
        completions: object,
        completion_ids_list: Sequence[Sequence[int]],
    ) -> torch.Tensor:
        """Judges this device's responses and gathers all rewards, NaN where there is none."""
        ends = frozenset(self.eos_token_ids)
        rows = [
            self._judging(int(place), ids, bool(ids) and ids[-1] in ends)
            for place, ids in zip(prompts, completion_ids_list, strict=True)
        ]
        table = [[math.nan if one.judged.reward is None else one.judged.reward, _reason(one)] for one in rows]
        self._table = gather(torch.tensor(table, dtype=torch.float64, device=self.accelerator.device))
        self._rows = gather_object(rows)
        return self._table[:, :1].float()

    def _generate_and_score_completions(self, inputs: list[dict[str, Any]]) -> dict[str, Any]:
        """TRL's, with the advantages of the in-house trainer, and rows without a reward out of every sum."""
        self._table = None
        made: dict[str, Any] = super()._generate_and_score_completions(inputs)
        if self._table is None:
            raise StepError("TRL scored responses without the run's check.", "Install a version of TRL named in the extra.")
        rewards, size = self._table.tolist(), self.num_generations
        groups = [rewards[at : at + size] for at in range(0, len(rewards), size)]
        found = ragged_advantages(
            [[None if math.isnan(reward) else reward for reward, _ in group] for group in groups],
            self._eps,
            reasons=[[_REASONS[int(reason)] for _, reason in group] for group in groups],
        )
        if self.accelerator.is_main_process:
            self._told(Scored(tuple(self._rows), found))
        mine = slice(self.accelerator.process_index * len(inputs), (self.accelerator.process_index + 1) * len(inputs))
        advantages, kept = _weighed(found, size)
        device, mask = self.accelerator.device, made["completion_mask"]
        made["advantages"] = torch.tensor(advantages[mine], dtype=torch.float32, device=device)
        # TRL's mask of tokens that are no response's own: it takes a row out of the loss and leaves attention alone
        made["tool_mask"] = torch.tensor(kept[mine], dtype=mask.dtype, device=device)[:, None].expand_as(mask).contiguous()
        # TRL averages over all rows; what remains is averaged over the rows that remain
        made["share"] = torch.tensor(len(kept) / sum(kept) if any(kept) else 0.0, device=device)
        return made

    def compute_loss(self, model: Any, inputs: dict[str, Any], *given: Any, **named: Any) -> torch.Tensor:
        """TRL's loss over the rows that were judged.

        Raises:
            StepError: when it is not finite; nothing was stepped.
        """
        loss: torch.Tensor = super().compute_loss(model, inputs, *given, **named) * inputs["share"]
        self._judged += int(inputs["tool_mask"].any(dim=1).sum())
        if not bool(loss.isfinite()):
            raise StepError("the loss is not finite; no step was made.", "Lower the learning rate, or look at the last rollouts.")
        return loss

    def _clip_grad_norm(self, model: Any) -> Any:
        """Clips, and lets no step happen on a gradient that is not finite, or on an update in which nothing was judged."""
        norm = super()._clip_grad_norm(model)
        judged = self.accelerator.reduce(torch.tensor(self._judged, device=self.accelerator.device), reduction="sum")
        self._judged = 0
        if norm is None or not math.isfinite(float(norm)):
            model.zero_grad(set_to_none=True)
            raise StepError(
                "the gradient is not finite; no step was made.", "Lower the learning rate, or look at the last rollouts."
            )
        self.outages = self.outages + 1 if int(judged) == 0 else 0
        if self.outages:  # a weight without a gradient is passed over by AdamW: no momentum, no decay
            model.zero_grad(set_to_none=True)
        return norm


def _never(**_given: Any) -> list[float]:
    raise StepError("TRL called a reward of its own.", "Install a version of TRL named in the extra.")


_never.__name__ = "check"


def _reason(row: Sample) -> float:
    return float(_REASONS.index(str(row.judged.checked.outcome))) if row.judged.reward is None else 0.0


def _weighed(found: GroupedAdvantages, size: int) -> tuple[list[float], list[bool]]:
    """Advantages and which rows take part, flat.

    TRL gives every row one weight. Groups that lost rows have fewer, and each prompt is to weigh the same: the advantages of a group
    are scaled by what its rows lack. Without losses the factor is exactly 1.
    """
    remaining = sum(map(sum, found.kept))
    advantages: list[float] = []
    for group, kept in zip(found.advantages, found.kept, strict=True):
        factor = remaining / (found.kept_groups * sum(kept)) if group is not None else 0.0
        advantages += [factor * (one or 0.0) for one in group or (0.0,) * size]
    return advantages, [one for kept in found.kept for one in kept]
