"""What runs in the worker: algebra on trees that were built from text elsewhere. Imports nothing of ours."""
