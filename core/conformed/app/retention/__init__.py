"""Retention: erasure by two people, legal holds, epochs."""
