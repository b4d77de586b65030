"""What may be said of a run: claims by rule, and the reading back of a draft's sentences into records (section 5)."""
