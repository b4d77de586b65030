"""The rule book: provisions, precedence, conformed copy, calculation, comparison, claims. No model, no clock, no file."""
