"""Keeping the log: publication, keys, witnesses, search, records for people, the operational log."""
