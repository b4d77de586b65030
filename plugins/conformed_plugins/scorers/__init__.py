"""Scorers: likelihood, learned and deterministic. A score orders candidates; it decides nothing alone."""
