"""The log's publication as conclusions ask for it: nothing is released before somebody outside holds a checkpoint over it."""

from __future__ import annotations

from conformed.app.service import Service
from conformed_audit import AuditLog
from conformed_audit.publish import published_size

__all__ = ["OutsidePublication"]


class OutsidePublication:
    """Publishes through the sinks of a workspace.

    Args:
        service: of the workspace.
    """

    def __init__(self, service: Service) -> None:
        self._service = service

    def publish(self, log: AuditLog) -> None:
        """Makes a checkpoint and hands it out; that nobody took it is no error here."""
        self._service.publish_log(log)

    def size(self, log: AuditLog) -> int:
        """How many records are under a checkpoint that a sink outside acknowledged."""
        return published_size(log, self._service.outside_sinks(log))
