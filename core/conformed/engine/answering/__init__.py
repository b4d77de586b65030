"""The steps of a short answer: route, generate, answer, verify, select. They run in the same machine as a covenant's."""
