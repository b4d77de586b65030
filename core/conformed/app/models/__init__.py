"""Models that may be used: their cards, the mirror with their files, pinning, verifying, and a look at how they are asked."""
