"""Erasure: salt, data key and ciphertext of a case's content are destroyed in the transaction that records why.

The records stay, and with them the chain, the tree and every proof. Of the content nothing stays but commitments, which
without their salts say nothing. Afterwards the file is written anew, so that no old page of it holds what was erased; on
PostgreSQL that is the administrator's VACUUM FULL.
"""

from __future__ import annotations

import os
import re
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Protocol, Self

from conformed_audit.clock import Clock
from conformed_audit.connect import authorize, translate
from conformed_audit.encode import time_text
from conformed_audit.erased_items import FIND_CONTENT, items_of
from conformed_audit.errors import ErasedError, MovedOnError, StoreError
from conformed_audit.log import AuditLog
from conformed_audit.log_store import LogStore
from conformed_audit.record import Item, Kind, RecordDraft
from conformed_audit.sealing import KeyHolder
from conformed_audit.store import Store
from conformed_audit.where import Where, is_url, need_postgres

__all__ = ["ErasingLog", "ErasingTables", "ErasurePlan", "erasure_drafts"]

_COMMIT = re.compile(rb"sha256:[0-9a-f]{64}")
_PER_RECORD = 64
_UPDATES = frozenset({"blob", "data_key"})
_FORBIDDEN_IN = "_config"  # the case in which it is recorded that something may not be erased


@dataclass(frozen=True, slots=True)
class ErasurePlan:
    """What an erasure of a case takes away."""

    case: str
    """The case."""
    items: tuple[Item, ...] = ()
    """Contents, by commitment; sorted."""
    keys: tuple[str, ...] = ()
    """Names of data keys; sorted."""
    kept: int = 0
    """Public contents that the case names and that stay: they are kept once for all cases, under their plain hash."""


def erasure_drafts(plan: ErasurePlan, base: RecordDraft) -> tuple[RecordDraft, ...]:
    """The ``payload.erased`` records of a plan: each content by its commitment, as many to a record as it has room for.

    Args:
        plan: what is erased.
        base: case, actor, authorisation, approval and note that all of them carry.
    """
    parts = [plan.items[at : at + _PER_RECORD] for at in range(0, len(plan.items), _PER_RECORD)] or [()]
    return tuple(replace(base, kind=Kind.PAYLOAD_ERASED, case=plan.case, input=part) for part in parts)


class ErasingTables(LogStore, Protocol):
    """The tables of a log, opened by somebody who may destroy content. Every method may raise a StoreError."""

    def sealed_under(self, ref: str) -> list[Item]:
        """Contents under a data key that are still there."""
        ...

    def plain(self, commit: str) -> list[Item]:
        """A content that is salted, kept as it is, and still there; none for a public one."""
        ...

    def is_public(self, commit: str) -> bool:
        """Whether a content is there under its plain hash."""
        ...

    def hold_still(self, case: str, keys: tuple[str, ...]) -> None:
        """Inside `write`: lets nobody add a record to a case that has some, or seal under these data keys, until the end."""
        ...

    def destroy(self, plan: ErasurePlan, at: str) -> None:
        """Inside `write`: destroys what is planned."""
        ...

    def rewrite(self) -> str:
        """Takes old pages away, and says what of that is left to be done by hand; empty where nothing is."""
        ...


class _ErasingStore(Store):
    """A store that may destroy salt, key and ciphertext, and nothing else."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        super().__init__(path, connection)
        connection.set_authorizer(None)
        connection.execute("PRAGMA secure_delete=ON")
        connection.set_authorizer(_authorize)

    def sealed_under(self, ref: str) -> list[Item]:
        """Contents under a data key that are still there."""
        return items_of(self._execute(FIND_CONTENT + "key_ref = ?", (ref,)))

    def plain(self, commit: str) -> list[Item]:
        """A content that is salted, kept as it is, and still there; none for a public one."""
        return items_of(self._execute(FIND_CONTENT + 'key_ref IS NULL AND salt IS NOT NULL AND "commit" = ?', (commit,)))

    def is_public(self, commit: str) -> bool:
        """Whether a content is there under its plain hash."""
        return bool(self._execute(FIND_CONTENT + 'key_ref IS NULL AND salt IS NULL AND "commit" = ?', (commit,)))

    def hold_still(self, case: str, keys: tuple[str, ...]) -> None:
        """Nothing: whoever writes is alone."""

    def destroy(self, plan: ErasurePlan, at: str) -> None:
        """Inside `write`: destroys what is planned."""
        for item in plan.items:
            query = 'UPDATE blob SET salt = NULL, nonce = NULL, ciphertext = NULL, erased_at = ? WHERE "commit" = ?'
            self._execute(query, (at, item.commit))
        for ref in plan.keys:
            self._execute("UPDATE data_key SET wrapped_key = NULL, destroyed_at = ? WHERE key_ref = ?", (at, ref))

    def rewrite(self) -> str:
        """Writes the file anew and empties the write-ahead log.

        Raises:
            StoreError: when it cannot be done now: what was erased cannot be read, but its bytes may still lie in the file.
        """
        connection = self._live()
        connection.set_authorizer(None)
        try:
            connection.execute("VACUUM")
            busy = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
        except sqlite3.Error as problem:
            raise translate(problem, self.path) from problem
        finally:
            connection.set_authorizer(_authorize)
        if busy:
            raise StoreError(
                f"The log {self.path.name!r} is being read by another process, so old pages stay in it.",
                "Finish: erase --finish.",
            )
        return ""


def _authorize(action: int, one: str | None, two: str | None, database: str | None, source: str | None) -> int:
    if action == sqlite3.SQLITE_UPDATE and one in _UPDATES:
        return sqlite3.SQLITE_OK
    return authorize(action, one, two, database, source)


class ErasingLog(AuditLog):
    """A log opened to erase. Use `open_to_erase`, as a context manager; what is appended `carrying_out` a plan erases it."""

    _plan: tuple[ErasurePlan, Callable[[], None]] | None = None
    _tables: ErasingTables

    @classmethod
    def open_to_erase(
        cls, path: Where, *, origin: str, clock: Callable[[], datetime], keys: KeyHolder | None = None, wait_s: float = 30.0
    ) -> Self:
        """Opens a log that is there.

        Args:
            path: the file; or the URL of a PostgreSQL database, with a user to whom conformed_app and conformed_eraser are granted.
            origin: name of the deployment.
            clock: gives the time now, aware.
            keys: holds the master key, so that contents that name others can be read.
            wait_s: how long to wait for another writer, in seconds.

        Raises:
            StoreError: when it cannot be used, or this user of the database may not erase.
        """
        reader = Clock(clock, None)
        made = _open(path, origin, time_text(reader.now()), wait_s)
        log = cls(made, origin, reader, os.urandom, keys)
        log._tables = made
        log._appender.also = log._destroy
        return log

    def plan(self, case: str) -> ErasurePlan:
        """What an erasure of a case would take away now: contents under its data keys, and older ones that were kept as they are.

        Raises:
            TamperedError: when a record of the case is not what was written.
        """
        items: dict[str, Item] = {}
        keys = []
        number = 1
        while (row := self._store.data_key(ref := f"{case}/{number}")) is not None:
            keys += [ref] if row.wrapped is not None else []
            items.update((item.commit, item) for item in self._tables.sealed_under(ref))
            number += 1
        named = {i.commit for r in self.records(case) for part in (r.input, r.output, r.sources) for i in part}
        kept = sum(self._tables.is_public(commit) for commit in named)
        todo, seen = sorted({*named, *items}), set(named)
        while todo:  # a list of documents names them, and no record does
            commit = todo.pop()
            items.update((item.commit, item) for item in self._tables.plain(commit))
            if commit in items:
                further = {found.decode() for found in _COMMIT.findall(self._content(commit))} - seen
                seen |= further
                todo += sorted(further)
        return ErasurePlan(case, tuple(items[commit] for commit in sorted(items)), tuple(keys), kept)

    @contextmanager
    def carrying_out(self, plan: ErasurePlan, check: Callable[[], None] = lambda: None) -> Iterator[None]:
        """What is appended inside erases what is planned, in the same transaction.

        Args:
            plan: what is erased.
            check: looks, inside the transaction, at whatever might forbid it, and raises.

        Raises:
            MovedOnError: by the append, when the case has more content, or less, than was planned. Nothing was written.
        """
        self._plan = (plan, check)
        try:
            yield
        finally:
            self._plan = None

    def rewrite(self) -> str:
        """Writes the log anew, so that what was erased is in no old page of it either.

        Returns:
            What of that is left to be done by hand; empty where nothing is.

        Raises:
            StoreError: when it cannot be done now.
        """
        return self._tables.rewrite()

    def _destroy(self, at: str) -> None:
        if self._plan is None:
            return
        plan, check = self._plan
        self._tables.hold_still(_FORBIDDEN_IN, plan.keys)
        check()
        now = self.plan(plan.case)
        if (now.items, now.keys) != (plan.items, plan.keys):
            raise MovedOnError(plan.case)
        self._tables.destroy(plan, at)

    def _content(self, commit: str) -> bytes:
        try:
            return self.get_blob(commit)
        except ErasedError:
            return b""


def _open(path: Where, origin: str, made_at: str, wait_s: float) -> ErasingTables:
    if is_url(path):
        need_postgres()
        from conformed_audit.postgres.erasing import PostgresErasingStore

        opened = PostgresErasingStore.open(str(path), origin=origin, wait_s=wait_s)
        assert isinstance(opened, PostgresErasingStore)
        try:
            opened.need_rights()
        except StoreError:
            opened.close()
            raise
        return opened
    made = _ErasingStore.open(Path(path), origin=origin, made_at=made_at, wait_s=wait_s, create=False)
    assert isinstance(made, _ErasingStore)
    return made
