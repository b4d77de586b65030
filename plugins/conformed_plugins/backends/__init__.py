"""Backends: what generates text. torch and transformers are imported by those that need them, and only when they are made."""
