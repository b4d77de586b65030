"""Golden cases: what a contract's regression slices hold, each judged as a vector, and whether a slice got worse."""
