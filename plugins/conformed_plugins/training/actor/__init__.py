"""The small policy: its tokenizer and model, the one command that trains it, what it is compared with, and the report."""
