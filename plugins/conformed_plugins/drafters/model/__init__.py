"""A model that words claims. Its sentences are believed as little as anyone's: the claim checks decide."""
