"""Runs of training: a plan before, a folder that only grows, a diary after, and what the series say. Imports no torch."""
