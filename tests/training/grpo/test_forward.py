"""Log-probabilities with the prompt shared, beside the model's own forward pass on every row by itself."""

from __future__ import annotations

import random
from typing import Any

import pytest
import torch
from small_run import VOCABULARY, model_of
from transformers import GPT2Config, GPT2LMHeadModel

from conformed.errors import GivenValueError
from conformed_plugins.training.grpo.shared.forward import plain, score_groups
from conformed_plugins.training.grpo.shared.layout import Group, layout_of

SHAPES = {
    "even": [(5, (4, 4, 4)), (5, (4, 4, 4))],
    "uneven": [(9, (5, 9, 1)), (2, (7, 2)), (17, (1,))],
    "one token each": [(1, (1, 1))],
}


def groups_of(shape: list[tuple[int, tuple[int, ...]]]) -> list[Group]:
    """Groups of some lengths."""
    numbers = random.Random(4)

    def some(length: int) -> tuple[int, ...]:
        return tuple(numbers.randrange(VOCABULARY) for _ in range(length))

    return [Group(some(prompt), tuple(some(length) for length in lengths)) for prompt, lengths in shape]


def row_by_row(model: Any, groups: list[Group]) -> list[torch.Tensor]:
    """Each response after its prompt through the model itself: the definition."""
    found = []
    for group in groups:
        for response in group.responses:
            logits = model(torch.tensor([[*group.prompt, *response]]), use_cache=False).logits[0].log_softmax(-1)
            found.append(logits[len(group.prompt) - 1 : -1].gather(-1, torch.tensor(response)[:, None])[:, 0])
    return found


def gpt2() -> Any:
    """A model of an architecture that is not known here."""
    torch.manual_seed(0)
    return GPT2LMHeadModel(
        GPT2Config(vocab_size=VOCABULARY, n_embd=16, n_layer=2, n_head=2, n_positions=64, bos_token_id=0, eos_token_id=0)
    ).eval()


MODELS = {
    "qwen": model_of,
    "llama": lambda: model_of("llama"),
    "llama, a key head each": lambda: model_of("llama", num_key_value_heads=2),
    "gpt2": gpt2,
}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("kind", MODELS)
def test_sharing_the_prompt_changes_neither_log_probabilities_nor_gradient(kind: str, shape: str) -> None:
    """In float64 both are the row-by-row pass's within 1e-6 relative; transformers norms in float32, which is what is left of it."""
    model, groups = MODELS[kind]().double(), groups_of(SHAPES[shape])
    assert bool(plain(model)) == (kind == "gpt2")
    scored, wanted = score_groups(model, groups), row_by_row(model, groups)
    assert scored.mask.sum(-1).tolist() == [len(one) for one in wanted]
    together = torch.cat(wanted)
    assert torch.allclose(scored.logprobs[scored.mask], together, rtol=0, atol=1e-6)
    assert not scored.logprobs[~scored.mask].any()
    weights = torch.randn(len(together), dtype=torch.float64, generator=torch.Generator().manual_seed(1))
    mine = torch.autograd.grad((scored.logprobs[scored.mask] * weights).sum(), list(model.parameters()))
    theirs = torch.autograd.grad((together * weights).sum(), list(model.parameters()))
    apart = sum(float((one - other).square().sum()) for one, other in zip(mine, theirs, strict=True))
    assert apart**0.5 <= 1e-6 * sum(float(one.square().sum()) for one in theirs) ** 0.5


def test_log_probabilities_in_float32() -> None:
    """In float32 they are the row-by-row pass's within 1e-5."""
    model, groups = model_of(), groups_of(SHAPES["uneven"])
    scored = score_groups(model, groups)
    assert torch.allclose(scored.logprobs[scored.mask], torch.cat(row_by_row(model, groups)), rtol=0, atol=1e-5)


def test_the_prompt_is_run_once() -> None:
    """The tokens that run through the model are each prompt's once, and each response's without its last."""
    layout = layout_of(groups_of(SHAPES["uneven"]))
    assert len(layout.tokens) == (9 + 2 + 17) + (4 + 8 + 0) + (6 + 1) + 0
    assert len(layout.targets) == (5 + 9 + 1) + (7 + 2) + 1


def test_bug_18_a_longer_neighbour_changes_nothing() -> None:
    """Bug report 18: a prompt alone and beside a longer one have the same log-probabilities."""
    model, groups = model_of(), groups_of(SHAPES["uneven"])
    together, counted = score_groups(model, groups), 0
    for group in groups:
        alone = score_groups(model, [group])
        for row in range(len(group.responses)):
            wanted = alone.logprobs[row][alone.mask[row]]
            found = together.logprobs[counted][together.mask[counted]]
            assert torch.allclose(found, wanted, rtol=0, atol=1e-5)
            counted += 1


def test_reference_and_current_policy_of_the_same_weights_agree_to_the_bit() -> None:
    """Scored with and without gradients, the same weights give the same bits: a KL of exactly 0."""
    model, groups = model_of(), groups_of(SHAPES["uneven"])
    with torch.no_grad():
        still = score_groups(model, groups).logprobs
    assert torch.equal(still, score_groups(model, groups).logprobs)


@pytest.mark.parametrize("groups", [[], [Group((), ((1,),))], [Group((1,), ())], [Group((1,), ((1,), ()))]])
def test_nothing_to_score_is_refused(groups: list[Group]) -> None:
    """No group, no prompt, no response, or an empty one is refused."""
    with pytest.raises(GivenValueError):
        score_groups(model_of(), groups)
