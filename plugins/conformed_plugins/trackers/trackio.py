"""Passes figures on to trackio, a tracker that keeps a database of its own on this machine."""

from __future__ import annotations

import atexit
import contextlib
import io
import os
from collections.abc import Mapping, MutableMapping
from importlib import import_module
from types import ModuleType
from typing import Any

from conformed.errors import PluginError
from conformed_plugins.trackers.figures import checked
from conformed_plugins.trackers.options import TrackioOptions

__all__ = ["TrackioTracker"]

_AWAY = ("TRACKIO_BUCKET_ID", "TRACKIO_SERVER_URL", "TRACKIO_SPACE_ID", "TRACKIO_WEBHOOK_URL")
"""Variables by which trackio would send figures to another machine."""


class TrackioTracker:
    """Tracks on this machine alone. ``trackio show`` shows it; ``TRACKIO_DIR`` must then name the same folder.

    Args:
        options: where.
        environment: the process's variables; ``TRACKIO_DIR`` is set in it, because trackio takes its folder from nowhere else.

    Raises:
        PluginError: when trackio is not installed, was loaded for another folder, or would send figures away.
    """

    def __init__(self, options: TrackioOptions, environment: MutableMapping[str, str] = os.environ) -> None:
        away = [name for name in _AWAY if environment.get(name)]
        if away:
            raise PluginError(f"{', '.join(away)} is set: figures would leave this machine.", "Unset it, or use no tracker.")
        folder = options.folder.absolute()
        environment["TRACKIO_DIR"] = str(folder)
        self._project = options.project
        self._service = _loaded()
        there = getattr(import_module("trackio.utils"), "TRACKIO_DIR", None)
        if there is None or os.fspath(there) != str(folder):
            raise PluginError(
                "trackio was loaded for another folder before.", "Make the tracker before anything imports trackio."
            )
        self._run: Any = None
        self._name = ""

    def track(self, run: str, step: int, figures: Mapping[str, str]) -> None:
        """Passes figures on. A run that is there already is gone on with.

        Raises:
            GivenTypeError, GivenValueError: for what is no figure.
            PluginError: when trackio fails.
        """
        plain = checked(step, figures)
        try:
            if run != self._name or self._run is None:
                self.close()
                with contextlib.redirect_stdout(io.StringIO()):  # it prints how to open its page
                    self._run = self._service.init(
                        project=self._project, name=run, resume="allow", embed=False, auto_log_gpu=False, auto_log_cpu=False
                    )
                if not self._name:
                    atexit.register(self.close)  # behind trackio's own, and so before it: nothing is left for that to print
                self._name = run
            self._run.log(plain, step=step)
        except Exception as problem:  # of a foreign service, which documents none of its own; proven by fault injection
            raise PluginError(f"trackio failed ({type(problem).__name__}).", "The run's own folder has all figures.") from problem

    def close(self) -> None:
        """Has all figures written that are under way."""
        if self._run is not None:
            run, self._run = self._run, None
            with contextlib.redirect_stdout(io.StringIO()):
                try:
                    self._service.finish()
                except RuntimeError:  # called from another thread than the one that began the run
                    run.finish()


def _loaded() -> ModuleType:
    try:
        return import_module("trackio")
    except ImportError as problem:
        raise PluginError("trackio is not installed.", "pip install 'conformed[trackio]'") from problem
