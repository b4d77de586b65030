"""What a run needs to go on as if it had never stopped: its state, written whole or not at all, and read back only if it is whole."""
