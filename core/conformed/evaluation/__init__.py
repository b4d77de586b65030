"""Evaluation: answers, normalisers, metrics and the runner. Knows nothing of covenants and calls no model."""
