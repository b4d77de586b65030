"""Rollouts as tensors, their replay, and rollouts in worker processes."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
import torch

from conformed.errors import StepError
from conformed_plugins.backends.decoder import Decoded, Decoder, Settings
from conformed_plugins.backends.decoder.rollout import REPLAY_TOLERANCE, check_replay, replay_logprobs, rollout_of
from conformed_plugins.backends.decoder.workers import RolloutWorkers

SETTINGS = Settings(max_new_tokens=24, stop_ids=frozenset({7, 8, 9}), samples=3, seed=2, temperature=1.0)


def test_a_rollout_is_laid_out_by_lengths() -> None:
    """Prompts are padded on the left, answers on the right, positions begin at each row's first token.

    A padding token that is also a stop token and also stands in a prompt changes no mask.
    """
    end = 9
    rows = [[Decoded((5, end), (-0.5, -0.25), (-1.0, -2.0), "eos")], [Decoded((end,), (-0.125,), (-4.0,), "eos"), Decoded((1, 2, 3), (0.0,) * 3, (-1.0,) * 3, "length")]]  # fmt: skip
    found = rollout_of([[end, 4, 6], [end]], rows, pad_id=end)
    assert found.tokens.tolist() == [[9, 4, 6, 5, 9, 9], [9, 9, 9, 9, 9, 9], [9, 9, 9, 1, 2, 3]]
    assert found.attention_mask.tolist() == [[1, 1, 1, 1, 1, 0], [0, 0, 1, 1, 0, 0], [0, 0, 1, 1, 1, 1]]
    assert found.positions.tolist() == [[0, 1, 2, 3, 4, 4], [0, 0, 0, 1, 1, 1], [0, 0, 0, 1, 2, 3]]
    assert found.response_mask.tolist() == [[True, True, False], [True, False, False], [True, True, True]]
    assert found.behaviour_logprobs.tolist() == [[-0.5, -0.25, 0.0], [-0.125, 0.0, 0.0], [0.0, 0.0, 0.0]]
    assert found.model_logprobs.tolist() == [[-1.0, -2.0, 0.0], [-4.0, 0.0, 0.0], [-1.0, -1.0, -1.0]]
    assert (found.stops, found.prompt_width) == (("eos", "eos", "length"), 3)


@pytest.mark.parametrize("pad", [0, 7])
def test_a_replay_gives_the_rollouts_log_probabilities(model: Any, prompts: list[list[int]], pad: int) -> None:
    """Replayed by the model's own pass, left padding and all, they are within 1e-5, and gradients flow into the weights.

    So they are with a padding token that is a stop token.
    """
    rollout = rollout_of(prompts, Decoder(model).decode(prompts, SETTINGS), pad_id=pad)
    replayed = replay_logprobs(model, rollout)
    assert check_replay(rollout, replayed) <= REPLAY_TOLERANCE == 1e-5
    assert torch.equal(rollout.behaviour_logprobs, rollout.model_logprobs), "at temperature 1 the two are the same"
    replayed.sum().backward()
    assert float(model.lm_head.weight.grad.abs().sum()) > 0
    model.zero_grad()


def test_a_replay_by_other_weights_is_refused(make: Any, prompts: list[list[int]]) -> None:
    """Weights that moved by a thousandth, and log-probabilities that are no numbers, are noticed."""
    model = make()
    rollout = rollout_of(prompts, Decoder(model).decode(prompts, SETTINGS), pad_id=0)
    with torch.no_grad():
        model.model.layers[0].mlp.down_proj.weight.mul_(1.001)
        moved = replay_logprobs(model, rollout)
    for wrong in (moved, torch.full_like(moved, float("nan"))):
        with pytest.raises(ValueError, match="differ"):
            check_replay(rollout, wrong)


def test_left_and_right_padding_agree(model: Any, prompts: list[list[int]]) -> None:
    """The model's logits of a row are the same padded on the left or on the right, given mask and positions."""
    width = max(map(len, prompts))
    for prompt in prompts:
        empty = [0] * (width - len(prompt))
        ones, zeros, places = [1] * len(prompt), [0] * len(empty), list(range(len(prompt)))
        with torch.no_grad():
            left = model(torch.tensor([empty + prompt]), attention_mask=torch.tensor([zeros + ones]),
                         position_ids=torch.tensor([zeros + places])).logits[0, -1]  # fmt: skip
            right = model(torch.tensor([prompt + empty]), attention_mask=torch.tensor([ones + zeros]),
                          position_ids=torch.tensor([places + zeros])).logits[0, len(prompt) - 1]  # fmt: skip
        assert float((left - right).abs().max()) < 1e-5 * float(right.abs().max())


def test_nothing_is_no_rollout() -> None:
    """No sample, and another number of prompts than of lists, are errors."""
    for prompts, rows in (([], []), ([[1]], []), ([[1]], [[]])):
        with pytest.raises(ValueError, match="sample"):
            rollout_of(prompts, rows, pad_id=0)


def test_workers_say_what_one_process_says(make: Any, prompts: list[list[int]]) -> None:
    """Two processes give, in order, what one gives.

    They follow an update of the shared weights, refuse as one process does, and are noticed when they die.
    """
    model = make()
    with RolloutWorkers(model, 2) as workers:
        assert workers.decode(prompts, SETTINGS) == Decoder(model).decode(prompts, SETTINGS)
        assert workers.decode(prompts[:1], SETTINGS, ["k"]) == Decoder(model).decode(prompts[:1], SETTINGS, ["k"])
        with torch.no_grad():
            model.model.layers[0].mlp.up_proj.weight.neg_()
        after = workers.decode(prompts, SETTINGS)
        assert after == Decoder(model).decode(prompts, SETTINGS)
        with pytest.raises(ValueError, match="outside 0 to 159"):
            workers.decode([[1], [999]], SETTINGS)
        assert workers.decode(prompts, SETTINGS) == after, "after a refusal the workers still answer, and in step"
        workers._workers[1][0].kill()
        with pytest.raises(StepError, match="died"):
            workers.decode(prompts, SETTINGS)


def test_workers_take_no_grammar(make: Any) -> None:
    """A grammar does not cross into another process, and is refused instead of ignored."""
    workers = RolloutWorkers.__new__(RolloutWorkers)
    workers._workers = []
    with pytest.raises(ValueError, match="grammar"):
        workers.decode([[1]], dataclasses.replace(SETTINGS, schema=object()))
    with pytest.raises(ValueError, match="at least 1"):
        RolloutWorkers(make(), 0)
