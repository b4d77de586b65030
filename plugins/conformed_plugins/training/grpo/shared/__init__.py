"""Log-probabilities of a group's responses with the group's prompt run once, forward and backward."""
