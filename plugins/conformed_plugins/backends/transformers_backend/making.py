"""Makes the backend, or says in one sentence which extra is not installed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformed.errors import PluginError
from conformed_plugins.backends.options import TransformersOptions

if TYPE_CHECKING:
    from conformed_plugins.backends.transformers_backend.backend import TransformersBackend

__all__ = ["make"]


def make(options: TransformersOptions) -> TransformersBackend:
    """The backend.

    Raises:
        PluginError: when torch, transformers or what reads the model's files is not installed.
        ConformedError: as TransformersBackend.
    """
    try:
        from conformed_plugins.backends.transformers_backend.backend import TransformersBackend
    except ModuleNotFoundError as problem:
        raise PluginError(f"{problem.name} is not installed.", "Install it: pip install 'conformed[ml]'.") from problem
    return TransformersBackend(options)
