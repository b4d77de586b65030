"""A large model behind an OpenAI-compatible HTTP endpoint, as a bank serves one: the only backend that uses a network."""
