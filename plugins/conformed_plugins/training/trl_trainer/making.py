"""Makes the trainer, or says in one sentence which extra is not installed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformed.errors import PluginError
from conformed_plugins.training.trl_trainer.options import TrlOptions

if TYPE_CHECKING:
    from conformed_plugins.training.trl_trainer.trainer import TrlTrainer

__all__ = ["make"]


def make(options: TrlOptions) -> TrlTrainer:
    """The trainer.

    Raises:
        PluginError: when TRL, or what it stands on, is not installed.
    """
    try:
        from conformed_plugins.training.trl_trainer.trainer import TrlTrainer
    except ModuleNotFoundError as problem:
        raise PluginError(f"{problem.name} is not installed.", "Install it: pip install 'conformed[trl]'.") from problem
    return TrlTrainer(options)
