"""What a response without a verdict does to the gradient: nothing, to the last digit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from conformed.model.answer import Outcome
from conformed_plugins.training.items import Checked, TrainingItem

pytestmark = pytest.mark.filterwarnings(
    r"ignore:`[a-z_]*gradient_checkpointing[a-z_]*` is deprecated:FutureWarning"
)  # TRL asks transformers by an old name

Begin = Callable[..., Any]
RIGHT, WRONG, OPEN, BROKEN = "right", "wrong", "open", "broken"
VALUE = {RIGHT: 1.0, WRONG: 0.0}


def verdicts(said: Sequence[str]) -> Callable[[TrainingItem, str], Checked]:
    """A check that says one thing after the other."""
    row = iter(said)

    def check(item: TrainingItem, response: str) -> Checked:
        what = next(row)
        if what == BROKEN:
            raise ZeroDivisionError
        return Checked({RIGHT: Outcome.CORRECT, WRONG: Outcome.INCORRECT, OPEN: Outcome.REVIEW}[what], format_ok=False, code=what)

    return check


def one_update(
    said: Sequence[str], run: Any, options: Any, items: tuple[TrainingItem, ...], monkeypatch: Any
) -> tuple[Any, Any, Any, Any]:
    """The first update's rows, gradients, model and reference, as they were before any clipping; the reference is another model."""
    import torch

    from conformed_plugins.training.trl_trainer.guarded import GuardedTrainer
    from conformed_plugins.training.trl_trainer.making import make

    seen: dict[str, Any] = {}
    generate = GuardedTrainer._generate_and_score_completions

    def generated(self: Any, inputs: Any) -> Any:
        if self.ref_model is not None:
            with torch.no_grad():
                for one in self.ref_model.parameters():
                    one += 0.05 * torch.sin(torch.arange(one.numel(), dtype=one.dtype)).view_as(one)
        seen["rows"], seen["reference"] = generate(self, inputs), self.ref_model
        return seen["rows"]

    def clipped(self: Any, model: Any) -> Any:
        seen["gradients"] = {name: one.grad.clone() for name, one in model.named_parameters() if one.grad is not None}
        seen["model"] = model
        raise KeyboardInterrupt  # before the step, so that the model is still the one that sampled

    monkeypatch.setattr(GuardedTrainer, "_generate_and_score_completions", generated)
    monkeypatch.setattr(GuardedTrainer, "_clip_grad_norm", clipped)
    with pytest.raises(KeyboardInterrupt):
        make(options).train({"run": run, "items": items, "check": verdicts(said), "check_version": "said"})
    return seen["rows"], seen["gradients"], seen["model"], seen["reference"]


def expected(said: Sequence[str], rows: Any, model: Any, reference: Any, *, beta: float) -> dict[str, Any]:
    """The gradient of the objective, written out: tokens within a response, responses within a prompt, prompts."""
    import torch

    width = rows["completion_ids"].shape[1]

    def logprobs(of: Any) -> Any:
        ids = torch.cat([rows["prompt_ids"], rows["completion_ids"]], 1)
        mask = torch.cat([rows["prompt_mask"], rows["completion_mask"]], 1)
        logits = of(input_ids=ids, attention_mask=mask, use_cache=False).logits[:, -width - 1 : -1]
        return logits.log_softmax(-1).gather(-1, rows["completion_ids"][..., None])[..., 0]

    model.zero_grad(set_to_none=True)
    now = logprobs(model)
    mask = rows["completion_mask"].bool()
    if reference is not None:
        with torch.no_grad():
            apart = logprobs(reference)
        apart = apart - now
        k3 = (torch.expm1(apart) - apart).masked_fill(~mask, 0).sum(1) / mask.sum(1)
    groups = [[at for at in range(start, start + 4) if said[at] in VALUE] for start in range(0, len(said), 4)]
    groups = [group for group in groups if len(group) > 1]
    remaining = [at for group in groups for at in group]
    loss = now.sum() * 0
    for group in groups:
        values = [VALUE[said[at]] for at in group]
        mean = sum(values) / len(values)
        spread = (sum((one - mean) ** 2 for one in values) / len(values) + 1e-6) ** 0.5
        for at, value in zip(group, values, strict=True):
            ratio = (now[at] - now[at].detach()).exp()
            loss = loss - (ratio * (value - mean) / spread)[mask[at]].mean() / len(group) / len(groups)
    if reference is not None:
        loss = loss + beta * sum(k3[at] for at in remaining) / len(remaining)
    loss.backward()
    return {name: one.grad for name, one in model.named_parameters() if one.grad is not None}


@pytest.mark.parametrize(
    "said",
    [
        (RIGHT, WRONG, WRONG, RIGHT, WRONG, WRONG, RIGHT, WRONG),
        (RIGHT, BROKEN, WRONG, RIGHT, OPEN, RIGHT, WRONG, BROKEN),
        (RIGHT, OPEN, OPEN, BROKEN, RIGHT, WRONG, WRONG, RIGHT),
        (RIGHT, RIGHT, RIGHT, OPEN, RIGHT, WRONG, WRONG, RIGHT),
    ],
    ids=["all judged", "one and two left out", "a group dropped", "a tied group keeps its weight"],
)
@pytest.mark.parametrize(("beta", "microbatch"), [(0.0, 8), (0.7, 4)], ids=["no reference", "another reference, in two passes"])
def test_the_gradient_is_that_of_the_judged_rows_alone(
    said: tuple[str, ...], beta: float, microbatch: int, begin: Begin, options: Begin, items: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """TRL's gradient equals that of the objective over the rows with a verdict, whatever was left out and however rows are split."""
    import torch

    made = options(kl_beta=beta, microbatch=microbatch)
    rows, gradients, model, reference = one_update(said, begin(), made, items, monkeypatch)
    right = expected(said, rows, model, reference, beta=beta)
    assert gradients.keys() == right.keys()
    scale = max(float(one.abs().max()) for one in right.values())
    assert scale > 1e-3
    for name, one in right.items():
        torch.testing.assert_close(gradients[name], one, rtol=1e-4, atol=1e-5 * scale)


def test_equal_rewards_teach_exactly_nothing(begin: Begin, options: Begin, items: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A tied group has gradients of exactly zero."""
    _, gradients, _, _ = one_update((WRONG,) * 8, begin(), options(), items, monkeypatch)
    assert all(bool((one == 0).all()) for one in gradients.values())


def test_a_trl_that_lacks_what_is_guarded_is_refused(
    begin: Begin, options: Begin, items: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where TRL has no such method any more, a run does not begin: the guard would be passed by."""
    from trl import GRPOTrainer

    from conformed.errors import PluginError
    from conformed_plugins.training.trl_trainer.making import make

    monkeypatch.delattr(GRPOTrainer, "_calculate_rewards")
    with pytest.raises(PluginError, match="has no _calculate_rewards"):
        make(options()).train({"run": begin(), "items": items, "check": verdicts(()), "check_version": "said"})
