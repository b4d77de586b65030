"""A model out of the mirror, run here by torch and transformers: verified, offline, without foreign code."""
