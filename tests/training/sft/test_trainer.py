"""Supervised training: gradients that no cut changes, an end by criterion, an end of answers that is learned, runs that go on."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import torch

from conformed.errors import GivenValueError, StepError
from conformed.model.answer import Outcome
from conformed_plugins.training.items import Checked, Split, TrainingItem
from conformed_plugins.training.sft.greedy import exact, greedy
from conformed_plugins.training.sft.settings import SftSettings
from conformed_plugins.training.sft.trainer import SftTrainer, gradient_of
from conformed_plugins.training.synth.checking import check

if TYPE_CHECKING:
    from conformed_plugins.training.grpo.codec import ChatCodec
    from conformed_plugins.training.sft.batches import Example

Network = Callable[..., Any]
QUICK = {"batch": 8, "window": 2, "threads": 1, "microbatches": 1, "warmup_updates": 2, "max_new_tokens": 8}


def right(item: TrainingItem, text: str) -> Checked:
    """A check that takes everything."""
    return Checked(Outcome.CORRECT, format_ok=True, code="taken")


def wrong(item: TrainingItem, text: str) -> Checked:
    """A check that takes nothing."""
    return Checked(Outcome.INCORRECT, format_ok=False, code="refused")


@pytest.fixture
def train(
    items: tuple[TrainingItem, ...], examples: tuple[Example, ...], codec: ChatCodec, tokenizer: Any
) -> Callable[..., SftTrainer]:
    """Makes a trainer on the 64 examples, with four other items as the sample."""

    def make(model: Any, judge: Any = wrong, *, pad_id: int | None = tokenizer.pad_token_id, **given: Any) -> SftTrainer:
        more = {name: given.pop(name) for name in ("checkpoints", "clock", "record", "sample") if name in given}
        sample = more.pop("sample", items[64:68])
        settings = SftSettings(**{**QUICK, **given})
        return SftTrainer(model, codec, examples, sample, judge, settings, pad_id=pad_id, tokenizer=tokenizer, **more)

    return make


def bits(model: Any) -> list[bytes]:
    """Every parameter's bytes."""
    return [one.detach().numpy().tobytes() for one in model.parameters()]


@pytest.mark.parametrize("cut", [2, 3, 4, 8])
def test_the_gradient_does_not_depend_on_the_cut(cut: int, network: Network, examples: tuple[Example, ...]) -> None:
    """However a batch is cut, loss and gradient are those of the whole, to 1e-6 of the gradient's size."""
    model = network()
    whole, loss, tokens = gradient_of(model, examples[:8], microbatches=1, threads=1)
    parts, again, counted = gradient_of(model, examples[:8], microbatches=cut, threads=1)
    size = torch.cat([one.flatten() for one in whole]).norm()
    apart = torch.cat([(one - two).flatten() for one, two in zip(whole, parts, strict=True)]).norm()
    assert apart < 1e-6 * size
    assert abs(loss - again) < 1e-6
    assert tokens == counted == sum(len(one.answer) for one in examples[:8])


def test_threads_change_no_bit(network: Network, examples: tuple[Example, ...]) -> None:
    """Two threads on the same parts give the same bits."""
    model = network()
    one, two = (gradient_of(model, examples[:8], microbatches=4, threads=threads) for threads in (1, 2))
    assert one[1] == two[1]
    assert all(torch.equal(a, b) for a, b in zip(one[0], two[0], strict=True))


def test_it_is_the_loss_that_the_library_computes(network: Network, examples: tuple[Example, ...], tokenizer: Any) -> None:
    """Loss and gradient are those of the model's own forward pass with prompt and padding ignored, and the end among the labels."""
    model, batch = network(), examples[:5]
    width = max(one.length for one in batch)
    ids = torch.full((5, width), tokenizer.pad_token_id)
    labels, there = torch.full((5, width), -100), torch.zeros((5, width), dtype=torch.int64)
    for row, one in enumerate(batch):
        ids[row, : one.length] = torch.tensor([*one.prompt, *one.answer])
        labels[row, len(one.prompt) : one.length] = torch.tensor(one.answer)
        there[row, : one.length] = 1
    loss = model(input_ids=ids, attention_mask=there, labels=labels).loss
    expected = torch.autograd.grad(loss, list(model.parameters()))
    found, mine, _ = gradient_of(model, batch, microbatches=1, threads=1)
    assert abs(mine - loss.item()) < 1e-5
    assert all(torch.allclose(a, b, atol=1e-6, rtol=1e-3) for a, b in zip(expected, found, strict=True))


def test_one_row_learned_ends_by_itself(
    network: Network,
    examples: tuple[Example, ...],
    items: tuple[TrainingItem, ...],
    codec: ChatCodec,
    tokenizer: Any,
    tmp_path: Path,
) -> None:
    """Trained on one row to a loss under 0.01, the policy says the row's answer and stops by the end: in training and in the backend."""
    from conformed.mirror.manifest import TrainedSource
    from conformed_plugins.backends.options import TransformersOptions
    from conformed_plugins.backends.transformers_backend.backend import TransformersBackend
    from conformed_plugins.training.actor.pinning import pinned_weights

    model, losses = network(), []
    settings = SftSettings(
        **{
            **QUICK,
            "batch": 1,
            "window": 1,
            "cap_updates": 60,
            "evaluate_every": 100,
            "altered": 0.0,
            "matrix_rate": 0.02,
            "other_rate": 0.02,
        }
    )
    SftTrainer(
        model, codec, examples[:1], items[64:65], wrong, settings, pad_id=tokenizer.pad_token_id,
        record=lambda _update, figures: losses.append(figures["loss"]),
    ).run()  # fmt: skip
    assert losses[-1] < 0.01
    (said,) = greedy(model, codec, items[:1], check, max_new_tokens=100)
    assert (said.text, said.stop, said.tokens) == (items[0].answer, "eos", len(examples[0].answer))
    assert exact((said,)) == 1.0
    source = TrainedSource(run="row", data="0" * 64, plan="0" * 64)
    manifest = pinned_weights(model, tokenizer, tmp_path / "row", name="row", source=source, card="# row\n")
    backend = TransformersBackend(
        TransformersOptions(folder=tmp_path / "row", manifest=manifest.digest, dtype="float32", device="cpu", threads=1)
    )
    assert not backend.facts.pad_is_stop
    ((completion,),) = backend.generate([items[0].prompt], samples=1, seed=0, options={"max_tokens": 100})
    assert (completion.text, completion.stop) == (items[0].answer, "eos")


def test_padding_that_ends_is_refused(train: Callable[..., SftTrainer], network: Network, tokenizer: Any) -> None:
    """A padding token among those that end, or none, is refused before anything is learned."""
    for pad in (tokenizer.eos_token_id, None):
        with pytest.raises(GivenValueError, match="padding"):
            train(network(), pad_id=pad)


def test_an_example_without_an_end_is_refused(
    network: Network, examples: tuple[Example, ...], items: tuple[TrainingItem, ...], codec: ChatCodec, tokenizer: Any
) -> None:
    """An answer whose end was left out would never teach to end."""
    from dataclasses import replace

    cut = [replace(one, answer=one.answer[:-1]) for one in examples[:8]]
    with pytest.raises(GivenValueError, match="does not end"):
        SftTrainer(network(), codec, cut, items[64:65], wrong, SftSettings(**QUICK), pad_id=tokenizer.pad_token_id)


def test_a_held_out_item_that_is_learned_is_refused(
    train: Callable[..., SftTrainer], network: Network, items: tuple[TrainingItem, ...]
) -> None:
    """The criterion is measured on other items than are learned; no items at all measure nothing."""
    with pytest.raises(GivenValueError, match="1 items of the sample are learned"):
        train(network(), sample=items[63:66])
    with pytest.raises(GivenValueError, match="no item to measure"):
        train(network(), sample=())


def test_a_row_that_the_context_does_not_hold_is_refused(train: Callable[..., SftTrainer], network: Network) -> None:
    """A row is learned whole or not at all."""
    model = network()
    model.config.max_position_embeddings = 40
    with pytest.raises(GivenValueError, match="context 40"):
        train(model)


def test_it_ends_when_the_criterion_is_met_twice(train: Callable[..., SftTrainer], network: Network) -> None:
    """Reached at two evaluations in a row, training ends there, and not before."""
    result = train(network(), right, evaluate_every=3, times=2, cap_updates=50).run()
    assert (result.ended, result.updates, result.history) == ("criterion", 6, ((3, 1.0), (6, 1.0)))
    assert result.reached


def test_once_is_not_twice_in_a_row(train: Callable[..., SftTrainer], network: Network) -> None:
    """An evaluation below the criterion begins the count anew."""
    calls = iter([right, wrong, right, right])

    def turns(item: TrainingItem, text: str) -> Checked:
        nonlocal left, now
        if not left:
            left, now = 4, next(calls)
        left -= 1
        return now(item, text)

    left, now = 0, wrong
    result = train(network(), turns, evaluate_every=1, times=2, cap_updates=50).run()
    assert [share for _, share in result.history] == [1.0, 0.0, 1.0, 1.0]
    assert result.ended == "criterion"


def test_a_cap_is_no_success(train: Callable[..., SftTrainer], network: Network) -> None:
    """A run that ends by updates or seconds says so and has not met the criterion."""
    result = train(network(), cap_updates=4, evaluate_every=2).run()
    assert (result.ended, result.updates, result.reached) == ("cap_updates", 4, False)
    ticks = iter(range(0, 1000, 10))
    result = train(network(), cap_seconds=25.0, clock=lambda: next(ticks)).run()
    assert (result.ended, result.reached) == ("cap_seconds", False)
    assert result.updates == 3


def test_rates_by_hand() -> None:
    """The rates rise over the warm-up, hold, and once they fall, fall in a straight line to a fiftieth."""
    settings = SftSettings(warmup_updates=4, decay_updates=10)
    assert [settings.share(update, None) for update in (1, 2, 4, 100)] == [0.25, 0.5, 1.0, 1.0]
    assert [settings.share(update, 20) for update in (20, 25, 30, 99)] == [1.0, 0.5, 0.02, 0.02]


def test_the_rates_fall_from_the_evaluation_that_is_good_enough(train: Callable[..., SftTrainer], network: Network) -> None:
    """With everything right at update 2, the third update is made at a lower rate."""
    rates: list[float] = []
    train(
        network(), right, evaluate_every=2, times=3, decay_at=0.5, decay_updates=4, cap_updates=9, matrix_rate=0.01,
        record=lambda _update, figures: rates.append(figures["learning_rate"]),
    ).run()  # fmt: skip
    assert rates == pytest.approx([0.005, 0.01, 0.0075, 0.005, 0.0025, 0.0002])


def test_a_loss_that_is_no_number_makes_no_step(train: Callable[..., SftTrainer], network: Network) -> None:
    """Weights that are not finite are refused at the first update, and nothing is changed."""
    model = network()
    with torch.no_grad():
        model.model.layers[0].mlp.down_proj.weight[0, 0] = float("nan")
    before = bits(model)
    with pytest.raises(StepError, match="Update 1 was not made"):
        train(model, cap_updates=3).run()
    assert bits(model) == before


def test_the_same_run_gives_the_same_bits(train: Callable[..., SftTrainer], network: Network) -> None:
    """Twice the same settings, twice the same weights; another seed gives others."""
    found = []
    for seed in (0, 0, 1):
        model = network()
        train(model, cap_updates=4, evaluate_every=2, seed=seed).run()
        found.append(bits(model))
    assert found[0] == found[1] != found[2]


@pytest.mark.parametrize("optimiser", ["muon", "adamw"])
def test_a_run_taken_up_goes_on_to_the_bit(
    optimiser: str, train: Callable[..., SftTrainer], network: Network, tmp_path: Path
) -> None:
    """Stopped after three or five updates and taken up by other objects, the run ends with the weights and the history of one that never stopped."""
    how: dict[str, Any] = {"evaluate_every": 2, "save_every": 1, "decay_at": 0.1, "optimiser": optimiser}
    straight = network()
    whole = train(straight, right, cap_updates=7, times=9, **how).run()
    for stop in (3, 5):
        folder = tmp_path / f"{optimiser}{stop}"
        train(network(), right, cap_updates=stop, times=9, checkpoints=folder, **how).run()
        model = network(9)
        again = train(model, right, cap_updates=7, times=9, checkpoints=folder, **how)
        assert again.resume()
        assert again.counters.update == stop
        result = again.run()
        assert bits(model) == bits(straight)
        assert result.history == whole.history


def test_a_torn_state_is_passed_over(train: Callable[..., SftTrainer], network: Network, tmp_path: Path) -> None:
    """Where the last state is torn the one before it is taken; where there is none, resuming says so."""
    assert not train(network(), checkpoints=tmp_path / "none").resume()
    train(network(), cap_updates=3, save_every=1, checkpoints=tmp_path).run()
    last = sorted(tmp_path.glob("update-*"))[-1] / "policy.safetensors"
    last.write_bytes(last.read_bytes()[:-1])
    again = train(network(), cap_updates=3, save_every=1, checkpoints=tmp_path)
    assert again.resume()
    assert again.counters.update == 2


def test_a_state_of_another_run_is_refused(train: Callable[..., SftTrainer], network: Network, tmp_path: Path) -> None:
    """Other settings than the run began with are another run; a higher cap is the same."""
    train(network(), cap_updates=2, save_every=2, checkpoints=tmp_path).run()
    with pytest.raises(GivenValueError, match="other settings"):
        train(network(), cap_updates=2, seed=5, checkpoints=tmp_path).resume()
    assert train(network(), cap_updates=9, checkpoints=tmp_path).resume()


def test_a_check_that_fails_is_no_right_answer(network: Network, items: tuple[TrainingItem, ...], codec: ChatCodec) -> None:
    """What a check raises is an error of that answer: counted as not right, and it ends nothing."""

    def broken(item: TrainingItem, text: str) -> Checked:
        raise ZeroDivisionError

    said = greedy(network(), codec, items[:3], broken, max_new_tokens=4, threads=2)
    assert [one.checked.outcome for one in said] == [Outcome.ERROR] * 3
    assert exact(said) == 0.0
    assert [one.item.split for one in said] == [Split.SFT] * 3
