"""Policy losses by name. A name that is not here is refused; nothing falls back to another loss."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from conformed.errors import GivenValueError
from conformed_plugins.training.losses.grpo import GRPO
from conformed_plugins.training.losses.kind import LossKind
from conformed_plugins.training.losses.sequence_ratio import SEQUENCE_RATIO
from conformed_plugins.training.losses.token_weighted import TOKEN_WEIGHTED
from conformed_plugins.training.losses.unscaled import UNSCALED

__all__ = ["LOSSES", "LossKind", "loss_named"]

LOSSES: Mapping[str, LossKind] = MappingProxyType({one.name: one for one in (GRPO, TOKEN_WEIGHTED, SEQUENCE_RATIO, UNSCALED)})
"""All of them."""


def loss_named(name: str) -> LossKind:
    """The loss of a name.

    Raises:
        ValueError: for a name that no loss has.
    """
    if not isinstance(name, str) or name not in LOSSES:
        raise GivenValueError(f"There is no loss {name!r}.", f"Name one of {', '.join(sorted(LOSSES))}.")
    return LOSSES[name]
