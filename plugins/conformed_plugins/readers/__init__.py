"""Readers: one format each, one canonical text, offsets that never change."""
