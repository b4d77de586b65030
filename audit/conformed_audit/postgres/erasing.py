"""Erasure on PostgreSQL: by a user to whom both `conformed_app` and `conformed_eraser` are granted, with its record or not at all.

The application's own user cannot do it: it has no right to change content. The eraser's role alone cannot either: it may add
no record, and the database looks for one in the same transaction.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformed_audit.erased_items import FIND_CONTENT, items_of
from conformed_audit.errors import RefusedError
from conformed_audit.postgres.store import PostgresStore
from conformed_audit.postgres.transaction import Transaction
from conformed_audit.record import Item

if TYPE_CHECKING:
    from conformed_audit.erasing import ErasurePlan

__all__ = ["PostgresErasingStore"]

_MAY = """
SELECT has_column_privilege('blob', 'ciphertext', 'UPDATE') AND has_column_privilege('data_key', 'wrapped_key', 'UPDATE'),
has_any_column_privilege('audit_event', 'INSERT')
"""
_ERASE = 'UPDATE blob SET salt = NULL, nonce = NULL, ciphertext = NULL, erased_at = %s WHERE "commit" = %s'
_DESTROY = "UPDATE data_key SET wrapped_key = NULL, destroyed_at = %s WHERE key_ref = %s"
_LEFT = "old pages of the database, which its administrator takes away: VACUUM FULL conformed_log.blob, conformed_log.data_key"


class PostgresErasingStore(PostgresStore):
    """A store that may destroy salt, key and ciphertext, and nothing else (`conformed_audit.erasing.ErasingTables`)."""

    def need_rights(self) -> None:
        """Checks that this user of the database may erase, and record it.

        Raises:
            RefusedError: when it may not.
        """
        erases, records = self._execute(_MAY)[0]
        if not (erases and records):
            lacking = "conformed_app" if erases else "conformed_eraser"
            raise RefusedError(
                f"This user of the database {self._name} may not erase: it does not have the role {lacking}.",
                "Name one that has it and the other: CONFORMED_LOG_URL, and docs/shared-log.md.",
            )

    def sealed_under(self, ref: str) -> list[Item]:
        """Contents under a data key that are still there."""
        return items_of(self._execute(FIND_CONTENT + "key_ref = %s", (ref,)))

    def plain(self, commit: str) -> list[Item]:
        """A content that is salted, kept as it is, and still there; none for a public one."""
        return items_of(self._execute(FIND_CONTENT + 'key_ref IS NULL AND salt IS NOT NULL AND "commit" = %s', (commit,)))

    def is_public(self, commit: str) -> bool:
        """Whether a content is there under its plain hash."""
        return bool(self._execute(FIND_CONTENT + 'key_ref IS NULL AND salt IS NULL AND "commit" = %s', (commit,)))

    def hold_still(self, case: str, keys: tuple[str, ...]) -> None:
        """Inside `write`: lets nobody add a record to a case that has some, or seal under these data keys, until the end."""
        self._execute("SELECT 1 FROM case_state WHERE case_id = %s FOR UPDATE", (case,))
        self._execute("SELECT 1 FROM data_key WHERE key_ref = ANY(%s) ORDER BY key_ref FOR UPDATE", (list(keys),))

    def destroy(self, plan: ErasurePlan, at: str) -> None:
        """Inside `write`: destroys what is planned, after the records, which the database looks for."""
        within = self._within()
        assert isinstance(within, Transaction)  # what erases never guesses
        last = within.afterwards
        last.append(("SELECT set_config('conformed.erasing', %s, true)", (plan.case,)))
        last.extend((_ERASE, (at, item.commit)) for item in plan.items)
        last.extend((_DESTROY, (at, ref)) for ref in plan.keys)

    def rewrite(self) -> str:
        """Nothing: only the owner of the tables can write them anew."""
        return _LEFT
