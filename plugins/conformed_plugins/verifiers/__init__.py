"""Verifiers of short answers. Each is imported only when a contract makes it."""
