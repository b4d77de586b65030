"""Options, and what TRL is told."""

from __future__ import annotations

import dataclasses
import importlib.util
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from conformed.errors import GivenValueError, PluginError
from conformed_plugins.training.trl_trainer.arguments import arguments, resumes_exactly, shape
from conformed_plugins.training.trl_trainer.options import TrlOptions


def options(**more: Any) -> TrlOptions:
    """Options of a model that is not there."""
    return TrlOptions(**{"folder": Path("model"), "manifest": "0" * 64, "dtype": "float32", "device": "cpu"} | more)


@pytest.mark.parametrize(
    "wrong",
    [
        {"temperature": 0.6},
        {"top_p": 0.9},
        {"group": 1},
        {"group": "8"},
        {"prompts": 2.5},
        {"clip_epsilon": 1},
        {"kl_beta": -0.1},
        {"kl_beta": float("nan")},
        {"advantage_eps": 0},
        {"loss_type": "dapo"},
        {"scale_rewards": "batch"},
        {"max_gradient_norm": 0},
        {"manifest": "latest"},
        {"served": {"mode": "server"}},
        {"served": {"mode": "colocate", "base_url": "http://localhost:8000"}},
        {"served": {"mode": "server", "base_url": "file:///etc/passwd"}},
    ],
    ids=str,
)
def test_what_is_unknown_or_out_of_range_is_refused(wrong: dict[str, Any]) -> None:
    """Sampling cannot be tempered or cut, losses cannot be swapped silently, and numbers have their ranges and types."""
    with pytest.raises(ValidationError):
        options(**wrong)


def told(made: TrlOptions, **more: Any) -> dict[str, Any]:
    """What TRL is told of a run of five updates."""
    return arguments(made, **{"output": Path("out"), "updates": 5, "seed": 7, **more})


def test_what_would_teach_something_else_is_said_to_trl() -> None:
    """The sampled distribution is the model's own, KL is the plain estimate, nothing is reported, and numbers are as asked."""
    said = told(options(clip_epsilon=0.1, kl_beta=0.02, num_iterations=2))
    assert (said["temperature"], said["top_p"], said["top_k"], said["min_p"], said["repetition_penalty"]) == (
        1.0,
        1.0,
        0,
        None,
        1.0,
    )
    assert (said["epsilon"], said["epsilon_high"], said["beta"], said["num_iterations"]) == (0.1, 0.1, 0.02, 2)
    assert (said["loss_type"], said["scale_rewards"], said["use_bias_correction_kl"]) == ("grpo", "group", False)
    assert (said["report_to"], said["push_to_hub"], said["trust_remote_code"], said["log_completions"]) == (
        "none",
        False,
        False,
        False,
    )
    assert (said["bf16"], said["use_cpu"], said["disable_dropout"]) == (False, True, True)
    assert told(options(dtype="bfloat16", device="cuda"))["bf16"] is True


def test_served_rollouts_are_passed_on() -> None:
    """The settings of vLLM reach TRL, with the correction of the ratio on."""
    server = told(options(served={"mode": "server", "base_url": "http://10.0.0.5:8000", "ratio_cap": 2.0}))
    assert (server["use_vllm"], server["vllm_mode"], server["vllm_server_base_url"]) == (True, "server", "http://10.0.0.5:8000")
    assert (server["vllm_importance_sampling_correction"], server["vllm_importance_sampling_clip_max"]) == (True, 2.0)
    beside = told(options(served={"mode": "colocate", "memory_share": 0.4, "tensor_parallel": 2, "context": 4096}))
    assert (beside["vllm_gpu_memory_utilization"], beside["vllm_tensor_parallel_size"], beside["vllm_max_model_length"]) == (
        0.4,
        2,
        4096,
    )


@pytest.mark.skipif(importlib.util.find_spec("trl") is None, reason="trl is not installed: pip install 'conformed[trl]'")
@pytest.mark.parametrize(
    "more", [{}, {"served": {"mode": "colocate"}}, {"served": {"mode": "server", "base_url": "http://localhost:1"}}]
)
def test_trl_knows_every_name(more: dict[str, Any]) -> None:
    """No argument is misspelt: each is a field of TRL's configuration."""
    from trl import GRPOConfig

    assert set(told(options(**more))) <= {one.name for one in dataclasses.fields(GRPOConfig)}


@given(
    prompts=st.integers(1, 40),
    group=st.integers(2, 16),
    microbatch=st.integers(1, 64),
    processes=st.integers(1, 8),
    steps=st.integers(1, 4),
)
def test_rows_divide_or_are_refused(prompts: int, group: int, microbatch: int, processes: int, steps: int) -> None:
    """An update is whole passes of all devices and a generation whole updates, or the settings are refused: no row is dropped."""
    made = options(prompts=prompts, group=group, microbatch=microbatch, steps_per_generation=steps)
    if prompts * group % (microbatch * processes):
        with pytest.raises(GivenValueError, match="multiple of microbatch"):
            shape(made, processes)
        return
    split = shape(made, processes)
    assert split.accumulation * microbatch * processes == prompts * group
    assert split.steps_per_generation * microbatch * processes == split.prompts * group
    assert split.prompts == prompts * steps


@pytest.mark.parametrize(
    ("more", "processes"),
    [
        ({"steps_per_generation": 2}, 1),
        ({"num_iterations": 2}, 1),
        ({"device": "cuda"}, 1),
        ({"served": {"mode": "colocate"}}, 1),
        ({}, 2),
    ],
)
def test_only_what_was_shown_to_be_exact_is_called_exact(more: dict[str, Any], processes: int) -> None:
    """One generation an update, used once, by one process on a CPU: anything else is not promised."""
    assert resumes_exactly(options())
    assert not resumes_exactly(options(**more), processes)


def test_without_trl_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where TRL is not installed, making the trainer says what to install; its options can still be read."""
    from conformed_plugins.training.trl_trainer.making import make

    for name in [
        one for one in sys.modules if one == "trl" or one.startswith(("trl.", "conformed_plugins.training.trl_trainer."))
    ]:
        if not name.endswith((".options", ".making")):
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "trl", None)
    with pytest.raises(PluginError, match=r"trl is not installed.*conformed\[trl\]"):
        make(options())
