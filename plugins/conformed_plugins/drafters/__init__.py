"""Drafters: checked claims into words."""
