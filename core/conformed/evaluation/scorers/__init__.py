"""Scorers judged: candidate banks, the registry's cards, selections replayed and compared, and the evaluation of learned ones."""
