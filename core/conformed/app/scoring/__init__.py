"""Scorers in use: their cards found, banks replayed through them, revisions compared, and learned ones trained and judged."""
