"""Short answers: the second application of the engine, from a task to its record in the log."""
