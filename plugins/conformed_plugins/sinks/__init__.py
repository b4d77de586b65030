"""Sinks: whoever is given the signed checkpoints of the log."""
