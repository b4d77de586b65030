"""The log on PostgreSQL: many writers at once, one deployment. Needs the extra `postgres` (psycopg, alembic).

Nothing outside this package and `conformed_audit.migrations` imports psycopg or alembic, and these two are imported only when
a log is named by a URL (`conformed_audit.where`).
"""
