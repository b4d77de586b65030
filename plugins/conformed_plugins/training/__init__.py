"""Training of small extraction policies on synthetic clauses: supervised first, then with verifiable rewards, then gates."""
