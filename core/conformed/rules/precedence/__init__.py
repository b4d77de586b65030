"""Which covenant governs on a test date: targets, order, open readings, rows, and what stops an answer (rule book 3.3, 3.4)."""
