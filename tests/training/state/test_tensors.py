"""Weights, optimiser and generators, to the bit."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest
import torch
from small_run import VOCABULARY, model_of, plan_of, settings_of

from conformed.errors import GivenValueError, StepError
from conformed_plugins.training.grpo.trainer import GrpoTrainer
from conformed_plugins.training.state.generators import generators, set_generators
from conformed_plugins.training.state.tensors import (
    load_optimiser,
    load_weights,
    optimiser_bytes,
    weights_bytes,
    weights_digest,
)
from conformed_plugins.training.state.trial import Trial


def test_the_generators_go_on_where_they_were() -> None:
    """Python's, NumPy's and torch's next numbers are the same after their states were put back, the second normal one too."""
    random.gauss(0, 1)
    np.random.standard_normal()
    state = generators()

    def numbers() -> list[float]:
        return [random.random(), random.gauss(0, 1), float(np.random.standard_normal()), float(torch.rand(()))]

    wanted = numbers()
    assert numbers() != wanted
    set_generators(state)
    assert numbers() == wanted


def test_an_optimiser_steps_on_as_if_nothing_had_been() -> None:
    """Weights and memory into a new model and optimiser: the next step gives the same bits."""
    first, second = model_of(), model_of(seed=9)
    optimisers = [torch.optim.AdamW(model.parameters(), lr=0.1) for model in (first, second)]

    def step(model: torch.nn.Module, optimiser: torch.optim.Optimizer) -> None:
        for number, parameter in enumerate(model.parameters()):
            parameter.grad = torch.full_like(parameter, (number % 3) - 1.0)
        optimiser.step()

    step(first, optimisers[0])
    load_weights(second, weights_bytes(first))
    load_optimiser(second, optimisers[1], optimiser_bytes(first, optimisers[0]))
    for model, optimiser in zip((first, second), optimisers, strict=True):
        step(model, optimiser)
    assert weights_digest(first) == weights_digest(second)
    assert optimiser_bytes(first, optimisers[0]) == optimiser_bytes(second, optimisers[1])


def test_weights_go_where_they_are_shared(tmp_path: Path) -> None:
    """Loading writes into the memory that is there: whoever looks at it sees the new weights."""
    model, other = model_of(), model_of(seed=9)
    seen = next(model.parameters()).detach().view(-1)
    load_weights(model, weights_bytes(other))
    assert torch.equal(seen, next(other.parameters()).view(-1))


def test_weights_of_another_model_are_refused_by_name() -> None:
    """Another width or another architecture: refused before anything is written."""
    model = model_of()
    before = weights_digest(model)
    for other in (model_of(intermediate_size=32), model_of("llama"), model_of().double()):
        with pytest.raises(GivenValueError, match="differ in"):
            load_weights(model, weights_bytes(other))
    assert weights_digest(model) == before
    wide = model_of(intermediate_size=32)
    optimiser = torch.optim.AdamW(wide.parameters())
    for parameter in wide.parameters():
        parameter.grad = torch.ones_like(parameter)
    optimiser.step()
    with pytest.raises(GivenValueError, match="no such parameter"):
        load_optimiser(model, torch.optim.AdamW(model.parameters()), optimiser_bytes(wide, optimiser))


def test_a_checkpoint_counts_only_once_a_fresh_process_said_the_same(tmp_path: Path) -> None:
    """A run whose checkpoints are tried ends with them; a trial against another model, or of a spoilt folder, refuses."""
    model = model_of()
    folder = tmp_path / "run"
    GrpoTrainer(settings_of(updates=2)).train(plan_of(folder, model=model, tried=True))
    kept = sorted((folder / "checkpoints").iterdir())
    assert [one.name for one in kept] == ["update-00000001", "update-00000002"]
    Trial(model, range(4))(kept[-1])
    with pytest.raises(StepError, match="the model says"):
        Trial(model, range(4))(kept[0])
    with pytest.raises(StepError, match="refused"):
        Trial(model_of(vocab_size=VOCABULARY + 1), range(4))(kept[-1])
    (kept[-1] / "optimiser.safetensors").write_bytes(b"")
    with pytest.raises(StepError, match="refused"):
        Trial(model, range(4))(kept[-1])
