"""Whether those who signed could make the change: lenders' consent and its class, corrections, side letters (PR-20, PR-21)."""
