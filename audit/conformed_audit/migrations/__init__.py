"""Formats of a log on PostgreSQL, one revision each, for alembic. Run by `conformed_audit.postgres.migrate`."""
