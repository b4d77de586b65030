"""Time-limited states: suspension, temporary level, elected increase, springing trigger, waiver (rule book 3.5, PR-40 to PR-44)."""
