"""Awkward inputs of our own making: one maker for each row of the bank, in each format in which the row makes sense."""
