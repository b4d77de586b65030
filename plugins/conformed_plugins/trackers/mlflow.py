"""Passes figures on to MLflow, into a database (SQLite) on this machine."""

from __future__ import annotations

import os
from collections.abc import Mapping, MutableMapping
from importlib import import_module
from typing import Any

from conformed.errors import PluginError
from conformed_plugins.trackers.figures import checked
from conformed_plugins.trackers.options import MlflowOptions

__all__ = ["MlflowTracker"]

_QUIET = {"DO_NOT_TRACK": "true", "MLFLOW_DISABLE_TELEMETRY": "true"}
"""MLflow reports its use to its makers unless it is told not to, before it is loaded."""
_TAG = "conformed.run"


class MlflowTracker:
    """Tracks on this machine alone, whatever ``MLFLOW_TRACKING_URI`` says.

    Args:
        options: where.
        environment: the process's variables; those that stop MLflow's own reports are set in it.

    Raises:
        PluginError: when MLflow, or the database library that it needs, is not installed, or it fails.
    """

    def __init__(self, options: MlflowOptions, environment: MutableMapping[str, str] = os.environ) -> None:
        environment.update(_QUIET)
        folder = options.folder.absolute()
        try:
            client = import_module("mlflow.tracking").MlflowClient
            for library in ("alembic", "sqlalchemy"):
                import_module(library)
        except ImportError as problem:
            raise PluginError(f"{problem.name or 'mlflow'} is not installed.", "pip install 'conformed[mlflow]'") from problem
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._client: Any = client(tracking_uri=f"sqlite:///{folder / 'mlflow.db'}")
            there = self._client.get_experiment_by_name(options.experiment)
            where = (folder / "artifacts").as_uri()
            self._experiment = there.experiment_id if there else self._client.create_experiment(options.experiment, where)
        except Exception as problem:  # of a foreign service; proven by fault injection
            raise _failed(problem) from problem
        self._runs: dict[str, str] = {}

    def track(self, run: str, step: int, figures: Mapping[str, str]) -> None:
        """Passes figures on. A run that is there already is gone on with.

        Raises:
            GivenTypeError, GivenValueError: for what is no figure.
            PluginError: when MLflow fails.
        """
        plain = checked(step, figures)
        try:
            if run not in self._runs:
                self._runs[run] = self._found(run)
            for name, value in plain.items():
                self._client.log_metric(self._runs[run], name, value, step=step)
        except Exception as problem:  # of a foreign service; proven by fault injection
            raise _failed(problem) from problem

    def _found(self, run: str) -> str:
        quoted = run.replace("\\", "").replace("'", "")
        there = self._client.search_runs([self._experiment], filter_string=f"tags.`{_TAG}` = '{quoted}'")
        one = there[0] if there else self._client.create_run(self._experiment, run_name=run, tags={_TAG: quoted})
        return str(one.info.run_id)


def _failed(problem: Exception) -> PluginError:
    return PluginError(f"MLflow failed ({type(problem).__name__}).", "The run's own folder has all figures.")
