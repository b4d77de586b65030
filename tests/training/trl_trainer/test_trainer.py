"""The trainer, run for real on a model of a few thousand weights."""

from __future__ import annotations

import json
import logging
import socket
from collections.abc import Callable
from typing import Any

import pytest
from toy_checks import by_length, raising, reviewing, weights_of

from conformed_plugins.training.items import Checked, TrainingItem

pytestmark = pytest.mark.filterwarnings(
    r"ignore:`[a-z_]*gradient_checkpointing[a-z_]*` is deprecated:FutureWarning"
)  # TRL asks transformers by an old name

Begin = Callable[..., Any]


def trained(options: Any, run: Any, items: tuple[TrainingItem, ...], check: Any = by_length, **more: Any) -> dict[str, Any]:
    """Trains from the beginning to the end."""
    from conformed_plugins.training.trl_trainer.making import make

    return make(options).train({"run": run, "items": items, "check": check, "check_version": "toy 1", **more})


def same(one: dict[str, Any], other: dict[str, Any]) -> bool:
    """Whether no bit differs."""
    import torch

    return one.keys() == other.keys() and all(torch.equal(one[name], other[name]) for name in one)


def test_two_updates_change_the_weights_and_the_diary_says_with_what(
    begin: Begin, options: Begin, items: tuple[TrainingItem, ...], small: Any
) -> None:
    """Two updates on TRL move the weights; the diary is plain JSON with versions, settings, seed, data and whether resume is exact."""
    run = begin()
    diary = trained(options(kl_beta=0.04), run, items)
    assert not same(weights_of(run.path / "last"), weights_of(small.folder))
    assert json.loads(json.dumps(diary)) == diary
    assert {"trl", "transformers", "torch", "accelerate", "datasets", "tokenizers"} == diary["revisions"]["libraries"].keys()
    assert (diary["updates"], diary["stopped"], diary["seed"], diary["revisions"]["data"]) == (2, "cap", 3, "0" * 64)
    assert (diary["settings"]["kl_beta"], diary["trl"]["beta"], diary["trl"]["temperature"], diary["trl"]["top_p"]) == (
        0.04,
        0.04,
        1.0,
        1.0,
    )
    assert diary["resume_exact"] is True
    assert diary["counts"]["correct"] + diary["counts"]["incorrect"] == 16
    run.finish(diary, plots=False)
    assert run.finished


def test_every_update_is_recorded_with_its_samples(begin: Begin, options: Begin, items: tuple[TrainingItem, ...]) -> None:
    """The series hold figures of each update under the common names, and all samples with reward and advantage."""
    run = begin()
    trained(options(), run, items)
    rows = [json.loads(line) for line in (run.path / "rollouts.jsonl").read_text().splitlines()]
    assert [row["update"] for row in rows] == [1] * 8 + [2] * 8
    for update in (1, 2):
        groups = [[row["row"] for row in rows if row["update"] == update and row["row"]["group"] == group] for group in (0, 1)]
        for group in groups:
            assert len(group) == 4
            assert len({row["item"] for row in group}) == 1
            assert sum(row["advantage"] for row in group) == pytest.approx(0, abs=1e-9)
    series = [json.loads(line) for line in (run.path / "series.jsonl").read_text().splitlines()]
    assert [row["update"] for row in series] == [1, 2]
    from conformed_plugins.training.runs.names import unknown

    for row in series:
        assert {"loss", "gradient_norm", "reward_mean", "token_entropy", "mean_response_tokens", "learning_rate"} <= row[
            "figures"
        ].keys()
        assert unknown(row["figures"]) == ()


def test_the_weights_enter_the_backend(begin: Begin, options: Begin, items: tuple[TrainingItem, ...]) -> None:
    """What is left can be pinned as it is, without a pickle among it, and the backend generates with it."""
    from small_qwen import pin

    from conformed_plugins.backends.options import TransformersOptions
    from conformed_plugins.backends.transformers_backend.backend import TransformersBackend

    run = begin()
    trained(options(), run, items)
    assert not [one.name for one in run.path.rglob("*.bin")]
    pinned = pin(run.path / "last")
    backend = TransformersBackend(TransformersOptions(**pinned.options()))
    (row,) = backend.generate(["Clause 1: give the level."], samples=1, seed=1, options={"max_tokens": 3})
    assert row[0].tokens
    assert json.loads((run.path / "last" / "config.json").read_text())["use_cache"] is True


def test_nothing_goes_over_a_network_or_to_standard_output(
    begin: Begin,
    options: Begin,
    items: tuple[TrainingItem, ...],
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    """No connection is opened and no name looked up; nothing is printed."""

    def refuse(*_given: object, **_named: object) -> None:
        raise AssertionError("a connection was opened")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    trained(options(kl_beta=0.04, save_every=1), begin(), items)
    assert capfd.readouterr() == ("", "")


def test_held_out_items_are_answered_as_the_backend_answers(
    begin: Begin, options: Begin, items: tuple[TrainingItem, ...]
) -> None:
    """Held-out sets are answered as the backend answers, before the first update, when due and at the end; nothing trained changes."""
    from small_qwen import pin

    from conformed_plugins.backends.options import TransformersOptions
    from conformed_plugins.backends.transformers_backend.backend import TransformersBackend

    looked = begin("looked", cap_updates=3)
    diary = trained(
        options(evaluate_every=2, evaluation_tokens=9, microbatch=4), looked, items[:4], held_out={"unseen": items[4:]}
    )
    rows = [json.loads(line) for line in (looked.path / "evaluations.jsonl").read_text().splitlines()]
    assert [row["update"] for row in rows] == [0] * 4 + [2] * 4 + [3] * 4
    backend = TransformersBackend(TransformersOptions(**pin(looked.path / "last").options()))
    answers = backend.generate([one.prompt for one in items[4:]], samples=1, seed=0, options={"max_tokens": 9})
    assert [row["row"]["response"] for row in rows[8:]] == [one.text for (one,) in answers]
    assert diary["evaluation"]["evaluation.unseen.items"] == 4
    series = {row["update"]: row["figures"] for row in map(json.loads, (looked.path / "series.jsonl").read_text().splitlines())}
    assert [update for update, row in series.items() if "evaluation.unseen.accuracy" in row] == [0, 2, 3]
    blind = begin("blind", cap_updates=3)
    trained(options(microbatch=4), blind, items[:4])
    assert same(weights_of(looked.path / "last"), weights_of(blind.path / "last"))


@pytest.mark.parametrize(
    ("check", "outcome", "code"), [(raising, "error", "check_exception:TimeoutError"), (reviewing, "review", "parse")]
)
def test_an_outage_of_the_check_moves_no_weight(
    check: Any, outcome: str, code: str, begin: Begin, options: Begin, items: tuple[TrainingItem, ...], small: Any
) -> None:
    """With every response in error, or for review, not one bit of the weights moves, though there is weight decay and a reference."""
    run = begin()
    diary = trained(options(weight_decay=0.5, kl_beta=0.5), run, items, check)
    assert same(weights_of(run.path / "last"), weights_of(small.folder))
    assert (diary["updates"], diary["skipped_steps"], diary["counts"][outcome]) == (2, 2, 16)
    rows = [json.loads(line)["row"] for line in (run.path / "rollouts.jsonl").read_text().splitlines()]
    assert {(row["code"], row["reward"], row["advantage"]) for row in rows} == {(code, None, None)}
    series = [json.loads(line)["figures"] for line in (run.path / "series.jsonl").read_text().splitlines()]
    assert all(row["skipped_steps"] == 1 and row["unscored"] == 8 and "reward_mean" not in row for row in series)


def test_an_outage_after_a_lesson_does_not_go_on_in_its_direction(
    begin: Begin, options: Begin, items: tuple[TrainingItem, ...], small: Any
) -> None:
    """The momentum of a first, good update moves nothing in a second in which the check is out of order."""
    judged: list[str] = []

    def once(item: TrainingItem, response: str) -> Checked:
        judged.append(item.id)
        return by_length(item, response) if len(judged) <= 8 else raising(item, response)

    run = begin()
    diary = trained(options(save_every=1, weight_decay=0.5), run, items, once)
    first = weights_of(run.path / "checkpoints" / "checkpoint-1")
    assert not same(first, weights_of(small.folder))
    assert same(weights_of(run.path / "last"), first)
    assert diary["skipped_steps"] == 1


def test_a_long_outage_ends_the_run(begin: Begin, options: Begin, items: tuple[TrainingItem, ...]) -> None:
    """After most_outages updates in a row without a verdict the run ends, and says why."""
    diary = trained(options(most_outages=2), begin(cap_updates=9), items, raising)
    assert (diary["stopped"], diary["updates"]) == ("outage", 2)


def test_no_text_of_a_prompt_is_logged(
    begin: Begin, options: Begin, items: tuple[TrainingItem, ...], caplog: pytest.LogCaptureFixture
) -> None:
    """TRL logs prompt and response of a row without a reward; here neither appears."""
    logging.getLogger("trl").propagate = True
    with caplog.at_level(logging.DEBUG):
        trained(options(), begin(), items, raising)
    assert "give the level" not in caplog.text


def test_the_plan_caps_the_time(begin: Begin, options: Begin, items: tuple[TrainingItem, ...]) -> None:
    """A run ends after the update in which its seconds are over, with a checkpoint."""
    from conformed_plugins.training.trl_trainer.trainer import TrlTrainer

    ticks = iter(range(0, 1000, 5))
    run = begin(cap_updates=50, cap_seconds=12)
    diary = TrlTrainer(options(save_every=40), clock=lambda: float(next(ticks))).train(
        {"run": run, "items": items, "check": by_length, "check_version": "toy 1"}
    )
    assert (diary["stopped"], diary["updates"]) == ("seconds", 3)
    assert (run.path / "checkpoints" / "checkpoint-3" / "conformed.json").exists()


def test_a_stop_rule_of_the_plan_ends_the_run(begin: Begin, options: Begin, items: tuple[TrainingItem, ...]) -> None:
    """A rule over a series is looked at after every update, and named in the diary."""
    rule = "error_rate above 0.2 for 2 updates"
    diary = trained(options(most_outages=9), begin(cap_updates=50, stop_rules=[rule]), items, raising)
    assert (diary["stopped"], diary["updates"]) == (rule, 2)


def test_prompts_are_the_tokens_that_the_backend_sends(
    begin: Begin, options: Begin, items: tuple[TrainingItem, ...], small: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The model is given, token for token, what the backend would send: a mark inside a prompt closes nothing."""
    from conformed_plugins.backends.options import TransformersOptions
    from conformed_plugins.backends.transformers_backend.backend import TransformersBackend
    from conformed_plugins.training.trl_trainer.guarded import GuardedTrainer

    sent: list[list[int]] = []
    real = GuardedTrainer._generate_single_turn

    def spied(self: Any, prompt_ids: list[list[int]], *given: Any, **named: Any) -> Any:
        sent.extend(prompt_ids)
        return real(self, prompt_ids, *given, **named)

    monkeypatch.setattr(GuardedTrainer, "_generate_single_turn", spied)
    trained(options(prompts=8, microbatch=32, system="Answer with the level."), begin(cap_updates=1), items)
    chat = TransformersBackend(TransformersOptions(**small.options(system="Answer with the level."))).chat
    expected = {chat.render(one.prompt, thinking=False).ids for one in items}
    assert {tuple(ids) for ids in sent} == expected
    assert len(sent) == 32


def test_items_come_in_the_order_of_the_in_house_trainer(begin: Begin, options: Begin, items: tuple[TrainingItem, ...]) -> None:
    """Both trainers take the same items in the same order for one seed, through several passes."""
    from conformed_plugins.training.grpo.order import drawn

    run = begin(cap_updates=5)
    trained(options(group=2, microbatch=4), run, items)
    rows = [json.loads(line)["row"] for line in (run.path / "rollouts.jsonl").read_text().splitlines()]
    assert [row["item"] for row in rows[::2]] == [items[place].id for place in drawn(3, len(items), 0, 10)]
