"""${message}.

A revision writes `config.changed` before its first statement of schema, or the database refuses it.
"""

from __future__ import annotations

from alembic import op

from conformed_audit.postgres.change import record_change

revision = ${repr(up_revision)}
down_revision = ${repr(down_revision)}


def upgrade() -> None:
    """To this format."""
    record_change(op.get_bind(), revision)
    ${upgrades if upgrades else "pass"}
