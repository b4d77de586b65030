"""The policy's own tolerance of replays, which is wider than the trainer's."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from conformed.errors import StepError
from conformed_plugins.training.actor.settings import PolicySettings
from conformed_plugins.training.grpo.settings import GrpoSettings

pytest.importorskip("torch")


def test_the_tolerance_is_declared_and_bounded() -> None:
    """It is among the settings, so that a run with another is another run; nothing and everything are no tolerance."""
    narrow, wide = GrpoSettings(), PolicySettings().grpo
    assert (narrow.replay_tolerance, wide.replay_tolerance) == (1e-5, 2e-4)
    assert narrow.digest != GrpoSettings(replay_tolerance=2e-4).digest
    for odd in (0.0, 0.01, float("nan")):
        with pytest.raises(ValidationError):
            GrpoSettings(replay_tolerance=odd)


def test_a_difference_beyond_it_ends_the_run() -> None:
    """A rollout whose log-probabilities are 1e-4 off is refused at 1e-5 and taken at 2e-4; one that is 1e-3 off is refused at both."""
    import torch

    from conformed.model.answer import Outcome
    from conformed_plugins.training.actor.model import make_model
    from conformed_plugins.training.actor.size import ModelSize
    from conformed_plugins.training.grpo.shared.forward import score_groups
    from conformed_plugins.training.grpo.shared.layout import Group
    from conformed_plugins.training.grpo.update import learn
    from conformed_plugins.training.grpo.window import Asked, Response
    from conformed_plugins.training.items import Checked
    from conformed_plugins.training.reward import Judged

    class Twelve:
        eos_token_id, pad_token_id = 1, 0

        def __len__(self) -> int:
            return 12

    model = make_model(Twelve(), ModelSize(layers=1, hidden=16, heads=2, kv_heads=1, head_dim=8, intermediate=16), seed=0)
    prompt, said = (5, 6, 7), ((8, 9, 1), (9, 8, 1))
    with torch.no_grad():
        scored = score_groups(model, [Group(prompt, said)]).logprobs.tolist()

    def asked(off: float) -> list[Asked]:
        responses = [
            Response(
                tokens,
                tuple(value - off for value in row),
                None,
                "eos",
                Judged(Checked(outcome, format_ok=True, code="x"), reward),
            )
            for tokens, row, outcome, reward in zip(said, scored, (Outcome.CORRECT, Outcome.INCORRECT), (1.1, 0.1), strict=True)
        ]
        return [Asked(0, "item", prompt, tuple(responses))]

    settings = GrpoSettings(prompts=1, group=2)
    wide = GrpoSettings(prompts=1, group=2, replay_tolerance=2e-4)
    assert learn(model, asked(0.0), settings, first=True).gradients is not None
    assert learn(model, asked(1e-4), wide, first=True).gradients is not None
    for off, how in ((1e-4, settings), (1e-3, settings), (1e-3, wide)):
        with pytest.raises(StepError, match="at most"):
            learn(model, asked(off), how, first=True)
