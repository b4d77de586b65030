"""A service whose runs leave nothing: its log lies in a folder of its own and is published to nobody."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from conformed.app.answering.desk import AnswerDesk
from conformed.app.keeping.published import PublicationNote
from conformed.app.workspace import Workspace

if TYPE_CHECKING:
    from conformed_audit import AuditLog

__all__ = ["Bench"]

_ORIGIN = "conformed.local/bench"


class Bench(AnswerDesk):
    """Answers and runs as the workspace's own service would, under the workspace's policies and plugins.

    Args:
        policies: the workspace's policies.
        folder: an empty folder for the log.
        clock: the time, UTC.
        environment: environment variables, for plugin loading.
    """

    def __init__(
        self,
        policies: Path,
        folder: Path,
        *,
        clock: Callable[[], dt.datetime] | None = None,
        environment: dict[str, str] | None = None,
    ) -> None:
        super().__init__(Workspace(root=folder, policies=policies, origin="flag"), clock=clock, environment=environment)
        self._folder = folder

    @contextmanager
    def _log(self, *, create: bool = True, archive: Path | None = None) -> Iterator[AuditLog]:  # noqa: ARG002 - the one log there is
        from conformed.engine.log import ours
        from conformed_audit import AuditLog

        with ours("opened"):
            log = AuditLog.open(self._folder / "bench.sqlite", origin=_ORIGIN, clock=self._clock)
        with log:
            yield log

    def publish_log(self, log: AuditLog) -> PublicationNote:  # noqa: ARG002 - nothing is published
        """Nothing is published."""
        self.published = PublicationNote(state="pending", checkpoint_size=0, reason="an evaluation publishes nothing")
        return self.published
