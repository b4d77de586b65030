"""The nets under extraction: words about changing a covenant that nothing accounts for stop the run."""
