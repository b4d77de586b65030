"""GRPO on TRL, for models too large for the in-house trainer: the same items, check, rewards, plan and run folder."""
