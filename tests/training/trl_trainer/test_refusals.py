"""What a run is refused for, and what it refuses to step on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from toy_checks import by_length

from conformed.errors import ConformedError, GivenTypeError, GivenValueError, PluginError, StepError
from conformed_plugins.training.items import TrainingItem

pytestmark = pytest.mark.filterwarnings(
    r"ignore:`[a-z_]*gradient_checkpointing[a-z_]*` is deprecated:FutureWarning"
)  # TRL asks transformers by an old name

Begin = Callable[..., Any]


def trained(options: Any, run: Any, items: tuple[TrainingItem, ...], check: Any = by_length, **more: Any) -> dict[str, Any]:
    """Trains from the beginning to the end."""
    from conformed_plugins.training.trl_trainer.making import make

    return make(options).train({"run": run, "items": items, "check": check, "check_version": "toy 1", **more})


def test_a_loss_that_is_not_finite_is_refused_before_the_step(
    begin: Begin, options: Begin, items: tuple[TrainingItem, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A loss without end raises by name; no weights are left behind, and no checkpoint."""
    from trl import GRPOTrainer

    real = GRPOTrainer.compute_loss
    monkeypatch.setattr(GRPOTrainer, "compute_loss", lambda self, *given, **named: real(self, *given, **named) + float("inf"))
    run = begin()
    with pytest.raises(StepError, match="the loss is not finite"):
        trained(options(save_every=1), run, items)
    assert not (run.path / "last").exists()
    assert not list((run.path / "checkpoints").glob("checkpoint-*"))


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), 3e38])
def test_a_gradient_that_is_not_finite_makes_no_step(
    bad: float, begin: Begin, options: Begin, items: tuple[TrainingItem, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """NaN, an infinity, and numbers whose norm overflows (which clipping would quietly turn to 0) raise, and the weights stay."""
    from conformed_plugins.training.trl_trainer.policy import Policy

    kept: list[Any] = []
    real = Policy.weights

    def hooked(self: Policy) -> Any:
        model = real(self)
        model.model.norm.weight.register_hook(lambda gradient: gradient * 0 + bad)
        kept.append(model)
        return model

    monkeypatch.setattr(Policy, "weights", hooked)
    with pytest.raises(StepError, match="the gradient is not finite"):
        trained(options(), begin(), items)
    import torch

    assert torch.equal(kept[0].model.norm.weight, torch.ones(16))


def test_a_model_that_drops_out_is_refused(begin: Begin, options: Begin, items: tuple[TrainingItem, ...], tmp_path: Path) -> None:
    """TRL's own switch does not reach the drop-out of attention; such a model is refused before its weights are read."""
    from small_qwen import make_model, pin

    make_model(tmp_path / "dropping", attention_dropout=0.1)
    pinned = pin(tmp_path / "dropping")
    with pytest.raises(PluginError, match=r"drops out \(attention_dropout\)"):
        trained(options(folder=pinned.folder, manifest=pinned.manifest), begin(), items)


def test_a_model_that_pads_with_its_end_is_refused(
    begin: Begin, options: Begin, items: tuple[TrainingItem, ...], tmp_path: Path
) -> None:
    """A token of padding that ends a response is refused."""
    from small_qwen import make_model, pin

    make_model(tmp_path / "padding", pad="<|im_end|>")
    pinned = pin(tmp_path / "padding")
    with pytest.raises(PluginError, match="pads with a token that ends"):
        trained(options(folder=pinned.folder, manifest=pinned.manifest), begin(), items)


def test_a_prompt_that_leaves_no_room_is_refused_by_its_item(
    begin: Begin, options: Begin, items: tuple[TrainingItem, ...]
) -> None:
    """A prompt that would be cut off is refused with the item's id."""
    long = replace(items[0], id="f" * 16, prompt="Clause. " * 60)
    with pytest.raises(GivenValueError, match=r"f{16}.*passes the context"):
        trained(options(), begin(), (*items, long))


def test_a_plan_that_does_not_fit_is_refused(begin: Begin, options: Begin, items: tuple[TrainingItem, ...]) -> None:
    """There is no run without a folder and its plan, for another method, or with a word that nobody reads."""
    with pytest.raises(GivenTypeError, match="no run without a plan"):
        trained(options(), {"seed": 1}, items)
    with pytest.raises(GivenValueError, match="the method 'grpo'"):
        trained(options(), begin("other", method="grpo"), items)
    with pytest.raises(GivenValueError, match="evaluate_on"):
        trained(options(), begin("third"), items, evaluate_on="final")
    with pytest.raises(GivenTypeError, match="TrainingItems"):
        trained(options(), begin("fourth"), ("a question",))  # type: ignore[arg-type]
    for some in ((), items[:1] * 2):
        with pytest.raises(GivenValueError, match="ids"):
            trained(options(), begin(f"with-{len(some)}"), some)


def test_served_rollouts_ask_for_vllm(begin: Begin, options: Begin, items: tuple[TrainingItem, ...]) -> None:
    """Where vLLM is not installed, served rollouts are refused by its name."""
    import importlib.util

    if importlib.util.find_spec("vllm") is not None:
        pytest.skip("vLLM is installed")
    with pytest.raises(PluginError, match="vllm is not installed"):
        trained(options(served={"mode": "colocate"}), begin(), items)


def test_whatever_trl_raises_comes_out_as_our_error(
    begin: Begin, options: Begin, items: tuple[TrainingItem, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """An exception of the library leaves as an error of this product that names it."""
    from trl import GRPOTrainer

    def broken(*_given: object, **_named: object) -> None:
        raise IndexError("no such batch")

    monkeypatch.setattr(GRPOTrainer, "_generate", broken)
    with pytest.raises(ConformedError, match="Training failed: IndexError: no such batch"):
        trained(options(), begin(), items)
