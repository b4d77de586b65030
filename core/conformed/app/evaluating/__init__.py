"""Evaluation put together: contracts, backends and verifiers bound to the runner, and what came of it in words and pages."""
