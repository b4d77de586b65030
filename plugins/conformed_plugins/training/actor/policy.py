"""From nothing to a policy: data, tokenizer, supervised training, training with rewards, evaluation, weights in mirror folders, report."""

from __future__ import annotations

import copy
import datetime as dt
import json
import os
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import torch

from conformed.errors import UsageError
from conformed.mirror.manifest import Manifest, TrainedSource
from conformed.model.weights_report import Decoding
from conformed_plugins.training.actor.cards import contract_of, mirror_card, weights_card
from conformed_plugins.training.actor.comparing import GRPO, RULES, SFT, Readers
from conformed_plugins.training.actor.counts import GATED, gates_digest, weights_report
from conformed_plugins.training.actor.goals import MIRROR, report_of
from conformed_plugins.training.actor.pinning import pinned_weights
from conformed_plugins.training.actor.plans import grpo_plan, sft_plan
from conformed_plugins.training.actor.report import text_of
from conformed_plugins.training.actor.rules_reader import answer as rules_answer
from conformed_plugins.training.actor.settings import COMPARED, PolicySettings
from conformed_plugins.training.actor.verdicts import Answered, answered
from conformed_plugins.training.actor.way import Way, prepared, put
from conformed_plugins.training.grpo.trainer import GrpoTrainer
from conformed_plugins.training.items import Split, TrainingItem
from conformed_plugins.training.runs.folder import RunFolder
from conformed_plugins.training.sft.greedy import greedy
from conformed_plugins.training.sft.supervised import examples_for
from conformed_plugins.training.sft.trainer import SftResult, SftTrainer
from conformed_plugins.training.state.tensors import load_weights
from conformed_plugins.training.synth.checking import check

__all__ = ["make_policy"]

CHECK_VERSION = "synth.check/1"


def make_policy(
    folder: Path,
    settings: PolicySettings,
    *,
    write: Callable[[str], None],
    gates: Path | None = None,
    clock: Callable[[], float] = time.monotonic,
    now: Callable[[], dt.datetime],
) -> dict[str, Any]:
    """Makes a policy and everything that says what it is worth.

    Args:
        folder: a new or empty one.
        settings: how.
        write: takes one line of progress at a time.
        gates: a file of ``policies/weight-gates``, for which the counts of both policies are sealed; None seals none.
        clock: seconds.
        now: the time of day, for the diaries.

    Returns:
        The report, as it stands in ``report.json``.

    Raises:
        UsageError: when the folder holds something.
        ConformedError: when training fails; what was made until then stays in the folder.
    """
    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # work is cut for threads and processes where it helps; torch's own would wait for each other
    try:
        return _made(folder, settings, write, None if gates is None else gates_digest(gates), clock, now)
    finally:
        torch.set_num_threads(threads)


def _made(
    folder: Path,
    settings: PolicySettings,
    write: Callable[[str], None],
    gates: str | None,
    clock: Callable[[], float],
    now: Callable[[], dt.datetime],
) -> dict[str, Any]:
    begun = clock()
    if folder.exists() and any(folder.iterdir()):
        raise UsageError(f"The folder {folder} is not empty.", "Name a new or an empty one.")
    folder.mkdir(parents=True, exist_ok=True)
    way = prepared(folder, settings, clock, now, begun, write)
    learned = _supervised(way)
    manifests = {SFT: _pinned(way, SFT, way.model)}
    reference = copy.deepcopy(way.model)
    diary = _rewarded(way)
    manifests[GRPO] = _pinned(way, GRPO, way.model)
    write(f"Evaluating, {way.left:.0f} s left.")
    readers: Readers = {
        RULES: {split: _by_rules(way.reported(split)) for split in COMPARED if split is not Split.RETENTION},
        SFT: {split: _answers(way, reference, split) for split in COMPARED},
        GRPO: {split: _answers(way, way.model, split) for split in COMPARED},
    }
    report = report_of(readers, settings, learned, diary, manifests, data=way.data.digest, seconds=way.clock() - way.begun)
    put(folder / "report.json", json.dumps(report, indent=1, sort_keys=True) + "\n")
    put(folder / "report.txt", text_of(report))
    if gates is not None:
        for name, model in ((SFT, reference), (GRPO, way.model)):
            _sealed(way, manifests[name], model, gates, readers[name])
    given = report["given_out"]
    put(folder / f"{manifests[given].model}.yaml", mirror_card(manifests[given], report))
    put(folder / "contract.yaml", contract_of(manifests[given], f"{MIRROR}/{manifests[given].model}"))
    return report


def _supervised(way: Way) -> SftResult:
    """Trains on right answers; the criterion is measured on the items for choosing."""
    settings, items = way.settings, way.learned
    _, examples = examples_for(way.tokenizer, items)
    seconds = max(1.0, settings.minutes * 60 * settings.sft_share - (way.clock() - way.begun))
    how = settings.sft.model_copy(update={"seed": settings.seed, "cap_seconds": seconds, "max_new_tokens": way.most_tokens})
    sample = (*way.choosing(Split.KNOWN), *way.choosing(Split.RETENTION)[: settings.choosing // 4])
    run = RunFolder.begin(way.folder / "runs", sft_plan(settings, how, way.data.digest), now=way.now, run_id="sft")

    def record(update: int, figures: Any) -> None:
        run.record(update, figures)
        if "evaluation.sample.accuracy" in figures:
            way.write(f"sft {update}: loss {figures['loss']:.4f}, held out {figures['evaluation.sample.accuracy']:.3f}")

    trainer = SftTrainer(
        way.model, way.codec, examples, sample, check, how,
        pad_id=way.tokenizer.pad_token_id, tokenizer=way.tokenizer, record=record, clock=way.clock,
    )  # fmt: skip
    result = trainer.run()
    run.finish(
        {"ended": result.ended, "updates": result.updates, "epochs": result.epochs, "reached": result.reached},
        failure_analysis="" if result.reached else f"The criterion was not met: it ended by {result.ended}.",
        plots=False,
    )
    way.write(
        f"sft ended by {result.ended} after {result.updates} updates, {result.seconds:.0f} s, {result.cpu_seconds:.0f} s of processor time."
    )
    return result


def _rewarded(way: Way) -> dict[str, Any]:
    """Trains with rewards on new wordings mixed with old ones; the best checkpoint on the items for choosing is what counts."""
    settings = way.settings
    fresh = way.data.items(Split.GRPO)
    old = way.old(max(1, len(fresh) // 2))
    held_out = {
        "choice": (*way.choosing(Split.KNOWN), *way.choosing(Split.GRPO_KNOWN)),
        "kept": way.choosing(Split.RETENTION),
    }
    seconds = max(1.0, way.left - settings.minutes * 60 * settings.report_share)
    how = settings.grpo.model_copy(
        update={"seed": settings.seed, "cap_seconds": seconds, "max_new_tokens": way.most_tokens, "best_split": "choice"}
    )
    run = RunFolder.begin(way.folder / "runs", grpo_plan(settings, how, way.data.digest), now=way.now, run_id="grpo")
    before = time.process_time() + sum(os.times()[2:4])
    diary = GrpoTrainer(how, clock=way.clock).train(
        {
            "model": way.model,
            "tokenizer": way.tokenizer,
            "items": [*fresh, *old],
            "check": check,
            "check_version": CHECK_VERSION,
            "folder": way.folder / "grpo",
            "held_out": held_out,
            "recorder": run,
            "tried": False,
        }
    )
    diary["cpu_seconds"] = time.process_time() + sum(os.times()[2:4]) - before
    best = diary["best"]
    if best is not None and best["update"] != diary["updates"]:
        _reload(way.model, way.folder / "grpo" / best["folder"])
    run.finish({"stopped": diary["stopped"], "updates": diary["updates"], "best": best}, plots=False)
    way.write(f"grpo ended by {diary['stopped']} after {diary['updates']} updates; best {best}.")
    return diary


def _reload(model: Any, folder: Path) -> None:
    """Puts saved weights into the model. They are named as its parameters are, tied ones once."""
    load_weights(model, (folder / "model.safetensors").read_bytes())


def _by_rules(items: Sequence[TrainingItem]) -> tuple[Answered, ...]:
    """What the grammar answers. The retention set asks for what it does not read, and is not asked of it."""
    return answered(items, [rules_answer(item) for item in items], check)


def _sealed(way: Way, manifest: Manifest, model: Any, gates: str, answers: Mapping[Split, Sequence[Answered]]) -> None:
    """Counts for the gates: the greedy answers of the report, and one draw from the model's own distribution an item."""
    found = {
        (split, decoding): answers[split]
        if decoding is Decoding.GREEDY
        else _answers(way, model, split, sampled=way.settings.seed)
        for split in GATED
        for decoding in Decoding
    }
    assert isinstance(manifest.source, TrainedSource)
    sealed = weights_report(
        family=way.settings.name,
        run=manifest.source.run,
        manifest=manifest.digest,
        data=way.data.digest,
        gates=gates,
        answers=found,
    )
    (way.folder / f"{manifest.model}-weights-report.json").write_bytes(sealed.data())


def _answers(way: Way, model: Any, split: Split, *, sampled: int | None = None) -> tuple[Answered, ...]:
    items = way.reported(split)
    said = greedy(
        model, way.codec, items, check, max_new_tokens=way.most_tokens, threads=way.settings.sft.threads, sampled=sampled
    )
    return answered(items, [one.text for one in said], check, [one.tokens for one in said])


def _pinned(way: Way, reader: str, model: Any) -> Manifest:
    last = reader.rpartition("+")[2]
    name = f"{way.settings.name}-{last}"
    source = TrainedSource(run=last, data=way.data.digest, plan=way.settings.digest)
    card = weights_card(name, reader, way.settings, way.data.digest)
    return pinned_weights(model, way.tokenizer, way.folder / MIRROR / name, name=name, source=source, card=card)
