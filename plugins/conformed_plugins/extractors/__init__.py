"""Extractors: operations, covenants and figures as proposals, each with the span that shows it."""
