"""Test-time compute: votes, selection, revision, budgets, capacity and the Pareto frontier. Calls no model and knows no engine."""
