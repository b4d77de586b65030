"""Papers as legal instruments: kind, dates, execution, provisions, admission, and the chains that they form (rule book 3.1, 3.2)."""
