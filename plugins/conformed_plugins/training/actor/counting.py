"""An evaluation of pinned weights, counted for their gates: the report that ``conformed weights propose`` reads.

Every split is answered twice, greedily and sampled at temperature 1, one answer an item. What counts as a false accept is an answer of the
right form that gives a level and is wrong: it would be taken.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from conformed.errors import UsageError
from conformed.mirror.manifest import TrainedSource
from conformed.mirror.verifying import manifest_in
from conformed.model.weights_report import Decoding, SplitCounts, WeightsReport, read_report
from conformed_plugins.training.actor.counts import counts_of, gates_digest
from conformed_plugins.training.actor.loading import load_policy
from conformed_plugins.training.actor.verdicts import answered
from conformed_plugins.training.grpo.codec import ChatCodec
from conformed_plugins.training.items import Split
from conformed_plugins.training.sft.greedy import greedy
from conformed_plugins.training.synth.checking import check
from conformed_plugins.training.synth.dataset import DataSet, read

__all__ = ["evaluate_weights"]

_ROOM = 24
"""Tokens that an answer may have beyond the longest right one of its data set."""
_THREADS = 2


def evaluate_weights(
    weights: Path,
    data: Path,
    gates: Path,
    *,
    family: str,
    splits: Sequence[Split],
    before: Path | None,
    use: str | None,
    seed: int,
    write: Callable[[str], None],
) -> WeightsReport:
    """Evaluates weights and counts.

    Args:
        weights: their folder of a mirror.
        data: a folder of ``conformed synth`` with the tasks that they are for.
        gates: the file with the gates, of which the report names the hash.
        family: the name that all candidates share among which somebody chooses by the same data.
        splits: which splits.
        before: a report of the same weights, data and gates, whose counts are carried over; None makes a new one.
        use: what ``conformed weights final`` printed, for the final split.
        seed: of the sampled answers.
        write: takes one line of progress at a time.

    Raises:
        UsageError: for the final split without its use, a use without it, an empty split, or a report of something else.
        ConformedError: when weights or data are not what they say.
    """
    if (Split.FINAL in splits) != (use is not None):
        raise UsageError(
            "The final split is evaluated once, after its use was put on the record.",
            "Run: conformed weights final FOLDER --report REPORT --gates NAME, and give --use what it prints.",
        )
    items = read(data)
    model, tokenizer, manifest = load_policy(weights)
    sha = gates_digest(gates)
    old = None if before is None else read_report(before.read_bytes(), str(before))
    if old is not None and (old.manifest, old.dataset, old.gates, old.family) != (manifest, items.digest, sha, family):
        raise UsageError(f"{before} is of other weights, data, gates or family.", "Name the report that `evaluate` wrote before.")
    made = _both(model.eval(), tokenizer, items, splits, seed, write)
    kept = [] if old is None else [one for one in old.splits if one.split not in {split.value for split in splits}]
    return WeightsReport.sealed(
        family=family,
        run=_run(weights),
        manifest=manifest,
        dataset=items.digest,
        gates=sha,
        splits=[*kept, *made],
        final_use=use,
    )


def _both(
    model: Any, tokenizer: Any, data: DataSet, splits: Sequence[Split], seed: int, write: Callable[[str], None]
) -> list[SplitCounts]:
    codec = ChatCodec(tokenizer, [tokenizer.eos_token_id])
    made = []
    for split in splits:
        items = data.items(split)
        if not items:
            raise UsageError(f"The data set has no item of {split.value}.", f"Make it with --count {split.value}=N.")
        most = _ROOM + max(len(tokenizer(one.answer, add_special_tokens=False)["input_ids"]) for one in items)
        for decoding, sampled in ((Decoding.GREEDY, None), (Decoding.SAMPLED, seed)):
            said = greedy(model, codec, items, check, max_new_tokens=most, threads=_THREADS, sampled=sampled)
            rows = answered(items, [one.text for one in said], check, [one.tokens for one in said])
            made.append(counts_of(split, decoding, rows))
            right, wrong = made[-1].right, made[-1].false_accepts
            write(f"{split.value}, {decoding.value}: {right} of {len(items)} right, {wrong} determined and wrong.")
    return made


def _run(weights: Path) -> str:
    """The run that made the weights; the name of a model that was not trained here."""
    manifest = manifest_in(weights)
    return manifest.source.run if isinstance(manifest.source, TrainedSource) else manifest.model
