"""Overriding a run: a person's facts are added and the run is done again."""
