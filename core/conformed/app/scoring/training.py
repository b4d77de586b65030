"""Trains a learned scorer on one split of a bank and drafts its card."""

from __future__ import annotations

import json
from pathlib import Path

from conformed.app.scoring.reporting import Trained
from conformed.errors import PluginError, UsageError
from conformed.evaluation.scorers.bank import Bank
from conformed.evaluation.scorers.card import ScorerCard
from conformed.hooks import Registry
from conformed.model.answer import Outcome
from conformed.policy.load import load_text

__all__ = ["KINDS", "train_scorer"]

KINDS = {"outcome": ("prompt", "response"), "process": ("prompt", "answer", "steps")}
"""Learned scorers that can be trained, with what each reads."""


def train_scorer(
    registry: Registry, kind: str, bank: Bank, folder: Path, *, scorer_id: str, owner: str, split: str, seed: int
) -> Trained:
    """Trains and writes weights, diary and a draft of the card into a new or empty folder.

    Args:
        registry: the plugins.
        kind: one of ``KINDS``.
        bank: the bank.
        folder: made if it is not there.
        scorer_id: name of the new scorer.
        owner: who answers for it.
        split: the only split that is looked at.
        seed: of the training.

    Raises:
        UsageError: for an unknown kind, a folder with something in it, or a split without labelled candidates.
        PolicyError: when name or owner do not fit a card.
        PluginError: when the trainer is not there or fails.
    """
    if kind not in KINDS:
        raise UsageError(f"There is no learned scorer {kind!r}.", f"There are: {', '.join(sorted(KINDS))}.")
    examples = [one for one in bank.candidates if one.split == split and one.outcome in (Outcome.CORRECT, Outcome.INCORRECT)]
    if not examples:
        raise UsageError(f"The bank {bank.name} has nothing right or wrong in the split {split!r}.", "Name a split that it has.")
    generators = sorted({one.generator for one in examples})
    named = [kind, scorer_id, owner, bank.digest]
    _card(
        _drafted(named, generators, registry.get("scorer", kind).version, "0" * 64), scorer_id
    )  # before hours of work, not after
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if any(folder.iterdir()):
            raise UsageError(f"The folder {folder} has something in it.", "Name a new or an empty one.")
    except OSError as problem:
        raise UsageError(f"The folder {folder} cannot be used: {problem.strerror}.", "Name another.") from problem
    trainer = registry.create("trainer", f"{kind}-scorer", {})
    plan = {
        "examples": [
            {
                "prompt": one.prompt,
                "response": one.response,
                "right": one.outcome is Outcome.CORRECT,
                "steps": [{"text": step.text, "sound": step.sound} for step in one.steps],
            }
            for one in examples
        ],
        "seed": seed,
        "folder": str(folder),
    }
    try:
        diary = trainer.train(plan)
        sha256, examples_used, losses, file = diary["sha256"], diary["examples"], tuple(diary["losses"]), diary["file"]
    except Exception as problem:  # a plugin may raise anything, or keep no diary; nothing of it is then used
        raise PluginError(
            f"the trainer of {kind} scorers failed: {type(problem).__name__}: {problem}.", "Ask its author."
        ) from problem
    text = _drafted(named, generators, registry.get("scorer", kind).version, sha256)
    card = folder / f"{scorer_id}.yaml"
    card.write_text(text, encoding="utf-8")
    kept = {**diary, "bank": bank.name, "bank_sha256": bank.digest, "generators": generators, "split": split}
    (folder / "training.json").write_text(json.dumps(kept, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    return Trained(
        scorer_id=_card(text, scorer_id).scorer_id,
        card=str(card),
        weights=str(folder / file),
        sha256=sha256,
        examples=examples_used,
        losses=losses,
    )


def _card(text: str, scorer_id: str) -> ScorerCard:
    return load_text(text, ScorerCard, name=f"{scorer_id}.yaml").value


def _drafted(named: list[str], generators: list[str], version: str, sha256: str) -> str:
    kind, scorer_id, owner, revision = named
    # JSON strings are YAML strings, so that no name can become a key.
    return f"""\
# A draft. Evaluate the scorer, complete slices, calibration and thresholds, then put card and weights into policies/scorers/.
scorer_id: {json.dumps(scorer_id, ensure_ascii=False)}
revision: 1.0.0
family: learned
plugin: {kind}
version: {version}
weights: {{file: weights.safetensors, sha256: "{sha256}"}}
training_data_revision: "{revision}"
trained_on_generators: {json.dumps(generators, ensure_ascii=False)}
target_event: answer_correct
input_schema: [{", ".join(KINDS[kind])}]
output_schema: probability
supported_slices: []
failure_slices: []
# The strictest bounds: any change makes a person look. Loosen them before a replacement is proposed, not after.
drift: {{most_changed: "0", most_regressed: "0", worse_p: "1", most_review_change: "0", most_length_correlation: "0"}}
owner: {json.dumps(owner, ensure_ascii=False)}
"""
