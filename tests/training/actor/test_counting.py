"""Pinned weights counted for their gates: what the report says is what was answered, and the final split is never looked at by chance."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import pytest

from conformed.errors import ConformedError, UsageError
from conformed.mirror.manifest import TrainedSource
from conformed.mirror.verifying import manifest_in
from conformed.model.answer import Outcome
from conformed.model.weights_report import Decoding, read_report
from conformed_plugins.training.actor.verdicts import Answered, Verdict
from conformed_plugins.training.items import Checked, Split, Task
from conformed_plugins.training.synth.dataset import DataSet, make

pytest.importorskip("torch")
pytest.importorskip("transformers")

SPLITS = (Split.UNSEEN, Split.CHALLENGE, Split.RETENTION)
USE = "c" * 64


@pytest.fixture(scope="module")
def weights(tmp_path_factory: pytest.TempPathFactory, data: DataSet, tokenizer: Any) -> Path:
    """A tiny policy with random weights, pinned."""
    from conformed_plugins.training.actor.model import make_model
    from conformed_plugins.training.actor.pinning import pinned_weights
    from conformed_plugins.training.actor.size import ModelSize

    folder = tmp_path_factory.mktemp("mirror") / "tiny"
    size = ModelSize(layers=1, hidden=32, heads=2, kv_heads=1, head_dim=16, intermediate=48)
    source = TrainedSource(run="grpo-7", data=data.digest, plan="0" * 64)
    pinned_weights(make_model(tokenizer, size, seed=1), tokenizer, folder, name="tiny", source=source, card="Nothing learnt.\n")
    return folder


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A data set in a folder, and a file with gates."""
    place = tmp_path_factory.mktemp("files")
    make(3, {Split.UNSEEN: 9, Split.CHALLENGE: 7, Split.RETENTION: 6, Split.FINAL: 5}, (Task.FIELDS,)).write(place / "data")
    (place / "gates.yaml").write_text("name: small\n")
    return place / "data", place / "gates.yaml"


def evaluated(weights: Path, files: tuple[Path, Path], **other: Any) -> Any:
    """A report."""
    from conformed_plugins.training.actor.counting import evaluate_weights

    how: dict[str, Any] = {"family": "covenants", "splits": SPLITS, "before": None, "use": None, "seed": 4, "write": [].append}
    return evaluate_weights(weights, *files, **(how | other))


def test_every_split_is_counted_under_both_ways_of_decoding(weights: Path, files: tuple[Path, Path]) -> None:
    """Items, hashes and run are those of what was evaluated; the same again gives the same bytes."""
    said: list[str] = []
    report = evaluated(weights, files, write=said.append)
    assert [(one.split, one.decoding, one.items) for one in report.splits] == [
        (split, decoding, count)
        for split, count in (("challenge", 7), ("retention", 6), ("unseen", 9))
        for decoding in (Decoding.GREEDY, Decoding.SAMPLED)
    ]
    assert report.manifest == manifest_in(weights).digest
    assert report.gates == hashlib.sha256(files[1].read_bytes()).hexdigest()
    assert (report.run, report.family, report.final_use) == ("grpo-7", "covenants", None)
    assert len(said) == 6
    assert evaluated(weights, files).data() == report.data()
    assert read_report(report.data(), "it") == report
    assert all(one.tokens > 0 and one.right == 0 for one in report.splits), "random weights say something, and nothing right"


def test_counts_are_of_what_the_check_found(data: DataSet) -> None:
    """Right, judged, taken though wrong, without form, and lengths, each counted once."""
    from conformed_plugins.training.actor.counts import counts_of

    item = data.items(Split.UNSEEN)[0]
    rows = [
        Answered(item, "", Checked(outcome, form, "code"), verdict, tokens)
        for outcome, form, verdict, tokens in (
            (Outcome.CORRECT, True, Verdict.RIGHT, 3),
            (Outcome.INCORRECT, True, Verdict.WRONG, 4),
            (Outcome.INCORRECT, True, Verdict.SILENT, 5),
            (Outcome.INCORRECT, False, Verdict.UNREADABLE, 6),
            (Outcome.REVIEW, True, Verdict.UNREADABLE, 7),
            (Outcome.ERROR, False, Verdict.UNREADABLE, 8),
        )
    ]
    found = counts_of(Split.UNSEEN, Decoding.GREEDY, rows)
    assert (found.items, found.right, found.judged, found.false_accepts, found.invalid) == (6, 1, 4, 1, 2)
    assert (found.tokens, found.tokens_squared) == (33, 9 + 16 + 25 + 36 + 49 + 64)


def test_the_final_split_needs_its_use(weights: Path, files: tuple[Path, Path], tmp_path: Path) -> None:
    """Without a use it is not answered, and a use is for nothing else; with it, the counts from before are carried over as they are."""
    for splits, use in (((Split.FINAL,), None), (SPLITS, USE)):
        with pytest.raises(UsageError, match="evaluated once"):
            evaluated(weights, files, splits=splits, use=use)
    before = evaluated(weights, files)
    path = tmp_path / "before.json"
    path.write_bytes(before.data())
    after = evaluated(weights, files, splits=(Split.FINAL,), use=USE, before=path)
    assert after.final_use == USE
    assert [one for one in after.splits if one.split != "final"] == list(before.splits)
    assert {one.items for one in after.splits if one.split == "final"} == {5}


def test_what_does_not_belong_together_is_refused(weights: Path, files: tuple[Path, Path], tmp_path: Path) -> None:
    """A report of another family, a split without items, and altered data or weights are refused by name."""
    path = tmp_path / "before.json"
    path.write_bytes(evaluated(weights, files, splits=(Split.RETENTION,), family="others").data())
    with pytest.raises(UsageError, match="of other weights, data, gates or family"):
        evaluated(weights, files, before=path)
    with pytest.raises(UsageError, match="no item of known"):
        evaluated(weights, files, splits=(Split.KNOWN,))
    path.write_bytes(path.read_bytes().replace(b"others", b"othera"))
    with pytest.raises(UsageError, match="refused"):
        evaluated(weights, files, before=path)
    made = next(files[0].glob("*.jsonl"))
    whole = made.read_bytes()
    made.write_bytes(whole[:-2] + b"x\n")
    try:
        with pytest.raises(ConformedError, match=made.name):
            evaluated(weights, files)
    finally:
        made.write_bytes(whole)
