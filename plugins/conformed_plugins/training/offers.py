"""What training offers to the registry. Nothing here imports torch: each part is made only when it is asked for."""

from __future__ import annotations

from collections.abc import Callable

from conformed.hooks import Register, Registration

__all__ = ["offer_commands", "offer_trainers"]

Maker = Callable[[str, str], Callable[[object], object]]
"""Makes a factory from a module under ``conformed_plugins`` and a name in it."""


def offer_commands(register: Register, maker: Maker, version: str) -> None:
    """Commands: making data, training, looking at runs."""
    for name, summary, module, thing in (
        ("runs", "conformed runs: lists, shows, pins and compares runs of training.", "training.runs.command", "RunsCommand"),
        ("synth", "conformed synth: invented covenant clauses with exact labels.", "training.synth.command", "SynthCommand"),
        (
            "train",
            "conformed train: a small extraction policy, from nothing or by a plan.",
            "training.actor.command",
            "TrainCommand",
        ),
    ):
        register(Registration("command", name, version, summary, maker(module, thing)))


def offer_trainers(register: Register, maker: Maker, version: str) -> None:
    """Trainers of policies."""
    from conformed_plugins.training.grpo.settings import GrpoSettings
    from conformed_plugins.training.sft.settings import SftSettings
    from conformed_plugins.training.trl_trainer.options import TrlOptions

    summary = "Supervised training on right answers, until a criterion is met; resumes to the bit."
    register(Registration("trainer", "sft", version, summary, maker("training.sft.supervised", "SupervisedTrainer"), SftSettings))
    summary = "GRPO with verifiable rewards, for small models on the CPU; resumes to the bit."
    register(Registration("trainer", "grpo", version, summary, maker("training.grpo.trainer", "GrpoTrainer"), GrpoSettings))
    summary = "GRPO on TRL, for large models: the same items, check, rewards and plan."
    register(Registration("trainer", "trl", version, summary, maker("training.trl_trainer.making", "make"), TrlOptions))
