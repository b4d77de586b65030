"""What the database defines around the log, as one digest: tables, columns, keys, indexes, guards, rights, owners.

The digest of an untouched log of each format is kept here, so that a dropped or weakened guard, a new right, a rule, a row
filter or a changed function is seen without asking the database's owner. Rights of an owner on what is his are left out:
they differ between versions of PostgreSQL and say nothing.
"""

from __future__ import annotations

from hashlib import sha256
from typing import Any

import psycopg

__all__ = ["DIGESTS", "digest", "version"]

DIGESTS: dict[str, frozenset[str]] = {
    "0001": frozenset({"25770674ab031055134530605bcbe61eb93eaa26fa21403a2ef78cf4f9bf4bfb"}),
    "0002": frozenset({"d49ff379af470c64997af5d1521eb9b2eec376da9dd7f54c66fc2de5d75e9ef6"}),
}
"""For each format what `digest` gives for an untouched log; more than one where versions of PostgreSQL word it differently."""

_OURS = "(SELECT oid FROM pg_namespace WHERE nspname IN ('conformed_log', 'conformed_admin'))"
_PARTS = (
    # tables
    """SELECT n.nspname, c.relname, c.relkind::text, CASE n.nspname WHEN 'conformed_log' THEN r.rolname ELSE '' END,
      c.relpersistence::text, c.relrowsecurity::text, c.relforcerowsecurity::text, c.relhasrules::text
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace JOIN pg_roles r ON r.oid = c.relowner
    WHERE n.oid IN OURS AND c.relkind NOT IN ('i', 'I')""",
    # columns
    """SELECT 'column', c.relname, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull::text,
      coalesce(pg_get_expr(d.adbin, d.adrelid), ''), coalesce(l.collname, ''), a.attgenerated::text
    FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
      LEFT JOIN pg_collation l ON l.oid = a.attcollation
    WHERE c.relnamespace IN OURS AND c.relkind NOT IN ('i', 'I') AND a.attnum > 0 AND NOT a.attisdropped""",
    # keys and checks
    """SELECT 'constraint', c.relname, k.conname, pg_get_constraintdef(k.oid), k.convalidated::text, '', '', ''
    FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid WHERE c.relnamespace IN OURS AND k.contype <> 'n'""",
    # indexes
    """SELECT 'index', t.relname, c.relname, pg_get_indexdef(i.indexrelid), i.indisunique::text, i.indisvalid::text, '', ''
    FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_class t ON t.oid = i.indrelid
    WHERE t.relnamespace IN OURS""",
    # guards
    """SELECT 'trigger', c.relname, t.tgname, pg_get_triggerdef(t.oid), t.tgenabled::text, '', '', ''
    FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid WHERE c.relnamespace IN OURS AND NOT t.tgisinternal""",
    # keys to other tables that somebody switched off
    """SELECT 'internal', c.relname, t.tgenabled::text, count(*)::text, '', '', '', ''
    FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid WHERE c.relnamespace IN OURS AND t.tgisinternal
    GROUP BY c.relname, t.tgenabled""",
    # functions
    """SELECT 'function', n.nspname, p.proname, p.prosrc, p.prosecdef::text, coalesce(p.proconfig::text, ''),
      CASE n.nspname WHEN 'conformed_log' THEN r.rolname ELSE '' END, pg_get_function_arguments(p.oid)
    FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace JOIN pg_roles r ON r.oid = p.proowner WHERE n.oid IN OURS""",
    # the administrator's guard
    """SELECT 'event', e.evtname, e.evtevent, e.evtenabled::text, coalesce(e.evttags::text, ''), n.nspname, p.proname, ''
    FROM pg_event_trigger e JOIN pg_proc p ON p.oid = e.evtfoid JOIN pg_namespace n ON n.oid = p.pronamespace
    WHERE n.nspname IN ('conformed_log', 'conformed_admin')""",
    # rules, row filters, tables that inherit
    """SELECT 'rule', c.relname, w.rulename, w.ev_enabled::text, '', '', '', ''
    FROM pg_rewrite w JOIN pg_class c ON c.oid = w.ev_class WHERE c.relnamespace IN OURS""",
    """SELECT 'policy', c.relname, y.polname, '', '', '', '', '' FROM pg_policy y JOIN pg_class c ON c.oid = y.polrelid
    WHERE c.relnamespace IN OURS""",
    """SELECT 'heir', c.relname, h.inhrelid::regclass::text, '', '', '', '', ''
    FROM pg_inherits h JOIN pg_class c ON c.oid = h.inhparent WHERE c.relnamespace IN OURS AND c.relkind NOT IN ('i', 'I')""",
    # rights
    """SELECT 'right', 'table', c.relname, coalesce(g.rolname, 'PUBLIC'), a.privilege_type, a.is_grantable::text, '', ''
    FROM pg_class c CROSS JOIN LATERAL aclexplode(c.relacl) a LEFT JOIN pg_roles g ON g.oid = a.grantee
    WHERE c.relnamespace IN OURS AND a.grantee <> c.relowner""",
    """SELECT 'right', 'column', c.relname, t.attname, coalesce(g.rolname, 'PUBLIC'), a.privilege_type, a.is_grantable::text, ''
    FROM pg_attribute t JOIN pg_class c ON c.oid = t.attrelid CROSS JOIN LATERAL aclexplode(t.attacl) a
      LEFT JOIN pg_roles g ON g.oid = a.grantee WHERE c.relnamespace IN OURS AND a.grantee <> c.relowner""",
    """SELECT 'right', 'schema', n.nspname, coalesce(g.rolname, 'PUBLIC'), a.privilege_type, a.is_grantable::text, '', ''
    FROM pg_namespace n CROSS JOIN LATERAL aclexplode(n.nspacl) a LEFT JOIN pg_roles g ON g.oid = a.grantee
    WHERE n.nspname IN ('conformed_log', 'conformed_admin') AND a.grantee <> n.nspowner""",
    """SELECT 'right', 'function', p.proname, coalesce(g.rolname, 'PUBLIC'), a.privilege_type, a.is_grantable::text, '', ''
    FROM pg_proc p CROSS JOIN LATERAL aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) a
      LEFT JOIN pg_roles g ON g.oid = a.grantee WHERE p.pronamespace IN OURS AND a.grantee <> p.proowner""",
)
_COLUMNS = ", ".join(f"p{n}" for n in range(8))
_QUOTED = ", ".join(f"quote_literal(p{n}::text)" for n in range(8))
_EACH = (f"SELECT concat_ws('|', {_QUOTED}) AS line FROM ({part}) AS part({_COLUMNS})" for part in _PARTS)  # noqa: S608 - constants
_LINES = f'SELECT line FROM ({" UNION ALL ".join(_EACH)}) x ORDER BY line COLLATE "C"'.replace("OURS", _OURS)  # noqa: S608


def _lines(connection: psycopg.Connection[Any]) -> list[str]:
    """One line for each thing that is defined, sorted."""
    with connection.cursor(binary=False) as cursor:
        found = cursor.execute("SELECT current_setting('search_path')").fetchone()
        cursor.execute("SELECT set_config('search_path', 'pg_catalog, pg_temp', false)")  # names come out in full
        try:
            return [_plain(row[0]) for row in cursor.execute(_LINES.encode())]
        finally:
            cursor.execute("SELECT set_config('search_path', %s, false)", (_plain(found[0]) if found else "",))


def digest(connection: psycopg.Connection[Any]) -> str:
    """SHA-256, hex, over everything that the database defines around the log."""
    hashed = sha256()
    for line in _lines(connection):
        hashed.update(line.encode() + b"\n")
    return hashed.hexdigest()


def version(connection: psycopg.Connection[Any]) -> str | None:
    """The format of the log in a database; None where there is no log."""
    row = connection.execute("SELECT to_regclass('conformed_admin.alembic_version')::text").fetchone()
    if row is None or row[0] is None:
        return None
    row = connection.execute("SELECT version_num FROM conformed_admin.alembic_version").fetchone()
    return None if row is None else _plain(row[0])


def _plain(value: Any) -> str:
    return value.decode(errors="backslashreplace") if isinstance(value, bytes) else str(value)
