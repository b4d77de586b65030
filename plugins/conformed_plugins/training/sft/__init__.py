"""Supervised warm start: masked negative log-likelihood on right answers, until a criterion is met."""
