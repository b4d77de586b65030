"""Contamination: what stands in two splits, exactly or nearly, as text, formula or code."""

from conformed.evaluation.contamination.check import Contamination, Pair, contamination
from conformed.evaluation.contamination.entries import Entry, entries_of

__all__ = ["Contamination", "Entry", "Pair", "contamination", "entries_of"]
