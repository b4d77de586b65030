"""Learned scorers: small networks over hashed features, trained on candidate banks."""
