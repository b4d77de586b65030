"""Evidence bundles: what leaves the house for an auditor, checked without software of ours."""
