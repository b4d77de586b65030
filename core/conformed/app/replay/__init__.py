"""A recorded run done again, level by level."""
