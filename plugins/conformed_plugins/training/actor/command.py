"""The command ``train``: a policy from nothing, or one run of training by its plan."""

from __future__ import annotations

import argparse
import datetime as dt
from collections.abc import Callable, Sequence
from pathlib import Path

from pydantic import ValidationError

from conformed.errors import PluginError, UsageError
from conformed.hooks import NoOptions
from conformed_plugins.training.actor.settings import PolicySettings
from conformed_plugins.training.items import Split
from conformed_plugins.words import Words, understood

__all__ = ["TrainCommand"]


class _Words(Words):
    command = "train"
    example = "conformed train policy --out FOLDER --minutes 10; conformed train sft PLAN.yaml --data FOLDER --out FOLDER"


class TrainCommand:
    """``conformed train policy``, ``sft``, ``grpo``, ``resume`` and ``evaluate``."""

    def __init__(self, _options: NoOptions) -> None:
        pass

    def run(self, arguments: Sequence[str], write: Callable[[str], None]) -> int:
        """Trains, and prints how it went.

        Raises:
            UsageError: for arguments that are not understood, or a folder that holds something.
            PluginError: when torch, transformers or tokenizers is not installed.
            ConformedError: when training fails.
        """
        asked = understood(_parser(), arguments, write)
        if asked is None:
            return 0
        try:
            lines = {"policy": _policy, "evaluate": _evaluated}.get(asked.what, _one_run)(asked, write)
        except ModuleNotFoundError as problem:
            raise PluginError(f"{problem.name} is not installed.", "Install it: pip install 'conformed[ml]'.") from problem
        for line in lines:
            write(line)
        return 0


def _policy(asked: argparse.Namespace, write: Callable[[str], None]) -> list[str]:
    try:
        settings = PolicySettings(seed=asked.seed, minutes=asked.minutes, name=asked.name)
    except ValidationError as problem:
        first = problem.errors(include_url=False, include_input=False)[0]
        raise UsageError(f"train: {'.'.join(map(str, first['loc']))}: {first['msg']}.", f"Example: {_Words.example}") from problem
    from conformed_plugins.training.actor.policy import make_policy
    from conformed_plugins.training.actor.report import text_of

    gates = None if asked.gates is None else Path(asked.gates)
    return text_of(make_policy(Path(asked.out), settings, write=write, gates=gates, now=_now)).splitlines()


def _evaluated(asked: argparse.Namespace, write: Callable[[str], None]) -> list[str]:
    out = Path(asked.out)
    if out.exists():
        raise UsageError(f"train: {out} is there already.", "Name a new file.")
    from conformed_plugins.training.actor.counting import evaluate_weights

    report = evaluate_weights(
        Path(asked.weights),
        Path(asked.data),
        Path(asked.gates),
        family=asked.family,
        splits=[Split(name) for name in dict.fromkeys(asked.splits)],
        before=None if asked.before is None else Path(asked.before),
        use=asked.use,
        seed=asked.seed,
        write=write,
    )
    out.write_bytes(report.data())
    return [f"{out}: report {report.digest} of the weights {report.manifest}."]


def _one_run(asked: argparse.Namespace, write: Callable[[str], None]) -> list[str]:
    from conformed_plugins.training.actor.single import resume, train

    folder = Path(asked.out)
    if asked.what == "resume":
        return resume(folder, write=write, now=_now)
    start = None if asked.start is None else Path(asked.start)
    return train(asked.what, Path(asked.plan), Path(asked.data), folder, start=start, write=write, now=_now)


def _now() -> dt.datetime:
    return dt.datetime.now(dt.UTC)


def _parser() -> Words:
    parser = _Words(prog="conformed train", description="Train an extraction policy on invented clauses.")
    commands = parser.add_subparsers(dest="what", required=True)
    policy = commands.add_parser("policy")
    policy.add_argument("--out", required=True, help="a new or empty folder")
    policy.add_argument("--seed", type=int, default=0)
    policy.add_argument("--minutes", type=float, default=10.0)
    policy.add_argument("--name", default="covenant-fields")
    policy.add_argument("--gates", help="a file of policies/weight-gates for which the counts are sealed")
    for name in ("sft", "grpo"):
        one = commands.add_parser(name)
        one.add_argument("plan", help="the plan of the run, as YAML")
        one.add_argument("--data", required=True, help="a data set of `conformed synth`")
        one.add_argument("--out", required=True, help="a new or empty folder")
        one.add_argument("--start", required=name == "grpo", help="a folder of pinned weights to begin from")
    again = commands.add_parser("resume")
    again.add_argument("--out", required=True, help="the folder of the run")
    evaluate = commands.add_parser("evaluate")
    evaluate.add_argument("weights", help="a folder of pinned weights")
    evaluate.add_argument("--data", required=True, help="a data set of `conformed synth`")
    evaluate.add_argument("--gates", required=True, help="the file with the gates, declared before")
    evaluate.add_argument("--out", required=True, help="the report, a new file")
    evaluate.add_argument(
        "--splits", nargs="+", choices=[one.value for one in Split], default=["unseen", "challenge", "retention"]
    )
    evaluate.add_argument("--family", default="covenant-fields", help="the name that all candidates share")
    evaluate.add_argument("--before", help="a report of the same weights whose counts are carried over")
    evaluate.add_argument("--use", help="for the final split: what `conformed weights final` printed")
    evaluate.add_argument("--seed", type=int, default=0, help="of the sampled answers")
    return parser
