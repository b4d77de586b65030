"""The one command, in miniature: everything is made, pinned, compared and reported, and nothing is called reached that is not."""

from __future__ import annotations

import datetime as dt
import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from conformed.errors import MirrorError, UsageError
from conformed.hooks import NoOptions
from conformed.mirror.manifest import TrainedSource
from conformed.mirror.verifying import manifest_in, verify
from conformed.policy.strict import parse
from conformed_plugins.backends.options import TransformersOptions
from conformed_plugins.training.actor.command import TrainCommand
from conformed_plugins.training.actor.settings import COMPARED, PolicySettings
from conformed_plugins.training.actor.size import ModelSize
from conformed_plugins.training.items import Split, Task
from conformed_plugins.training.sft.settings import SftSettings
from conformed_plugins.training.synth.dataset import make

pytest.importorskip("torch")
pytest.importorskip("transformers")

GATES = Path(__file__).parents[3] / "policies" / "weight-gates" / "extractor.yaml"
NOW = dt.datetime(2026, 11, 30, tzinfo=dt.UTC)
COUNTS = {
    Split.SFT: 320, Split.KNOWN: 24, Split.VALUES: 12, Split.GRPO: 24, Split.GRPO_KNOWN: 24, Split.UNSEEN: 12, Split.CHALLENGE: 12,
    Split.RETENTION: 24,
}  # fmt: skip


def small(**more: Any) -> PolicySettings:
    """Settings of a policy that learns nothing to speak of."""
    grpo = PolicySettings().grpo.model_copy(
        update={"updates": 2, "prompts": 2, "group": 2, "rollout_workers": 0, "update_threads": 1, "evaluate_every": 1}
    )
    return PolicySettings(
        counts=COUNTS,
        choosing=8,
        symbols=320,
        tokenizer_items=120,
        size=ModelSize(layers=1, hidden=32, heads=2, kv_heads=1, head_dim=16, intermediate=48),
        sft=SftSettings(batch=8, cap_updates=6, evaluate_every=3, threads=1, microbatches=1),
        grpo=grpo,
        **more,
    )


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any], list[str]]:
    """A policy in miniature: its folder, its report, what was said on the way."""
    from conformed_plugins.training.actor.policy import make_policy

    folder, said = tmp_path_factory.mktemp("policy") / "out", []
    report = make_policy(folder, small(), write=said.append, gates=GATES, now=lambda: NOW)
    return folder, report, said


def test_the_report_says_first_what_to_use(made: tuple[Path, dict[str, Any], list[str]]) -> None:
    """A policy that learned nothing loses to the rules, and the first sentence of both reports says so."""
    folder, report, _ = made
    assert report["use"] == "rules"
    assert report["first"].startswith("Use the rules extractor: the rules win")
    assert (folder / "report.txt").read_text().splitlines()[0] == report["first"]
    assert json.loads((folder / "report.json").read_text()) == json.loads(json.dumps(report))


def test_a_missed_goal_is_called_missed(made: tuple[Path, dict[str, Any], list[str]]) -> None:
    """Accuracy, gain and retention are missed with their figures, and the policy with rewards is not given out."""
    folder, report, _ = made
    reached = {one["goal"].split()[0]: one["reached"] for one in report["goals"] if "360 s" not in one["goal"]}
    assert reached == {"supervised": False, "rewards": False, "retention": False}
    text = (folder / "report.txt").read_text()
    assert text.count("MISSED: ") == 3
    assert report["given_out"] == "sft"
    assert report["training"]["sft"]["ended by"] == "cap_updates"


def test_every_split_has_every_reader_that_it_is_for(made: tuple[Path, dict[str, Any], list[str]]) -> None:
    """Rows and pairs cover the splits; the retention set is not asked of the rules, who do not read it."""
    _, report, _ = made
    readers = {split.value: {one["reader"] for one in report["rows"] if one["split"] == split.value} for split in COMPARED}
    assert readers.pop("retention") == {"sft", "sft+grpo"}
    assert set(map(frozenset, readers.values())) == {frozenset({"rules", "sft", "sft+grpo"})}
    assert len(report["pairs"]) == 5 * 3 + 1
    assert {one["items"] for one in report["rows"] if one["split"] in ("known", "grpo_known", "retention")} == {16}


def test_the_weights_are_folders_of_a_mirror(made: tuple[Path, dict[str, Any], list[str]], tmp_path: Path) -> None:
    """Both folders verify, name data and settings as their source, load in the backend by their hash, and no other hash loads."""
    import shutil

    from conformed_plugins.backends.transformers_backend.backend import TransformersBackend

    folder, report, _ = made
    for one in report["folders"].values():
        place = folder / one["folder"]
        manifest = manifest_in(place, one["manifest"])
        assert verify(place, manifest) == ()
        assert isinstance(manifest.source, TrainedSource)
        assert manifest.source.data == report["data"]
        assert manifest.source.shown.startswith("trained here, run ")
        options = TransformersOptions(folder=place, manifest=one["manifest"], dtype="float32", device="cpu", threads=1)
        ((said,),) = TransformersBackend(options).generate(["Fields:\nx"], samples=1, seed=0, options={"max_tokens": 4})
        assert len(said.tokens) <= 4
    copied = tmp_path / "copied"
    shutil.copytree(place, copied)
    (copied / "README.md").write_text("another\n")
    with pytest.raises(MirrorError, match=r"README\.md"):
        TransformersBackend(options.model_copy(update={"folder": copied}))


def test_card_and_contract_are_yaml_that_names_the_weights(made: tuple[Path, dict[str, Any], list[str]]) -> None:
    """The card is one that the mirror takes, and the contract's step names folder and hash of what is given out."""
    from conformed.app.models.cards import model_card

    folder, report, _ = made
    given = report["folders"][report["given_out"]]
    policies = folder / "policies" / "models"
    policies.mkdir(parents=True)
    (policies / "covenant-fields-sft.yaml").write_bytes((folder / "covenant-fields-sft.yaml").read_bytes())
    card = model_card(folder / "policies", "covenant-fields-sft").value
    assert card.manifest == given["manifest"]
    text = (folder / "contract.yaml").read_text()
    parse(text.encode(), name="contract.yaml")
    assert f"folder: {given['folder']}, manifest: {given['manifest']}" in text


def test_counts_are_sealed_for_the_gates(made: tuple[Path, dict[str, Any], list[str]]) -> None:
    """Both policies have a report that the desk of weights reads: of their manifest, the gates' file and the splits judged on; none used the final set."""
    from conformed.app.weights.gates import gates_named
    from conformed.model.weights_report import Decoding, read_report

    folder, report, _ = made
    declared = gates_named(GATES.parents[1], "extractor").value
    for reader, name in (("sft", "covenant-fields-sft"), ("sft+grpo", "covenant-fields-grpo")):
        sealed = read_report((folder / f"{name}-weights-report.json").read_bytes(), name)
        assert sealed.manifest == report["folders"][reader]["manifest"]
        assert sealed.dataset == report["data"]
        assert sealed.gates == hashlib.sha256(GATES.read_bytes()).hexdigest()
        assert sealed.final_use is None
        assert {one.split for one in sealed.splits} == {*declared.judged_on, declared.retained_on}
        assert {one.decoding for one in sealed.splits} == set(declared.decodings)
        found = sealed.counts("challenge", Decoding.GREEDY)
        (row,) = [one for one in report["rows"] if (one["split"], one["reader"]) == ("challenge", reader)]
        assert found is not None
        assert (found.items, found.right, found.false_accepts) == (
            12,
            row["right"]["count"],
            row["determined_and_wrong"]["count"],
        )


def test_the_runs_have_plans_and_diaries(made: tuple[Path, dict[str, Any], list[str]]) -> None:
    """Both runs were planned before they began and are finished, and the failure to meet the criterion is in the diary."""
    folder, _, _ = made
    for run in ("sft", "grpo"):
        plan = json.loads((folder / "runs" / run / "plan.json").read_text())
        assert plan["method"] == run
        assert plan["stop_rules"]
        assert (folder / "runs" / run / "diary.md").is_file()
    assert "criterion was not met" in (folder / "runs" / "sft" / "diary.md").read_text()


def test_a_folder_that_holds_something_is_refused(tmp_path: Path) -> None:
    """Nothing is written over."""
    from conformed_plugins.training.actor.policy import make_policy

    (tmp_path / "mine").write_text("x")
    with pytest.raises(UsageError, match="not empty"):
        make_policy(tmp_path, small(), write=print, now=lambda: NOW)
    with pytest.raises(UsageError, match=r"absent\.yaml cannot be read"):
        make_policy(tmp_path / "out", small(), write=print, gates=tmp_path / "absent.yaml", now=lambda: NOW)
    assert [one.name for one in tmp_path.iterdir()] == ["mine"]


@pytest.mark.parametrize(
    "more", [{"choosing": 24}, {"minutes": 0}, {"sft_share": 0.95}, {"counts": COUNTS | {Split.UNSEEN: 0}}, {"name": "A b"}]
)
def test_settings_that_cannot_be_are_refused(more: dict[str, Any]) -> None:
    """No items left to report on, no time, a split without items, a name that is none."""
    with pytest.raises(ValueError, match=r"validation error"):
        PolicySettings(**{"counts": COUNTS, "choosing": 8, **more})


def run(*words: str) -> list[str]:
    """What the command says."""
    said: list[str] = []
    assert TrainCommand(NoOptions()).run(words, said.append) == 0
    return said


PLAN = """objective: Copy fields.
hypothesis: Copying is learned.
method: {method}
cap_updates: {updates}
cap_seconds: 600
stop_rules: [The cap.]
checkpoint_rule: The last.
seed: 4
data_digest: {digest}
settings: {settings}
"""


def test_one_run_by_its_plan_and_taken_up_again(tmp_path: Path) -> None:
    """A run of two updates taken up to four has the weights of a run of four; its weights begin a run of GRPO."""
    data = make(4, {Split.SFT: 900, Split.KNOWN: 4, Split.GRPO: 4, Split.GRPO_KNOWN: 3, Split.RETENTION: 3}, (Task.FIELDS,))
    data.write(tmp_path / "data")
    how = "{batch: 4, evaluate_every: 2, save_every: 1, max_new_tokens: 4, threads: 1, microbatches: 1, matrix_rate: '0.002'}"
    weights = {}
    for name, updates in (("short", 2), ("long", 4)):
        plan = tmp_path / f"{name}.yaml"
        plan.write_text(PLAN.format(method="sft", updates=updates, digest=data.digest, settings=how))
        said = run("sft", str(plan), "--data", str(tmp_path / "data"), "--out", str(tmp_path / name))
        assert "ended: cap_updates" in said
        weights[name] = (tmp_path / name / "weights" / "model.safetensors").read_bytes()
    kept = tmp_path / "short" / "runs" / "sft" / "plan.json"
    kept.write_text(kept.read_text().replace('"cap_updates": 2', '"cap_updates": 4'))
    run("resume", "--out", str(tmp_path / "short"))
    assert (tmp_path / "short" / "weights" / "model.safetensors").read_bytes() == weights["long"] != weights["short"]
    plan = tmp_path / "grpo.yaml"
    plan.write_text(
        PLAN.format(
            method="grpo",
            updates=1,
            digest=data.digest,
            settings="{prompts: 2, group: 2, max_new_tokens: 4, save_every: 0, evaluate_every: 0}",
        )
    )
    words = ("grpo", str(plan), "--data", str(tmp_path / "data"), "--start", str(tmp_path / "long" / "weights"))
    said = run(*words, "--out", str(tmp_path / "grpo"))
    assert any(line.startswith("stopped: cap") for line in said)
    with pytest.raises(UsageError, match="plan of grpo"):
        run("sft", *words[1:], "--out", str(tmp_path / "other"))
    with pytest.raises(UsageError, match="not empty"):
        run(*words, "--out", str(tmp_path / "grpo"))
    plan.write_text(plan.read_text().replace(data.digest, "0" * 64))
    with pytest.raises(UsageError, match="the plan names 000000000000"):
        run(*words, "--out", str(tmp_path / "other"))
    assert not (tmp_path / "other").exists()


@pytest.mark.parametrize(
    "words",
    [(), ("fly",), ("policy",), ("policy", "--out", "x", "--minutes", "0"), ("resume", "--out", "nowhere"), ("grpo", "p")],
)
def test_words_that_are_not_understood_are_refused(
    words: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every refusal is a usage error with an example, and writes nothing."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError):
        run(*words)
    assert list(tmp_path.iterdir()) == []


def test_old_prompts_come_from_all_over_what_was_learned(made: tuple[Path, dict[str, Any], list[str]]) -> None:
    """A quarter of the examples is of the retention set's wordings, and so is about a quarter of the old prompts among the new."""
    from conformed_plugins.training.actor.way import RETAINED, prepared

    folder, _, _ = made
    way = prepared(folder, small(), lambda: 0.0, lambda: NOW, 0.0, lambda _line: None)
    kept = [RETAINED in item.tags for item in way.learned]
    assert (sum(kept), len(kept)) == (40, 160)
    old = way.old(16)
    assert len({item.id for item in old}) == 16
    assert 2 <= sum(RETAINED in item.tags for item in old) <= 6
    assert {item.split for item in old} == {Split.SFT}
