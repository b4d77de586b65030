"""A small policy as a second reader: it copies four fields out of a sentence, and the rules judge the place where they stand."""
