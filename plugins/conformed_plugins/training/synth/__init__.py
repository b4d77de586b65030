"""Invented covenant language with exact labels: the grammar, its data sets, and the check of an answer."""
