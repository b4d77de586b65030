"""Sequence log-probability: the right numbers, every refusal, and nothing from positions that are not scored."""

from __future__ import annotations

import math
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="needs the extra ml")

from conformed_plugins.scorers import likelihood  # noqa: E402 - after the check that torch is there
from conformed_plugins.scorers.likelihood import (  # noqa: E402
    length_penalised,
    sequence_logprobs,
    terminal_logprobs,
    token_logprobs,
)


def _plain(logits: Any, ids: Any, mask: Any) -> list[float]:
    """The sums, worked by plain arithmetic in double precision."""
    sums = []
    for row, names, wanted in zip(logits.tolist(), ids.tolist(), mask.tolist(), strict=True):
        total = 0.0
        for place in range(1, len(names)):
            if wanted[place]:
                total += row[place - 1][names[place]] - math.log(sum(math.exp(one) for one in row[place - 1]))
        sums.append(total)
    return sums


def _case(batch: int = 3, length: int = 6, words: int = 7) -> tuple[Any, Any, Any]:
    torch.manual_seed(5)
    mask = torch.zeros(batch, length, dtype=torch.bool)
    mask[0, 1:] = True  # everything after the first token
    mask[1, 2:4] = True  # padded on the right
    mask[2, 4:] = True  # padded on the left
    return torch.randn(batch, length, words), torch.randint(0, words, (batch, length)), mask


def test_two_tokens_by_hand() -> None:
    """Logits 0 and ln 3 give 3/4 to the second word; a uniform row of two gives 1/2: their logarithms are summed."""
    logits = torch.tensor([[[0.0, math.log(3)], [1.0, 1.0], [9.0, 9.0]]])
    got = sequence_logprobs(logits, torch.tensor([[0, 1, 0]]), torch.tensor([[False, True, True]]))
    assert got.sum_logprob.item() == pytest.approx(math.log(3 / 4) + math.log(1 / 2), rel=1e-6)
    assert got.mean_logprob.item() == pytest.approx(math.log(3 / 8) / 2, rel=1e-6)
    assert got.token_count.tolist() == [2]


def test_one_token() -> None:
    """Of one token sum and mean are the same number."""
    got = sequence_logprobs(torch.tensor([[[2.0, 0.0], [0.0, 0.0]]]), torch.tensor([[1, 0]]), torch.tensor([[0, 1]]))
    assert got.sum_logprob.item() == got.mean_logprob.item() == pytest.approx(-math.log(1 + math.exp(-2)), rel=1e-6)


def test_ragged_rows_padded_left_and_right() -> None:
    """Rows of different lengths in one batch each get what they get alone."""
    logits, ids, mask = _case()
    got = sequence_logprobs(logits, ids, mask)
    assert got.token_count.tolist() == [5, 2, 2]
    assert got.sum_logprob.tolist() == pytest.approx(_plain(logits, ids, mask), rel=1e-5)
    for row in range(3):
        alone = sequence_logprobs(logits[row : row + 1], ids[row : row + 1], mask[row : row + 1])
        assert alone.sum_logprob.item() == got.sum_logprob[row].item()


def test_the_vectors(vectors: Any) -> None:
    """The cases with right answers agree."""
    for one in vectors("sequence_scores"):
        got = sequence_logprobs(torch.tensor(one["logits"]), torch.tensor(one["input_ids"]), torch.tensor(one["response_mask"]))
        assert got.sum_logprob.tolist() == pytest.approx(one["sum"], rel=1e-5, abs=1e-5)
        assert got.mean_logprob.tolist() == pytest.approx(one["mean"], rel=1e-5, abs=1e-5)
        assert got.token_count.tolist() == one["count"]


@pytest.mark.parametrize("odd", [math.nan, math.inf, -math.inf])
def test_nothing_from_unscored_positions(odd: float) -> None:
    """NaN and infinities in prompt and padding leave every score and every gradient as it was, and padding ids may be -100."""
    logits, ids, mask = _case()
    scored = torch.cat([mask[:, 1:], torch.zeros(3, 1, dtype=torch.bool)], dim=1)
    clean, dirty = logits.clone().requires_grad_(), logits.clone()
    dirty[~scored] = odd
    dirty.requires_grad_()
    ids_dirty = torch.where(mask, ids, torch.full_like(ids, -100))
    one, other = sequence_logprobs(clean, ids, mask), sequence_logprobs(dirty, ids_dirty, mask)
    assert torch.equal(one.sum_logprob, other.sum_logprob)
    one.mean_logprob.sum().backward()
    other.mean_logprob.sum().backward()
    assert torch.equal(clean.grad, dirty.grad)
    assert bool((dirty.grad[~scored] == 0).all())


def test_the_gradient_is_that_of_log_softmax() -> None:
    """Backward agrees with torch's own log softmax on the same case."""
    logits, ids, mask = _case()
    ours, theirs = logits.clone().requires_grad_(), logits.clone().requires_grad_()
    (sequence_logprobs(ours, ids, mask).sum_logprob * torch.tensor([1.0, -2.0, 3.0])).sum().backward()
    picked = theirs[:, :-1].log_softmax(-1).gather(-1, ids[:, 1:].unsqueeze(-1)).squeeze(-1) * mask[:, 1:]
    (picked.sum(1) * torch.tensor([1.0, -2.0, 3.0])).sum().backward()
    torch.testing.assert_close(ours.grad, theirs.grad, rtol=1e-5, atol=1e-6)


def test_half_precision_is_accumulated_in_float32() -> None:
    """bfloat16 logits give the float32 result of the same values, not one that was rounded on the way."""
    torch.manual_seed(1)
    logits = torch.randn(1, 400, 50).to(torch.bfloat16)
    ids, mask = torch.randint(0, 50, (1, 400)), torch.ones(1, 400, dtype=torch.bool)
    mask[0, 0] = False
    got = sequence_logprobs(logits, ids, mask)
    assert got.sum_logprob.dtype == torch.float32
    assert got.sum_logprob.item() == pytest.approx(_plain(logits.float(), ids, mask)[0], rel=1e-5)


def test_pieces_do_not_show(monkeypatch: pytest.MonkeyPatch) -> None:
    """However few positions are worked on at a time, scores and gradients are the same."""
    logits, ids, mask = _case()
    whole, pieces = logits.clone().requires_grad_(), logits.clone().requires_grad_()
    one = sequence_logprobs(whole, ids, mask)
    one.sum_logprob.sum().backward()
    monkeypatch.setattr(likelihood, "_CELLS", {"cpu": 1})
    other = sequence_logprobs(pieces, ids, mask)
    other.sum_logprob.sum().backward()
    torch.testing.assert_close(one.sum_logprob, other.sum_logprob)
    torch.testing.assert_close(whole.grad, pieces.grad)


def test_no_second_full_tensor(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither forward nor what is kept for backward holds a further tensor as large as the logits."""
    from torch.utils._python_dispatch import TorchDispatchMode

    made: list[int] = []

    class Watch(TorchDispatchMode):
        def __torch_dispatch__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            result = function(*args, **(kwargs or {}))
            made.extend(one.numel() for one in (result if isinstance(result, tuple) else (result,)) if torch.is_tensor(one))
            return result

    monkeypatch.setattr(likelihood, "_CELLS", {"cpu": 1000})
    logits, ids = torch.randn(4, 64, 100, requires_grad=True), torch.randint(0, 100, (4, 64))
    mask = torch.ones(4, 64, dtype=torch.bool)
    mask[:, 0] = False
    with Watch():
        got = sequence_logprobs(logits, ids, mask)
    assert max(made) <= 1000
    kept = [one for one in got.sum_logprob.grad_fn.next_functions[0][0].next_functions[1][0].saved_tensors if one.numel() >= 1000]
    assert [one.data_ptr() for one in kept] == [logits.data_ptr()]


def _given() -> dict[str, Any]:
    return {
        "logits": torch.zeros(1, 3, 4),
        "input_ids": torch.tensor([[0, 1, 2]]),
        "response_mask": torch.tensor([[False, True, True]]),
    }


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("logits", torch.zeros(3, 4), "logits is no"),
        ("logits", torch.zeros(1, 3, 4, dtype=torch.int64), "logits is no"),
        ("logits", torch.zeros(2, 3, 4), "shapes"),
        ("logits", torch.zeros(1, 4, 4), "shapes"),
        ("logits", torch.full((1, 3, 4), math.nan), "not finite"),
        ("logits", torch.tensor([[[0.0, -math.inf], [0.0, 0.0], [0.0, 0.0]]]), "vocabulary"),
        ("logits", torch.tensor([[[0.0, -math.inf, 0.0], [0.0] * 3, [0.0] * 3]]), "not finite"),
        ("input_ids", torch.tensor([[0.0, 1.0, 2.0]]), "input_ids is no"),
        ("input_ids", torch.tensor([[0, 1, 4]]), "outside the vocabulary"),
        ("input_ids", torch.tensor([[0, 1, -100]]), "outside the vocabulary"),
        ("input_ids", [[0, 1, 2]], "input_ids is no"),
        ("response_mask", torch.tensor([[False, True]]), "shapes"),
        ("response_mask", torch.tensor([[True, True, True]]), "position 0"),
        ("response_mask", torch.tensor([[False, False, False]]), "no response token"),
        ("response_mask", torch.tensor([[0, 1, 2]]), "other than 0 and 1"),
        ("response_mask", torch.tensor([[0.0, math.nan, 1.0]]), "other than 0 and 1"),
        ("response_mask", torch.tensor([False, True, True]), "no tensor of"),
    ],
)
def test_refusals(name: str, value: Any, said: str) -> None:
    """Each input that cannot be scored is refused by what is wrong with it."""
    with pytest.raises(ValueError, match=said):
        sequence_logprobs(**{**_given(), name: value})


def test_a_sequence_of_one_is_refused() -> None:
    """One token has nothing before it that scores it."""
    with pytest.raises(ValueError, match="fewer than 2"):
        sequence_logprobs(torch.zeros(1, 1, 4), torch.tensor([[0]]), torch.tensor([[False]]))


def test_one_empty_row_refuses_the_batch() -> None:
    """A batch with one response that is empty is refused whole; no row gets an invented score."""
    logits, ids, mask = _case()
    mask[1] = False
    with pytest.raises(ValueError, match="no response token"):
        sequence_logprobs(logits, ids, mask)


def test_the_final_field_alone() -> None:
    """The terminal score is the sum over its own tokens; a field outside the response is refused."""
    logits, ids, mask = _case()
    tokens = token_logprobs(logits, ids, mask)
    field = mask.clone()
    field[0, :4] = False
    got = terminal_logprobs(logits, ids, mask, field)
    assert got.token_count.tolist() == [2, 2, 2]
    assert got.sum_logprob[0].item() == pytest.approx(tokens[0, 3:].sum().item(), rel=1e-6)
    outside = torch.zeros_like(mask)
    outside[:, 1:] = True
    with pytest.raises(ValueError, match="outside the response"):
        terminal_logprobs(logits, ids, mask, outside)


@pytest.mark.parametrize(("alpha", "below"), [(0, 1.0), (1, 10 / 6)])
def test_length_penalty_by_hand(alpha: float, below: float) -> None:
    """Five tokens: alpha 0 is the sum, alpha 1 divides it by 10/6."""
    logits, ids, mask = _case()
    got = sequence_logprobs(logits, ids, mask)
    assert length_penalised(got, alpha)[0].item() == pytest.approx(got.sum_logprob[0].item() / below, rel=1e-6)


@pytest.mark.parametrize("alpha", [-0.1, 1.1, math.nan, True])
def test_length_penalty_refuses(alpha: float) -> None:
    """An alpha outside 0 to 1 is refused."""
    logits, ids, mask = _case()
    with pytest.raises(ValueError, match="alpha"):
        length_penalised(sequence_logprobs(logits, ids, mask), alpha)
