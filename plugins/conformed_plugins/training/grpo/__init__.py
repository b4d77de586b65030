"""GRPO (Shao et al. 2024, DeepSeekMath, section 4) in house: rollout, scored groups, advantages, one update with shared prompts, step."""
