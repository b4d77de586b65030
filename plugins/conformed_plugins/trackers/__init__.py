"""Trackers: they pass the figures of a run on to a tracking service of the user's own. Never installed with the base, never needed."""
