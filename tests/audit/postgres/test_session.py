"""The session's rules, which hold whatever the server's own settings are."""

from __future__ import annotations

from typing import Any

import pytest

psycopg = pytest.importorskip("psycopg", reason="the extra postgres is not installed")


def test_no_statement_is_compiled(server: Any, new_url: str) -> None:
    """A server that would compile every statement does not for ours: it takes seconds for the digest of the schema alone."""
    from conformed_audit.postgres.connect import connect

    name = psycopg.conninfo.conninfo_to_dict(new_url)["dbname"]
    server.run(f"ALTER DATABASE {name} SET jit = on", f"ALTER DATABASE {name} SET synchronous_commit = off")
    with psycopg.connect(new_url) as plain, connect(new_url, wait_s=5) as ours:
        for setting, there, here in (("jit", "on", "off"), ("synchronous_commit", "off", "on")):
            query = f"SELECT current_setting('{setting}')".encode()
            assert (plain.execute(query).fetchone(), ours.execute(query).fetchone()) == ((there,), (here,))
