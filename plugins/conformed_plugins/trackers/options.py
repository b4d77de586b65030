"""Options of the trackers, apart from what they do, so that listing plugins imports neither service."""

from __future__ import annotations

from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

__all__ = ["MlflowOptions", "TrackioOptions"]

_NAME = r"^[A-Za-z0-9][A-Za-z0-9_-]{0,79}$"


class TrackioOptions(BaseModel):
    """Options of the tracker ``trackio``."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    folder: Path = Path(".conformed/trackio")
    """Where its database lies: a folder of this machine."""
    project: str = Field(default="conformed", pattern=_NAME)
    """The project under which runs are shown."""


class MlflowOptions(BaseModel):
    """Options of the tracker ``mlflow``."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    folder: Path = Path(".conformed/mlflow")
    """Where its database (SQLite) lies: a folder of this machine."""
    experiment: str = Field(default="conformed", pattern=_NAME)
    """The experiment under which runs are shown."""
