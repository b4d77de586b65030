"""When a log is closed: the record that ends it, and what may still be written after it."""

from __future__ import annotations

from conformed_audit.record import Kind

__all__ = ["CLOSED", "STILL_WRITTEN"]

CLOSED = "epoch closed"
"""Idempotency key of the ``log.epoch`` record that ends a log, so that two who end it write it once."""
STILL_WRITTEN = frozenset({Kind.LOG_HEADS})
"""Kinds that a closed log still takes: its last checkpoint is made over the closing record."""
