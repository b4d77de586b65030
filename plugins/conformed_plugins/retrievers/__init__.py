"""Retrievers: the passages of the authorised documents that matter, and what was not seen."""
