"""The learned scorers: the same bits again, nothing of the batch in a score, and no weights but those that were asked for."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="needs the extra ml")

from hypothesis import given, settings  # noqa: E402 - after the check that torch is there
from hypothesis import strategies as st  # noqa: E402
from safetensors.torch import save  # noqa: E402

from conformed.model.base import Missing  # noqa: E402
from conformed_plugins.scorers.learned.features import BUCKETS, outcome_features, step_features  # noqa: E402
from conformed_plugins.scorers.learned.network import Network, probabilities  # noqa: E402
from conformed_plugins.scorers.learned.outcome import OutcomeScorer  # noqa: E402
from conformed_plugins.scorers.learned.process import ProcessScorer  # noqa: E402
from conformed_plugins.scorers.learned.training import OutcomeTrainer, ProcessTrainer  # noqa: E402
from conformed_plugins.scorers.learned.weights import packed  # noqa: E402
from conformed_plugins.scorers.options import LearnedOptions, TrainerOptions  # noqa: E402

QUICK = TrainerOptions(epochs=2)


@pytest.fixture(scope="module")
def examples(bank_maker: ModuleType) -> list[dict[str, Any]]:
    """Right and wrong candidates of a small bank."""
    return [
        {**one, "right": one["outcome"] == "correct"}
        for one in bank_maker.candidates(0.1)
        if one["split"] == "train" and one["outcome"] in ("correct", "incorrect")
    ]


@pytest.fixture
def plan(examples: list[dict[str, Any]], tmp_path: Path) -> Callable[..., dict[str, Any]]:
    """A plan of training in a folder of its own."""

    def make(name: str = "a", **changed: Any) -> dict[str, Any]:
        folder = tmp_path / name
        folder.mkdir()
        return {"examples": examples, "seed": 3, "folder": str(folder), **changed}

    return make


@pytest.mark.parametrize("trainer", [OutcomeTrainer, ProcessTrainer])
def test_training_again_gives_the_same_bits(trainer: Any, plan: Callable[..., dict[str, Any]]) -> None:
    """Same examples and seed, same bytes and diary, whatever was drawn before; another seed gives others."""
    torch.manual_seed(99)
    first = trainer(QUICK).train(plan("a"))
    torch.rand(7)
    made = plan("b")
    assert trainer(QUICK).train(made) == first
    assert hashlib.sha256((Path(made["folder"]) / first["file"]).read_bytes()).hexdigest() == first["sha256"]
    assert trainer(QUICK).train(plan("c", seed=4))["sha256"] != first["sha256"]


def test_neither_the_hash_seed_nor_the_threads_show(plan: Callable[..., dict[str, Any]], tmp_path: Path) -> None:
    """A fresh process with another hash seed and two threads trains the same weights."""
    first = ProcessTrainer(QUICK).train(plan("a"))
    (tmp_path / "plan.json").write_text(json.dumps(plan("b")))
    code = (
        "import json, sys, torch; torch.set_num_threads(2)\n"
        "from conformed_plugins.scorers.learned.training import ProcessTrainer\n"
        "from conformed_plugins.scorers.options import TrainerOptions\n"
        "print(ProcessTrainer(TrainerOptions(epochs=2)).train(json.load(open(sys.argv[1])))['sha256'])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "plan.json")],
        env={**os.environ, "PYTHONHASHSEED": "12345"}, capture_output=True, text=True, timeout=120, check=True,
    )  # fmt: skip
    assert done.stdout.strip() == first["sha256"]


def test_training_leaves_the_process_as_it_was(plan: Callable[..., dict[str, Any]]) -> None:
    """The global generator goes on where it was, and the number of threads comes back."""
    torch.manual_seed(1)
    expected = torch.rand(3)
    torch.manual_seed(1)
    torch.set_num_threads(2)
    ProcessTrainer(QUICK).train(plan())
    assert torch.equal(torch.rand(3), expected)
    assert torch.get_num_threads() == 2


def test_labels_of_one_kind_are_refused(plan: Callable[..., dict[str, Any]], examples: list[dict[str, Any]]) -> None:
    """Nothing is learned from right responses alone."""
    with pytest.raises(ValueError, match="all are alike"):
        OutcomeTrainer(QUICK).train(plan(examples=[one for one in examples if one["right"]]))


@settings(max_examples=25, deadline=None)
@given(st.lists(st.lists(st.integers(0, BUCKETS - 1), max_size=30).map(tuple), min_size=1, max_size=40), st.data())
def test_nothing_of_the_batch_is_in_a_score(bags: list[tuple[int, ...]], data: Any) -> None:
    """A probability has the same bits alone, in a batch, and in the batch turned around."""
    torch.manual_seed(0)
    network = Network()
    together = probabilities(network, bags)
    place = data.draw(st.integers(0, len(bags) - 1))
    assert probabilities(network, [bags[place]]) == (together[place],)
    assert probabilities(network, bags[::-1]) == together[::-1]
    assert all(0 <= one <= 1 for one in together)


def _step_scorer(plan: dict[str, Any]) -> ProcessScorer:
    made = ProcessTrainer(TrainerOptions(epochs=8)).train(plan)
    return ProcessScorer(LearnedOptions(weights=str(Path(plan["folder"]) / made["file"]), sha256=made["sha256"]))


def test_a_response_is_as_sound_as_its_weakest_step(plan: Callable[..., dict[str, Any]]) -> None:
    """The score is the least of the steps' own; more sound steps do not mend it."""
    scorer = _step_scorer(plan())
    good, bad = "21 * 3 = 63", "63 + 30 = 91"
    one, other, both, thrice = scorer.score(
        [
            {"prompt": f"What is {asked}?", "answer": None, "steps": steps}
            for asked, steps in (
                ("21*3", [good]),
                ("63 + 30", [bad]),
                ("21*3 + 30", [good, bad]),
                ("21*3 + 30", [good, good, bad]),
            )
        ]
    )
    assert isinstance(one, float)
    assert isinstance(other, float)
    assert one != other
    assert both == thrice == min(one, other)


@pytest.mark.parametrize(
    ("steps", "answer", "code"),
    [
        ([], "93", "no_step"),
        (["63 + 30 = 93"], "93", "number_from_nowhere"),
        (["21 * 3 = 63"], "93", "answer_from_nowhere"),
        (["21 * 3 = 63", "So it is 93"], "93", "number_from_nowhere"),
        (["So it is 93", "93 + 30 = 123"], "123", "number_from_nowhere"),
    ],
)
def test_a_step_left_out_has_no_score(plan: Callable[..., dict[str, Any]], steps: list[str], answer: str, code: str) -> None:
    """Whoever leaves out the step that is wrong gets no score for the others: the gap is named."""
    (got,) = _step_scorer(plan()).score([{"prompt": "What is 21*3 + 30?", "answer": answer, "steps": steps}])
    assert isinstance(got, Missing)
    assert got.code == code


def test_features_are_the_same_everywhere() -> None:
    """Features are fixed numbers: a change of them is a change of version, and would break every kept weight."""
    assert step_features("21 * 3 = 63") == step_features("21*3=63") == (11211, 13919)
    assert step_features("no sums here") == step_features("NO SUMS HERE")
    assert max(outcome_features("What is 1?", "It is 1.")) < BUCKETS


def _written(folder: Path, data: bytes) -> LearnedOptions:
    (folder / "weights.safetensors").write_bytes(data)
    return LearnedOptions(weights=str(folder / "weights.safetensors"), sha256=hashlib.sha256(data).hexdigest())


def test_weights_that_are_refused(tmp_path: Path) -> None:
    """Another hash, another kind, another shape, numbers that are not finite, bytes that are no weights, and no file."""
    torch.manual_seed(0)
    good = packed(Network(), "outcome")
    assert good == packed(_again(good, tmp_path), "outcome")
    OutcomeScorer(_written(tmp_path, good))
    with pytest.raises(ValueError, match="have the hash"):
        OutcomeScorer(LearnedOptions(weights=str(tmp_path / "weights.safetensors"), sha256="0" * 64))
    with pytest.raises(ValueError, match="holds weights of"):
        ProcessScorer(_written(tmp_path, good))
    about = json.loads(good[8 : 8 + int.from_bytes(good[:8], "little")])["__metadata__"]["conformed"]
    small = _written(tmp_path, save({"embed.weight": torch.zeros(2)}, {"conformed": about}))
    with pytest.raises(ValueError, match="another shape"):
        OutcomeScorer(small)
    broken = Network()
    with torch.no_grad():
        broken.out.bias.fill_(float("nan"))
    with pytest.raises(ValueError, match="not finite"):
        OutcomeScorer(_written(tmp_path, packed(broken, "outcome")))
    for junk in (b"", b"\x80\x04K\x01.", b"\xff" * 64, good[:100]):
        with pytest.raises(ValueError, match="holds no weights"):
            OutcomeScorer(_written(tmp_path, junk))
    with pytest.raises(ValueError, match="cannot be read"):
        OutcomeScorer(LearnedOptions(weights=str(tmp_path / "gone"), sha256="0" * 64))


def _again(data: bytes, folder: Path) -> Network:
    from conformed_plugins.scorers.learned.weights import unpacked

    options = _written(folder, data)
    return unpacked(Path(options.weights), options.sha256, "outcome")
