"""Overrides as facts that a person attests, folded in before precedence; never a level, never a result."""
