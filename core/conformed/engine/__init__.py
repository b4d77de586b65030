"""The machine that carries a task contract out step by step, writes each step to the log, and takes up a run where it stopped."""
