"""The conformed copy: the covenant and its definitions as they read on a date, each run of words with its origin (PR-34)."""
