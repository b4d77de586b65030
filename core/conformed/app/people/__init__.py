"""People at the log: who is at the keys, the one place that every action passes, acceptance and release."""
