"""The arguments of TRL's configuration that a run is made with, all of them said: nothing that matters is left to a default of TRL's."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from conformed.errors import GivenValueError
from conformed_plugins.training.trl_trainer.options import ServedOptions, TrlOptions

__all__ = ["Shape", "arguments", "resumes_exactly", "shape"]


@dataclass(frozen=True, slots=True)
class Shape:
    """How the rows of an update divide."""

    accumulation: int
    """Passes of the model in an update."""
    steps_per_generation: int
    """TRL's: passes of the model that one generation feeds."""
    prompts: int
    """Prompts of a generation, over all devices."""


def shape(options: TrlOptions, processes: int = 1) -> Shape:
    """How the rows of an update divide.

    Args:
        options: the options.
        processes: devices that train together.

    Raises:
        GivenValueError: when they do not divide.
    """
    rows, at_once = options.prompts * options.group, options.microbatch * processes
    if rows % at_once:
        raise GivenValueError(
            f"An update has {options.prompts} x {options.group} = {rows} rows, and {processes} x {options.microbatch} go at once.",
            "Make prompts times group a multiple of microbatch times processes.",
        )
    steps = options.steps_per_generation * (rows // at_once)
    return Shape(rows // at_once, steps, options.prompts * options.steps_per_generation)


def resumes_exactly(options: TrlOptions, processes: int = 1) -> bool:
    """Whether a run that is taken up again makes the very updates of an uninterrupted one.

    TRL's checkpoint holds neither the rollouts of a generation nor the place within it, so only a run in which every generation
    feeds one pass, once, is exact; and only where the arithmetic is repeatable and the rollouts draw from generators that the
    checkpoint holds: one process on a CPU, nothing served.
    """
    alone = options.device == "cpu" and processes == 1 and options.served is None
    return alone and options.steps_per_generation == 1 and options.num_iterations == 1


def arguments(options: TrlOptions, *, output: Path, updates: int, seed: int, processes: int = 1) -> dict[str, Any]:
    """Keyword arguments of ``trl.GRPOConfig``.

    Args:
        options: the options.
        output: where checkpoints go.
        updates: most updates.
        seed: of data order and sampling.
        processes: devices that train together.

    Raises:
        GivenValueError: when the rows of an update do not divide.
    """
    split = shape(options, processes)
    return {
        "output_dir": str(output),
        "seed": seed,
        "data_seed": seed,
        "max_steps": updates,
        "use_cpu": options.device == "cpu",
        "bf16": options.dtype == "bfloat16",  # TRL's default is bfloat16, on a CPU too
        "fp16": False,
        # the rows
        "per_device_train_batch_size": options.microbatch,
        "gradient_accumulation_steps": split.accumulation,
        "steps_per_generation": split.steps_per_generation,
        "num_generations": options.group,
        "max_completion_length": options.max_new_tokens,
        "num_iterations": options.num_iterations,
        "dataloader_num_workers": 0,
        "dataloader_pin_memory": options.device != "cpu",
        "remove_unused_columns": False,
        "shuffle_dataset": False,  # the order is fixed for the whole run; TRL's is lost by a resume in a later pass
        # the distribution that is sampled is the one that is trained
        "temperature": 1.0,
        "top_p": 1.0,
        "top_k": 0,
        "min_p": None,
        "repetition_penalty": 1.0,
        "generation_kwargs": None,
        "disable_dropout": True,
        # the loss
        "loss_type": options.loss_type,
        "scale_rewards": options.scale_rewards,
        "multi_objective_aggregation": "sum_then_normalize",
        "importance_sampling_level": "token",
        "epsilon": options.clip_epsilon,
        "epsilon_high": options.clip_epsilon,
        "delta": None,
        "beta": options.kl_beta,
        "use_bias_correction_kl": False,  # TRL's default multiplies the distance by the ratio: another estimator
        "sync_ref_model": False,
        "mask_truncated_completions": False,
        "top_entropy_quantile": 1.0,
        "entropy_coef": 0.0,
        "off_policy_mask_threshold": None,
        # the optimiser
        "optim": "adamw_torch",
        "learning_rate": options.learning_rate,
        "lr_scheduler_type": "constant_with_warmup" if options.schedule == "constant" else options.schedule,
        "warmup_steps": options.warmup_updates,
        "weight_decay": options.weight_decay,
        "max_grad_norm": options.max_gradient_norm,
        "activation_checkpointing": options.gradient_checkpointing,
        # what is kept, and nothing that leaves the machine
        "save_strategy": "steps" if options.save_every else "no",
        "save_steps": options.save_every or 500,
        "save_total_limit": options.keep_checkpoints,
        "eval_strategy": "no",
        "logging_strategy": "steps",
        "logging_steps": 1,
        "logging_nan_inf_filter": False,
        "log_completions": False,
        "report_to": "none",
        "push_to_hub": False,
        "trust_remote_code": False,
        "disable_tqdm": True,
        **_served(options.served),
    }


def _served(served: ServedOptions | None) -> dict[str, Any]:
    if served is None:
        return {"use_vllm": False}
    found: dict[str, Any] = {
        "use_vllm": True,
        "vllm_mode": served.mode,
        "vllm_importance_sampling_correction": True,
        "vllm_importance_sampling_mode": "token_truncate",
        "vllm_importance_sampling_clip_max": served.ratio_cap,
        "vllm_importance_sampling_clip_min": None,
    }
    if served.mode == "server":
        return found | {
            "vllm_server_base_url": served.base_url,
            "vllm_group_port": served.group_port,
            "vllm_server_timeout": float(served.timeout_seconds),
        }
    return found | {
        "vllm_gpu_memory_utilization": served.memory_share,
        "vllm_tensor_parallel_size": served.tensor_parallel,
        "vllm_max_model_length": served.context,
    }
