"""One run of training by its plan, and the same run taken up again."""

from __future__ import annotations

import datetime as dt
import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from conformed.errors import UsageError
from conformed.mirror.manifest import TrainedSource
from conformed_plugins.training.actor.cards import weights_card
from conformed_plugins.training.actor.loading import load_policy
from conformed_plugins.training.actor.model import make_model
from conformed_plugins.training.actor.pinning import pinned_weights
from conformed_plugins.training.actor.settings import REPLAY_TOLERANCE, PolicySettings
from conformed_plugins.training.actor.tokenizer import make_tokenizer
from conformed_plugins.training.grpo.settings import GrpoSettings
from conformed_plugins.training.grpo.trainer import GrpoTrainer
from conformed_plugins.training.items import Split
from conformed_plugins.training.runs.folder import RunFolder
from conformed_plugins.training.runs.plan import RunPlan, read_plan
from conformed_plugins.training.sft.settings import SftSettings
from conformed_plugins.training.sft.supervised import SupervisedTrainer
from conformed_plugins.training.synth.checking import check
from conformed_plugins.training.synth.dataset import DataSet, read

__all__ = ["resume", "train"]

CHECK_VERSION = "synth.check/1"
_INPUTS = "inputs.json"
_SAMPLE = 160


@dataclass
class _Run:
    """What one run works on."""

    folder: Path
    plan: RunPlan
    data: DataSet
    model: Any
    tokenizer: Any
    record: RunFolder


def train(
    what: str,
    plan: Path,
    data: Path,
    folder: Path,
    *,
    start: Path | None,
    write: Callable[[str], None],
    now: Callable[[], dt.datetime],
) -> list[str]:
    """Begins a run and takes it to its end.

    Args:
        what: ``sft`` or ``grpo``.
        plan: the plan, as YAML.
        data: a data set of ``conformed synth``.
        folder: a new or empty one.
        start: pinned weights to begin from; None begins from nothing, which only ``sft`` can.
        write: takes one line of progress.
        now: the time of day.

    Returns:
        What to tell a person.

    Raises:
        UsageError: for a folder that holds something, a plan of another method, or a data set that is not the plan's.
        ConformedError: as the trainer.
    """
    if folder.exists() and any(folder.iterdir()):
        raise UsageError(f"The folder {folder} is not empty.", "Name a new or an empty one, or resume the run.")
    try:
        planned = read_plan(plan.read_text("utf-8"), name=str(plan))
    except (OSError, UnicodeDecodeError) as problem:
        raise UsageError(f"{plan} cannot be read: {type(problem).__name__}.", "Name the plan of the run.") from problem
    if planned.method != what:
        raise UsageError(
            f"{plan} is a plan of {planned.method}, and {what} is asked for.", f"conformed train {planned.method} {plan}"
        )
    pinned = None if start is None else load_policy(start)[2]
    _settings(planned)
    given = read(data)
    if given.digest != planned.data_digest:
        raise UsageError(
            f"The data set in {data} is {given.digest[:12]}, and the plan names {planned.data_digest[:12]}.", "Name that one."
        )
    folder.mkdir(parents=True, exist_ok=True)
    inputs = {"data": str(data.resolve()), "start": None if start is None else str(start.resolve()), "manifest": pinned}
    (folder / _INPUTS).write_bytes((json.dumps(inputs, indent=1, sort_keys=True) + "\n").encode())
    record = RunFolder.begin(folder / "runs", planned, now=now, run_id=what)
    return _gone(_made(folder, planned, given, inputs, record), write, again=False)


def resume(folder: Path, *, write: Callable[[str], None], now: Callable[[], dt.datetime]) -> list[str]:
    """Takes a run up from its last whole checkpoint.

    Args:
        folder: of the run.
        write: takes one line of progress.
        now: the time of day.

    Raises:
        UsageError: when there is no run, no checkpoint, or what the run began with is another now.
        ConformedError: as the trainer.
    """
    try:
        inputs = json.loads((folder / _INPUTS).read_bytes())
        name = next(one.name for one in sorted((folder / "runs").iterdir()) if one.name in ("sft", "grpo"))
    except (OSError, ValueError, StopIteration) as problem:
        raise UsageError(
            f"There is no run in {folder}.", "Name the folder of a run of `conformed train sft` or `grpo`."
        ) from problem
    record = RunFolder.open(folder / "runs", name, now=now)
    data = read(Path(inputs["data"]))
    if data.digest != record.plan.data_digest:
        raise UsageError(f"The data set in {inputs['data']} is not the one that the run began with.", "Bring it back.")
    return _gone(_made(folder, record.plan, data, inputs, record), write, again=True)


def _made(folder: Path, plan: RunPlan, data: DataSet, inputs: Mapping[str, Any], record: RunFolder) -> _Run:
    if inputs["start"] is not None:
        model, tokenizer, _ = load_policy(Path(inputs["start"]), inputs["manifest"])
        return _Run(folder, plan, data, model, tokenizer, record)
    settings = PolicySettings(seed=plan.seed)
    items = data.items(Split.SFT)[: settings.tokenizer_items]
    tokenizer = make_tokenizer((text for item in items for text in (item.prompt, item.answer)), settings.symbols)
    return _Run(folder, plan, data, make_model(tokenizer, settings.size, seed=plan.seed), tokenizer, record)


def _gone(run: _Run, write: Callable[[str], None], *, again: bool) -> list[str]:
    write(f"{run.plan.method}: at most {run.plan.cap_updates} updates or {run.plan.cap_seconds} s.")
    result = (_sft if run.plan.method == "sft" else _grpo)(run, again=again)
    run.record.finish(result, plots=False)
    name = f"run-{run.plan.method}"
    source = TrainedSource(run=run.plan.method, data=run.data.digest, plan=_digest(run.plan))
    card = weights_card(name, run.plan.method, PolicySettings(seed=run.plan.seed), run.data.digest)
    manifest = pinned_weights(run.model, run.tokenizer, run.folder / "weights", name=name, source=source, card=card)
    return [
        *(f"{key}: {value}" for key, value in result.items() if not isinstance(value, dict | list)),
        f"weights: {run.folder / 'weights'}, manifest {manifest.digest}",
    ]


def _sft(run: _Run, *, again: bool) -> dict[str, Any]:
    how = _settings(run.plan)
    assert isinstance(how, SftSettings)
    trainer = SupervisedTrainer(how)
    return (trainer.resume if again else trainer.train)(
        {
            "model": run.model,
            "tokenizer": run.tokenizer,
            "items": run.data.items(Split.SFT),
            "sample": run.data.items(Split.KNOWN)[:_SAMPLE],
            "check": check,
            "folder": run.folder,
            "recorder": run.record,
        }
    )


def _grpo(run: _Run, *, again: bool) -> dict[str, Any]:
    how, data = _settings(run.plan), run.data
    assert isinstance(how, GrpoSettings)
    fresh = data.items(Split.GRPO)
    trainer = GrpoTrainer(how)
    return (trainer.resume if again else trainer.train)(
        {
            "model": run.model,
            "tokenizer": run.tokenizer,
            "items": [*fresh, *data.items(Split.SFT)[: len(fresh)]],
            "check": check,
            "check_version": CHECK_VERSION,
            "folder": run.folder,
            "held_out": {
                one.value: data.items(one)[:_SAMPLE]
                for one in (Split.KNOWN, Split.GRPO_KNOWN, Split.RETENTION)
                if data.items(one)
            },
            "recorder": run.record,
        }
    )


def _settings(plan: RunPlan) -> SftSettings | GrpoSettings:
    """The trainer's settings: the plan's own, and those that a plan has beside them."""
    given = dict(plan.settings) | {"seed": plan.seed, "cap_seconds": plan.cap_seconds}
    try:
        if plan.method == "sft":
            return SftSettings.model_validate({"save_every": 50, **given, "cap_updates": plan.cap_updates})
        return GrpoSettings.model_validate({"replay_tolerance": REPLAY_TOLERANCE, **given, "updates": plan.cap_updates})
    except ValidationError as problem:
        first = problem.errors(include_url=False, include_input=False)[0]
        raise UsageError(
            f"The plan's settings: {'.'.join(map(str, first['loc']))}: {first['msg']}.", "Mend the plan."
        ) from problem


def _digest(plan: RunPlan) -> str:
    return hashlib.sha256(plan.model_dump_json().encode()).hexdigest()
