"""Many packs at once, one process a pack."""
